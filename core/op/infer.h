// What StructInfo rules work with: the context, reading of arguments, refusals.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/arith/analyzer.h"
#include "core/ir/module.h"
#include "core/ir/relax.h"
#include "core/support/result.h"

namespace rx::op {

/// Gives the function behind a GlobalVar while a module is being built.
class FunctionLookup {
 public:
  virtual ~FunctionLookup() = default;
  virtual ir::BaseFunc functionOf(const relax::GlobalVar* var) const = 0;
  /// True where the module's text names constants that it does not hold.
  virtual bool missesConstants() const { return false; }
};

/// State of a deduction: symbolic integers and the module. Cheap to make; not shared between threads.
class InferContext {
 public:
  explicit InferContext(const FunctionLookup* functions = nullptr) : functions_(functions) {}
  /// Made at first use. Who builds a function tells it what is known of the function's variables.
  arith::Analyzer& analyzer() {
    if (!analyzer_) analyzer_ = std::make_unique<arith::Analyzer>();
    return *analyzer_;
  }
  /// Forgets what is known of variables (a new function starts).
  void reset() { analyzer_.reset(); }
  /// What a variable is bound to, through variables; the expression itself where that is not known.
  relax::Expr resolve(relax::Expr expr) const {
    for (int steps = 0; lookup && steps < 1000; ++steps) {
      const auto* var = as<relax::Var>(expr);
      relax::Expr value = var ? lookup(var) : nullptr;
      if (!value) break;
      expr = std::move(value);
    }
    return expr;
  }
  /// Set by who builds: the value of a variable, or null.
  std::function<relax::Expr(const relax::Var*)> lookup;
  ir::BaseFunc functionOf(const relax::GlobalVar* var) const {
    return functions_ ? functions_->functionOf(var) : nullptr;
  }
  /// True where some values may be unknown because the text leaves constants out: what depends on them is not refused.
  bool missesConstants() const { return functions_ && functions_->missesConstants(); }

 private:
  const FunctionLookup* functions_;
  std::unique_ptr<arith::Analyzer> analyzer_;
};

}  // namespace rx::op
