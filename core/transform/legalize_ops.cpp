// LegalizeOps: every call of an operator that core/legalize can write becomes a call_tir of a generated PrimFunc.
//
// With name_shapes (an option of ours that the default pipeline sets), a tensor whose rank is known and whose sizes are
// not gets a symbol for each of them by a match_cast, where an operator needs them: what an `if` with differing
// branches, a recursion or a data-dependent operator gives can then be computed with.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "core/build/mutator.h"
#include "core/ir/reflect.h"
#include "core/legalize/legalize.h"
#include "core/op/op_table.h"
#include "core/pass/config.h"
#include "core/pass/options.h"
#include "core/transform/calls.h"
#include "core/transform/device_kernels.h"
#include "core/transform/legalized_calls.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

struct Options {
  std::unordered_set<std::string> skipped;
  bool warn = false;
  bool nameShapes = false;
};

/// Variables that operators with a legalization take.
std::unordered_set<const relax::Var*> operandsOf(const relax::Function& function) {
  std::unordered_set<const relax::Var*> found;
  walk(*function.body, Into::Parts, [&](const Node& node) {
    const auto* call = as<relax::Call>(&node);
    const auto* op = call ? as<relax::Op>(call->op) : nullptr;
    if (op && legalize::canBeWritten(op->name.view())) {
      for (const relax::Expr& arg : call->args) {
        if (const auto* var = as<relax::Var>(arg)) found.insert(var);
        const auto* tuple = as<relax::Tuple>(arg);
        for (size_t i = 0; tuple && i < tuple->items.size(); ++i) {
          if (const auto* var = as<relax::Var>(tuple->items[i])) found.insert(var);
        }
      }
    }
    return !isa<tir::ExprNode>(&node) && !isa<tir::StmtNode>(&node);
  });
  return found;
}

/// Whether the element types of all tensors are known: a kernel for any type, which TVM writes, can not be compiled.
bool typesKnown(const relax::Call& call) {
  return std::all_of(call.args.begin(), call.args.end(), [](const relax::Expr& arg) {
    const auto* tensor = as<relax::TensorStructInfo>(arg->sinfo);
    return !tensor || !tensor->dtype.isVoid();
  });
}

/// The StructInfo with a symbol for every size that is not known, or null where there is nothing to name.
relax::StructInfo withSymbols(const relax::StructInfo& info, const Str& name) {
  auto symbols = [&](int64_t rank) {
    std::vector<tir::PrimExpr> dims;
    for (int64_t i = 0; i < rank; ++i)
      dims.push_back(make<tir::Var>(Str(fmt::format("{}_{}", name.view(), i)), DataType::Int(64)));
    return Array<tir::PrimExpr>(std::move(dims));
  };
  if (const auto* tensor = as<relax::TensorStructInfo>(info)) {
    if (tensor->ndim < 0 || isa<relax::ShapeExpr>(tensor->shape)) return nullptr;
    return make<relax::TensorStructInfo>(make<relax::ShapeExpr>(symbols(tensor->ndim)), tensor->dtype, tensor->vdevice);
  }
  const auto* shape = as<relax::ShapeStructInfo>(info);
  if (!shape || shape->known || shape->ndim < 0) return nullptr;
  return make<relax::ShapeStructInfo>(symbols(shape->ndim));
}

class Legalizer : public build::Mutator {
 public:
  Legalizer(build::ModuleContext& module, const Options& options, DeviceKernels& kernels, pass::PassContext& context)
      : Mutator("LegalizeOps", &module), options_(options), kernels_(kernels), context_(context) {}

