// The kernels of calls that were legalized before: a network calls the same operators on the same shapes again and
// again, and each answer takes as long as writing a kernel.
#pragma once

#include <unordered_map>
#include <vector>

#include "core/ir/relax.h"

namespace rx::transform {

/// Calls of operators on variables, with the call_tir that stands for each. Of one function: symbols in shapes count by
/// identity.
class LegalizedCalls {
 public:
  /// The call_tir of a call that differs from an earlier one in its variables alone; null where there was none.
  relax::Expr find(const relax::Call& call) const;
  /// Remembers `legal` for `call` where it is one call_tir on the call's own variables; else does nothing.
  void add(const Ref<relax::Call>& call, const relax::Expr& legal);

 private:
  struct Known {
    Ref<relax::Call> call;
    Ref<relax::Call> legal;
    std::vector<size_t> taken;  ///< for each argument of the kernel, which argument of the call it is
  };
  std::unordered_multimap<uint64_t, Known> calls_;
};

}  // namespace rx::transform
