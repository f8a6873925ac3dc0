// AlterOpImpl: other kernels for operators, with buffers in other layouts; what is around them sees the layouts that it
// knows.
#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/index_map_inverse.h"
#include "core/build/mutator.h"
#include "core/legalize/function.h"
#include "core/op/layout_transform.h"
#include "core/op/rules.h"
#include "core/transform/alter_op_options.h"
#include "core/transform/calls.h"
#include "core/transform/cleanup.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

using relax::Expr;
using relax::StructInfo;
constexpr std::string_view kOperatorName = "operator_name";

/// A kernel that copies the beginning of a tensor of this rank.
tir::PrimFuncRef padRemover(size_t rank, DataType dtype) {
  te::Shape padded, plain;
  for (size_t i = 0; i < rank; ++i) {
    padded.push_back(make<tir::Var>(Str(fmt::format("p{}", i)), DataType::Int(64)));
    plain.push_back(make<tir::Var>(Str(fmt::format("i{}", i)), DataType::Int(64)));
  }
  te::Graph graph;
  const te::Tensor input = graph.param(padded, dtype, "input");
  const te::Tensor output = graph.compute(plain, [&](const te::Indices& at) { return input(at); }, {.name = "output"});
  return te::makeFunction(graph, {input, output}, {output});
}

class OpAlterer : public build::Mutator {
 public:
  OpAlterer(build::ModuleContext& context, const ir::IRModule& module, const Replacements& replacements,
            std::map<std::string, relax::GlobalVarRef>& added)
      : Mutator("AlterOpImpl", &context), module_(module), replacements_(replacements), added_(added) {}

 protected:
  Expr visitCall(const Ref<relax::Call>& node) override {
    const Expr visited = Mutator::visitCall(node);
    const auto call = callOf(visited, "relax.call_tir");
    const auto* name = call ? as<relax::GlobalVar>(call->args[0]) : nullptr;
    const auto kernel = name ? refAs<tir::PrimFunc>(module_.find(name)) : nullptr;
    const std::string_view op = kernel ? ir::strAttrOf(kernel->attrs, kOperatorName) : std::string_view();
    auto replacement = replacements_.find(op);
    if (op.empty() || replacement == replacements_.end()) return visited;
    if (kernel->params.size() != replacement->second.kernel->params.size()) {
      return refused(*call, fmt::format("{} takes {} buffers, and its replacement {}", op, kernel->params.size(),
                                        replacement->second.kernel->params.size()));
    }
    return altered(*call, std::string(op), replacement->second);
  }

 private:
  Expr refused(const relax::Call& call, std::string why) {
    builder.report(errorAt(call.span, "pass.alter-op", std::move(why)));
    return Ref<relax::Call>(&call);
  }

  Expr altered(const relax::Call& call, const std::string& op, const Replacement& by) {
    const auto* inputs = as<relax::Tuple>(call.args[1]);
    const StructInfo& result = call.sinfoArgs[0];
    const auto* tuple = as<relax::TupleStructInfo>(result);
    const size_t outputs = tuple ? tuple->items.size() : 1;
    if (!inputs || inputs->items.size() + outputs > by.kernel->params.size()) {
      return refused(call, "a call_tir takes its tensors one by one");
    }
    std::vector<Expr> args;
    for (size_t i = 0; i < inputs->items.size(); ++i) args.push_back(laidOut(inputs->items[i], by, i));
    const size_t first = by.layouts.empty() ? 0 : by.layouts.size() - outputs;
    std::vector<StructInfo> infos;
    for (size_t i = 0; i < outputs; ++i) {
      infos.push_back(mapped(tuple ? tuple->items[i] : result, by, first + i));
      if (!infos.back()) return refused(call, "a result has no shape that a layout can change");
    }
    const StructInfo info = tuple ? relax::tupleSinfo(Array<StructInfo>(infos)) : infos[0];
    const Expr made = make<relax::Call>(
        call.op, Array<Expr>{kernelVar(op, by), Expr(make<relax::Tuple>(Array<Expr>(std::move(args))))}, call.attrs,
        Array<StructInfo>{info});
    if (by.layouts.empty() || outputs == 0) return made;
    if (!tuple || outputs == 1) return restored(call, made, by, first, tuple ? tuple->items[0] : result);
    const Expr all = builder.emit(made);
    std::vector<Expr> fields;
    for (size_t i = 0; i < outputs; ++i) {
      const Expr field = builder.emit(make<relax::TupleGetItem>(all, static_cast<int64_t>(i)));
      fields.push_back(builder.normalizeArgument(restored(call, field, by, first + i, tuple->items[i])));
    }
    return make<relax::Tuple>(Array<Expr>(std::move(fields)));
  }

