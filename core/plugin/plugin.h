// Packed functions of a user's own, from shared libraries with the C interface of rxs_plugin.h. Loading one executes
// it: only libraries that the user named are loaded.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/runtime/registry.h"

namespace rx::plugin {

/// The builtins, the functions of the libraries that programs may be compiled for (core/library), and those of the
/// user's. Fails with plugin.load where one can not be loaded or has not the interface, and with plugin.name where a
/// function has no name or that of another one.
Result<std::shared_ptr<const vm::PackedRegistry>> registryWith(const std::vector<std::string>& libraries);

}  // namespace rx::plugin
