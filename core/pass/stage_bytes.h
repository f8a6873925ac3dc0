// What a history pays in memory for one more stage.
#pragma once

#include "core/ir/module.h"

namespace rx::pass {

/// Bytes of the nodes and tensors of `after` that `before` does not hold, too. Only functions that differ are walked.
int64_t bytesAdded(const ir::Module& before, const ir::Module& after);

}  // namespace rx::pass
