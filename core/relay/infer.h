// Type inference: every expression gets its checked type, and what the text left undeclared is declared.
#pragma once

#include "core/ir/module.h"
#include "core/ir/relay.h"
#include "core/support/cancel.h"
#include "core/support/result.h"

namespace rx::relay {

/// Whether what a module leaves undeclared is declared, or only known of its expressions.
enum class Declare : uint8_t { No, Yes };

/// The module with types; what is no function of Relay stays. Fails with the findings of all functions.
Result<ir::Module> inferTypes(const ir::Module& module, const CancelToken& cancel = {}, Declare declare = Declare::Yes);

/// Writes the same into the nodes of a module that nobody else holds yet. Where there are findings, the types of what
/// is known all the same are written, and no declarations.
Result<Unit> inferTypesInPlace(const ir::Module& own, const CancelToken& cancel, Declare declare);

/// The same findings, and no module.
Result<Unit> checkTypes(const ir::Module& module, const CancelToken& cancel = {});

}  // namespace rx::relay
