// LegalizeOps: every call of an operator that core/legalize can write becomes a call_tir of a generated PrimFunc.
#include <unordered_set>

#include "core/build/mutator.h"
#include "core/legalize/legalize.h"
#include "core/op/op_table.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

struct Options {
  std::unordered_set<std::string> skipped;
  bool warn = false;
};

class Legalizer : public build::Mutator {
 public:
  Legalizer(build::ModuleContext& module, const Options& options, pass::PassContext& context)
      : Mutator("LegalizeOps", &module), options_(options), context_(context) {}

 protected:
  relax::Expr visitCall(const Ref<relax::Call>& original) override {
    relax::Expr visited = Mutator::visitCall(original);
    const auto* call = as<relax::Call>(visited);
    const auto* op = call ? as<relax::Op>(call->op) : nullptr;
    if (!op || options_.skipped.contains(op->name.string())) return visited;
    if (context_.cancel.cancelled()) return visited;
    // Changed arguments may have changed what is known of the result.
    Ref<relax::Call> ready(call);
    if (!call->sinfo) {
      auto info = build::deduceCall(*call, builder.context());
      if (!info) return visited;
      ready = make<relax::Call>(call->op, call->args, call->attrs, call->sinfoArgs, *info);
    }
    auto lowered = legalize::legalizeCall(*ready, builder);
    if (!lowered) {
      for (Diagnostic d : lowered.diagnostics()) {
        d.severity = Severity::Warning;
        context_.messages.push_back(std::move(d));
      }
      return visited;
    }
    if (*lowered) return *lowered;
    const op::OpRow* row = op::rowOf(op);
    if (options_.warn && row && !row->has(op::kCallsFunction)) {
      context_.messages.push_back(warningAt(call->span, "legalize.none",
                                            op->name.string() + " has no legalization, or its shapes are unknown"));
    }
    return visited;
  }

  relax::FunctionRef visitFunction(const relax::FunctionRef& function) override {
    relax::FunctionRef result = Mutator::visitFunction(function);
    if (result == function || !result->body->sinfo) return result;
    // What the kernels return is what the function returns, also where the declaration said something else.
    std::unordered_set<const tir::Var*> symbols;
    std::unordered_set<const relax::Var*> variables;
    for (const relax::VarRef& param : result->params) {
      variables.insert(param.get());
      if (!param->sinfo) continue;
      for (const tir::VarRef& var : op::definableSymbolsIn(param->sinfo)) symbols.insert(var.get());
    }
    relax::StructInfo known = op::eraseToKnown(result->body->sinfo, symbols, variables, builder.context());
    if (op::isBaseOf(known, result->retSinfo, builder.context())) return result;
    auto* made = new relax::Function(result->params, result->body, known, result->isPure, result->attrs);
    made->span = result->span;
    return relax::FunctionRef(made);
  }

 private:
  const Options& options_;
  pass::PassContext& context_;
};

}  // namespace

Result<ir::Module> legalizeOps(const ir::Module& module, const ir::Attrs& options_, pass::PassContext& context) {
  Options options;
  options.warn = ir::boolAttrOf(options_, "enable_warning", false);
  NodeRef list = ir::attrOf(options_, "skip_ops");
  if (const auto* names = as<ir::ArrayAttr>(list)) {
    for (const NodeRef& item : names->items) {
      if (const auto* text = as<ir::StrAttr>(item)) options.skipped.insert(text->value.string());
    }
  }
  auto result = build::mutateFunctions(module, [&](build::ModuleContext& moduleContext) {
    return std::make_unique<Legalizer>(moduleContext, options, context);
  });
  if (context.cancel.cancelled()) return fail("pass.cancelled", "LegalizeOps was cancelled");
  return result;
}

}  // namespace rx::transform
