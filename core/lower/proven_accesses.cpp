#include "core/lower/proven_accesses.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_set>

#include "core/arith/equal.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/exact_arithmetic.h"
#include "core/lower/intrinsics.h"
#include "core/lower/scoped_rewriter.h"
#include "core/lower/zero_division.h"
#include "core/runtime/kernel_signature.h"

namespace rx::lower {

using namespace tir;

namespace {

/// Choices of the lesser of two, and factors of a bound, that are looked at: each of the first doubles the work.
constexpr int kMostLessers = 4;

/// Walks with the knowledge of a rewriter, as far as it holds for numbers that wrap, and changes nothing.
class Prover : public ScopedRewriter {
 public:
  explicit Prover(const PrimFunc& function) : ScopedRewriter(function) {
    for (const BufferRef& buffer : function.buffers) {
      if (!buffer) continue;
      own_.push_back(buffer);
      for (const PrimExpr& size : buffer->shape) {
        if (auto var = refAs<Var>(size)) analyzer.setBound(var, {0, vm::kLongestAxis});
        // The binder of the arguments computed it without leaving 64 bits, and held it against an axis.
        if (size->dtype == DataType::Int(64) && !isa<Var>(size) && !isa<IntImm>(size)) sizes_.push_back(size);
      }
    }
  }

  AccessProof proof() && {
    std::vector<VarRef> found;
    for (const BufferRef& buffer : own_) {
      if (!doubtful_.contains(buffer->data.get())) found.push_back(buffer->data);
    }
    std::sort(found.begin(), found.end(), [](const VarRef& a, const VarRef& b) { return a.get() < b.get(); });
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return {std::move(found), doubtful_.empty(), doubtful_.empty() && flat_, flat_ && exact_, std::move(divisions_)};
  }

 protected:
  Stmt visit(const Stmt& statement) override {
    if (const auto* allocation = as<AllocBuffer>(statement)) own_.push_back(allocation->buffer);
    if (const auto* store = as<BufferStore>(statement)) look(store->buffer, store->indices);
    if (const auto* branch = as<IfThenElse>(statement)) return conditional(*branch, statement);
    if (!trusted(statement)) return parts(statement);
    const auto* loop = as<For>(statement);
    return loop ? whereItRuns(*loop, statement) : ScopedRewriter::visit(statement);
  }
  NodeRef enter(const NodeRef& node) override {
    if (const auto* load = as<BufferLoad>(node)) look(load->buffer, load->indices);
    const auto* division = as<BinaryNode>(node);
    if (division && mayDivideByZero(*division) && !nonZero(division->b)) divisions_.insert(node.get());
    if (division && exact_) exact_ = isSize(PrimExpr(division)) || fitsItsType(*division, analyzer);
    const auto* select = as<Select>(node);
    const auto* choice = asCallOf(node, "if_then_else");
    if (!select && !choice) return nullptr;
    return trusted(select ? select->condition : choice->args[0]) ? ScopedRewriter::enter(node) : nullptr;
  }

 private:
  bool isSize(const PrimExpr& expr) const {
    return std::ranges::any_of(sizes_, [&](const PrimExpr& size) { return arith::sameExpr(size, expr); });
  }

  /// Whether the expression is what it is for numbers of any size; where it decides what is accessed and is not, no
  /// index may be simplified.
  bool trusted(const PrimExpr& expr) {
    if (isSize(expr) || isExact(expr, analyzer)) return true;
    flat_ = flat_ && arithmeticFits(expr, analyzer);
    return false;
  }

  /// Whether what the statement says of a variable holds.
  bool trusted(const Stmt& statement) {
    if (const auto* loop = as<For>(statement)) {
      if (!arith::isZero(loop->min) || !isSize(loop->extent)) return trusted(arith::add(loop->min, loop->extent));
      analyzer.setBound(loop->loopVar, {0, vm::kLongestAxis});
      return true;
    }
    if (const auto* bind = as<Bind>(statement)) return bind->value->dtype.isIntegral() && trusted(bind->value);
    const auto* attribute = as<AttrStmt>(statement);
    return !attribute || !isa<IterVar>(attribute->node) || trusted(attribute->value);
  }

