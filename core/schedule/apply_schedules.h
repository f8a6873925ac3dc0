// ApplySchedules, and the mark of kernels that are scheduled.
#pragma once

#include <string_view>

#include "core/pass/pass.h"

namespace rx::schedule {

/// The attribute of functions that somebody has scheduled; they stay as they are.
constexpr std::string_view kScheduled = "tirx.is_scheduled";
/// The attribute that says which rules made each block of a kernel.
constexpr std::string_view kRules = "schedule.rules";

Result<ir::Module> applySchedules(const ir::Module& module, const ir::Attrs& options, pass::PassContext& context);

}  // namespace rx::schedule
