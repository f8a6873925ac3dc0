// Which values of a function are kept for its backward pass, and which are computed again.
#pragma once

#include "core/build/block_builder.h"
#include "core/build/module_context.h"

namespace rx::transform {

struct Checkpoints {
  relax::FunctionRef function;                 ///< without start_checkpoint and end_checkpoint
  std::unordered_set<const relax::Var*> kept;  ///< of its variables, those that the backward pass reads as they are
  std::unordered_map<const relax::Var*, relax::Expr> now;  ///< what variables of the function stand for in it
};

/// Parameters are kept, what start_checkpoint marks, and what is computed of end_checkpoints and kept values alone.
Result<Checkpoints> findCheckpoints(const relax::FunctionRef& function, build::ModuleContext& context);

/// The values of a block as its backward pass sees them: kept ones, and others computed again where they are needed
/// first.
class Recomputation {
 public:
  Recomputation(build::BlockBuilder& builder, const Array<relax::VarRef>& params, const relax::BindingBlock& block,
                const std::unordered_set<const relax::Var*>& kept);
  /// A call of the block and its result, ready to be read.
  std::pair<relax::Expr, relax::Expr> ready(const relax::VarRef& var, const relax::Expr& call);

 private:
  relax::Expr recomputed(const relax::Expr& expr);
  relax::Expr replaced(const relax::Expr& expr);
  bool addMissing(const relax::Expr& expr, std::vector<relax::VarRef>& open);

  build::BlockBuilder& builder_;
  std::unordered_map<const relax::Var*, relax::Expr> ready_;
  std::unordered_map<const relax::Var*, relax::Expr> values_;
};

}  // namespace rx::transform
