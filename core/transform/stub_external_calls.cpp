// StubExternalCalls: something in the place of functions that nobody gives yet, so that what is around them can run,
// be looked at, and be shipped. The module says itself which calls are made up: whatever is made of it does the same.
#include <fmt/format.h>

#include "core/ir/structural_equal.h"
#include "core/pass/options.h"
#include "core/transform/call_sites.h"
#include "core/transform/calls.h"
#include "core/transform/cleanup.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

using relax::Expr;

/// The function from outside of the module that a call is of: plainly, or by an operator that calls it. Null for any
/// other call.
const relax::ExternFunc* externalOf(const relax::Call& call) {
  if (const auto* external = as<relax::ExternFunc>(call.op)) return external;
  return isa<relax::Op>(call.op) && !call.args.empty() ? as<relax::ExternFunc>(call.args[0]) : nullptr;
}

/// The first tensor among the arguments that has the type of the result; null where none has.
Expr likeResult(const relax::Call& call, const relax::StructInfo& info) {
  for (const Expr& arg : call.args) {
    for (const Expr& field : fieldsOf(arg))
      if (field->sinfo && structuralEqual(field->sinfo, info)) return field;
  }
  return nullptr;
}

/// How a value is made up; each may give null where it can not.
struct StandIn {
  std::string_view name;
  Expr (*make)(const relax::Call&, const relax::StructInfo&);
  std::string_view needs;
};
constexpr StandIn kStandIns[] = {
    {"zeros", [](const relax::Call&, const relax::StructInfo& info) { return zerosLike(info); },
     "tensors of a known shape, and tuples of them"},
    {"identity", likeResult, "an argument of the type of the result"},
};

Result<const StandIn*> standInNamed(std::string_view name) {
  for (const StandIn& each : kStandIns)
    if (each.name == name) return &each;
  return fail("pass.option-value", fmt::format("value is \"zeros\" or \"identity\", not \"{}\"", name));
}

}  // namespace

Result<ir::Module> stubExternalCalls(const ir::Module& module, const ir::Attrs& options_, pass::PassContext& context) {
  const std::vector<std::string_view> names = pass::textsOf(options_, "names");
  RX_TRY(standIn, standInNamed(ir::strAttrOf(options_, "value")));
  std::unordered_set<std::string_view> stubbed;
  const CallUpdate update = [&](const relax::Call& call, build::BlockBuilder& builder) -> Expr {
    const relax::ExternFunc* external = externalOf(call);
    const std::string_view name = external ? external->globalSymbol.view() : std::string_view();
    if (!external || std::ranges::find(names, name) == names.end()) return nullptr;
    const Ref<relax::Call> typed = callWithInfo(Ref<relax::Call>(&call), builder);
    Expr made = typed ? standIn->make(*typed, typed->sinfo) : nullptr;
    stubbed.insert(name);
    if (!made)
      builder.report(errorAt(
          call.span, "pass.stub",
          fmt::format("{} has no {} to stand in its place: that takes {}", name, standIn->name, standIn->needs)));
    return made;
  };
  RX_TRY(made, rewriteFunctions(module, context,
                                [&](const relax::FunctionRef& function, build::ModuleContext& moduleContext) {
                                  return rewriteCalls(function, "StubExternalCalls", moduleContext, update);
                                }));
  for (const std::string_view name : names)
    if (!stubbed.contains(name))
      return fail("pass.unknown-function", fmt::format("nothing calls a function \"{}\" from outside", name));
  return made;
}

}  // namespace rx::transform
