#include "core/analysis/infer_layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/infer_layout_rules.h"
#include "core/op/rules.h"

namespace rx::analysis {

namespace {
const std::vector<LayoutRow>& table() {
  static const std::vector<LayoutRow> rows = [] {
    std::vector<LayoutRow> all;
    for (auto family : {convLayoutRows(), nnLayoutRows(), elementwiseLayoutRows(), manipulateLayoutRows()}) {
      all.insert(all.end(), family.begin(), family.end());
    }
    return all;
  }();
  return rows;
}
}  // namespace

std::span<const LayoutRow> allLayoutRows() { return table(); }

InferLayout layoutRule(std::string_view op) {
  static const std::map<std::string_view, InferLayout> rules = [] {
    std::map<std::string_view, InferLayout> byName;
    for (const LayoutRow& row : table()) byName.emplace(row.op, row.infer);
    return byName;
  }();
  auto rule = rules.find(op);
  return rule == rules.end() ? nullptr : rule->second;
}

InferLayout wideLayoutRule(std::string_view op) {
  if (const InferLayout rule = layoutRule(op)) return wideForm(rule);
  const auto own = ownLayoutRows();
  const auto row = std::find_if(own.begin(), own.end(), [&](const LayoutRow& each) { return each.op == op; });
  return row == own.end() ? nullptr : row->infer;
}

Failure noLayout(const LayoutQuery& query, std::string_view why) {
  const std::string_view name = as<relax::Op>(query.call.op)->name.view();
  return fail(errorAt(query.call.span, "pass.layout", fmt::format("{} has no layout here: {}", name, why)));
}

Result<LayoutText> orRefuse(const LayoutQuery& query, std::optional<LayoutText> layout) {
  if (!layout) return noLayout(query, "the layouts do not fit each other");
  return *layout;
}

Result<LayoutText> layoutAt(const LayoutQuery& query, size_t index) {
  if (index >= query.call.args.size()) return noLayout(query, "an argument is missing");
  const NLayout layout = layoutOf(query.layouts, query.call.args[index]);
  if (!layout.isTensor()) return noLayout(query, "an argument is no tensor of known rank");
  return layout.text;
}

Result<LayoutText> initialAt(const LayoutQuery& query, size_t index) {
  if (index >= query.call.args.size()) return noLayout(query, "an argument is missing");
  const NLayout layout = initialNLayout(query.call.args[index]->sinfo);
  if (!layout.isTensor()) return noLayout(query, "an argument is no tensor of known rank");
  return layout.text;
}

Result<LayoutText> unpackedAt(const LayoutQuery& query, size_t index) {
  RX_TRY(layout, layoutAt(query, index));
  if (isPacked(layout)) return initialAt(query, index);
  return layout;
}

Result<Array<tir::PrimExpr>> shapeAt(const LayoutQuery& query, size_t index) {
  const Array<tir::PrimExpr>* dims = op::dimsOf(query.call.args[index]->sinfo);
  if (!dims) return noLayout(query, "the shape of an argument is not known");
  return *dims;
}

ir::Attrs withAxis(const LayoutQuery& query, const ir::Attrs& attrs, std::string_view name, const LayoutText& layout) {
  return ir::withAttr(attrs, Str(name), ir::intAttr(axisIn(layout, op::intAttr(query.call, name))));
}

ir::Attrs withAxes(const LayoutQuery& query, const ir::Attrs& attrs, std::string_view name, const LayoutText& layout) {
  std::vector<int64_t> axes;
  for (int64_t axis : op::ints(query.call, name)) axes.push_back(axisIn(layout, axis));
  return ir::withAttr(attrs, Str(name), ir::intArrayAttr(axes));
}

Result<Unit> needNoWish(const LayoutQuery& query) {
  const auto* op = as<relax::Op>(query.call.op);
  if (op && query.desired.contains(op->name.view())) return noLayout(query, "it follows its arguments");
  return Unit{};
}

}  // namespace rx::analysis
