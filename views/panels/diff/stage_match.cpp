#include "views/panels/diff/stage_match.h"

#include <QHash>
#include <QSet>
#include <algorithm>
#include <memory>

#include "views/text/word.h"

namespace rx::views {
namespace {

/// Calls `name(begin, end)` for each identifier of a text that is no attribute, no part of a number and not in quotes.
template <class Name>
void eachName(const QByteArray& text, const Name& name) {
  for (qsizetype i = 0; i < text.size();) {
    if (text[i] == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i) i += text[i] == '\\';
      ++i;
    } else if (isWordByte(text[i])) {
      const qsizetype begin = i;
      while (i < text.size() && isWordByte(text[i])) ++i;
      const bool attribute = begin > 0 && text[begin - 1] == '.';
      if (!attribute && (text[begin] < '0' || text[begin] > '9')) name(begin, i);
    } else {
      ++i;
    }
  }
}

QSet<QByteArray> namesOf(const FunctionRow& function) {
  QSet<QByteArray> names;
  for (const ParamRow& param : function.params) names.insert(param.name.toUtf8());
  for (const BindingRow& binding : function.bindings) names.insert(binding.name.toUtf8());
  return names;
}

/// A line without the names of variables, and these in their order.
struct BlindLine {
  QByteArray text;
  std::vector<QByteArray> names;
};
BlindLine blind(const QByteArray& line, const QSet<QByteArray>& names) {
  BlindLine out;
  qsizetype from = 0;
  eachName(line, [&](qsizetype begin, qsizetype end) {
    const QByteArray name = line.mid(begin, end - begin);
    if (!names.contains(name)) return;
    out.text += line.mid(from, begin - from);
    out.text += '\x01';
    out.names.push_back(name);
    from = end;
  });
  out.text += line.mid(from);
  return out;
}

/// The bindings of one function of two stages, paired.
class FunctionPairing {
 public:
  FunctionPairing(const StageIndex& left, const FunctionRow& leftRow, const StageIndex& right,
                  const FunctionRow& rightRow)
      : left_(leftRow), right_(rightRow), partner_(rightRow.bindings.size(), -1), taken_(leftRow.bindings.size()) {
    leftLines_ = linesOf(left, leftRow);
    rightLines_ = linesOf(right, rightRow);
    for (size_t i = 0; i < leftRow.params.size() && i < rightRow.params.size(); ++i)
      counterpart_.insert(rightRow.params[i].name.toUtf8(), leftRow.params[i].name.toUtf8());
  }

  FunctionMatch run() {
    pairByOriginAndName();
    pairByContent();
    FunctionMatch match;
    match.name = right_.name;
    for (size_t r = 0; r < partner_.size(); ++r) {
      if (partner_[r] < 0) {
        ++match.added;
        continue;
      }
      const auto l = static_cast<size_t>(partner_[r]);
      BindingPair pair{partner_[r], static_cast<int>(r), left_.bindings[l].name != right_.bindings[r].name, false,
                       !sameContent(l, r)};
      match.changed += pair.changed;
      match.renamed += pair.renamed;
      match.pairs.push_back(pair);
    }
    match.removed = static_cast<int>(taken_.size() - match.pairs.size());
    markMoved(&match);
    return match;
  }

