#include "core/compile/request/passes.h"

#include <algorithm>

#include "core/compile/request/pipelines.h"
#include "core/ir/language.h"
#include "core/lower/passes.h"
#include "core/pass/context_pass.h"
#include "core/relay/passes/passes.h"
#include "core/schedule/passes.h"
#include "core/transform/passes.h"

namespace rx::compile {

namespace {

/// Changes nothing: the runner keeps what it says for the passes behind it.
Result<ir::Module> passContext(const ir::Module& module, const ir::Attrs& options, pass::PassContext& context) {
  pass::PassContext entered = context;
  RX_CHECK(pass::enter({passTable().find(pass::kContextPass), options}, entered));
  RX_CHECK(pass::checkContext(passTable(), entered));
  return module;
}

std::span<const pass::PassRow> contextRows() {
  static const pass::PassRow row = {
      pass::kContextPass, "what the passes behind it run under: level, config, names that are left out or required",
      pass::contextOptions(), pass::Contract::KeepsNormalForm, passContext};
  return {&row, 1};
}

}  // namespace

const pass::PassTable& passTable() {
  static const pass::PassTable table{contextRows(),        transform::passRows(), lower::passRows(),
                                     schedule::passRows(), relay::passRows(),     pipelineRows()};
  return table;
}

Result<std::vector<pass::PassCall>> stepsBefore(std::string_view language, std::string_view pipeline) {
  const std::string_view lead = ir::languageNamed(language).toCompiled;
  if (lead.empty()) return std::vector<pass::PassCall>();
  RX_TRY(calls, pass::parsePipeline(passTable(), pipeline, language));
  const bool begins = std::any_of(calls.begin(), calls.end(),
                                  [&](const pass::PassCall& call) { return call.row->language == language; });
  if (begins) return std::vector<pass::PassCall>();
  return pass::parsePipeline(passTable(), lead, language);
}

std::string_view languageBehind(const std::vector<pass::PassCall>& steps, std::string_view language) {
  for (const pass::PassCall& call : steps)
    if (*call.row->gives) language = call.row->gives;
  return language;
}

Result<std::vector<pass::PassCall>> stepsFor(const ir::IRModule& module, std::string_view pipeline) {
  const std::string_view language = ir::languageOf(module).name;
  RX_TRY(steps, stepsBefore(language, pipeline));
  RX_TRY(rest, pass::parsePipeline(passTable(), pipeline, languageBehind(steps, language)));
  steps.insert(steps.end(), rest.begin(), rest.end());
  return steps;
}

std::string_view defaultPipeline() { return "default"; }

}  // namespace rx::compile
