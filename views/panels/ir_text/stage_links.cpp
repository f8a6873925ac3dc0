#include "views/panels/ir_text/stage_links.h"

#include <algorithm>
#include <numeric>

#include "views/models/outline.h"

namespace rx::views {
namespace {

constexpr uint64_t kIndexBits = 32;
constexpr uint64_t kFunctionBits = 28;

LinkTarget targetOf(const NameRow& name, int function) {
  switch (name.kind) {
    case NameRow::Kind::Function:
      return {LinkTarget::Kind::Function, name.target, -1};
    case NameRow::Kind::Param:
      return {LinkTarget::Kind::Param, function, name.target};
    case NameRow::Kind::Binding:
      return {LinkTarget::Kind::Binding, function, name.target};
    case NameRow::Kind::Operator:
      return {};
  }
  return {};
}

/// A band for each run of lines that are computed in one scope; the text may write a value elsewhere.
void addScopes(const FunctionRow& function, std::vector<LineBand>* bands) {
  const size_t before = bands->size();
  for (int line = function.headLine + 1; line < function.lastLine; ++line) {
    const BindingRow* binding = function.bindingAtLine(line);
    if (!binding) continue;
    const BlockRow& block = function.blocks[static_cast<size_t>(binding->block)];
    const int branch = block.parent < 0 ? -1 : block.branch;
    const auto at = static_cast<uint32_t>(line - 1);
    const bool goesOn = bands->size() > before && bands->back().last + 1 == at && bands->back().branch == branch;
    if (goesOn)
      bands->back().last = at;
    else
      bands->push_back({at, at, BandKind::Scope, branch});
  }
}

}  // namespace

uint64_t linkId(const LinkTarget& target) {
  if (target.kind == LinkTarget::Kind::None) return 0;
  return uint64_t(target.kind) << (kIndexBits + kFunctionBits) | uint64_t(uint32_t(target.function)) << kIndexBits |
         uint32_t(target.index);
}

LinkTarget linkTarget(uint64_t id) {
  if (!id) return {};
  const auto function = static_cast<int>((id >> kIndexBits) & ((uint64_t(1) << kFunctionBits) - 1));
  return {static_cast<LinkTarget::Kind>(id >> (kIndexBits + kFunctionBits)), function, static_cast<int>(uint32_t(id))};
}

std::vector<Link> stageLinks(const StageIndex& stage) {
  // A text has its functions in another order than the module: kernels stand first.
  std::vector<int> order(stage.functions.size());
  std::iota(order.begin(), order.end(), 0);
  const auto lineOf = [&](int f) { return stage.functions[static_cast<size_t>(f)].firstLine; };
  std::sort(order.begin(), order.end(), [&](int a, int b) { return lineOf(a) < lineOf(b); });
  size_t count = 0;
  for (const FunctionRow& function : stage.functions) count += function.names.size();
  std::vector<Link> links;
  links.reserve(count);
  for (const int f : order) {
    const FunctionRow& function = stage.functions[static_cast<size_t>(f)];
    for (const NameRow& name : function.names) {
      const LinkRole role = name.defines ? LinkRole::Definition : name.isCallee() ? LinkRole::Callee : LinkRole::Use;
      links.push_back({static_cast<uint32_t>(name.range.begin), static_cast<uint32_t>(name.range.end),
                       linkId(targetOf(name, f)), role, name.color != OpKind::Other, name.color});
    }
  }
  // Not every language writes the names of a function in one piece.
  const auto before = [](const Link& a, const Link& b) { return a.begin < b.begin; };
  if (!std::is_sorted(links.begin(), links.end(), before)) std::sort(links.begin(), links.end(), before);
  return links;
}

std::vector<LineBand> stageBands(const StageIndex& stage) {
  std::vector<LineBand> bands;
  for (const FunctionRow& function : stage.functions) {
    if (function.kind == FunctionKind::Graph && function.blocks.size() > 1) addScopes(function, &bands);
    for (const BlockRow& block : function.blocks) {
      if (!block.dataflow || block.firstLine < 1 || block.lastLine < block.firstLine) continue;
      bands.push_back({static_cast<uint32_t>(block.firstLine - 1), static_cast<uint32_t>(block.lastLine - 1)});
    }
  }
  return bands;
}

namespace {

/// Fields that are taken out of tuples for nobody, as those of a batch_norm are, below the line before them.
void addIdle(const FunctionRow& function, std::vector<FoldRegion>* blocks) {
  const auto isIdle = [&](const BindingRow& row) {
    const auto returns = [&](const OperandRow& result) {
      return result.kind == OperandRow::Kind::Binding && result.index == row.ordinal;
    };
    return row.kind == OpKind::Tuple && row.label == QLatin1String("item") && row.usedBy.empty() &&
           std::none_of(function.results.begin(), function.results.end(), returns);
  };
  const auto beginsBlock = [&](const BindingRow& row) {
    return std::any_of(function.outline.begin(), function.outline.end(),
                       [&](const OutlineRow& outline) { return outline.first == row.ordinal; });
  };
  for (size_t i = 1; i < function.bindings.size(); ++i) {
    const BindingRow& before = function.bindings[i - 1];
    if (isIdle(before) || !isIdle(function.bindings[i]) || beginsBlock(before)) continue;
    size_t last = i;
    while (last + 1 < function.bindings.size() && isIdle(function.bindings[last + 1])) ++last;
    const int header = before.line, end = function.bindings[last].line;
    // They follow it line by line, or something else would be hidden too.
    if (header >= 1 && end == header + static_cast<int>(last - i) + 1)
      blocks->push_back({static_cast<uint32_t>(header - 1), static_cast<uint32_t>(end - 1), {}, true});
  }
}

/// The lines before the module, where they only say what it needs.
void addHead(const StageIndex& stage, std::vector<FoldRegion>* blocks) {
  uint32_t lines = 0;
  for (qsizetype at = 0; at < stage.text.size(); ++lines) {
    const qsizetype found = stage.text.indexOf('\n', at), end = found < 0 ? stage.text.size() : found;
    const QByteArrayView line = QByteArrayView(stage.text).sliced(at, end - at).trimmed();
    const bool idle = line.isEmpty() || line.startsWith('#') || line.startsWith("import ") || line.startsWith("from ");
    if (!idle) break;
    at = end + 1;
  }
  if (lines > 1) blocks->push_back({0, lines - 1, {}, true});
}

/// A stack shares its header with its first block and stands for it: open, it shows the lines of that one, and the
/// blocks behind it as a stack again.
void addOutline(const FunctionRow& function, std::vector<FoldRegion>* blocks) {
  const std::vector<OutlineRow>& rows = function.outline;
  const auto add = [&](size_t from, size_t to) {
    const OutlineRow &first = rows[from], &last = rows[to];
    const BindingRow *begin = function.binding(first.first), *end = function.binding(last.last);
    if (!begin || !end || begin->line < 1 || end->lastLine <= begin->line) return;
    const QString title =
        from < to ? QStringLiteral("%1 × %2, %3 … %4").arg(to - from + 1).arg(first.kind, first.name, last.name)
        : first.kind.isEmpty() ? first.name
                               : first.name + QStringLiteral(", ") + first.kind;
    blocks->push_back({static_cast<uint32_t>(begin->line - 1), static_cast<uint32_t>(end->lastLine - 1), title});
  };
  for (size_t r = 0, end = 0; r < rows.size(); r = end) {
    end = r + stackFrom(function, r);
    // The whole stack, what is behind its first block, and the others by themselves.
    for (size_t i = r; i < end; ++i) add(i, i < r + 2 ? end - 1 : i);
  }
}

}  // namespace

std::vector<FoldRegion> stageBlocks(const StageIndex& stage) {
  std::vector<FoldRegion> blocks;
  addHead(stage, &blocks);
  for (const FunctionRow& function : stage.functions) {
    addOutline(function, &blocks);
    addIdle(function, &blocks);
  }
  return blocks;
}

}  // namespace rx::views
