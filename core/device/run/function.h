// Functions on devices as what a machine calls.
#pragma once

#include "core/device/run/program.h"
#include "core/runtime/callable.h"

namespace rx::device {

/// A function on a device, by its index among those of the program, as `name`. The program keeps the code.
Ref<vm::Callable> deviceFunction(const FunctionCode& code, int32_t index, std::shared_ptr<RunProgram> program);

/// A function whose calls want their results in several places: it runs where what it writes lies.
Ref<vm::Callable> movingFunction(std::string name, std::vector<std::pair<int64_t, Ref<vm::Callable>>> places);

}  // namespace rx::device
