#include "views/panels/diff/stage_match.h"

#include <QHash>
#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <string_view>

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

/// What a binding's row and first line tell to a comparison.
script::BindingText textOf(const StageIndex& stage, const FunctionRow& function, const BindingRow& binding) {
  script::BindingText out;
  out.name = binding.name.toStdString();
  out.computes = qHash(binding.label);
  out.type = qHash(binding.info);
  for (const OriginRow& origin : binding.origins) {
    if (origin.function == function.name) out.cameFrom.push_back(origin.variable.toStdString());
  }
  if (binding.range.empty()) return out;
  const int end = std::min(binding.range.end, lineRange(stage, stage.lineOf(binding.range.begin)).end);
  apart(
      stage, function, {binding.range.begin, end},
      [&](std::string_view piece) { out.says = qHashMulti(out.says, qHashBits(piece.data(), piece.size())); },
      [&](const NameRow& name) {
        out.variables.push_back({name.kind == NameRow::Kind::Param, name.defines, name.target});
      });
  return out;
}

script::FunctionText textOf(const StageIndex& stage, const FunctionRow& function) {
  script::FunctionText out;
  for (const ParamRow& param : function.params) out.params.push_back(param.name.toStdString());
  out.bindings.reserve(function.bindings.size());
  for (const BindingRow& binding : function.bindings) out.bindings.push_back(textOf(stage, function, binding));
  return out;
}

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
    if (!function.binds() || function.firstLine < 1) continue;
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

/// The lines of a function that the stage has lines for.
std::string_view linesOf(const StageIndex& stage, const FunctionRow& function) {
  if (function.firstLine < 1 || function.lastLine > stage.lineCount()) return {};
  return viewOf(stage, {lineRange(stage, function.firstLine).begin, lineRange(stage, function.lastLine).end});
}

}  // namespace

FunctionMatch matchFunctions(const StageIndex& left, const FunctionRow& leftRow, const StageIndex& right,
                             const FunctionRow& rightRow) {
  return {script::matchBindings(textOf(left, leftRow), textOf(right, rightRow)), rightRow.name};
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
        made.changed = linesOf(left, *before) == linesOf(right, function) ? 0 : 1;
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
  return QString::fromStdString(countsText(match));
}

}  // namespace rx::views
