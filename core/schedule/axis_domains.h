// Over what the axes of a block have to run so that it covers regions of buffers.
#pragma once

#include <optional>
#include <unordered_map>

#include "core/arith/canon.h"
#include "core/arith/int_set.h"
#include "core/ir/stmt.h"

namespace rx::schedule {

/// The values of an axis: those of `domain` that lie in `bound` too.
struct AxisDomain {
  arith::IntSet domain = arith::IntSet::none(), bound = arith::IntSet::none();
};

/// What one step of a block provides of a buffer, and what is required of it.
struct Provision {
  tir::BufferRef buffer;
  std::vector<arith::IntSet> provided, required;
};

/// The domains of the axes in their order; nothing where they do not follow from the provisions.
std::optional<std::vector<AxisDomain>> axisDomains(const Array<Ref<tir::IterVar>>& axes,
                                                   std::span<const Provision> provisions, arith::Canon& canon);

}  // namespace rx::schedule
