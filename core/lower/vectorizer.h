// Vectorizer: the body of a loop for all values of its variable at once.
#pragma once

#include "core/arith/canon.h"
#include "core/lower/checked_rewriter.h"

namespace rx::lower {

/// Whether accesses under a condition on lanes may take the condition as their predicate.
enum class Predication : uint8_t {
  None,
  SameBase,  ///< accesses at the indices that the condition compares
  AnyBase,   ///< accesses with the same stride and lanes
  EachLane,  ///< all accesses, those of one element too, and what a choice between values reads
};

/// The statements with every access of a vector under the predicate that `condition`, ramp < broadcast, says of its
/// lanes; null where the condition has another form or an access can not take one.
tir::Stmt predicated(const tir::Stmt& body, const tir::PrimExpr& condition, Predication mode);
/// The same of a value, lane by lane, and `otherwise` in the lanes that do not count; all three have as many lanes. Null
/// too where a lane of the value might fault without the condition.
tir::PrimExpr predicatedLanes(const tir::PrimExpr& value, const tir::PrimExpr& condition,
                              const tir::PrimExpr& otherwise);

/// Replaces a loop variable by the vector of its values. What has no form as a vector becomes a loop of its own.
class Vectorizer : public CheckedRewriter {
 public:
  Vectorizer(const tir::VarRef& var, const tir::PrimExpr& lanes, Predication predication);

 protected:
  tir::Stmt visit(const tir::Stmt& statement) override;
  NodeRef enter(const NodeRef& node) override;
  NodeRef leave(const NodeRef& node) override;

 private:
  tir::Stmt made(const tir::Stmt& statement);
  tir::Stmt store(const Ref<tir::BufferStore>& store);
  tir::Stmt loop(const Ref<tir::For>& loop);
  tir::Stmt branch(const Ref<tir::IfThenElse>& branch);
  tir::Stmt bind(const Ref<tir::Bind>& bind);
  /// A serial loop over the statement as it was.
  tir::Stmt scalarized(const tir::Stmt& statement);

  NodeRef binary(const tir::BinaryNode& node);
  NodeRef ramp(const tir::Ramp& node);
  NodeRef choice(const tir::Select& node);
  NodeRef load(const tir::BufferLoad& node);
  NodeRef call(const tir::Call& call);
  /// if_then_else by lanes, as a choice between vectors; null where it has to be made lane after lane.
  NodeRef chosenByLane(const tir::Call& call);
  NodeRef lanewise(const tir::Call& call, size_t first);
  NodeRef texture(const tir::Call& call, bool loads);
  NodeRef let(const tir::Let& let);
  NodeRef shuffle(const tir::Shuffle& node);
  /// The values with the most lanes that one of them has; handles and texts stay.
  std::vector<tir::PrimExpr> aligned(std::span<const tir::PrimExpr> values, int16_t& lanes);
  tir::PrimExpr spread(const tir::PrimExpr& value, int16_t lanes);

  tir::VarRef var_;
  tir::PrimExpr lanes_, ramp_;
  Predication predication_;
  bool scalarize_ = false;
  std::unordered_map<const Node*, std::pair<tir::VarRef, tir::VarRef>> vars_;
  std::vector<NodeRef> open_;  ///< nodes that were entered and not left, as they came
  arith::Canon canon_;
};

}  // namespace rx::lower
