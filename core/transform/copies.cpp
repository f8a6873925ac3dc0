#include "core/transform/copies.h"

#include <algorithm>
#include <cmath>

#include "core/arith/equal.h"
#include "core/arith/fold.h"
#include "core/arith/inequalities.h"
#include "core/ir/all_nodes.h"

namespace rx::transform {

using namespace tir;

namespace {

/// A sum of multiples of the loops.
struct Sum {
  std::vector<int64_t> scales;
  int64_t constant = 0;
};

struct Loop {
  VarRef var;
  int64_t steps;
};

/// One side of a copy or sum: the tensor, and the index of each dimension.
struct Side {
  const HostTensor* tensor = nullptr;
  std::vector<Sum> indices;
};

/// What is read of one element, times a power of two.
struct Term {
  Side side;
  float factor = 1;
};

struct Nest {
  std::vector<Loop> loops;
  std::vector<Term> from;  ///< added up in this order
  Side to;

  bool copies() const { return from.size() == 1 && from.front().factor == 1; }
};

/// The parts of a sum, in the order in which they are added up.
std::vector<PrimExpr> partsOf(PrimExpr value) {
  std::vector<PrimExpr> parts;
  for (const auto* sum = as<Add>(value); sum; sum = as<Add>(value)) {
    parts.push_back(sum->b);
    value = PrimExpr(sum->a);
  }
  parts.push_back(value);
  std::reverse(parts.begin(), parts.end());
  return parts;
}

/// Products with it are exact.
bool isPowerOfTwo(double factor) {
  int exponent = 0;
  return std::abs(std::frexp(factor, &exponent)) == 0.5 && exponent > -8 && exponent < 8;
}

class Reader {
 public:
  Reader(const PrimFunc& function, std::span<const Ref<HostTensor>> tensors) : function_(function), tensors_(tensors) {}

  /// False where the function is more than copies.
  bool read(std::vector<Nest>& nests) {
    std::vector<std::pair<Stmt, Nest>> open{{function_.body, {}}};
    while (!open.empty()) {
      auto [statement, nest] = std::move(open.back());
      open.pop_back();
      if (const auto* all = as<SeqStmt>(statement)) {
        // In loops, one statement might store over what another has stored in an earlier step.
        if (!nest.loops.empty()) return false;
        for (size_t i = all->seq.size(); i-- > 0;) open.push_back({all->seq[i], {}});
      } else if (const auto* loop = as<For>(statement)) {
        const auto steps = asInt(loop->extent);
        if (!steps || *steps < 0 || !arith::isZero(loop->min) || loop->step) return false;
        nest.loops.push_back({loop->loopVar, *steps});
        open.push_back({loop->body, std::move(nest)});
      } else if (const auto* realize = as<BlockRealize>(statement)) {
        const Block& block = *realize->block;
        if (!arith::isOne(realize->predicate) || block.init || !block.allocBuffers.empty() ||
            !block.matchBuffers.empty())
          return false;
        for (size_t i = 0; i < block.iterVars.size(); ++i)
          places_[block.iterVars[i]->var.get()] = arith::substitute(realize->iterValues[i], places_);
        open.push_back({block.body, std::move(nest)});
      } else if (!copied(statement, nest)) {
        return false;
      } else {
        nests.push_back(std::move(nest));
      }
    }
    return true;
  }

 private:
  bool copied(const Stmt& statement, Nest& nest) const {
    const auto* store = as<BufferStore>(statement);
    if (!store || store->predicate || !side(nest, *store->buffer, store->indices.span(), nest.to)) return false;
    for (const PrimExpr& part : partsOf(store->value))
      if (!term(nest, part, *store->buffer)) return false;
    return nest.copies() || store->buffer->dtype == DataType::Float(32);
  }

