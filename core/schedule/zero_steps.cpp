#include "core/schedule/zero_steps.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/intrinsics.h"
#include "core/lower/new_buffer.h"
#include "core/lower/statements.h"
#include "core/schedule/contraction.h"
#include "core/schedule/index_growth.h"
#include "core/schedule/nest_parts.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// Remainders that a sum is made for at most: each is code.
constexpr int64_t kMostRemainders = 9;

using Readers = std::function<std::optional<std::vector<size_t>>(const BufferRef&)>;

/// `value` where a condition holds, and else zero.
struct ZeroElse {
  std::vector<PrimExpr> conditions;
  PrimExpr value;
};
std::optional<ZeroElse> zeroElse(const PrimExpr& expr) {
  const auto* choice = lower::asCallOf(expr, "if_then_else");
  if (!choice || !arith::isZero(choice->args[2])) return std::nullopt;
  ZeroElse made{{}, choice->args[1]};
  std::vector<PrimExpr> open{choice->args[0]};
  while (!open.empty()) {
    const PrimExpr part = open.back();
    open.pop_back();
    if (const auto* both = as<And>(part)) {
      open.insert(open.end(), {both->b, both->a});
    } else {
      made.conditions.push_back(part);
    }
  }
  return made;
}

/// One dimension of what is spread out.
struct SpreadDim {
  int64_t step = 1, ahead = 0;  ///< an element every so many places, the first behind so many zeros
  int64_t elements = 0;         ///< how many; of a plain dimension not asked
  bool plain = true;            ///< as it was before it was spread
  const Var* spread = nullptr;  ///< the axis of the stage that spreads; null for a single place
};

/// A buffer with zeros between, and which stages make it.
struct SpreadOut {
  std::vector<SpreadDim> dims;
  PrimExpr element;  ///< by the axes of the stage that spreads
  std::vector<size_t> makers;
};

/// What a stage spreads out; nothing where it asks for more than that places are multiples.
std::optional<SpreadOut> spreadBy(const Stage& stage, size_t number) {
  const auto choice = stage.reduces() ? std::nullopt : zeroElse(stage.value);
  if (!choice) return std::nullopt;
  SpreadOut made{{}, choice->value, {number}};
  for (size_t i = 0; i < stage.indices.size(); ++i) {
    const StageAxis* axis = axisOf(stage.axes, stage.indices[i]);
    if (!axis && !arith::isZero(stage.indices[i])) return std::nullopt;
    made.dims.push_back({1, 0, axis ? axis->steps().value_or(0) : 1, true, axis ? axis->var.get() : nullptr});
  }
  for (const PrimExpr& condition : choice->conditions) {
    const auto* same = as<EQ>(condition);
    const auto* rest = same && arith::isZero(same->b) ? as<FloorMod>(same->a) : nullptr;
    const auto step = rest ? asInt(rest->b) : std::nullopt;
    const auto dim = std::find_if(made.dims.begin(), made.dims.end(), [&](const SpreadDim& each) {
      return rest && each.spread && rest->a == PrimExpr(each.spread);
    });
    if (!step || *step < 2 || dim == made.dims.end() || dim->step != 1 || dim->elements < 1) return std::nullopt;
    dim->step = *step;
    dim->plain = false;
    dim->elements = (dim->elements - 1) / *step + 1;
  }
  return made;
}

/// Whether the condition is one of the bounds of [first, last) of the axis.
bool isBound(const PrimExpr& condition, const PrimExpr& axis, int64_t first, int64_t last) {
  const auto* both = as<BinaryNode>(condition);
  if (!both) return false;
  const auto a = asInt(both->a), b = asInt(both->b);
  if (both->b == axis && a) return (isa<LE>(condition) && *a == first) || (isa<GT>(condition) && *a == last);
  return both->a == axis && b && ((isa<GE>(condition) && *b == first) || (isa<LT>(condition) && *b == last));
}

