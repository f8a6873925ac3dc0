// LowerDistIR: distributed tensors become plain ones, of the size that one device holds. What comes in is spread over
// the devices by the first of them.
#include <fmt/format.h>

#include "core/arith/fold.h"
#include "core/build/mutator.h"
#include "core/transform/calls.h"
#include "core/transform/cleanup.h"
#include "core/transform/distributed_function.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

using relax::DTensorStructInfo;
using relax::Expr;
using relax::StructInfo;

/// What is left to other passes.
struct Unlowered {
  std::string_view op, pass;
};
constexpr Unlowered kUnlowered[] = {{"relax.call_tir", "LowerGlobalViewToLocalView"},
                                    {"relax.dist.redistribute", "LegalizeRedistribute"},
                                    {"relax.dist.annotate_sharding", "PropagateSharding"}};

/// The sizes of what one device holds of a shape.
Array<tir::PrimExpr> localSizes(const Array<tir::PrimExpr>& sizes, const DTensorStructInfo& placed,
                                arith::Analyzer& analyzer) {
  std::vector<tir::PrimExpr> local = sizes.vector();
  for (size_t m = 0; m < placed.placement->dimSpecs.size(); ++m) {
    const int64_t axis = placed.placement->dimSpecs[m]->axis;
    if (axis < 0 || static_cast<size_t>(axis) >= local.size()) continue;
    tir::PrimExpr& size = local[static_cast<size_t>(axis)];
    size = analyzer.simplify(arith::floorDiv(size, tir::intImm(placed.deviceMesh->shape[m], size->dtype)));
  }
  return Array<tir::PrimExpr>(std::move(local));
}

/// Plain tensors in the place of distributed ones: whole, or what one device holds.
StructInfo plainInfo(const StructInfo& info, bool local, arith::Analyzer& analyzer) {
  if (const auto* tuple = as<relax::TupleStructInfo>(info)) {
    std::vector<StructInfo> items;
    for (const StructInfo& item : tuple->items) items.push_back(plainInfo(item, local, analyzer));
    return relax::tupleSinfo(Array<StructInfo>(std::move(items)));
  }
  const auto* placed = as<DTensorStructInfo>(info);
  if (!placed) return info;
  const auto* shape = as<relax::ShapeExpr>(placed->tensor->shape);
  if (!local || !shape) return StructInfo(placed->tensor);
  return relax::tensorSinfo(localSizes(shape->values, *placed, analyzer), placed->tensor->dtype);
}

class DeviceProgram : public build::Mutator {
 public:
  explicit DeviceProgram(build::ModuleContext& context) : Mutator("LowerDistIR", &context) {}

 protected:
  relax::FunctionRef visitFunction(const relax::FunctionRef& function) override {
    params_ = function->params;
    std::vector<relax::VarRef> params;
    for (const relax::VarRef& param : params_) {
      const StructInfo info = plainInfo(param->sinfo, false, analyzer());
      params.push_back(info == param->sinfo ? param : make<relax::Var>(param->name, info));
      mapVar(param, params.back());
    }
    auto* made = new relax::Function(Array<relax::VarRef>(std::move(params)), function->body, function->retSinfo,
                                     function->isPure, function->attrs);
    made->span = function->span;
    return Mutator::visitFunction(relax::FunctionRef(made));
  }

  Expr visitBody(const relax::SeqRef& body) override {
    // What comes in stands in the only block where there is one; several blocks share it from before them.
    spreadInBlock_ = body->blocks.size() == 1;
    if (!spreadInBlock_) spreadParams();
    return Mutator::visitBody(body);
  }

  void visitBlock(const relax::BlockRef& block) override {
    if (!std::exchange(spreadInBlock_, false)) return Mutator::visitBlock(block);
    if (block->isDataflow()) builder.beginDataflow();
    spreadParams();
    for (const relax::Binding& binding : block->bindings) visitBinding(binding);
    if (block->isDataflow()) builder.endDataflow();
  }

  Expr visitConstant(const Ref<relax::Constant>& node) override {
    const StructInfo info = plainInfo(node->sinfo, true, analyzer());
    return info == node->sinfo ? Expr(node) : make<relax::Constant>(node->data, info);
  }