  Stmt whereItRuns(const For& loop, const Stmt& statement) {
    const size_t before = limits_.size();
    const PrimExpr whole = wholePieces(loop);
    limit(whole);
    limits_.emplace_back(loop.loopVar, arith::add(loop.min, loop.extent));
    const arith::Analyzer::Constraint runs(analyzer, arith::logicalAnd(positiveFactors(loop.extent), whole));
    Stmt same = ScopedRewriter::visit(statement);
    limits_.resize(before);
    return same;
  }

  /// What a loop over pieces of a number of steps tells beside its range: of n // 8 pieces each ends at n at the
  /// latest, and of (n - m + 7) // 8 behind m each begins before n.
  static PrimExpr wholePieces(const For& loop) {
    const auto* pieces = as<FloorDiv>(loop.extent);
    const auto size = pieces ? asInt(pieces->b) : std::nullopt;
    if (!size || *size < 1 || !arith::isZero(loop.min)) return boolImm(true);
    const DataType type = loop.loopVar->dtype;
    PrimExpr all = pieces->a;
    int64_t count = *size;  // of the steps of a piece that are there
    if (const auto* more = as<Add>(all); more && asInt(more->b)) {
      count -= *asInt(more->b);
      all = more->a;
    }
    if (count < 1 || count > *size) return boolImm(true);
    PrimExpr end =
        arith::add(arith::mul(loop.loopVar, arith::constantInt(type, *size)), arith::constantInt(type, count));
    if (const auto* behind = as<Sub>(all)) {
      end = arith::add(behind->b, end);
      all = behind->a;
    }
    return arith::le(end, all);
  }

  /// What the sizes in a product are where a loop of that extent runs: none of them is zero.
  PrimExpr positiveFactors(const PrimExpr& extent) {
    PrimExpr all = boolImm(true);
    std::vector<PrimExpr> open{extent};
    while (!open.empty()) {
      const PrimExpr part = open.back();
      open.pop_back();
      if (const auto* product = as<Mul>(part)) {
        open.push_back(product->a);
        open.push_back(product->b);
      } else if (isa<Var>(part) && analyzer.canProveGreaterEqual(part, 0)) {
        all = arith::logicalAnd(all, arith::gt(part, arith::constantInt(part->dtype, 0)));
      } else if (!isa<IntImm>(part)) {
        return boolImm(true);
      }
    }
    return all;
  }

  /// A condition tells as much as those of its parts that are exact.
  Stmt conditional(const IfThenElse& branch, const Stmt& statement) {
    const bool whole = trusted(branch.condition);
    (void)rewrite(branch.condition);
    PrimExpr known = boolImm(true);
    const size_t before = limits_.size();
    std::vector<PrimExpr> open{branch.condition};
    while (!open.empty()) {
      const PrimExpr part = open.back();
      open.pop_back();
      if (const auto* both = as<And>(part)) {
        open.push_back(both->b);
        open.push_back(both->a);
      } else if (whole || isExact(part, analyzer)) {
        known = arith::logicalAnd(known, part);
        limit(part);
      }
    }
    {
      const arith::Analyzer::Constraint holds(analyzer, known);
      (void)rewrite(branch.thenCase);
    }
    limits_.resize(before);
    const arith::Analyzer::Constraint fails(analyzer, whole ? arith::logicalNot(branch.condition) : boolImm(true));
    (void)rewrite(branch.elseCase);
    return statement;
  }

  /// Notes what a comparison says is below what.
  void limit(const PrimExpr& comparison) {
    const auto* both = as<BinaryNode>(comparison);
    if (!both || !both->a->dtype.isIntegral()) return;
    const auto last = [](const PrimExpr& a) { return arith::sub(a, arith::constantInt(a->dtype, 1)); };
    if (isa<LT>(comparison)) limits_.emplace_back(both->a, both->b);
    if (isa<LE>(comparison)) limits_.emplace_back(last(both->a), both->b);
    if (isa<GT>(comparison)) limits_.emplace_back(both->b, both->a);
    if (isa<GE>(comparison)) limits_.emplace_back(last(both->b), both->a);
  }

