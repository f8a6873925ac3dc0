// How much memory a process may still take: what the machine has free, and what the limits around the process leave.
#pragma once

#include <cstdint>
#include <string>

namespace rx {

struct MemoryLimit {
  uint64_t bytes = 0;  ///< that can be had now
  std::string why;     ///< what sets it, for a message: "the machine has so much free"
};

/// The least of what the machine has free, what the control groups of this process (version 2 and 1) leave, and its own
/// limit of addresses.
MemoryLimit memoryLimit();

/// The same of files that lie below `root`, as the system has them below "/": for tests.
MemoryLimit memoryLimitIn(const std::string& root);

/// Bytes for a message, in three digits of a unit of 1,000: `40 GB`, `1.55 kB`, `12 B`.
std::string memoryText(uint64_t bytes);

}  // namespace rx
