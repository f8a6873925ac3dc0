// The functions of the pass rows, and how a pass goes over the functions of a module. Private to core/relay.
#pragma once

#include <functional>

#include "core/pass/pass.h"
#include "core/relay/infer.h"
#include "core/relay/op_table.h"

namespace rx::relay {

#define RX_RELAY_PASS(Name, function, options, help) \
  Result<ir::Module> function(const ir::Module& module, const ir::Attrs& given, pass::PassContext& context);
#include "core/relay/passes/passes.def"
/// The one pass that leaves the language.
Result<ir::Module> toRelax(const ir::Module& module, const ir::Attrs& given, pass::PassContext& context);

/// Whether passes may change a function: it is not compiled elsewhere (Compiler), nor marked SkipOptimization.
bool isOpen(const Function& function);
/// Rewrites the functions of Relay one by one that passes may change.
Result<ir::Module> onFunctions(const ir::Module& module, pass::PassContext& context,
                               const std::function<Result<FunctionRef>(const FunctionRef&)>& rewrite);
/// The same, and types again: what a pass of functions ends with.
Result<ir::Module> onTypedFunctions(const ir::Module& module, pass::PassContext& context,
                                    const std::function<Result<FunctionRef>(const FunctionRef&)>& rewrite);

/// The same for each call of an operator, operands first; null leaves it. `before` is the call as it was, with the
/// types that it had, `now` the one of the rewritten operands.
using CallRewrite = std::function<Expr(const Call& before, const Ref<Call>& now, const OpRow& row)>;
Result<ir::Module> onCalls(const ir::Module& module, pass::PassContext& context, const CallRewrite& rewrite);
/// That of one function or other expression.
Expr rewriteCalls(const Expr& root, const CallRewrite& rewrite);

}  // namespace rx::relay
