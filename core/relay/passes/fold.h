// Computing at once what is made of constants alone. Private to core/relay.
#pragma once

#include <functional>
#include <unordered_map>

#include "core/ir/module.h"
#include "core/relay/emit.h"
#include "core/support/cancel.h"

namespace rx::relay {

/// The value of a call whose arguments are constants, or tuples of them; the call itself where it can not be computed.
Expr foldedCall(const ir::Module& module, const Expr& call, const CancelToken& cancel = {});
/// Whether the expression is a constant, or a tuple of such.
bool isConstant(const Expr& expr);

/// Folds the constants of functions, operands first, so that what is made of folded ones is folded too.
class ConstantFolder {
 public:
  struct Options {
    bool foldsQuantized = false;
    /// What stands for a call, looked at before it is folded; null leaves it.
    std::function<Expr(const Ref<Call>&)> rewrite;
  };
  ConstantFolder(const ir::Module& module, CancelToken cancel, Options options)
      : module_(module), cancel_(std::move(cancel)), options_(std::move(options)) {}
  FunctionRef run(const FunctionRef& function);

 private:
  Expr now(const Expr& expr) const;
  Expr rewritten(const Expr& expr);
  Expr rewrittenCall(const Call& call);
  Expr foldedOrSame(const Ref<Call>& call, const OpRow& row) const;

  const ir::Module& module_;
  CancelToken cancel_;
  Options options_;
  std::unordered_map<const Node*, Expr> done_;
  std::unordered_map<const Node*, Expr> values_;  ///< of variables that are bound to constants
};

}  // namespace rx::relay
