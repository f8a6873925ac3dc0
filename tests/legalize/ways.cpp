#include "ways.h"

#include "core/export/package.h"
#include "core/interpret/kernels.h"
#include "core/runtime/machine.h"
#include "core/runtime/value_tensors.h"

namespace rx::test {

namespace {

/// A machine over some kernels, made once for all calls.
Result<RunFunction> byMachine(const compile::Program& program, std::shared_ptr<vm::KernelProvider> kernels) {
  vm::MachineOptions options;
  options.kernels = std::move(kernels);
  RX_TRY(made, vm::Machine::create(program.executable, std::move(options)));
  std::shared_ptr<vm::Machine> machine = std::move(made);
  return RunFunction([machine](const std::string& function, const std::vector<vm::Value>& args) -> Result<Outputs> {
    RX_CHECK(machine->start(function, args));
    machine->run();
    if (const vm::Fault* fault = machine->fault()) return fail(fault->diagnostics);
    return vm::tensorsOf({&machine->result(), 1});
  });
}

}  // namespace

Result<compile::Program> lowered(const ir::Module& module) {
  compile::Request request;
  request.module = module;
  Result<compile::Program> program = compile::compile(request, {});
  if (program) return program;
  // The note is what LegalizeOps said of the call that is still there.
  const Diagnostic& error = program.diagnostics()[0];
  if (error.rule == "vm.codegen" && !error.notes.empty()) return fail("legalize.refused", error.notes[0].message);
  return program.failure();
}

Result<RunFunction> interpreted(const compile::Program& program) {
  return byMachine(program, interpret::makeInterpretedKernels(program.module, {}));
}

Result<RunFunction> compiled(compile::Program program, compile::Mode mode) {
  program.request.mode = mode;
  RX_TRY(kernels, compile::kernelsOf(program, {}, nullptr));
  compile::compileAhead(*kernels, program, {});
  return byMachine(program, kernels);
}

Result<RunFunction> packaged(const compile::Program& program, const std::string& folder) {
  RX_TRY(package, exporter::writePackage(program, {}, folder));
  return RunFunction([folder](const std::string& function, const std::vector<vm::Value>& args) -> Result<Outputs> {
    RX_TRY(inputs, vm::tensorsOf(args));
    return exporter::runPackage(folder, function, inputs);
  });
}

}  // namespace rx::test