 private:
  static std::vector<BlindLine> linesOf(const StageIndex& stage, const FunctionRow& function) {
    const QSet<QByteArray> names = namesOf(function);
    std::vector<BlindLine> lines;
    for (const BindingRow& binding : function.bindings)
      lines.push_back(blind(stage.line(binding.line).trimmed(), names));
    return lines;
  }
  void pair(size_t l, size_t r) {
    partner_[r] = static_cast<int>(l);
    taken_[l] = true;
    counterpart_.insert(right_.bindings[r].name.toUtf8(), left_.bindings[l].name.toUtf8());
  }
  /// What it is called on the left according to its origins, else by its own name.
  void pairByOriginAndName() {
    QHash<QString, size_t> byName;
    for (size_t l = 0; l < left_.bindings.size(); ++l) byName.insert(left_.bindings[l].name, l);
    auto tryName = [&](size_t r, const QString& name, bool byOrigin) {
      const auto found = byName.constFind(name);
      if (found == byName.constEnd() || taken_[*found]) return false;
      const BindingRow& a = left_.bindings[*found];
      const BindingRow& b = right_.bindings[r];
      // A name alone may be used again for something else: then the computation has to be alike.
      if (!byOrigin && a.label != b.label && leftLines_[*found].text != rightLines_[r].text && a.info != b.info)
        return false;
      return pair(*found, r), true;
    };
    for (size_t r = 0; r < right_.bindings.size(); ++r) {
      const BindingRow& binding = right_.bindings[r];
      if (tryName(r, binding.name, false)) continue;
      for (const OriginRow& origin : binding.origins) {
        if (origin.function == left_.name && tryName(r, origin.variable, true)) break;
      }
    }
  }
  /// Those left over that compute the same from the same.
  void pairByContent() {
    QHash<QByteArray, std::vector<size_t>> byText;
    for (size_t l = 0; l < left_.bindings.size(); ++l) {
      if (!taken_[l]) byText[leftLines_[l].text].push_back(l);
    }
    for (size_t r = 0; r < right_.bindings.size(); ++r) {
      if (partner_[r] >= 0) continue;
      const auto found = byText.find(rightLines_[r].text);
      if (found == byText.end()) continue;
      for (size_t l : *found) {
        if (taken_[l] || !sameOperands(l, r)) continue;
        pair(l, r);
        break;
      }
    }
  }
  /// Whether the names behind the bound one stand for each other.
  bool sameOperands(size_t l, size_t r) const {
    const std::vector<QByteArray>& a = leftLines_[l].names;
    const std::vector<QByteArray>& b = rightLines_[r].names;
    if (a.size() != b.size()) return false;
    for (size_t i = 1; i < a.size(); ++i) {
      if (counterpart_.value(b[i], b[i]) != a[i]) return false;
    }
    return true;
  }
  bool sameContent(size_t l, size_t r) const { return leftLines_[l].text == rightLines_[r].text && sameOperands(l, r); }
  /// Pairs outside of the longest run that kept its order were moved.
  static void markMoved(FunctionMatch* match) {
    std::vector<size_t> tails;  // the pair that ends the best run of each length
    std::vector<ptrdiff_t> before(match->pairs.size(), -1);
    for (size_t i = 0; i < match->pairs.size(); ++i) {
      const auto at = std::lower_bound(tails.begin(), tails.end(), match->pairs[i].left,
                                       [&](size_t tail, int left) { return match->pairs[tail].left < left; });
      if (at != tails.begin()) before[i] = static_cast<ptrdiff_t>(*std::prev(at));
      if (at == tails.end()) {
        tails.push_back(i);
      } else if (match->pairs[*at].renamed || !match->pairs[i].renamed) {
        *at = i;  // of two that changed places the one that kept its name stayed
      }
      match->pairs[i].moved = true;
    }
    match->moved = static_cast<int>(match->pairs.size() - tails.size());
    for (ptrdiff_t i = tails.empty() ? -1 : static_cast<ptrdiff_t>(tails.back()); i >= 0;
         i = before[static_cast<size_t>(i)])
      match->pairs[static_cast<size_t>(i)].moved = false;
  }
  const FunctionRow& left_;
  const FunctionRow& right_;
  std::vector<BlindLine> leftLines_, rightLines_;
  std::vector<int> partner_;
  std::vector<char> taken_;
  QHash<QByteArray, QByteArray> counterpart_;  // names of the right to those of the left
};

/// How the names of two functions stand for each other, as far as their lines were compared.
struct Counterparts {
  QHash<QByteArray, QByteArray> ofLeft, ofRight;
  bool take(const QByteArray& left, const QByteArray& right) {
    const auto known = ofLeft.constFind(left);
    if (known != ofLeft.constEnd()) return *known == right;
    if (ofRight.contains(right)) return false;
    ofLeft.insert(left, right);
    ofRight.insert(right, left);
    return true;
  }
};

struct BlindText {
  std::vector<std::string> keys;
  std::vector<std::vector<QByteArray>> names;  // of each line
  std::vector<int> functions;                  // of each line, -1 outside
};

BlindText blindText(const StageIndex& stage) {
  BlindText out;
  const auto count = static_cast<size_t>(stage.lineCount());
  out.keys.resize(count);
  out.names.resize(count);
  out.functions.assign(count, -1);
  for (size_t i = 0; i < count; ++i) out.keys[i] = stage.line(static_cast<int>(i) + 1).toStdString();
  for (size_t f = 0; f < stage.functions.size(); ++f) {
    const FunctionRow& function = stage.functions[f];
    if (function.kind != FunctionKind::Relax) continue;
    const QSet<QByteArray> names = namesOf(function);
    for (int line = function.firstLine; line <= function.lastLine && line <= stage.lineCount(); ++line) {
      const auto at = static_cast<size_t>(line) - 1;
      BlindLine made = blind(stage.line(line), names);
      out.keys[at] = made.text.toStdString();
      out.names[at] = std::move(made.names);
      out.functions[at] = static_cast<int>(f);
    }
  }
  return out;
}

}  // namespace

