#include "core/transform/copies.h"

#include <algorithm>
#include <cstring>

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

/// One side of a copy: the tensor, and the index of each dimension.
struct Side {
  const HostTensor* tensor = nullptr;
  std::vector<Sum> indices;
};

struct Nest {
  std::vector<Loop> loops;
  Side from, to;
};

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
    const auto* load = store && !store->predicate ? as<BufferLoad>(store->value) : nullptr;
    if (!load || load->predicate || load->buffer == store->buffer) return false;
    return side(nest, *store->buffer, store->indices.span(), nest.to) &&
           side(nest, *load->buffer, load->indices.span(), nest.from) &&
           nest.to.tensor->dtype() == nest.from.tensor->dtype() && nest.to.tensor != nest.from.tensor;
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

  static std::optional<Sum> sumOf(const Nest& nest, PrimExpr index) {
    Sum sum;
    for (const Loop& loop : nest.loops) {
      const auto linear = arith::linearIn(index, loop.var.get());
      if (!linear) return std::nullopt;
      sum.scales.push_back(linear->first);
      index = linear->second;
    }
    const auto constant = asInt(index);
    if (!constant) return std::nullopt;
    sum.constant = *constant;
    return sum;
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

/// False where it was cancelled.
bool runNest(const Nest& nest, RowCopy row, const CancelToken& cancel) {
  if (std::any_of(nest.loops.begin(), nest.loops.end(), [](const Loop& loop) { return loop.steps == 0; })) return true;
  const Sum from = inElements(nest, nest.from), to = inElements(nest, nest.to);
  const int64_t bytes = nest.to.tensor->elementBytes();
  const size_t outer = nest.loops.empty() ? 0 : nest.loops.size() - 1;
  std::vector<int64_t> at(outer);
  while (!cancel.cancelled()) {
    int64_t read = from.constant, written = to.constant;
    for (size_t i = 0; i < outer; ++i) {
      read += at[i] * from.scales[i];
      written += at[i] * to.scales[i];
    }
    const bool any = !nest.loops.empty();
    row(nest.to.tensor->mutableData() + written * bytes, any ? to.scales.back() : 1,
        nest.from.tensor->data() + read * bytes, any ? from.scales.back() : 1, any ? nest.loops.back().steps : 1);
    size_t loop = outer;
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
    return rowCopyOf(nest.to.tensor->elementBytes()) &&
           (!steps || (staysInside(nest, nest.from) && staysInside(nest, nest.to)));
  };
  return std::all_of(nests.begin(), nests.end(), fits) &&
         std::all_of(nests.begin(), nests.end(), [&](const Nest& nest) {
           return runNest(nest, rowCopyOf(nest.to.tensor->elementBytes()), cancel);
         });
}

}  // namespace rx::transform
