// Modules as bytes, from the field tables: what one process of this program hands to another. Several modules together
// share what they have in common, so the stages of a pipeline take little more room than what its passes changed.
// Meant for the same build of the program, which the bytes say; json.h has the form for others.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/module.h"
#include "core/support/cancel.h"
#include "core/support/result.h"

namespace rx::script {

/// Fails with `ir.cancelled` alone.
Result<std::string> modulesToBytes(std::span<const ir::Module> modules, const CancelToken& cancel);

/// The operator of that name in a language above this layer; null where there is none.
using FindOperator = Ref<relax::ExprNode> (*)(std::string_view name);

/// The modules again, equal to what was written, with places, origins and sources, and sharing what was shared.
/// Anything may be in `bytes`: it fails with `ir.bytes`. Whether the modules are well formed is not asked. `relay`
/// finds Relay's operators; without it modules that have any are refused.
Result<std::vector<ir::Module>> modulesFromBytes(std::string_view bytes, const CancelToken& cancel,
                                                 FindOperator relay = nullptr);

/// What the bytes of this build begin with.
std::string bytesHead();

}  // namespace rx::script