  bool term(Nest& nest, const PrimExpr& part, const Buffer& written) const {
    Term made;
    const auto* product = as<Mul>(part);
    const auto* factor = product ? as<FloatImm>(product->b) : nullptr;
    const auto* load = as<BufferLoad>(factor ? PrimExpr(product->a) : part);
    if (!load || load->predicate || load->buffer.get() == &written || (factor && !isPowerOfTwo(factor->value)))
      return false;
    if (factor) made.factor = static_cast<float>(factor->value);
    if (!side(nest, *load->buffer, load->indices.span(), made.side) ||
        nest.to.tensor->dtype() != made.side.tensor->dtype() || nest.to.tensor == made.side.tensor)
      return false;
    nest.from.push_back(std::move(made));
    return true;
  }

  bool side(const Nest& nest, const Buffer& buffer, std::span<const PrimExpr> indices, Side& side) const {
    for (size_t i = 0; i < function_.buffers.size() && i < tensors_.size(); ++i)
      if (function_.buffers[i].get() == &buffer) side.tensor = tensors_[i].get();
    const bool plain = side.tensor && buffer.strides.empty() && side.tensor->dtype() == buffer.dtype &&
                       buffer.dtype.bits >= 8 && buffer.shape.size() == side.tensor->shape().size() &&
                       indices.size() == buffer.shape.size();
    if (!plain) return false;
    for (size_t i = 0; i < indices.size(); ++i) {
      if (asInt(buffer.shape[i]) != side.tensor->shape()[i]) return false;
      const auto sum = sumOf(nest, arith::substitute(indices[i], places_));
      if (!sum) return false;
      side.indices.push_back(*sum);
    }
    return true;
  }

  static std::optional<Sum> sumOf(const Nest& nest, const PrimExpr& index) {
    std::vector<const Var*> vars;
    for (const Loop& loop : nest.loops) vars.push_back(loop.var.get());
    auto linear = arith::linearIn(index, vars);
    const auto constant = linear ? asInt(linear->second) : std::nullopt;
    return constant ? std::optional(Sum{std::move(linear->first), *constant}) : std::nullopt;
  }

  const PrimFunc& function_;
  std::span<const Ref<HostTensor>> tensors_;
  arith::VarMap places_;
};

/// Whether every index stays in its dimension.
bool staysInside(const Nest& nest, const Side& side) {
  for (size_t i = 0; i < side.indices.size(); ++i) {
    int64_t least = side.indices[i].constant, most = least;
    for (size_t loop = 0; loop < nest.loops.size(); ++loop) {
      int64_t reach = 0;
      if (__builtin_mul_overflow(side.indices[i].scales[loop], nest.loops[loop].steps - 1, &reach)) return false;
      if (__builtin_add_overflow(reach < 0 ? least : most, reach, reach < 0 ? &least : &most)) return false;
    }
    if (least < 0 || most >= side.tensor->shape()[i]) return false;
  }
  return true;
}

/// The same in elements of the whole tensor. Where the indices stay inside, nothing overflows.
Sum inElements(const Nest& nest, const Side& side) {
  Sum made{std::vector<int64_t>(nest.loops.size()), 0};
  int64_t stride = 1;
  for (size_t i = side.indices.size(); i-- > 0;) {
    for (size_t loop = 0; loop < nest.loops.size(); ++loop) made.scales[loop] += side.indices[i].scales[loop] * stride;
    made.constant += side.indices[i].constant * stride;
    stride *= side.tensor->shape()[i];
  }
  return made;
}

template <class Element>
void copyRow(std::byte* to, int64_t toStride, const std::byte* from, int64_t fromStride, int64_t count) {
  auto* into = reinterpret_cast<Element*>(to);
  const auto* given = reinterpret_cast<const Element*>(from);
  for (int64_t i = 0; i < count; ++i) into[i * toStride] = given[i * fromStride];
}

using RowCopy = void (*)(std::byte*, int64_t, const std::byte*, int64_t, int64_t);
RowCopy rowCopyOf(int64_t bytes) {
  switch (bytes) {
    case 1:
      return copyRow<uint8_t>;
    case 2:
      return copyRow<uint16_t>;
    case 4:
      return copyRow<uint32_t>;
    case 8:
      return copyRow<uint64_t>;
    default:
      return nullptr;
  }
}

/// One term of a row of sums.
struct TermRow {
  const float* from;
  int64_t stride;
  float factor;
};
void sumRow(float* to, int64_t toStride, std::span<const TermRow> terms, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    float sum = terms.front().from[i * terms.front().stride] * terms.front().factor;
    for (const TermRow& term : terms.subspan(1)) sum += term.from[i * term.stride] * term.factor;
    to[i * toStride] = sum;
  }
}

/// The last loop of a nest, at these places of the others.
class RowRunner {
 public:
  explicit RowRunner(const Nest& nest)
      : nest_(nest), to_(inElements(nest, nest.to)), row_(rowCopyOf(nest.to.tensor->elementBytes())) {
    for (const Term& term : nest.from) from_.push_back(inElements(nest, term.side));
    terms_.resize(from_.size());
  }
  size_t outer() const { return nest_.loops.empty() ? 0 : nest_.loops.size() - 1; }