  bool nonZero(const PrimExpr& divisor) {
    return isExact(divisor, analyzer) && analyzer.canProve(arith::ne(divisor, arith::constantInt(divisor->dtype, 0)));
  }

  void look(const BufferRef& buffer, const Array<PrimExpr>& indices) {
    for (const PrimExpr& index : indices) flat_ = flat_ && (isSize(index) || arithmeticFits(index, analyzer));
    if (!doubtful_.contains(buffer->data.get()) && !inside(buffer, indices)) doubtful_.insert(buffer->data.get());
  }

  bool inside(const BufferRef& buffer, const Array<PrimExpr>& indices) {
    // A view may say more of its memory than there is.
    if (std::find(own_.begin(), own_.end(), buffer) == own_.end()) return false;
    const bool offset = buffer->elemOffset && !arith::isZero(buffer->elemOffset);
    if (offset || !buffer->strides.empty() || indices.size() != buffer->shape.size()) return false;
    for (size_t i = 0; i < indices.size(); ++i) {
      const auto lanes = lanesOf(indices[i]);
      if (!lanes || !analyzer.canProveGreaterEqual(lanes->first, 0)) return false;
      const PrimExpr& index = lanes->second;
      PrimExpr extent = buffer->shape[i];
      if (extent->dtype != index->dtype) extent = arith::cast(index->dtype, extent);
      if (!below(index, extent)) return false;
      if (!isExactIfItFits(index, analyzer) || !(isSize(extent) || isExact(extent, analyzer))) return false;
      // What becomes one index is put together of single ones.
      flat_ = flat_ && indices[i]->dtype.lanes == 1;
    }
    flat_ = flat_ && countsIn(*buffer, indices);
    return true;
  }

  /// The first and the last index of the lanes, which are the least and the greatest; nothing where they are in another
  /// order.
  static std::optional<std::pair<PrimExpr, PrimExpr>> lanesOf(const PrimExpr& index) {
    if (index->dtype.lanes == 1) return std::pair(index, index);
    const auto* ramp = as<Ramp>(index);
    const auto stride = ramp ? asInt(ramp->stride) : std::nullopt, lanes = ramp ? asInt(ramp->lanes) : std::nullopt;
    int64_t apart = 0;
    if (!stride || !lanes || *stride < 0 || *lanes < 1 || ramp->base->dtype.lanes != 1 ||
        __builtin_mul_overflow(*stride, *lanes - 1, &apart))
      return std::nullopt;
    return std::pair(ramp->base, arith::add(ramp->base, arith::constantInt(ramp->base->dtype, apart)));
  }

  /// The index with one of two in the place of the lesser of them, where that adds to it or is multiplied by what is
  /// not negative: it is above neither.
  static std::optional<std::pair<PrimExpr, PrimExpr>> withoutLesser(const PrimExpr& index) {
    struct Step {
      const BinaryNode* around;
      bool left;
    };
    std::vector<Step> path;
    PrimExpr part = index;
    const auto hasLesser = [](const PrimExpr& expr) {
      bool found = false;
      walk(*expr, Into::Parts, [&](const Node& node) {
        found = found || isa<Min>(&node);
        return !found && !isa<BufferLoad>(&node);
      });
      return found;
    };
    while (!isa<Min>(part)) {
      const auto* sum = as<Add>(part);
      const auto* product = as<Mul>(part);
      const auto factor = product ? asInt(product->b) : std::nullopt;
      if (!sum && (!factor || *factor < 0)) return std::nullopt;
      const auto* both = as<BinaryNode>(part);
      path.push_back({both, !sum || hasLesser(both->a)});
      part = path.back().left ? both->a : both->b;
    }
    const auto around = [&](PrimExpr inner) {
      for (size_t i = path.size(); i-- > 0;) {
        const auto& [both, left] = path[i];
        const PrimExpr &a = left ? inner : both->a, &b = left ? both->b : inner;
        inner = isa<Add>(both) ? arith::add(a, b) : arith::mul(a, b);
      }
      return inner;
    };
    const auto* lesser = as<Min>(part);
    return std::pair(around(lesser->a), around(lesser->b));
  }