/// The same with zeros around it.
std::optional<SpreadOut> padded(SpreadOut inner, const Stage& pad, const ZeroElse& choice, const BufferLoad& load,
                                size_t number) {
  std::vector<PrimExpr> conditions = choice.conditions;
  for (size_t i = 0; i < pad.indices.size(); ++i) {
    SpreadDim& dim = inner.dims[i];
    const StageAxis* axis = axisOf(pad.axes, pad.indices[i]);
    if (!axis) {
      if (!arith::isZero(pad.indices[i]) || !arith::isZero(load.indices[i])) return std::nullopt;
      continue;
    }
    const auto ahead = asInt(arith::Canon().simplify(arith::sub(axis->var, load.indices[i])));
    const auto places = asInt(load.buffer->shape[i]);
    if (!ahead || *ahead < 0) return std::nullopt;
    dim.ahead = *ahead;
    if (*ahead == 0 && arith::sameExpr(load.buffer->shape[i], axis->extent)) continue;
    if (!places) return std::nullopt;
    dim.plain = false;
    std::erase_if(conditions, [&](const PrimExpr& each) { return isBound(each, axis->var, *ahead, *ahead + *places); });
  }
  if (!conditions.empty()) return std::nullopt;
  inner.makers.push_back(number);
  return inner;
}

/// One dimension of the sum that goes through spread elements.
struct Walked {
  size_t dim, stored;           ///< of the buffer that is spread, and of what is stored
  const StageAxis *place, *in;  ///< of places, and of the sum; null for a single step
  int64_t places, steps, apart, offset;
};

/// The steps of a sum that meet elements, for the places of one remainder.
struct Remainder {
  int64_t places = 0, first = 0, each = 1, steps = 0;  ///< steps of the sum: from the first on, each so many
  int64_t element = 0;                                 ///< the element that the first place meets first
};

class ZeroRemover {
 public:
  ZeroRemover(std::span<const std::optional<Stage>> stages, size_t sum, const Readers& readers)
      : stages_(stages), number_(sum), sum_(*stages[sum]), readers_(readers) {}

  WithoutZeros run() {
    const auto reduction = reductionOf(sum_);
    const auto* product = reduction && reduction->kind == Kind::tir_Add ? as<Mul>(reduction->step) : nullptr;
    if (!product || !arith::isZero(sum_.init)) return {};
    for (const auto& [mine, other] : {std::pair(product->a, product->b), std::pair(product->b, product->a)}) {
      load_ = onlyLoad(mine);
      other_ = onlyLoad(other);
      if (!load_ || !other_ || load_->buffer == other_->buffer) continue;
      auto found = spreadOut();
      if (!found) continue;
      spread_ = std::move(*found);
      made_.why = whyNot();
      if (made_.why.empty()) rewrite();
      return std::move(made_);
    }
    return {};
  }

 private:
  PrimExpr number(int64_t value) const { return arith::constantInt(sum_.axes.front().var->dtype, value); }
  static PrimExpr plain(const PrimExpr& expr) {
    arith::Canon nothing;
    return withPlainIndices(expr, nothing);
  }

  /// The stage before the sum that alone makes the buffer, which `reader` alone reads.
  std::optional<size_t> makerOf(const BufferRef& buffer, size_t reader) const {
    const auto readers = readers_(buffer);
    if (!readers || *readers != std::vector<size_t>{reader}) return std::nullopt;
    std::optional<size_t> found;
    for (size_t i = 0; i < stages_.size(); ++i) {
      if (!stages_[i] || stages_[i]->buffer != buffer) continue;
      if (found || i >= reader) return std::nullopt;
      found = i;
    }
    return found;
  }

