#include "core/evaluate/evaluate.h"

#include "core/interpret/kernels.h"
#include "core/ir/inline_calls.h"
#include "core/pass/runner.h"
#include "core/transform/passes.h"
#include "core/vm/codegen.h"

namespace rx::evaluate {

namespace {

/// What of the default build the machine can not do without. Shapes are checked where the module says them, and memory
/// is what each tensor asks for.
constexpr std::string_view kPasses =
    "LambdaLift(), DispatchSampling(), DispatchSortScan(), LegalizeOps(name_shapes=True), ToNonDataflow(), "
    "RemovePurityChecking(), CallTIRRewrite(), LowerAllocTensor(), LowerRuntimeBuiltin(), ComputePrimValue(), "
    "VMShapeLower(), AttachGlobalSymbol()";

Result<ir::Module> lowered(const ir::Module& module, const CancelToken& cancel) {
  static const pass::PassTable kTable{transform::passRows()};
  RX_TRY(calls, pass::parsePipeline(kTable, kPasses));
  pass::RunOptions run;
  run.context.cancel = cancel;
  run.keepStages = false;
  pass::History history = pass::runPipeline(module, calls, run);
  if (history.steps.back().failed()) return fail(std::move(history.steps.back().messages));
  return ir::withCallsInlined(history.stage(history.steps.size()));
}

}  // namespace

std::string_view fewestPasses() { return kPasses; }

Result<vm::Value> resultOf(Ref<vm::Executable> program, vm::MachineOptions options, std::string_view function,
                           std::vector<vm::Value> args) {
  RX_TRY(machine, vm::Machine::create(std::move(program), std::move(options)));
  RX_CHECK(machine->start(function, std::move(args)));
  machine->run();
  if (const vm::Fault* fault = machine->fault()) return fail(fault->diagnostics);
  return machine->result();
}

Result<vm::Value> valueOf(const ir::Module& module, std::string_view function, std::vector<vm::Value> args,
                          const interpret::Options& options) {
  RX_TRY(program, lowered(module, options.around.cancel));
  RX_TRY(executable, vm::generateExecutable(program));
  vm::MachineOptions run;
  run.limits.maxInstructions = static_cast<uint64_t>(options.maxSteps);
  run.limits.maxMemory = options.maxBytes;
  run.kernels = interpret::makeInterpretedKernels(program, options);
  run.cancel = options.around.cancel;
  run.lateLinking = true;  // what nothing calls may be missing
  return resultOf(std::move(executable), std::move(run), function, std::move(args));
}

}  // namespace rx::evaluate
