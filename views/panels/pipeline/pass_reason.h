// What a pass did to the module, in words: why it failed, that it changed nothing, and why it left bindings as they
// are.
#pragma once

#include "views/panels/pipeline/pipeline_model.h"

namespace rx::views {

/// Rich text; a binding in it is a link "FUNCTION\tVARIABLE" of the stage before the pass.
QString passReasonHtml(const PipelineLine& line);

}  // namespace rx::views
