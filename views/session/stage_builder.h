// Makes the StageIndex of a module: prints it with anchors and walks its functions.
#pragma once

#include "core/ir/module.h"
#include "views/models/stage_index.h"

namespace rx::views {

/// Reads only; runs on any thread.
StageIndexPtr buildStage(int number, const QString& title, const ir::Module& module);

}  // namespace rx::views
