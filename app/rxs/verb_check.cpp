#include "app/rxs/input.h"
#include "app/rxs/verbs.h"
#include "core/analysis/well_formed.h"

namespace rx::cli {

std::function<int()> setupCheck(CLI::App& command) {
  auto input = std::make_shared<InputOptions>();
  addInputOptions(command, *input);
  return [input] {
    ir::Module module = openModule(*input);
    if (!module) return kNo;
    std::vector<Diagnostic> findings = analysis::wellFormed(module);
    report(findings, *module->sources);
    return hasErrors(findings) ? kNo : kYes;
  };
}

}  // namespace rx::cli
