// ApplySchedules, and the mark of kernels that are scheduled.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/relax.h"
#include "core/pass/pass.h"

namespace rx::schedule {

/// The attribute of functions that somebody has scheduled; they stay as they are.
constexpr std::string_view kScheduled = "tirx.is_scheduled";
/// The attribute that says which rules made each block of a kernel.
constexpr std::string_view kRules = "schedule.rules";
/// The rule of a note that says why blocks of the kernel that is its context stay as they are.
constexpr std::string_view kNoRule = "schedule.no-rule";

/// What a kernel is known by where choices for it are kept: its structure, whatever it is called.
std::string kernelKey(const tir::PrimFuncRef& kernel);
/// By which rules each block of the kernel was made: "matmul: host.Products"; none for one that no rule made.
std::vector<std::string> rulesThatMade(const tir::PrimFunc& kernel);
/// Whether one of these texts says that the rule made something.
bool namesRule(std::span<const std::string> made, std::string_view rule);

Result<ir::Module> applySchedules(const ir::Module& module, const ir::Attrs& options, pass::PassContext& context);

}  // namespace rx::schedule
