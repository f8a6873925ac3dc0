// Conditions on the lanes of vectors as predicates of the accesses under them.
#include <algorithm>

#include "core/arith/equal.h"
#include "core/arith/fold.h"
#include "core/arith/vector.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/intrinsics.h"
#include "core/lower/vectorizer.h"
#include "core/lower/zero_division.h"

namespace rx::lower {

using namespace tir;

namespace {

/// Which lanes are below the limit: numbers of 32 bits tell them apart, of which a register holds as many as floats.
PrimExpr maskOf(const Ramp& ramp, const PrimExpr& limit) {
  const auto lanes = asInt(ramp.lanes);
  const DataType narrow = DataType::Int(32);
  if (!lanes || !arith::isOne(ramp.stride)) return arith::lt(PrimExpr(&ramp), arith::broadcast(limit, ramp.lanes));
  const DataType type = limit->dtype;
  const PrimExpr left = arith::min(arith::sub(limit, ramp.base), arith::constantInt(type, *lanes));
  const PrimExpr count = arith::cast(narrow, arith::max(left, arith::constantInt(type, 0)));
  const PrimExpr places = arith::ramp(intImm(0, narrow), intImm(1, narrow), ramp.lanes);
  return make<LT>(places, arith::broadcast(count, ramp.lanes));
}

class Predicator : public Rewriter {
 public:
  Predicator(const Ramp& lanes, const PrimExpr& limit, Predication mode) : lanes_(lanes), limit_(limit), mode_(mode) {}

  /// Every access took the predicate, and, where it is complete, there is one.
  bool complete() const { return seen_ > 0 && all(); }
  bool all() const { return seen_ == taken_; }

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
  /// An access of a single element is made where any lane counts, the first of them being the first to do so.
  PrimExpr predicateOfLane(const Array<PrimExpr>& indices, const PrimExpr& had) {
    if (had) return nullptr;
    const int16_t lanes = lanes_.dtype.lanes;
    int16_t most = 1;
    for (const PrimExpr& index : indices) {
      if (index->dtype.lanes != 1 && index->dtype.lanes != lanes) return nullptr;
      most = std::max(most, index->dtype.lanes);
    }
    ++taken_;
    return most == 1 ? arith::lt(lanes_.base, limit_) : maskOf(lanes_, limit_);
  }

  /// Null where the access is not of the lanes that the condition tells apart.
  PrimExpr predicateOf(const Array<PrimExpr>& indices, const PrimExpr& had) {
    ++seen_;
    if (mode_ == Predication::EachLane) return predicateOfLane(indices, had);
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

/// The ramp below a number that tells lanes apart; nothing where the condition has another form.
std::optional<std::pair<const Ramp*, PrimExpr>> lanesBelow(const PrimExpr& condition) {
  const auto* less = as<LT>(condition);
  const auto* lanes = less ? as<Ramp>(less->a) : nullptr;
  const auto* limit = less ? as<Broadcast>(less->b) : nullptr;
  if (!lanes || !limit) return std::nullopt;
  return std::pair(lanes, limit->value);
}

/// Whether lanes that do not count may be computed with the others: nothing but values and what stores them, and none
/// that might fault for numbers that nothing says anything of.
bool isHarmless(const Node& made) {
  bool harmless = true;
  walk(made, Into::Parts, [&](const Node& node) {
    const auto* both = as<BinaryNode>(&node);
    harmless = harmless && !(both && mayDivideByZero(*both)) &&
               (isa<ExprNode>(&node) || isa<BufferStore>(&node) || isa<SeqStmt>(&node) || isa<Buffer>(&node));
    return harmless && !isa<Buffer>(&node);
  });
  return harmless;
}

/// Whether the first lane is the first to count.
bool counts(const Ramp& lanes) { return asInt(lanes.stride).value_or(0) > 0; }

}  // namespace

Stmt predicated(const Stmt& body, const PrimExpr& condition, Predication mode) {
  const auto below = lanesBelow(condition);
  if (!below) return nullptr;
  if (mode == Predication::EachLane && !(counts(*below->first) && isHarmless(*body))) return nullptr;
  Predicator predicator(*below->first, below->second, mode);
  Stmt made = predicator.rewrite(body);
  return predicator.complete() ? made : nullptr;
}

PrimExpr predicatedLanes(const PrimExpr& value, const PrimExpr& condition, const PrimExpr& otherwise) {
  const auto below = lanesBelow(condition);
  if (!below || !counts(*below->first) || !isHarmless(*value)) return nullptr;
  Predicator predicator(*below->first, below->second, Predication::EachLane);
  const PrimExpr made = predicator.rewrite(value);
  if (!predicator.all()) return nullptr;
  // Told apart as the accesses are: one mask serves all.
  return make<Select>(maskOf(*below->first, below->second), made, otherwise);
}

}  // namespace rx::lower