  std::optional<SpreadOut> spreadOut() const {
    const auto maker = makerOf(load_->buffer, number_);
    if (!maker) return std::nullopt;
    if (auto alone = spreadBy(*stages_[*maker], *maker)) return withSteps(std::move(*alone));
    const Stage& pad = *stages_[*maker];
    const auto choice = pad.reduces() ? std::nullopt : zeroElse(pad.value);
    const auto* load = choice ? as<BufferLoad>(choice->value) : nullptr;
    const auto inner = load && !load->predicate ? makerOf(load->buffer, *maker) : std::nullopt;
    auto spread = inner ? spreadBy(*stages_[*inner], *inner) : std::nullopt;
    if (!spread) return std::nullopt;
    auto all = padded(std::move(*spread), pad, *choice, *load, *maker);
    return all ? withSteps(std::move(*all)) : std::nullopt;
  }
  static std::optional<SpreadOut> withSteps(SpreadOut spread) {
    const bool any =
        std::any_of(spread.dims.begin(), spread.dims.end(), [](const SpreadDim& dim) { return dim.step > 1; });
    return any ? std::optional(std::move(spread)) : std::nullopt;
  }

  /// Empty where the sum can be made without the zeros.
  std::string whyNot() {
    int64_t remainders = 1;
    for (size_t i = 0; i < spread_.dims.size(); ++i) {
      if (spread_.dims[i].plain) continue;
      const auto walked = walkedOf(i);
      if (!walked) return "windows over what has zeros between are no sum of a place and a step";
      walked_.push_back(*walked);
      remainders *= spread_.dims[i].step;
      if (remainders > kMostRemainders) return "too many remainders of places by the steps between zeros";
    }
    if (!readers_(sum_.buffer)) return {};
    behind_ = behind();
    return behind_ ? std::string() : "what reads the sum does so at other places";
  }

  std::optional<Walked> walkedOf(size_t dim) const {
    const PrimExpr& index = load_->indices[dim];
    Walked made{dim, 0, nullptr, nullptr, 1, 1, 1, 0};
    PrimExpr left = index;
    for (const StageAxis& axis : sum_.axes) {
      if (!lower::uses(index, axis.var.get())) continue;
      const auto growth = growthOf(index, *axis.var);
      const StageAxis*& role = axis.reduces ? made.in : made.place;
      if (role || !growth || !axis.steps() || *growth < 1 || (!axis.reduces && *growth != 1)) return std::nullopt;
      role = &axis;
      (axis.reduces ? made.steps : made.places) = *axis.steps();
      if (axis.reduces) made.apart = *growth;
      left = arith::sub(left, arith::mul(axis.var, number(*growth)));
    }
    const auto offset = asInt(arith::Canon().simplify(left));
    if (!offset) return std::nullopt;
    made.offset = *offset;
    for (size_t i = 0; i < load_->indices.size(); ++i) {
      for (const StageAxis* axis : {made.place, made.in})
        if (axis && i != dim && lower::uses(load_->indices[i], axis->var.get())) return std::nullopt;
    }
    if (!made.place) return made;
    const auto at = std::find(sum_.indices.begin(), sum_.indices.end(), PrimExpr(made.place->var));
    if (at == sum_.indices.end()) return std::nullopt;
    made.stored = static_cast<size_t>(at - sum_.indices.begin());
    return made;
  }

  /// The only stage that reads the sum, where it goes through the same places.
  std::optional<size_t> behind() const {
    const auto readers = readers_(sum_.buffer);
    if (readers->size() != 1 || readers->front() <= number_ || !stages_[readers->front()]) return std::nullopt;
    const Stage& reader = *stages_[readers->front()];
    bool fits = !reader.reduces();
    walk(*reader.value, Into::Parts, [&](const Node& node) {
      const auto* load = as<BufferLoad>(&node);
      if (!load || load->buffer != sum_.buffer) return !isa<Buffer>(&node);
      for (const Walked& walked : walked_) {
        if (!walked.place) continue;
        const StageAxis* axis = axisOf(reader.axes, load->indices[walked.stored]);
        fits = fits && axis && axis->steps() == walked.places;
        const auto [known, added] = behindAxes_.emplace(walked.dim, axis);
        fits = fits && known->second == axis;
      }
      return fits;
    });
    return fits ? std::optional(readers->front()) : std::nullopt;
  }

