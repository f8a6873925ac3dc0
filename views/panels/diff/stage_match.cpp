#include "views/panels/diff/stage_match.h"

#include <QHash>
#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>

namespace rx::views {
namespace {

std::string_view viewOf(const StageIndex& stage, TextRange range) {
  return std::string_view(stage.text.constData(), static_cast<size_t>(stage.text.size()))
      .substr(static_cast<size_t>(range.begin), static_cast<size_t>(range.end - range.begin));
}

TextRange lineRange(const StageIndex& stage, int line) {
  const auto at = static_cast<size_t>(line);
  const int end = line < stage.lineCount() ? stage.lineStarts[at] - 1 : static_cast<int>(stage.text.size());
  return {stage.lineStarts[at - 1], end};
}

/// Names of variables in a range, which a comparison looks through: they are compared by what they stand for.
std::span<const NameRow> namesIn(const FunctionRow& function, TextRange range) {
  const auto before = [](const NameRow& name, int offset) { return name.range.begin < offset; };
  const auto first = std::lower_bound(function.names.begin(), function.names.end(), range.begin, before);
  return {first, std::lower_bound(first, function.names.end(), range.end, before)};
}

/// Calls `piece` for each part of a range between the names of variables, the empty ones too, and `name` for these.
template <class Piece, class Name>
void apart(const StageIndex& stage, const FunctionRow& function, TextRange range, const Piece& piece,
           const Name& name) {
  int from = range.begin;
  for (const NameRow& found : namesIn(function, range)) {
    if (!found.isVariable()) continue;
    piece(viewOf(stage, {from, found.range.begin}));
    name(found);
    from = found.range.end;
  }
  piece(viewOf(stage, {from, range.end}));
}

/// The first line of a binding: what it says besides the names of variables, hashed, and these in their order.
struct BlindLine {
  size_t hash = 0;
  std::vector<NameRow> names;
};
BlindLine blind(const StageIndex& stage, const FunctionRow& function, const BindingRow& binding) {
  BlindLine out;
  if (binding.range.empty()) return out;
  const int end = std::min(binding.range.end, lineRange(stage, stage.lineOf(binding.range.begin)).end);
  apart(
      stage, function, {binding.range.begin, end},
      [&](std::string_view piece) { out.hash = qHashMulti(out.hash, qHashBits(piece.data(), piece.size())); },
      [&](const NameRow& name) { out.names.push_back(name); });
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
    std::vector<BlindLine> lines;
    lines.reserve(function.bindings.size());
    for (const BindingRow& binding : function.bindings) lines.push_back(blind(stage, function, binding));
    return lines;
  }
  void pair(size_t l, size_t r) {
    partner_[r] = static_cast<int>(l);
    taken_[l] = true;
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
      if (!byOrigin && a.label != b.label && leftLines_[*found].hash != rightLines_[r].hash && a.info != b.info)
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
    std::unordered_map<size_t, std::vector<size_t>> byHash;
    for (size_t l = 0; l < left_.bindings.size(); ++l) {
      if (!taken_[l]) byHash[leftLines_[l].hash].push_back(l);
    }
    for (size_t r = 0; r < right_.bindings.size(); ++r) {
      if (partner_[r] >= 0) continue;
      const auto found = byHash.find(rightLines_[r].hash);
      if (found == byHash.end()) continue;
      for (size_t l : found->second) {
        if (taken_[l] || !sameOperands(l, r)) continue;
        pair(l, r);
        break;
      }
    }
  }
  /// Whether the names behind the bound one stand for each other.
  bool sameOperands(size_t l, size_t r) const {
    const std::vector<NameRow>& a = leftLines_[l].names;
    const std::vector<NameRow>& b = rightLines_[r].names;
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [this](const NameRow& left, const NameRow& right) {
      return left.defines == right.defines && (left.defines || sameVariable(left, right));
    });
  }
  /// Parameters stand for each other by their place, bindings where they are paired, and both where they are not by
  /// their names.
  bool sameVariable(const NameRow& left, const NameRow& right) const {
    if (left.kind != right.kind) return false;
    const auto l = static_cast<size_t>(left.target), r = static_cast<size_t>(right.target);
    if (left.kind == NameRow::Kind::Param) {
      const bool both = l < right_.params.size() && r < left_.params.size();
      return both ? l == r : left_.params[l].name == right_.params[r].name;
    }
    return partner_[r] >= 0 ? partner_[r] == left.target : left_.bindings[l].name == right_.bindings[r].name;
  }
  bool sameContent(size_t l, size_t r) const { return leftLines_[l].hash == rightLines_[r].hash && sameOperands(l, r); }
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
};

/// How the variables of two functions stand for each other, as far as their lines were compared.
struct Counterparts {
  using Variable = std::pair<NameRow::Kind, int>;
  std::map<Variable, Variable> ofLeft, ofRight;
  bool take(const NameRow& left, const NameRow& right) {
    const Variable l{left.kind, left.target}, r{right.kind, right.target};
    const auto known = ofLeft.find(l);
    if (known != ofLeft.end()) return known->second == r;
    if (!ofRight.emplace(r, l).second) return false;
    ofLeft.emplace(l, r);
    return true;
  }
};

struct BlindText {
  std::vector<std::string> keys;
  std::vector<std::vector<NameRow>> names;  // of each line
  std::vector<int> functions;               // of each line, -1 outside
};

BlindText blindText(const StageIndex& stage) {
  BlindText out;
  const auto count = static_cast<size_t>(stage.lineCount());
  out.keys.resize(count);
  out.names.resize(count);
  out.functions.assign(count, -1);
  for (size_t f = 0; f < stage.functions.size(); ++f) {
    const FunctionRow& function = stage.functions[f];
    if (function.kind != FunctionKind::Relax || function.firstLine < 1) continue;
    for (int line = function.firstLine; line <= function.lastLine && line <= stage.lineCount(); ++line) {
      const auto at = static_cast<size_t>(line) - 1;
      out.functions[at] = static_cast<int>(f);
      apart(
          stage, function, lineRange(stage, line), [&](std::string_view piece) { out.keys[at] += piece; },
          [&](const NameRow& name) {
            out.keys[at] += '\x01';
            out.names[at].push_back(name);
          });
    }
  }
  for (size_t at = 0; at < count; ++at) {
    if (out.functions[at] < 0) out.keys[at] = viewOf(stage, lineRange(stage, static_cast<int>(at) + 1));
  }
  return out;
}

/// The text of a function that the stage has lines for.
std::string_view textOf(const StageIndex& stage, const FunctionRow& function) {
  if (function.firstLine < 1 || function.lastLine > stage.lineCount()) return {};
  return viewOf(stage, {lineRange(stage, function.firstLine).begin, lineRange(stage, function.lastLine).end});
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
        made.changed = textOf(left, *before) == textOf(right, function) ? 0 : 1;
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
    const std::vector<NameRow>& names = a->names[l];
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
