// PropagateSharding: annotations of some tensors become the placement of all, and what comes otherwise than it is
// needed is redistributed.
#include <fmt/format.h>

#include "core/build/mutator.h"
#include "core/ir/reflect.h"
#include "core/ir/structural_equal.h"
#include "core/transform/calls.h"
#include "core/transform/cleanup.h"
#include "core/transform/distributed_function.h"
#include "core/transform/pass_functions.h"
#include "core/transform/sharding_plan.h"

namespace rx::transform {

namespace {

using relax::DTensorStructInfo;
using relax::Expr;
using relax::StructInfo;

constexpr std::string_view kAnnotate = "relax.dist.annotate_sharding";

class ShardingWriter : public build::Mutator {
 public:
  ShardingWriter(build::ModuleContext& context, const analysis::AxisGraph& plan, const CancelToken& cancel)
      : Mutator("PropagateSharding", &context), context_(context), plan_(plan), cancel_(cancel) {}

 protected:
  relax::FunctionRef visitFunction(const relax::FunctionRef& function) override {
    std::vector<relax::VarRef> params;
    for (const relax::VarRef& param : function->params) {
      params.push_back(make<relax::Var>(param->name, placed(*param, param->sinfo)));
      mapVar(param, params.back());
    }
    auto* made = new relax::Function(Array<relax::VarRef>(std::move(params)), function->body, function->retSinfo,
                                     function->isPure, function->attrs);
    made->span = function->span;
    return Mutator::visitFunction(relax::FunctionRef(made));
  }

  Expr visitConstant(const Ref<relax::Constant>& node) override {
    const StructInfo info = placed(*node, node->sinfo);
    return info == node->sinfo ? Expr(node) : make<relax::Constant>(node->data, info);
  }

  Expr visitTupleGetItem(const Ref<relax::TupleGetItem>& node) override {
    const auto moved = moved_.find({node->tuple.get(), node->index});
    return moved == moved_.end() ? Mutator::visitTupleGetItem(node) : moved->second;
  }

  void visitVarBinding(const Ref<relax::VarBinding>& binding) override {
    const auto call = refAs<relax::Call>(binding->value);
    if (!call || tensorsIn(binding->var->sinfo).empty()) return Mutator::visitVarBinding(binding);
    const StructInfo wanted = placed(*binding->var, binding->var->sinfo);
    const auto visited = refAs<relax::Call>(visit(call));
    const bool annotates = isOp(call, kAnnotate);
    const Expr value = annotates ? visited->args[0] : builder.normalize(withResult(*visited, wanted));
    if (isa<relax::TupleStructInfo>(value->sinfo)) return bindTuple(binding, value, wanted);
    if (!isa<DTensorStructInfo>(value->sinfo)) {
      return builder.report(
          errorAt(call->span, "pass.sharding", "nothing is known of distributed results of this call"));
    }
    bind(binding, redistributed(value, wanted));
  }

 private:
  struct FieldHash {
    size_t operator()(const std::pair<const relax::ExprNode*, int64_t>& field) const {
      return std::hash<const void*>()(field.first) ^ (static_cast<size_t>(field.second) * 0x9e3779b97f4a7c15ULL);
    }
  };

  StructInfo placed(const relax::ExprNode& tensor, const StructInfo& info) {
    Result<StructInfo> result = distributed(plan_, tensor, info);
    if (result) return *result;
    for (const Diagnostic& problem : result.diagnostics()) builder.report(problem);
    return info;
  }

  /// What is bound stays visible where the binding was.
  void bind(const Ref<relax::VarBinding>& binding, const Expr& value) {
    const bool same = isa<relax::Var>(value) && isa<relax::DataflowVar>(value) == isa<relax::DataflowVar>(binding->var);
    if (same) return mapVar(binding->var, value);
    rebind(binding, value);
  }

  void bindTuple(const Ref<relax::VarBinding>& binding, const Expr& value, const StructInfo& wanted) {
    rebind(binding, value);
    const auto tuple = cast<relax::Var>(mapped(binding->var));
    const auto* have = as<relax::TupleStructInfo>(tuple->sinfo);
    const auto* want = as<relax::TupleStructInfo>(wanted);
    for (size_t i = 0; have && want && i < want->items.size(); ++i) {
      if (!isa<DTensorStructInfo>(want->items[i]) || structuralEqual(have->items[i], want->items[i])) continue;
      const auto index = static_cast<int64_t>(i);
      Expr field = builder.emit(make<relax::TupleGetItem>(tuple, index));
      moved_[{binding->var.get(), index}] = builder.emit(redistributed(field, want->items[i]));
    }
  }