  Remainder remainderOf(const Walked& walked, int64_t rest) const {
    const SpreadDim& dim = spread_.dims[walked.dim];
    Remainder made;
    made.places = (walked.places - rest + dim.step - 1) / dim.step;
    made.each = dim.step / std::gcd(dim.step, walked.apart);
    const int64_t from = rest + walked.offset - dim.ahead;
    for (int64_t first = 0; first < std::min(made.each, walked.steps); ++first) {
      const int64_t place = from + walked.apart * first;
      if (place % dim.step != 0) continue;
      made.first = first;
      made.element = place / dim.step;
      made.steps = (walked.steps - first + made.each - 1) / made.each;
    }
    return made;
  }

  /// How far an element lies behind the one before, of those that the steps of a remainder meet.
  int64_t elementsApart(const Walked& walked, const Remainder& rest) const {
    return walked.apart * rest.each / spread_.dims[walked.dim].step;
  }

  void rewrite() {
    for (const size_t maker : spread_.makers) replace(maker);
    for (const Walked& walked : walked_) {
      std::vector<Remainder> rests;
      for (int64_t rest = 0; rest < spread_.dims[walked.dim].step; ++rest) rests.push_back(remainderOf(walked, rest));
      rests_.push_back(std::move(rests));
    }
    made_.stages.push_back(elements());
    layOther();
    made_.replaced.push_back(number_);
    if (behind_) {
      made_.replaced.push_back(*behind_);
      made_.gone.push_back(sum_.buffer);
    }
    std::vector<int64_t> rest(walked_.size());
    for (bool more = true; more;) {
      ofRemainder(rest);
      more = false;
      for (size_t i = 0; i < rest.size() && !more; ++i) {
        more = ++rest[i] < static_cast<int64_t>(rests_[i].size());
        if (!more) rest[i] = 0;
      }
    }
  }
  void replace(size_t stage) {
    made_.replaced.push_back(stage);
    made_.gone.push_back(stages_[stage]->buffer);
  }

  /// The elements side by side, with zeros around them where windows go beyond.
  Stage elements() {
    const Buffer& spread = *load_->buffer;
    Stage made{spread.name, {}, nullptr, {}, nullptr, nullptr};
    std::vector<PrimExpr> shape = spread.shape.vector();
    arith::VarMap places;
    PrimExpr inside;
    first_.assign(spread_.dims.size(), 0);
    for (size_t i = 0; i < spread_.dims.size(); ++i) {
      const SpreadDim& dim = spread_.dims[i];
      const auto walked = std::find_if(walked_.begin(), walked_.end(), [&](const Walked& w) { return w.dim == i; });
      int64_t first = 0, last = 0;
      if (walked != walked_.end()) {
        bool any = false;
        for (const Remainder& rest : rests_[static_cast<size_t>(walked - walked_.begin())]) {
          if (rest.steps == 0 || rest.places == 0) continue;
          const int64_t end = rest.element + rest.places - 1 + (rest.steps - 1) * elementsApart(*walked, rest);
          first = any ? std::min(first, rest.element) : rest.element;
          last = any ? std::max(last, end) : end;
          any = true;
        }
        shape[i] = number(last - first + 1);
        first_[i] = first;
      }
      PrimExpr place = number(0);
      if (!arith::isOne(shape[i])) {
        const VarRef axis = make<Var>(Str("i" + std::to_string(i)), number(0)->dtype);
        made.axes.push_back({axis, shape[i]});
        place = axis;
      }
      made.indices.push_back(place);
      const PrimExpr element = arith::add(place, number(first));
      if (dim.spread) places[dim.spread] = arith::mul(element, number(dim.step));
      if (walked == walked_.end()) continue;
      const auto also = [&](const PrimExpr& bound) { inside = inside ? PrimExpr(make<And>(inside, bound)) : bound; };
      if (first < 0) also(arith::le(number(-first), place));
      if (last >= dim.elements) also(arith::lt(place, number(dim.elements - first)));
    }
    made.buffer = lower::newBuffer(spread.name, spread.dtype, Array<PrimExpr>(std::move(shape)));
    made.value = plain(arith::substitute(spread_.element, places));
    if (inside) {
      made.value =
          lower::intrinsic(spread.dtype, "if_then_else", {inside, made.value, arith::constant(spread.dtype, 0)});
    }
    elements_ = made.buffer;
    made_.own.push_back(made.buffer);
    return made;
  }

