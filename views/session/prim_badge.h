// The badge of a TIR function for a device, as the engine gives it.
#pragma once

#include <functional>
#include <memory>

#include "core/ir/module.h"
#include "core/target/target.h"
#include "views/models/prim_summary.h"

namespace rx::views {

/// For the target that the function names, else for `target`; null where that is no device. `lineOf` is the line of a
/// loop or statement in the text, from the first one of the function; -1 where it has none.
std::shared_ptr<const PrimBadge> badgeOf(const std::string& name, const tir::PrimFuncRef& function,
                                         const target::TargetRef& target,
                                         const std::function<int(const Node*)>& lineOf);

}  // namespace rx::views