 protected:
  relax::Expr visitCall(const Ref<relax::Call>& original) override {
    relax::Expr visited = Mutator::visitCall(original);
    const auto* call = as<relax::Call>(visited);
    const auto* op = call ? as<relax::Op>(call->op) : nullptr;
    if (!op || options_.skipped.contains(op->name.string())) return visited;
    if (context_.cancel.cancelled()) return visited;
    Ref<relax::Call> ready = callWithInfo(Ref<relax::Call>(call), builder);
    if (!ready || (options_.nameShapes && !typesKnown(*ready))) return visited;
    if (relax::Expr again = known_.find(*ready)) return again;
    auto lowered = legalize::legalizeCall(*ready, builder);
    if (lowered && !*lowered && options_.nameShapes) lowered = legalize::legalizeSortScan(*ready, builder);
    if (lowered && !*lowered && options_.nameShapes) lowered = legalize::legalizeOwn(*ready, builder);
    if (!lowered) {
      for (Diagnostic d : lowered.diagnostics()) {
        d.severity = Severity::Warning;
        context_.messages.push_back(std::move(d));
      }
      return visited;
    }
    if (*lowered) {
      const relax::Expr bound = kernels_.bound(*lowered, *builder.module());
      known_.add(ready, bound);
      return bound;
    }
    const op::OpRow* row = op::rowOf(op);
    if (options_.warn && row && !row->has(op::kCallsFunction)) {
      context_.messages.push_back(warningAt(call->span, "legalize.none",
                                            op->name.string() + " has no legalization, or its shapes are unknown"));
    }
    return visited;
  }

  void visitVarBinding(const Ref<relax::VarBinding>& binding) override {
    Mutator::visitVarBinding(binding);
    nameShape(binding->var, binding->span);
  }
  void visitMatchCast(const Ref<relax::MatchCast>& binding) override {
    Mutator::visitMatchCast(binding);
    nameShape(binding->var, binding->span);
  }
  relax::Expr visitBody(const relax::SeqRef& body) override {
    for (const relax::VarRef& param : params_) nameShape(param, param->span);
    return Mutator::visitBody(body);
  }

  relax::FunctionRef visitFunction(const relax::FunctionRef& function) override {
    known_ = {};
    if (options_.nameShapes) {
      operands_ = operandsOf(*function);
      params_ = function->params;
    }
    relax::FunctionRef result = Mutator::visitFunction(function);
    if (result == function || !result->body->sinfo) return result;
    // What the kernels return is what the function returns, also where the declaration said something else.
    const bool said = op::isBaseOf(result->retSinfo, result->body->sinfo, builder.context());
    return said ? result : build::withReturnOfBody(result, builder.context());
  }

 private:
  /// From here on a match_cast of the variable stands for it, where an operator needs sizes that are not known.
  void nameShape(const relax::VarRef& var, Span span) {
    if (!operands_.contains(var.get())) return;
    relax::Expr now = mapped(var);
    relax::StructInfo info = now->sinfo ? withSymbols(now->sinfo, var->name) : nullptr;
    if (info) mapVar(var, builder.emitMatchCast(now, info, {}, span, !isa<relax::DataflowVar>(var)));
  }

  const Options& options_;
  DeviceKernels& kernels_;
  pass::PassContext& context_;
  std::unordered_set<const relax::Var*> operands_;
  Array<relax::VarRef> params_;
  LegalizedCalls known_;
};

}  // namespace

Result<ir::Module> legalizeOps(const ir::Module& module, const ir::Attrs& options_, pass::PassContext& context) {
  if (!pass::configFlag(context, "relax.transform.apply_legalize_ops")) return module;
  Options options;
  options.warn = pass::flagOf(options_, "enable_warning");
  options.nameShapes = pass::flagOf(options_, "name_shapes");
  for (const std::string_view name : pass::textsOf(options_, "skip_ops")) options.skipped.emplace(name);
  DeviceKernels kernels;
  auto result = build::mutateFunctions(module, context.cancel, [&](build::ModuleContext& moduleContext) {
    return std::make_unique<Legalizer>(moduleContext, options, kernels, context);
  });
  if (context.cancel.cancelled()) return fail("pass.cancelled", "LegalizeOps was cancelled");
  if (!result || !kernels.any()) return result;
  return deadCodeElimination(*result, nullptr, context);
}

}  // namespace rx::transform
