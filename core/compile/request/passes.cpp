#include "core/compile/request/passes.h"

#include <algorithm>

#include "core/compile/request/pipelines.h"
#include "core/ir/language.h"
#include "core/lower/passes.h"
#include "core/relay/passes.h"
#include "core/transform/passes.h"

namespace rx::compile {

const pass::PassTable& passTable() {
  static const pass::PassTable table{transform::passRows(), lower::passRows(), relay::passRows(), pipelineRows()};
  return table;
}

Result<std::vector<pass::PassCall>> stepsFor(const ir::IRModule& module, std::string_view pipeline) {
  const ir::Language& language = ir::languageOf(module);
  RX_TRY(calls, pass::parsePipeline(passTable(), pipeline, language.name));
  const bool leads =
      std::any_of(calls.begin(), calls.end(), [](const pass::PassCall& call) { return *call.row->gives; });
  if (language.toCompiled.empty() || leads) return calls;
  RX_TRY(steps, pass::parsePipeline(passTable(), language.toCompiled, language.name));
  RX_TRY(rest, pass::parsePipeline(passTable(), pipeline, steps.back().row->gives));
  steps.insert(steps.end(), rest.begin(), rest.end());
  return steps;
}

std::string_view defaultPipeline() { return passTable().find("default")->expandsTo; }

}  // namespace rx::compile