  /// The other operand, where a stage makes it by moving elements, with an axis of its own last.
  void layOther() {
    const auto maker = makerOf(other_->buffer, number_);
    if (!maker || stages_[*maker]->reduces() || !isa<BufferLoad>(stages_[*maker]->value)) return;
    const Stage& stage = *stages_[*maker];
    const size_t rank = stage.indices.size();
    size_t lanes = rank;
    for (size_t i = 0; i < rank; ++i) {
      const StageAxis* axis = axisOf(sum_.axes, other_->indices[i]);
      const bool own = axis && !axis->reduces && !goAlong(load_->indices.span(), *axis->var);
      if (own && axisOf(stage.axes, stage.indices[i])) lanes = i;
    }
    if (lanes == rank) return;
    for (size_t i = 0; i < rank; ++i)
      if (i != lanes) order_.push_back(i);
    order_.push_back(lanes);
    Stage made = stage;
    made.buffer = lower::newBuffer(stage.buffer->name, stage.buffer->dtype, inOrder(stage.buffer->shape));
    made.indices = inOrder(Array<PrimExpr>(stage.indices)).vector();
    const auto last = std::find_if(made.axes.begin(), made.axes.end(),
                                   [&](const StageAxis& axis) { return PrimExpr(axis.var) == stage.indices[lanes]; });
    std::rotate(last, last + 1, made.axes.end());
    replace(*maker);
    made_.own.push_back(made.buffer);
    made_.layout = std::move(made);
  }
  Array<PrimExpr> inOrder(const Array<PrimExpr>& dims) const {
    std::vector<PrimExpr> made;
    for (const size_t dim : order_) made.push_back(dims[dim]);
    return Array<PrimExpr>(std::move(made));
  }

  /// An axis of so many steps in the place of another; a single step stands for itself.
  static PrimExpr axisInPlace(const StageAxis& axis, int64_t count, std::vector<StageAxis>& axes) {
    const PrimExpr extent = arith::constantInt(axis.var->dtype, count);
    const VarRef var = make<Var>(axis.var->name, axis.var->dtype);
    const auto at = std::find_if(axes.begin(), axes.end(), [&](const StageAxis& each) { return each.var == axis.var; });
    if (count == 1) {
      axes.erase(at);
      return arith::constantInt(axis.var->dtype, 0);
    }
    *at = {var, extent, axis.reduces};
    return var;
  }

