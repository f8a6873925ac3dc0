// core/evaluate: what a function of a Relax module gives, at whatever stage the module is. The fewest passes lead from
// there to bytecode, the machine runs that as it runs every program, and its kernels are interpreted: control flow,
// builtins, arguments and faults are those of every run. Relay's passes fold constants by it, and tests hold passes
// against it: it runs none of those that a build only has to be faster or smaller.
#pragma once

#include <string_view>
#include <vector>

#include "core/interpret/interpret.h"
#include "core/ir/module.h"
#include "core/runtime/machine.h"

namespace rx::evaluate {

/// The fewest passes that lead a module of any stage to bytecode, as a pipeline: what of the default build the machine
/// can not do without.
std::string_view fewestPasses();

/// What a function of a program gives, on a machine for it alone. Fails as Machine::create and start do, and with the
/// machine's fault.
Result<vm::Value> resultOf(Ref<vm::Executable> program, vm::MachineOptions options, std::string_view function,
                           std::vector<vm::Value> args);

/// The steps of `options` are those of each kernel, and as many instructions of the machine. Fails with what a pass or
/// code generation refuses, with the machine's faults and those of interpret::runPrimFunc.
Result<vm::Value> valueOf(const ir::Module& module, std::string_view function, std::vector<vm::Value> args,
                          const interpret::Options& options = {});

}  // namespace rx::evaluate
