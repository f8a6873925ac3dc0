// Conditions on the lanes of vectors as predicates of the accesses under them.
#include "core/arith/equal.h"
#include "core/ir/all_nodes.h"
#include "core/lower/intrinsics.h"
#include "core/lower/vectorizer.h"

namespace rx::lower {

using namespace tir;

namespace {

class Predicator : public Rewriter {
 public:
  Predicator(const Ramp& lanes, const PrimExpr& limit, Predication mode) : lanes_(lanes), limit_(limit), mode_(mode) {}

  /// Every access took the predicate, and there is one.
  bool complete() const { return seen_ > 0 && seen_ == taken_; }

 protected:
  NodeRef leave(const NodeRef& node) override {
    const auto* load = as<BufferLoad>(node);
    if (!load) return node;
    const PrimExpr predicate = predicateOf(load->indices, load->predicate);
    if (!predicate) return node;
    auto* copy = new BufferLoad(*load);
    copy->predicate = predicate;
    return NodeRef(copy);
  }

  Stmt visit(const Stmt& statement) override {
    const Stmt made = parts(statement);
    const auto* store = as<BufferStore>(made);
    if (!store) return made;
    const PrimExpr predicate = predicateOf(store->indices, store->predicate);
    if (!predicate) return made;
    auto* copy = new BufferStore(*store);
    copy->predicate = predicate;
    return Stmt(copy);
  }

 private:
  /// Null where the access is not of the lanes that the condition tells apart.
  PrimExpr predicateOf(const Array<PrimExpr>& indices, const PrimExpr& had) {
    ++seen_;
    const auto* ramp = indices.empty() ? nullptr : as<Ramp>(indices[0]);
    if (!ramp || !arith::sameExpr(ramp->stride, lanes_.stride) || !arith::sameExpr(ramp->lanes, lanes_.lanes)) {
      return nullptr;
    }
    const bool anyBase = mode_ == Predication::AnyBase;
    if (!anyBase && !arith::sameExpr(ramp->base, lanes_.base)) return nullptr;
    ++taken_;
    const DataType type = DataType::UInt(1, ramp->dtype.lanes);
    PrimExpr mask = intrinsic(type, "get_active_lane_mask", {lanes_.base, limit_});
    return anyBase && had ? intrinsic(type, "bitwise_and", {had, mask}) : mask;
  }

  const Ramp& lanes_;
  const PrimExpr limit_;
  const Predication mode_;
  size_t seen_ = 0, taken_ = 0;
};

}  // namespace

Stmt predicated(const Stmt& body, const PrimExpr& condition, Predication mode) {
  const auto* less = as<LT>(condition);
  const auto* lanes = less ? as<Ramp>(less->a) : nullptr;
  const auto* limit = less ? as<Broadcast>(less->b) : nullptr;
  if (!lanes || !limit) return nullptr;
  Predicator predicator(*lanes, limit->value, mode);
  Stmt made = predicator.rewrite(body);
  return predicator.complete() ? made : nullptr;
}

}  // namespace rx::lower
