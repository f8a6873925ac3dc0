// The value of an expression, for passes that fold what is constant: it is translated to Relax and interpreted.
#pragma once

#include "core/ir/module.h"
#include "core/ir/relay.h"
#include "core/support/cancel.h"
#include "core/support/result.h"

namespace rx::relay {

struct EvaluateOptions {
  CancelToken cancel;
  int64_t maxSteps = int64_t{1} << 28;
  int64_t maxElements = 64 << 10;  ///< of a tensor of the result
};

/// The value of an expression without free variables: a Constant, or a Tuple (of tuples) of constants. `module` holds
/// the functions and types that it names. Refused (relay.evaluate) where the value is no tensor or tuple of tensors, or
/// too large.
Result<Expr> evaluateClosed(const ir::Module& module, const Expr& expr, const EvaluateOptions& options = {});

}  // namespace rx::relay
