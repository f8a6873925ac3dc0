#include "core/debug/given_values.h"

namespace rx::debug {

Result<Given> givenIn(const Recording& run, const CancelToken& cancel) {
  Given all;
  for (uint32_t step = run.reader().oldest(); step < run.reader().recorded(); ++step) {
    if (cancel.cancelled()) return fail("vm.cancelled", "the comparison was cancelled");
    RX_TRY(bindings, run.givenBy(step));
    for (const GivenBinding& given : bindings)
      if (given.value.path.empty()) all[given.binding].push_back({step, given.value});
  }
  return all;
}

}  // namespace rx::debug
