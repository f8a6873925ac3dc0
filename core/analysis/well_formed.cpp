#include "core/analysis/well_formed.h"

#include "core/analysis/module_rules.h"
#include "core/analysis/relax_checker.h"
#include "core/analysis/tir_checker.h"

namespace rx::analysis {

std::vector<Diagnostic> wellFormed(const ir::Module& module, const WellFormedOptions& options) {
  Findings findings(options.maxFindings);
  if (!module) return {};
  RelaxChecker relaxChecker(*module, options, findings);
  TirChecker tirChecker(options, findings);
  for (size_t k = 0; k < module->size() && !findings.full(); ++k) {
    const relax::GlobalVar& name = *module->vars[k];
    if (const auto* function = as<relax::Function>(module->functions[k])) relaxChecker.check(name, *function);
    if (const auto* function = as<tir::PrimFunc>(module->functions[k])) tirChecker.check(name, *function);
  }
  if (options.warnings && !findings.full()) checkModuleRules(*module, findings);
  return findings.release();
}

}  // namespace rx::analysis
