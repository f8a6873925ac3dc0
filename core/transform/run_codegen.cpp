// RunCodegen: calls of functions for another compiler become calls of what that compiler makes. Of a library that
// core/library knows these are calls of its functions; of any other, calls by the symbol of the function, which whoever
// runs the module supplies.
#include <fmt/format.h>

#include "core/transform/call_sites.h"
#include "core/transform/calls.h"
#include "core/transform/cleanup.h"
#include "core/transform/inline_functions.h"
#include "core/transform/library_call.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

struct External {
  std::string symbol;
  std::string codegen;
  std::string why;  ///< it is not a library's
};
using Externals = std::unordered_map<std::string_view, External>;

/// The functions for other compilers, as far as no library of this machine computes them; those that one computes go
/// to `calls`.
Externals externals(const ir::IRModule& module, InlinedFunctions& calls) {
  Externals out;
  for (size_t i = 0; i < module.size(); ++i) {
    const auto* function = as<relax::Function>(module.functions[i]);
    const std::string_view codegen = function ? ir::strAttrOf(function->attrs, "Codegen") : std::string_view();
    if (codegen.empty()) continue;
    const std::string_view name = module.vars[i]->name.view();
    const library::LibraryRow* library = library::findLibrary(codegen);
    std::string why = "which is not part of this program";
    if (library) {
      const auto ready = libraryFunction(*library, *function);
      const Result<Unit> open = library->open();
      if (ready && open) {
        calls.emplace(name, *ready);
        continue;
      }
      why = ready ? open.diagnostics().front().message : "whose functions compute nothing like it";
    }
    out[name] = {std::string(ir::strAttrOf(function->attrs, "global_symbol", name)), std::string(codegen),
                 std::move(why)};
  }
  return out;
}

/// Calls by the symbols in the place of calls of functions; what nothing calls any more goes.
Result<ir::Module> callSymbols(const ir::Module& module, const Externals& known, const ir::Attrs& options,
                               pass::PassContext& context) {
  auto update = [&](const relax::Call& call, build::BlockBuilder& builder) -> relax::Expr {
    const auto* callee = as<relax::GlobalVar>(call.op);
    const auto external = callee ? known.find(callee->name.view()) : known.end();
    if (external == known.end()) return nullptr;
    const auto ready = callWithInfo(Ref<relax::Call>(&call), builder);
    if (!ready) return nullptr;
    const relax::Expr function = make<relax::ExternFunc>(Str(external->second.symbol));
    return op::makeCall("relax.call_dps_packed", {function, make<relax::Tuple>(call.args)}, {}, {ready->sinfo});
  };
  RX_TRY(called, rewriteFunctions(module, context,
                                  [&](const relax::FunctionRef& function, build::ModuleContext& moduleContext) {
                                    const bool external = isa<ir::StrAttr>(ir::attrOf(function->attrs, "Codegen"));
                                    return external ? Result<relax::FunctionRef>(function)
                                                    : rewriteCalls(function, "RunCodegen", moduleContext, update);
                                  }));
  // What nothing calls any more is private from now on, so that it goes.
  build::ModuleContext hidden(called);
  for (const auto& [var, function] : called->entries()) {
    const auto external = known.find(var->name.view());
    if (external == known.end()) continue;
    hidden.update(var, ir::withFunctionAttrs(function, ir::withoutAttr(function->attrs, "global_symbol")));
    context.messages.push_back(
        warningAt({}, "pass.not-available",
                  fmt::format("{} has to be supplied by the compiler {}, {}", external->second.symbol,
                              external->second.codegen, external->second.why)));
  }
  return deadCodeElimination(hidden.module(), options, context);
}

/// The module with a function for a library as what it calls there.
ir::Module withCalls(const ir::Module& module, const InlinedFunctions& calls) {
  if (calls.empty()) return module;
  build::ModuleContext changed(module);
  for (const auto& [var, function] : module->entries()) {
    const auto call = calls.find(var->name.view());
    if (call != calls.end()) changed.update(var, call->second);
  }
  return changed.module();
}

}  // namespace

Result<ir::Module> runCodegen(const ir::Module& module, const ir::Attrs& options, pass::PassContext& context) {
  InlinedFunctions calls;
  const Externals known = externals(*module, calls);
  RX_TRY(inlined, inlineFunctions(withCalls(module, calls), "RunCodegen", calls, context));
  return known.empty() ? deadCodeElimination(inlined, options, context) : callSymbols(inlined, known, options, context);
}

}  // namespace rx::transform
