// Makes the StageIndex of a module: prints it with anchors and walks its functions.
#pragma once

#include <functional>

#include "core/ir/module.h"
#include "core/target/target.h"
#include "views/models/stage_index.h"

namespace rx::views {

/// The stage before another one: what a function that has not changed would say again is taken from there.
struct StageBefore {
  ir::Module module;
  StageIndexPtr index;  ///< null where it was not built
};

/// Reads only; runs on any thread. Blocks are called as in `first`, the first stage of the history, where it is known.
/// Kernels have their badges for `target`, where that is a device. `printed` gets the text of a long stage, an index
/// without functions, while its rows are being made.
StageIndexPtr buildStage(int number, const QString& title, const ir::Module& module, const StageIndexPtr& first = {},
                         const StageBefore& before = {}, const target::TargetRef& target = {},
                         const std::function<void(StageIndexPtr)>& printed = {});

}  // namespace rx::views