  void ofRemainder(const std::vector<int64_t>& rest) {
    Stage made = sum_;
    std::vector<PrimExpr> shape = sum_.buffer->shape.vector(), stored = sum_.indices, read = load_->indices.vector();
    arith::VarMap places;
    bool any = true;
    for (size_t i = 0; i < walked_.size(); ++i) {
      const Walked& walked = walked_[i];
      const Remainder& each = rests_[i][static_cast<size_t>(rest[i])];
      if (each.places == 0) return;
      any = any && each.steps > 0;
      PrimExpr element = number(each.element - first_[walked.dim]);
      if (walked.place) {
        const PrimExpr place = axisInPlace(*walked.place, each.places, made.axes);
        const SpreadDim& dim = spread_.dims[walked.dim];
        places[walked.place->var.get()] = arith::add(arith::mul(place, number(dim.step)), number(rest[i]));
        stored[walked.stored] = place;
        shape[walked.stored] = number(each.places);
        element = arith::add(element, place);
      }
      if (walked.in && each.steps > 0) {
        const PrimExpr step = axisInPlace(*walked.in, each.steps, made.axes);
        places[walked.in->var.get()] = arith::add(arith::mul(step, number(each.each)), number(each.first));
        element = arith::add(element, arith::mul(step, number(elementsApart(walked, each))));
      }
      read[walked.dim] = element;
    }
    if (behind_) {
      made.buffer = lower::newBuffer(sum_.buffer->name, sum_.buffer->dtype, Array<PrimExpr>(std::move(shape)));
      made.indices = stored;
      made_.own.push_back(made.buffer);
    } else {
      for (PrimExpr& index : made.indices) index = arith::Canon().simplify(arith::substitute(index, places));
    }
    PrimExpr value =
        withLoads(sum_.value, *load_->buffer, [&](const BufferLoad&) { return elementOf(elements_, read); });
    if (!order_.empty()) {
      value = withLoads(value, *other_->buffer, [&](const BufferLoad& load) {
        return elementOf(made_.layout->buffer, inOrder(load.indices).vector());
      });
    }
    const bool sums =
        any && std::any_of(made.axes.begin(), made.axes.end(), [](const StageAxis& axis) { return axis.reduces; });
    const PrimExpr before = sums ? elementOf(made.buffer, made.indices) : sum_.init;
    value = plain(arith::substitute(value, places));
    made.value = any ? withLoads(value, *sum_.buffer, [&](const BufferLoad&) { return before; }) : sum_.init;
    if (!sums) made.init = nullptr;
    if (!any) std::erase_if(made.axes, [](const StageAxis& axis) { return axis.reduces; });
    made_.stages.push_back(made);
    if (behind_) made_.stages.push_back(behindOf(rest, made));
  }

  /// What the stage behind makes of the places of a remainder.
  Stage behindOf(const std::vector<int64_t>& rest, const Stage& sums) const {
    const Stage& reader = *stages_[*behind_];
    Stage made = reader;
    arith::VarMap places;
    std::vector<std::pair<size_t, PrimExpr>> inOwn;
    for (size_t i = 0; i < walked_.size(); ++i) {
      if (!walked_[i].place) continue;
      const StageAxis& axis = *behindAxes_.at(walked_[i].dim);
      const PrimExpr place = axisInPlace(axis, rests_[i][static_cast<size_t>(rest[i])].places, made.axes);
      const SpreadDim& dim = spread_.dims[walked_[i].dim];
      places[axis.var.get()] = arith::add(arith::mul(place, number(dim.step)), number(rest[i]));
      inOwn.emplace_back(walked_[i].stored, place);
    }
    const PrimExpr value = withLoads(reader.value, *sum_.buffer, [&](const BufferLoad& load) {
      std::vector<PrimExpr> at = load.indices.vector();
      for (const auto& [dim, place] : inOwn) at[dim] = place;
      return elementOf(sums.buffer, std::move(at));
    });
    made.value = plain(arith::substitute(value, places));
    for (PrimExpr& index : made.indices) index = arith::Canon().simplify(arith::substitute(index, places));
    return made;
  }

  const std::span<const std::optional<Stage>> stages_;
  const size_t number_;
  const Stage& sum_;
  const Readers& readers_;
  const BufferLoad *load_ = nullptr, *other_ = nullptr;
  SpreadOut spread_;
  std::vector<Walked> walked_;
  std::vector<std::vector<Remainder>> rests_;  ///< of each dimension that is walked
  std::vector<int64_t> first_;                 ///< the element that lies first, of each dimension
  std::optional<size_t> behind_;
  mutable std::map<size_t, const StageAxis*> behindAxes_;
  BufferRef elements_;
  std::vector<size_t> order_;  ///< of the dimensions of the other operand
  WithoutZeros made_;
};

}  // namespace

WithoutZeros withoutZeros(std::span<const std::optional<Stage>> stages, size_t sum, const Readers& readers) {
  return ZeroRemover(stages, sum, readers).run();
}

}  // namespace rx::schedule
