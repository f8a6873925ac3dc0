// Translation to Relax: every function of Relay as one of Relax, with origins that lead back to it.
#pragma once

#include "core/ir/module.h"
#include "core/support/cancel.h"
#include "core/support/result.h"

namespace rx::relay {

/// Fails where an operator has no counterpart, with its place (relay.translate), and where types can not be inferred.
Result<ir::Module> toRelaxModule(const ir::Module& module, const CancelToken& cancel = {});

}  // namespace rx::relay