  static Expr redistributed(const Expr& value, const StructInfo& wanted) {
    const auto* to = as<DTensorStructInfo>(wanted);
    if (!to || structuralEqual(value->sinfo, wanted)) return value;
    return op::makeCall("relax.dist.redistribute", {value},
                        {{"device_mesh", to->deviceMesh}, {"placement", to->placement}});
  }

  Expr visitCall(const Ref<relax::Call>& node) override {
    if (cancel_.cancelled()) builder.report(errorAt({}, "pass.cancelled", "cancelled"));
    const Expr visited = Mutator::visitCall(node);
    const auto* call = as<relax::Call>(visited);
    const auto* packed = call ? as<relax::ExternFunc>(call->op) : nullptr;
    for (const PackedForm& form : kPackedForms) {
      if (!packed || packed->globalSymbol != form.plain) continue;
      return make<relax::Call>(make<relax::ExternFunc>(Str(form.distributed)), call->args, call->attrs,
                               call->sinfoArgs);
    }
    return visited;
  }

  /// The call with the StructInfo of its result where the call itself has to say it: what follows from its arguments,
  /// or what is wanted where nothing does.
  Expr withResult(const relax::Call& call, const StructInfo& wanted) {
    const auto* packed = as<relax::ExternFunc>(call.op);
    const auto* form = std::find_if(std::begin(kPackedForms), std::end(kPackedForms), [&](const PackedForm& row) {
      return packed && packed->globalSymbol == row.distributed;
    });
    const bool states = form != std::end(kPackedForms) && form->givesTensor;
    if (!states && !callsKernel(call)) return Expr(&call);
    StructInfo info = wanted;
    if (!states) {
      if (const StructInfo inferred = inferredResult(call)) info = inferred;
    }
    return make<relax::Call>(call.op, call.args, call.attrs, Array<StructInfo>{info});
  }

  /// Null where the kernel takes no tensors.
  StructInfo inferredResult(const relax::Call& call) {
    const auto* var = as<relax::GlobalVar>(call.args[0]);
    const auto* args = as<relax::Tuple>(call.args[1]);
    const ir::BaseFunc function = var ? context_.functionOf(var) : nullptr;
    const auto* kernel = as<tir::PrimFunc>(function);
    if (!kernel || !args || args->items.empty()) return nullptr;
    analysis::AxisGraph graph;
    const relax::VarRef result = make<relax::Var>(Str("output"), call.sinfoArgs[0]);
    joinKernelAxes(graph, *result, call, *kernel);
    bool any = false;
    const auto results = static_cast<int64_t>(tensorsIn(result->sinfo).size());
    for (const Expr& arg : args->items) {
      const auto* info = as<DTensorStructInfo>(arg->sinfo);
      if (!info) continue;
      for (int64_t i = 0; !any && i < results; ++i) {
        graph.addSource({result.get(), analysis::Axis::kMesh, i}, {info->deviceMesh, analysis::Axis::kMesh});
      }
      any = true;
      for (size_t i = 0; i < info->placement->dimSpecs.size(); ++i) {
        const int64_t axis = info->placement->dimSpecs[i]->axis;
        if (axis >= 0) graph.addSource({arg.get(), axis}, {info->deviceMesh, static_cast<int64_t>(i)});
      }
    }
    if (!any) return nullptr;
    Result<Unit> spread = graph.spread(cancel_);
    Result<StructInfo> info =
        spread ? distributed(graph, *result, result->sinfo) : Result<StructInfo>(spread.failure());
    if (info) return *info;
    for (const Diagnostic& problem : info.diagnostics()) builder.report(problem);
    return nullptr;
  }

  build::ModuleContext& context_;
  const analysis::AxisGraph& plan_;
  const CancelToken& cancel_;
  std::unordered_map<std::pair<const relax::ExprNode*, int64_t>, Expr, FieldHash> moved_;
};

bool isAnnotated(const relax::Function& function) {
  bool found = false;
  walkOnce(function, Into::Parts, [&](const Node& node) {
    const auto* call = as<relax::Call>(&node);
    found = found || (call && isOp(Expr(call), kAnnotate));
    return !found;
  });
  return found;
}

}  // namespace

Result<ir::Module> propagateSharding(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  return rewriteFunctions(
      module, context,
      [&](const relax::FunctionRef& function, build::ModuleContext& moduleContext) -> Result<relax::FunctionRef> {
        if (!isAnnotated(*function)) return function;
        RX_TRY(plan, planSharding(*function, moduleContext, context.cancel));
        return ShardingWriter(moduleContext, plan, context.cancel).rewrite(function);
      });
}

}  // namespace rx::transform
