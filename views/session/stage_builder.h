// Makes the StageIndex of a module: prints it with anchors and walks its functions.
#pragma once

#include "core/ir/module.h"
#include "views/models/stage_index.h"

namespace rx::views {

/// Reads only; runs on any thread. Blocks are called as in `first`, the first stage of the history, where it is known.
StageIndexPtr buildStage(int number, const QString& title, const ir::Module& module, const StageIndexPtr& first = {});

}  // namespace rx::views