  static Expr transformed(const Expr& tensor, const Ref<tir::IndexMap>& map, const Replacement& by, size_t buffer) {
    return op::makeCall("relax.layout_transform", {tensor},
                        {{"index_map", map},
                         {"axis_separators", by.axisSeparators[buffer]},
                         {"input_axis_separators", by.inputAxisSeparators[buffer]}});
  }
  static bool isScalarConstant(const Expr& expr) {
    const auto* constant = as<relax::Constant>(expr);
    const auto* info = constant ? as<relax::TensorStructInfo>(constant->sinfo) : nullptr;
    return info && info->ndim == 0;
  }
  static Expr laidOut(const Expr& input, const Replacement& by, size_t buffer) {
    if (by.layouts.empty() || !by.layouts[buffer] || isScalarConstant(input)) return input;
    return transformed(input, by.layouts[buffer], by, buffer);
  }

  /// StructInfo of a result in the layout of a buffer; null where its shape is not known.
  StructInfo mapped(const StructInfo& info, const Replacement& by, size_t buffer) {
    if (by.layouts.empty() || !by.layouts[buffer]) return info;
    const auto* tensor = as<relax::TensorStructInfo>(info);
    const Array<tir::PrimExpr>* shape = op::dimsOf(info);
    const auto dims = shape ? op::mapShape(*by.layouts[buffer], *shape, builder.context()) : std::nullopt;
    if (!dims) return nullptr;
    return make<relax::TensorStructInfo>(make<relax::ShapeExpr>(Array<tir::PrimExpr>(*dims)), tensor->dtype,
                                         tensor->vdevice);
  }

  /// A result in the layout that it had.
  Expr restored(const relax::Call& call, const Expr& result, const Replacement& by, size_t buffer,
                const StructInfo& before) {
    const Ref<tir::IndexMap>& map = by.layouts[buffer];
    if (!map) return result;
    const auto* tensor = as<relax::TensorStructInfo>(before);
    const auto* shape = as<relax::ShapeExpr>(tensor->shape);
    const auto inverse = analysis::inverseOf(*map, shape->values, builder.context().analyzer());
    if (!inverse) return refused(call, "the layout of a result has no inverse");
    const Expr plain = transformed(result, inverse->map, by, buffer);
    if (!inverse->padded) return plain;
    const Expr padded = builder.normalizeArgument(plain);
    return make<relax::Call>(
        call.op,
        Array<Expr>{padRemoverVar(shape->values.size(), tensor->dtype), Expr(make<relax::Tuple>(Array<Expr>{padded}))},
        nullptr, Array<StructInfo>{before});
  }

  relax::GlobalVarRef kernelVar(const std::string& op, const Replacement& by) {
    auto [known, fresh] = added_.try_emplace(op);
    if (fresh) known->second = add(by.kernel, op, op + "_replacement");
    return known->second;
  }
  /// One for every rank, as TVM has it.
  relax::GlobalVarRef padRemoverVar(size_t rank, DataType dtype) {
    auto [known, fresh] = added_.try_emplace(fmt::format("{}", rank));
    if (fresh) known->second = add(padRemover(rank, dtype), "remove_pad", "remove_pad");
    return known->second;
  }
  relax::GlobalVarRef add(const tir::PrimFuncRef& kernel, std::string_view op, std::string_view hint) {
    std::string name(hint);
    std::ranges::replace(name, '.', '_');
    return builder.module()->add(ir::withFunctionAttr(kernel, Str(kOperatorName), ir::strAttr(Str(op))), name);
  }

  const ir::IRModule& module_;
  const Replacements& replacements_;
  std::map<std::string, relax::GlobalVarRef>& added_;
};

}  // namespace

Result<ir::Module> alterOpImpl(const ir::Module& module, const ir::Attrs& options_, pass::PassContext& context) {
  RX_TRY(replacements, replacementsOf(options_));
  std::map<std::string, relax::GlobalVarRef> added;
  return rewriteFunctions(module, context,
                          [&](const relax::FunctionRef& function, build::ModuleContext& moduleContext) {
                            return OpAlterer(moduleContext, *module, replacements, added).rewrite(function);
                          });
}

}  // namespace rx::transform
