// The ways to run a module: interpreted, compiled at level 0 and 2, packaged.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/compile/compile.h"
#include "core/runtime/value.h"

namespace rx::test {

/// What a function gave: its tensors, those of tuples one after another; shapes and numbers as tensors.
using Outputs = std::vector<Ref<HostTensor>>;
using RunFunction = std::function<Result<Outputs>(const std::string& function, const std::vector<vm::Value>& args)>;

/// Runs the default pipeline. Fails with what a pass or the generation of bytecode said; with legalize.refused where a
/// call stays because its operator does not take its arguments.
Result<compile::Program> lowered(const ir::Module& module);

Result<RunFunction> interpreted(const compile::Program& program);
/// Level 0 is what is stepped, level 2 what is released.
Result<RunFunction> compiled(compile::Program program, compile::Mode mode);
/// The package is written into the folder, which has to outlive the function.
Result<RunFunction> packaged(const compile::Program& program, const std::string& folder);

}  // namespace rx::test
