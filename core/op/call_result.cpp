// StructInfo of a call from the signature of its callee: parameters bind symbols and shape variables to what the
// arguments have, the declared result is mapped, and what stays unknown is erased.
#include <fmt/format.h>

#include "core/arith/equal.h"
#include "core/op/base_check.h"
#include "core/op/op_table.h"
#include "core/op/sinfo_text.h"

namespace rx::op {

using namespace relax;

namespace {

class ParameterBinder : public BaseChecker {
 public:
  using BaseChecker::BaseChecker;
  arith::VarMap symbols;
  std::unordered_map<const Var*, Expr> variables;

 protected:
  bool binds() const override { return binding_; }

  BaseCheck checkValue(const tir::PrimExpr& base, const tir::PrimExpr& derived) override {
    if (!binding_) return BaseChecker::checkValue(base, derived);
    if (const auto* var = as<tir::Var>(base)) {
      auto [hit, fresh] = symbols.emplace(var, derived);
      if (fresh || hit->second == derived) return BaseCheck::Pass;
      return BaseChecker::checkValue(hit->second, derived);
    }
    // Not a match from inside out: a later parameter may bind what an expression uses.
    return BaseChecker::checkValue(arith::substitute(base, symbols), derived);
  }

  BaseCheck checkShapeExpr(const Expr& base, const Expr& derived) override {
    const auto* var = as<Var>(base);
    if (!binding_ || !var) return BaseChecker::checkShapeExpr(base, derived);
    auto [hit, fresh] = variables.emplace(var, derived);
    if (fresh || hit->second == derived) return BaseCheck::Pass;
    return BaseChecker::checkShapeExpr(hit->second, derived);
  }

  BaseCheck checkParams(std::span<const StructInfo> base, std::span<const StructInfo> derived) override {
    // Parameters of a parameter define symbols of their own.
    const bool before = std::exchange(binding_, false);
    const BaseCheck result = BaseChecker::checkParams(base, derived);
    binding_ = before;
    return result;
  }

 private:
  bool binding_ = true;
};

/// Of the function that is called, or that an operator as call_tir calls.
std::string calleeName(const Call& call) {
  const Expr& callee = isa<Op>(call.op) && !call.args.empty() ? call.args[0] : call.op;
  if (const auto* var = as<GlobalVar>(callee)) return var->name.string();
  if (const auto* var = as<Var>(callee)) return var->name.string();
  if (const auto* func = as<ExternFunc>(callee)) return func->globalSymbol.string();
  return "the function";
}

}  // namespace

StructInfo statedResult(const Call& call, const StructInfo& none) {
  if (call.sinfoArgs.empty()) return none;
  return call.sinfoArgs.size() == 1 ? call.sinfoArgs[0] : tupleSinfo(call.sinfoArgs);
}

Result<StructInfo> deriveCallResult(const FuncStructInfo& callee, std::span<const Expr> args, const Call& call,
                                    InferContext& context) {
  if (!callee.paramsKnown) {
    // Derivation by name: as a view of the arguments, or (by default) what the call itself carries.
    if (callee.deriveFunc == "tvm.relax.struct_info.infer_view_sinfo" && call.args.begin() == args.data()) {
      return findOp("relax.memory.view")->spec.infer(call, context);
    }
    return statedResult(call, callee.ret);
  }
  if (callee.params.size() != args.size()) {
    return fail("relax.call", fmt::format("{} takes {} arguments, {} are given", calleeName(call), callee.params.size(),
                                          args.size()));
  }
  ParameterBinder binder(context);
  for (size_t i = 0; i < args.size(); ++i) {
    const BaseCheck result = binder.check(callee.params[i], args[i]->sinfo);
    // Shapes that are not proved equal are left to the check at run time; another category, rank or type is not.
    if (result <= BaseCheck::FailL1) {
      return fail("relax.call", fmt::format("argument {} of {} must be {}, but is {}", i, calleeName(call),
                                            sinfoText(callee.params[i]), sinfoText(args[i]->sinfo)));
    }
  }
  auto symbol = [&](const tir::VarRef& var) -> tir::PrimExpr {
    auto hit = binder.symbols.find(var.get());
    return hit == binder.symbols.end() ? nullptr : hit->second;
  };
  auto variable = [&](const VarRef& var) -> Expr {
    auto hit = binder.variables.find(var.get());
    return hit == binder.variables.end() ? nullptr : hit->second;
  };
  return eraseToWellDefined(callee.ret, symbol, variable, context);
}

Result<StructInfo> deriveCallResult(const FuncStructInfo& callee, const Call& call, InferContext& context) {
  return deriveCallResult(callee, call.args.span(), call, context);
}

}  // namespace rx::op
