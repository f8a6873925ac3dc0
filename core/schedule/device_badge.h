// How far a kernel is from running on a device as it stands, before any code is made of it.
#pragma once

#include <string_view>
#include <vector>

#include "core/ir/module.h"
#include "core/support/cancel.h"
#include "core/target/target.h"

namespace rx::schedule {

enum class DeviceBadge : uint8_t {
  Unscheduled,  ///< something runs on no thread of a device
  Bound,        ///< all of it runs on threads, which may be more than there are, or share too much memory
  Verified,     ///< threads and shared memory are within the target's limits, accesses are proven or looked at
};
std::string_view nameOf(DeviceBadge badge);

struct BadgeReport {
  DeviceBadge badge = DeviceBadge::Unscheduled;
  /// What keeps it from the next badge, as warnings, each with its place and what to do.
  std::vector<Diagnostic> findings;
  /// Of a kernel that is unscheduled the loop or statement of each finding; the kernel owns it.
  std::vector<const Node*> places;
};

/// `name` is that of the function.
BadgeReport badgeOf(const std::string& name, const tir::PrimFuncRef& function, const target::TargetRef& target,
                    const CancelToken& cancel);

}  // namespace rx::schedule
