#include "tests/device/device_results.h"

#include "core/interpret/kernels.h"
#include "core/runtime/machine.h"
#include "tests/device/interpreted_kernel.h"
#include "tests/device/loaded_double.h"
#include "tests/support/compiled_text.h"

namespace rx {

using test::argumentsOf;
using test::programOf;

codegen::DeviceOptions deviceOptions(const compile::Program& program) {
  return {program.request.target, program.request.checked, {}, {}};
}

namespace {

Result<Ref<HostTensor>> ran(const compile::Program& program, std::shared_ptr<vm::KernelProvider> kernels,
                            int64_t size) {
  vm::MachineOptions options;
  options.kernels = std::move(kernels);
  RX_TRY(machine, vm::Machine::create(program.executable, std::move(options)));
  RX_TRY(arguments, argumentsOf(program, size));
  RX_CHECK(machine->start("main", std::move(arguments)));
  machine->run();
  if (machine->fault()) return fail(machine->fault()->diagnostics);
  return machine->result().tensor().copy();
}

}  // namespace

Result<OnDevice> onDevice(const std::string& text, const std::string& target, int64_t size, bool known,
                          const std::string& pipeline) {
  RX_TRY(program, programOf(text, target, pipeline));
  if (target.starts_with("cuda") && known)
    RX_CHECK(cuda_double::addModule(cuda_double::control(), program.module, deviceOptions(program)));
  int onHost = 0;
  compile::Control notes;
  notes.onHost = [&](std::string_view, const Diagnostic&) { ++onHost; };
  RX_TRY(kernels, compile::kernelsOf(program, notes, nullptr));
  auto result = ran(program, kernels, size);
  return OnDevice{std::move(result), onHost};
}

Result<Ref<HostTensor>> interpreted(const std::string& text, int64_t size) {
  RX_TRY(program, programOf(text, "llvm"));
  return ran(program, interpret::makeInterpretedKernels(program.module, {}), size);
}

}  // namespace rx
