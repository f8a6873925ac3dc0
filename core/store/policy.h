// Policy: what of a run is kept, and how much room it may take. Both can be changed while the run goes on.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/support/result.h"

namespace rx::store {

enum class Keep : uint32_t {
  Everything,
  Bindings,    ///< bytes that a step wrote only where it gives the value of a binding (StepInput::result)
  Statistics,  ///< no bytes that a step wrote, only the statistics that came with them
  /// Everything of at least the last `steps` steps; of at most twice as many where little is alive, else of as
  /// many as write as much again as is alive.
  LastSteps,
};
enum class DropReason : uint32_t { None, LastSteps, DiskBudget };

struct Policy {
  Keep keep = Keep::Everything;
  uint64_t steps = 0;  ///< of LastSteps
  /// Bytes on disk, 0 for no limit; without a number half of what the file system has free. Half of it is a generation:
  /// when it is full, the older half of the past goes. What the run starts from is kept where it fits in that half.
  /// Where what is alive does not, the recording ends: the budget is never passed.
  std::optional<uint64_t> diskBudget = {};
  /// Bytes of the file that may wait in memory for the disk. The kernel's page cache holds them, not this process.
  uint64_t memoryBudget = uint64_t{1} << 30;
};

/// What is kept, by its name: everything, bindings, statistics, last:N. Fails with run.record.
Result<Policy> policyNamed(std::string_view keep);

}  // namespace rx::store
