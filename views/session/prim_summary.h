// The summary of a TIR function for the inspector, read from its tree.
#pragma once

#include <memory>

#include "core/ir/module.h"
#include "views/models/prim_summary.h"

namespace rx::views {

std::shared_ptr<const PrimSummary> summaryOf(const tir::PrimFunc& function);

}  // namespace rx::views