  void run(std::span<const int64_t> at) {
    const bool any = !nest_.loops.empty();
    const int64_t count = any ? nest_.loops.back().steps : 1, bytes = nest_.to.tensor->elementBytes();
    const int64_t toStride = any ? to_.scales.back() : 1;
    std::byte* to = nest_.to.tensor->mutableData() + placeOf(to_, at) * bytes;
    const auto from = [&](size_t i) { return nest_.from[i].side.tensor->data() + placeOf(from_[i], at) * bytes; };
    const auto stride = [&](size_t i) { return any ? from_[i].scales.back() : 1; };
    if (nest_.copies()) return row_(to, toStride, from(0), stride(0), count);
    for (size_t i = 0; i < from_.size(); ++i)
      terms_[i] = {reinterpret_cast<const float*>(from(i)), stride(i), nest_.from[i].factor};
    sumRow(reinterpret_cast<float*>(to), toStride, terms_, count);
  }

 private:
  static int64_t placeOf(const Sum& sum, std::span<const int64_t> at) {
    int64_t place = sum.constant;
    for (size_t i = 0; i < at.size(); ++i) place += at[i] * sum.scales[i];
    return place;
  }

  const Nest& nest_;
  Sum to_;
  std::vector<Sum> from_;
  std::vector<TermRow> terms_;
  RowCopy row_;
};

/// False where it was cancelled.
bool runNest(const Nest& nest, const CancelToken& cancel) {
  if (std::any_of(nest.loops.begin(), nest.loops.end(), [](const Loop& loop) { return loop.steps == 0; })) return true;
  RowRunner row(nest);
  std::vector<int64_t> at(row.outer());
  while (!cancel.cancelled()) {
    row.run(at);
    size_t loop = at.size();
    while (loop > 0 && ++at[loop - 1] == nest.loops[loop - 1].steps) at[--loop] = 0;
    if (loop == 0) return true;
  }
  return false;
}

}  // namespace

bool runCopies(const PrimFunc& function, std::span<const Ref<HostTensor>> tensors, const CancelToken& cancel) {
  std::vector<Nest> nests;
  if (function.buffers.size() != tensors.size() || !Reader(function, tensors).read(nests)) return false;
  const auto fits = [](const Nest& nest) {
    const bool steps =
        std::all_of(nest.loops.begin(), nest.loops.end(), [](const Loop& loop) { return loop.steps > 0; });
    const auto inside = [&](const Term& term) { return staysInside(nest, term.side); };
    return rowCopyOf(nest.to.tensor->elementBytes()) &&
           (!steps || (std::all_of(nest.from.begin(), nest.from.end(), inside) && staysInside(nest, nest.to)));
  };
  return std::all_of(nests.begin(), nests.end(), fits) &&
         std::all_of(nests.begin(), nests.end(), [&](const Nest& nest) { return runNest(nest, cancel); });
}

}  // namespace rx::transform
