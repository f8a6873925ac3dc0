// A function of a loaded library as what the machine calls; private to core/plugin.
#pragma once

#include <memory>

#include "core/export/runtime/rxs_plugin.h"
#include "core/runtime/callable.h"

namespace rx::plugin {

/// A loaded library, which stays as long as one of its functions does.
using Library = std::shared_ptr<void>;

/// Arguments are null, numbers, bools, texts, shapes and tensors; others fail with plugin.argument. Calls fail with
/// plugin.failed where the function says so, and with plugin.result where it gives what is no value of the run.
Ref<vm::Callable> makeFunction(Library library, const rxs_plugin_function& row);

}  // namespace rx::plugin
