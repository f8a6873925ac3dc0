#include "ways.h"

#include "core/export/package.h"
#include "core/interpret/kernels.h"
#include "core/vm/machine.h"

namespace rx::test {

namespace {

template <class T>
Result<Ref<HostTensor>> tensorOf(std::vector<int64_t> shape, DataType type, std::span<const T> elements) {
  return HostTensor::fromBytes(std::move(shape), type, std::as_bytes(elements));
}

Result<Unit> flatten(const vm::Value& value, Outputs& out) {
  if (value.is(vm::ValueKind::Tuple)) {
    for (const vm::Value& item : value.asTuple()) RX_CHECK(flatten(item, out));
  } else if (value.is(vm::ValueKind::Tensor)) {
    out.push_back(value.asTensor());
  } else if (value.is(vm::ValueKind::Shape)) {
    const std::vector<int64_t>& dims = value.asShape();
    RX_TRY(tensor, tensorOf<int64_t>({static_cast<int64_t>(dims.size())}, DataType::Int(64), dims));
    out.push_back(tensor);
  } else if (value.is(vm::ValueKind::Int) || value.is(vm::ValueKind::Bool)) {
    out.push_back(
        HostTensor::scalarInt(DataType::Int(64), value.is(vm::ValueKind::Int) ? value.asInt() : value.asBool()));
  } else if (value.is(vm::ValueKind::Float)) {
    out.push_back(HostTensor::scalar(DataType::Float(64), value.asFloat()));
  } else if (!value.isNull()) {
    return fail("test.value", "not a result to compare: " + value.summary());
  }
  return Unit{};
}

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
    Outputs out;
    RX_CHECK(flatten(machine->result(), out));
    return out;
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
    Outputs inputs;
    for (const vm::Value& value : args) RX_CHECK(flatten(value, inputs));
    return exporter::runPackage(folder, function, inputs);
  });
}

}  // namespace rx::test
