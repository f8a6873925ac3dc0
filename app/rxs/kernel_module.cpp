#include "app/rxs/kernel_module.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/rxs/pipeline_text.h"
#include "app/rxs/reply.h"
#include "core/compile/request/passes.h"
#include "core/ir/all_nodes.h"
#include "core/pass/runner.h"
#include "core/support/nearest.h"

namespace rx::cli {

namespace {

bool hasKernels(const ir::Module& module) {
  return std::any_of(module->functions.begin(), module->functions.end(),
                     [](const ir::BaseFunc& function) { return isa<tir::PrimFunc>(function); });
}

Result<ir::Module> behindPasses(const ir::Module& module, const std::string& passes, const target::TargetRef& target,
                                Reply& reply) {
  if (passes.empty() && hasKernels(module)) return module;
  RX_TRY(text, pipelineText(passes.empty() ? "fused" : passes));
  const auto calls = compile::stepsFor(*module, text->text());
  if (!calls) return fail(placedIn(text, calls.diagnostics()));
  pass::RunOptions options;
  options.context.target = target;
  options.keepStages = false;
  const pass::History history = pass::runPipeline(module, *calls, options);
  for (const pass::StepRecord& step : history.steps) {
    if (step.failed()) return fail(step.messages);
    reply.report(step.messages, *module->sources);
  }
  return history.stage(history.steps.size());
}

}  // namespace

Result<ir::Module> kernelModule(const ir::Module& module, const KernelWanted& wanted, const target::TargetRef& target,
                                Reply& reply) {
  RX_TRY(made, behindPasses(module, wanted.passes, target, reply));
  if (wanted.function.empty()) {
    if (hasKernels(made)) return made;
    return fail("schedule.no-kernel", "the module has no kernels");
  }
  if (isa<tir::PrimFunc>(made->find(wanted.function))) return made;
  Diagnostic said = errorAt({}, "schedule.no-kernel", fmt::format("there is no kernel '{}'", wanted.function));
  Nearest nearest(wanted.function);
  for (size_t i = 0; i < made->size(); ++i) {
    if (isa<tir::PrimFunc>(made->functions[i])) nearest.offer(made->vars[i]->name.view());
  }
  said.fix = nearest.fix();
  return fail(std::move(said));
}

}  // namespace rx::cli