FunctionMatch matchFunctions(const StageIndex& left, const FunctionRow& leftRow, const StageIndex& right,
                             const FunctionRow& rightRow) {
  return FunctionPairing(left, leftRow, right, rightRow).run();
}

StageMatch matchStages(const StageIndex& left, const StageIndex& right) {
  StageMatch match;
  for (const FunctionRow& function : right.functions) {
    const FunctionRow* before = left.function(function.name);
    FunctionMatch made;
    made.name = function.name;
    if (before) {
      made = matchFunctions(left, *before, right, function);
      // A kernel has no bindings: its text tells.
      if (function.bindings.empty() && before->bindings.empty()) {
        const auto text = [](const StageIndex& stage, const FunctionRow& row) {
          QByteArray lines;
          for (int line = row.firstLine; line <= row.lastLine; ++line) lines += stage.line(line) + '\n';
          return lines;
        };
        made.changed = text(left, *before) == text(right, function) ? 0 : 1;
      }
    } else {
      made.isNew = true;
    }
    match.functions.push_back(std::move(made));
  }
  for (const FunctionRow& function : left.functions) {
    if (right.function(function.name)) continue;
    FunctionMatch gone;
    gone.name = function.name;
    gone.isGone = true;
    match.functions.push_back(std::move(gone));
  }
  return match;
}

LineLikeness nameBlind(const StageIndex& left, const StageIndex& right) {
  auto a = std::make_shared<BlindText>(blindText(left));
  auto b = std::make_shared<BlindText>(blindText(right));
  auto counterparts = std::make_shared<QHash<std::pair<int, int>, Counterparts>>();
  LineLikeness likeness;
  likeness.left = a->keys;
  likeness.right = b->keys;
  likeness.agrees = [a, b, counterparts](uint32_t l, uint32_t r) {
    const std::vector<QByteArray>& names = a->names[l];
    if (names.size() != b->names[r].size()) return false;
    Counterparts& known = (*counterparts)[{a->functions[l], b->functions[r]}];
    bool agree = true;
    for (size_t i = 0; i < names.size(); ++i) agree = known.take(names[i], b->names[r][i]) && agree;
    return agree;
  };
  return likeness;
}

QString matchText(const FunctionMatch& match) {
  if (match.isNew) return QStringLiteral("new");
  if (match.isGone) return QStringLiteral("gone");
  QStringList parts;
  const std::pair<int, const char*> kCounts[] = {{match.added, "added"},
                                                 {match.removed, "removed"},
                                                 {match.changed, "changed"},
                                                 {match.renamed, "renamed"},
                                                 {match.moved, "moved"}};
  for (const auto& [count, word] : kCounts) {
    if (count > 0) parts << QStringLiteral("%1 %2").arg(count).arg(QLatin1String(word));
  }
  return parts.join(QStringLiteral(", "));
}

}  // namespace rx::views