  Expr visitTupleGetItem(const Ref<relax::TupleGetItem>& node) override {
    for (const Field& field : fields_) {
      if (field.param == node->tuple.get() && field.index == node->index) return field.local;
    }
    return Mutator::visitTupleGetItem(node);
  }

  Expr visitCall(const Ref<relax::Call>& node) override {
    for (const Unlowered& row : kUnlowered) {
      if (!isOp(node, row.op)) continue;
      builder.report(
          errorAt(node->span, "pass.sharding", fmt::format("{} has to be lowered before, by {}", row.op, row.pass)));
      return node;
    }
    const Expr visited = Mutator::visitCall(node);
    const auto* call = as<relax::Call>(visited);
    return call ? lowered(*call, node->sinfo) : visited;
  }

 private:
  struct Field {
    const relax::ExprNode* param;
    int64_t index;
    Expr local;
  };

  arith::Analyzer& analyzer() { return builder.context().analyzer(); }

  /// The value on every device: the whole, or its part.
  Expr spread(const Expr& whole, const DTensorStructInfo& placed) {
    const Result<int64_t> axis = dividedAxis(placed, whole->span);
    if (!axis) {
      for (const Diagnostic& problem : axis.diagnostics()) builder.report(problem);
      return whole;
    }
    if (*axis < 0) return builder.emit(op::makeCall("relax.ccl.broadcast_from_worker0", {whole}));
    return builder.emit(
        op::makeCall("relax.ccl.scatter_from_worker0", {whole},
                     {{"num_workers", ir::intAttr(placed.deviceMesh->shape[0])}, {"axis", ir::intAttr(*axis)}}));
  }

  void spreadParams() {
    for (const relax::VarRef& param : params_) {
      const Expr whole = mapped(param);
      if (const auto* placed = as<DTensorStructInfo>(param->sinfo)) mapVar(param, spread(whole, *placed));
      const auto* tuple = as<relax::TupleStructInfo>(param->sinfo);
      for (size_t i = 0; tuple && i < tuple->items.size(); ++i) {
        const auto* placed = as<DTensorStructInfo>(tuple->items[i]);
        const auto index = static_cast<int64_t>(i);
        if (placed) fields_.push_back({param.get(), index, spread(make<relax::TupleGetItem>(whole, index), *placed)});
      }
    }
  }

  /// The call on what one device holds; `info` is what it gave before.
  Expr lowered(const relax::Call& call, const StructInfo& info) {
    const Expr self(&call);
    const auto* placed = as<DTensorStructInfo>(info);
    std::vector<Expr> args = call.args.vector();
    const auto* sizes = call.args.size() == 2 ? as<relax::ShapeExpr>(call.args[1]) : nullptr;
    if (placed && sizes) args[1] = make<relax::ShapeExpr>(localSizes(sizes->values, *placed, analyzer()));
    const StructInfo local = plainInfo(info, true, analyzer());
    if (isOp(self, "relax.dist.call_tir_local_view")) {
      return op::makeCall("relax.call_tir", std::move(args), {}, Array<StructInfo>{local});
    }
    if (placed && isOp(self, "relax.reshape")) {
      return make<relax::Call>(call.op, Array<Expr>(std::move(args)), call.attrs, call.sinfoArgs);
    }
    const auto* packed = as<relax::ExternFunc>(call.op);
    for (const PackedForm& form : kPackedForms) {
      if (!packed || packed->globalSymbol != form.distributed) continue;
      const Array<StructInfo> infos = placed ? Array<StructInfo>{local} : call.sinfoArgs;
      return make<relax::Call>(make<relax::ExternFunc>(Str(form.plain)), Array<Expr>(std::move(args)), call.attrs,
                               infos);
    }
    return self;
  }

  Array<relax::VarRef> params_;
  std::vector<Field> fields_;
  bool spreadInBlock_ = false;
};

}  // namespace

Result<ir::Module> lowerDistIr(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  return rewriteFunctions(
      module, context,
      [](const relax::FunctionRef& function, build::ModuleContext& moduleContext) -> Result<relax::FunctionRef> {
        RX_TRY(applies, isDistributed(*function));
        if (!applies) return function;
        return DeviceProgram(moduleContext).rewrite(function);
      });
}

}  // namespace rx::transform
