// The processor that machine code is made for.
#pragma once

#include <string_view>

#include "core/codegen/kernels.h"
#include "core/target/target.h"

namespace rx::compile {

/// Features that advise the compiler or name a version: nothing that an instruction needs.
bool isAdvice(std::string_view feature);

/// A processor as the code generator takes it.
codegen::Machine machineOf(const target::Processor& processor, std::string_view triple);

/// The same for code that is to run in this process: empty for a target that names no processor, which means this one.
/// Fails with codegen.target where this machine can not run what the target has, and names what it lacks.
Result<codegen::Machine> machineHere(const target::Target& target);

}  // namespace rx::compile
