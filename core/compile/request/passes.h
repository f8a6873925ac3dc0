// core/compile/request: what can be asked of the compiler, as far as the window may know it: the pass rows of all
// layers in one table, and the named pipelines.
#pragma once

#include "core/pass/pass.h"

namespace rx::compile {

/// All passes of Relax, TIR and Relay, and the named pipelines.
const pass::PassTable& passTable();

/// The steps of a pipeline that ends in code: those that lead from the module's language to one that is compiled,
/// unless the pipeline has such itself or passes of the language, and those of its text.
Result<std::vector<pass::PassCall>> stepsFor(const ir::IRModule& module, std::string_view pipeline);
/// The first of them alone: what leads to a language that is compiled, before a pipeline that does not say it.
Result<std::vector<pass::PassCall>> stepsBefore(std::string_view language, std::string_view pipeline);
/// The language behind steps that begin in one.
std::string_view languageBehind(const std::vector<pass::PassCall>& steps, std::string_view language);

/// The default build pipeline by its name, which means the same passes for a module of any language: LambdaLift, then
/// the 15 passes of TVM's default build in their order.
std::string_view defaultPipeline();

}  // namespace rx::compile
