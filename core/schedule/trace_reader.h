// Traces read from text and applied to kernels. The text is read as TVMScript is, and never evaluated.
#pragma once

#include <string>

#include "core/ir/module.h"
#include "core/schedule/trace.h"
#include "core/support/source.h"

namespace rx::schedule {

/// A kernel that a trace has changed, and how: the same trace again.
struct TracedKernel {
  relax::GlobalVarRef name;
  tir::PrimFuncRef kernel;
  Trace trace;
};

/// Applies the lines of the text, in order, to the kernels that they name. `function`, where it is not empty, is the
/// kernel that all of them mean, whatever they call it. Fails with schedule.trace where a line can not be read,
/// schedule.no-kernel where there is no such kernel, and with what its primitive says where it does not apply: at the
/// place of the line. Places are in `text` as source 0.
Result<std::vector<TracedKernel>> applyTrace(const ir::Module& module, const SourceFile& text,
                                             std::string_view function);

}  // namespace rx::schedule
