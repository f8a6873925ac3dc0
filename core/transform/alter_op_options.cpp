#include "core/transform/alter_op_options.h"

#include <fmt/format.h>

#include "core/arith/fold.h"
#include "core/ir/reflect.h"
#include "core/transform/option_values.h"

namespace rx::transform {

namespace {

Failure badOption(std::string_view name, std::string_view what) {
  return fail("pass.option-value", fmt::format("{}: {}", name, what));
}

/// The map over indices of one type, that of its variables: a text may write its numbers as T.int64(4).
Ref<tir::IndexMap> overOneType(const tir::IndexMap& map) {
  const DataType type = map.initialIndices.empty() ? DataType::Int(32) : map.initialIndices[0]->dtype;
  auto enter = [](const NodeRef&) -> NodeRef { return nullptr; };
  auto leave = [&](const NodeRef& node) -> NodeRef {
    if (const auto* number = as<tir::IntImm>(node)) return make<tir::IntImm>(type, number->value);
    if (const auto* cast = as<tir::Cast>(node)) return cast->value;
    const auto* binary = as<tir::BinaryNode>(node);
    return binary ? NodeRef(arith::makeBinary(node->kind(), binary->a, binary->b)) : node;
  };
  std::vector<tir::PrimExpr> finals;
  for (const tir::PrimExpr& index : map.finalIndices) {
    finals.push_back(cast<tir::ExprNode>(rewriteNodes(index, Into::Parts, enter, leave)));
  }
  return make<tir::IndexMap>(map.initialIndices, Array<tir::PrimExpr>(std::move(finals)));
}

/// `T.index_map(...)`, read where a text may have one: as an attribute of a function.
Result<Ref<tir::IndexMap>> indexMapOf(std::string_view text) {
  constexpr std::string_view name = "op_buffer_transforms";
  const std::string unit = fmt::format(
      "from tvm.script import tirx as T\n\n@T.prim_func(s_tir=True)\ndef main():\n"
      "    T.func_attr({{\"index_map\": {}}})\n    T.evaluate(0)\n",
      text);
  RX_TRY(module, moduleOption(name, unit));
  const NodeRef map = module->size() == 1 ? ir::attrOf(module->functions[0]->attrs, "index_map") : nullptr;
  if (!isa<tir::IndexMap>(map)) return badOption(name, fmt::format("{} is no index map", text));
  return overOneType(*as<tir::IndexMap>(map));
}

/// The list of an operator in one of the options; null where it has none.
const ir::ArrayAttr* listOf(const ir::Attrs& options, std::string_view option, std::string_view op) {
  const NodeRef dict = ir::attrOf(options, option);
  const auto* byOp = as<ir::DictAttrs>(dict);
  return byOp ? as<ir::ArrayAttr>(byOp->get(op)) : nullptr;
}

Result<Unit> readLayouts(const ir::ArrayAttr& list, Replacement& replacement) {
  for (const NodeRef& item : list.items) {
    const auto* text = as<ir::StrAttr>(item);
    if (!text && !isa<ir::NullAttr>(item)) return badOption("op_buffer_transforms", "a layout is a text or None");
    replacement.layouts.emplace_back();
    if (!text) continue;
    RX_TRY(map, indexMapOf(text->value.view()));
    replacement.layouts.back() = map;
  }
  return Unit{};
}

Result<std::vector<NodeRef>> separators(const ir::Attrs& options, std::string_view option, std::string_view op,
                                        size_t buffers) {
  const ir::ArrayAttr* list = listOf(options, option, op);
  if (!list) return std::vector<NodeRef>(buffers, ir::arrayAttr({}));
  if (list->items.size() != buffers) return badOption(option, fmt::format("{} has {} buffers", op, buffers));
  return list->items.vector();
}

}  // namespace

Result<Replacements> replacementsOf(const ir::Attrs& options) {
  Replacements all;
  const NodeRef kernels = ir::attrOf(options, "op_impl_map");
  const auto* byOp = as<ir::DictAttrs>(kernels);
  for (size_t i = 0; byOp && i < byOp->size(); ++i) {
    const std::string_view op = byOp->keys[i].view();
    const auto* text = as<ir::StrAttr>(byOp->values[i]);
    if (!text) return badOption("op_impl_map", fmt::format("the kernel of {} is a text", op));
    RX_TRY(kernel, kernelOption("op_impl_map", text->value.view()));
    Replacement replacement;
    replacement.kernel = kernel;
    if (const ir::ArrayAttr* layouts = listOf(options, "op_buffer_transforms", op)) {
      RX_CHECK(readLayouts(*layouts, replacement));
    }
    const size_t buffers = replacement.layouts.size();
    if (buffers != 0 && buffers != kernel->params.size()) {
      return badOption("op_buffer_transforms",
                       fmt::format("{} has {} layouts, and its kernel {} buffers", op, buffers, kernel->params.size()));
    }
    RX_TRY(outer, separators(options, "op_buffer_axis_separators", op, buffers));
    RX_TRY(inner, separators(options, "op_buffer_input_axis_separators", op, buffers));
    replacement.axisSeparators = std::move(outer);
    replacement.inputAxisSeparators = std::move(inner);
    all.emplace(op, std::move(replacement));
  }
  return all;
}

}  // namespace rx::transform
