#include <fmt/format.h>

#include "app/rxs/input.h"
#include "app/rxs/verbs.h"
#include "core/analysis/well_formed.h"
#include "core/import/phase_dumps.h"

namespace rx::cli {

namespace {

/// Every stage of a folder: one line each, what is wrong with it on standard error. A stage that can not be read does
/// not keep the others from being checked.
int checkStages(const std::string& folder) {
  Result<std::vector<import::DumpedStage>> stages = import::readStages(folder);
  if (!stages) return refuse(stages.diagnostics());
  bool good = true;
  for (size_t i = 0; i < stages->size(); ++i) {
    const import::DumpedStage& stage = (*stages)[i];
    report(stage.diagnostics, {stage.source});
    const std::vector<Diagnostic> findings =
        stage.refused() ? std::vector<Diagnostic>() : analysis::wellFormed(stage.module);
    report(findings, {stage.source});
    const char* lamp = stage.refused() ? "can not be read" : hasErrors(findings) ? "ill-formed" : "ok";
    good = good && !stage.refused() && !hasErrors(findings);
    fmt::print("{:>3}  {:<32} {}\n", i, escapedForDisplay(stage.name), lamp);
  }
  return good ? kYes : kNo;
}

}  // namespace

std::function<int()> setupCheck(CLI::App& command) {
  auto input = std::make_shared<InputOptions>();
  addInputOptions(command, *input);
  return [input] {
    if (input->stage.empty() && isFolderOfStages(input->path)) return checkStages(input->path);
    ir::Module module = openModule(*input);
    if (!module) return kNo;
    std::vector<Diagnostic> findings = analysis::wellFormed(module);
    report(findings, *module->sources);
    return hasErrors(findings) ? kNo : kYes;
  };
}

}  // namespace rx::cli