  /// What a positive number is multiplied by, and the number.
  static std::optional<std::pair<PrimExpr, int64_t>> factorOf(const Mul& product) {
    for (const auto& [size, number] : {std::pair(product.a, product.b), std::pair(product.b, product.a)})
      if (const auto factor = asInt(number); factor && *factor > 0) return std::pair(size, *factor);
    return std::nullopt;
  }

  /// What is below several times a size is so where its share is below that. A quotient is below its bound where what
  /// is divided is below the product, a remainder where the divisor is not above it, the lesser of two where one of
  /// them is, and anything that is not above what a condition or a loop says is below what is not above the bound.
  bool below(const PrimExpr& index, const PrimExpr& extent, int lessers = kMostLessers) {
    if (analyzer.canProve(arith::lt(index, extent))) return true;
    const auto either = lessers > 0 ? withoutLesser(index) : std::nullopt;
    if (either) return below(either->first, extent, lessers - 1) || below(either->second, extent, lessers - 1);
    const auto* several = lessers > 0 ? as<Mul>(extent) : nullptr;
    if (const auto factor = several ? factorOf(*several) : std::nullopt) {
      const PrimExpr shares = arith::floorDiv(index, arith::constantInt(index->dtype, factor->second));
      if (below(analyzer.simplify(shares), factor->first, lessers - 1)) return true;
    }
    const auto notAbove = [&](const PrimExpr& a, const PrimExpr& b) {
      return arith::sameExpr(a, b) || analyzer.canProveGreaterEqual(arith::sub(b, a), 0);
    };
    const bool limited = std::ranges::any_of(limits_, [&](const auto& limit) {
      return limit.first->dtype == index->dtype && limit.second->dtype == index->dtype &&
             notAbove(index, limit.first) && notAbove(limit.second, extent);
    });
    if (limited) return true;
    const auto* quotient = as<FloorDiv>(index);
    const auto* rest = as<FloorMod>(index);
    const auto* division = as<BinaryNode>(index);
    if (!quotient && !rest) return false;
    const PrimExpr zero = arith::constantInt(index->dtype, 0);
    return analyzer.canProve(arith::gt(division->b, zero)) &&
           analyzer.canProve(rest ? arith::le(division->b, extent)
                                  : arith::lt(division->a, arith::mul(extent, division->b)));
  }

  /// Whether the type of the indices counts all elements of the buffer.
  static bool countsIn(const Buffer& buffer, const Array<PrimExpr>& indices) {
    int64_t count = 1;
    for (size_t i = 0; i < indices.size(); ++i) {
      if (indices[i]->dtype.bits >= 64 || buffer.shape[i]->dtype.bits >= 64) continue;
      const auto extent = asInt(buffer.shape[i]);
      if (!extent || __builtin_mul_overflow(count, *extent, &count)) return false;
    }
    return count <= std::numeric_limits<int32_t>::max();
  }

  std::vector<BufferRef> own_;
  std::vector<PrimExpr> sizes_;                        ///< that the parameters declare, where they are computed
  std::vector<std::pair<PrimExpr, PrimExpr>> limits_;  ///< the first is below the second, as conditions in force say
  std::unordered_set<const Var*> doubtful_;
  std::unordered_set<const Node*> divisions_;
  bool flat_ = true;   ///< so far nothing that decides what is accessed may leave its type
  bool exact_ = true;  ///< nor anything else
};

}  // namespace

AccessProof provenAccesses(const PrimFunc& function) {
  Prover prover(function);
  (void)prover.run(function.body);
  return std::move(prover).proof();
}

}  // namespace rx::lower
