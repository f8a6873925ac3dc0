#include "core/export/runtime/session.h"

#include <algorithm>
#include <new>

#include "core/export/runtime/tensor_view.h"
#include "core/runtime/executable_bytes.h"
#include "core/runtime/kernel_host.h"
#include "core/runtime/placement.h"
#include "core/runtime/value_tensors.h"
#include "core/support/processor.h"

using rx::Failure;
using rx::HostTensor;
using rx::Ref;
using rx::Result;
using rx::Unit;

struct rxs_session {
  std::string error, rule, next;
  std::atomic<bool> cancelled = false;  ///< wished by another thread
  Ref<rx::vm::Executable> program;
  std::unique_ptr<rx::vm::Machine> machine;
  std::vector<rx::package::FunctionForms> forms;
  rx::package::Weights weights;
  std::vector<std::string> kernels;
  rx::vm::Surroundings surroundings;  ///< of kernels that a debugger has called
  std::vector<Ref<HostTensor>> outputs;
  std::vector<rxs_tensor> outputViews;

  /// Weights in the memory of the devices, where all is on one: copied when they are first used.
  std::vector<std::pair<Ref<HostTensor>, rx::vm::Value>> placed;

  Result<Unit> open(const char* params, int64_t bytes);
  Result<Unit> place(const rx::vm::FunctionInfo& function, std::vector<rx::vm::Value>& args);
  Result<Unit> run(const char* function, std::span<const rxs_tensor> inputs);
  Result<Unit> call(int64_t kernel, void** buffers, const int64_t* ints, const double* reals, int64_t* result);
  /// 0, or 1 with the message kept.
  int answer(const Result<Unit>& result);
};

Result<Unit> rxs_session::open(const char* params, int64_t bytes) {
  const auto missing = rx::missingFeature({rxs_needed_features, static_cast<size_t>(rxs_needed_features_size)});
  if (!missing.empty())
    return rx::fail("package.processor",
                    fmt::format("this package needs {}, which the processor of this machine does not have", missing));
  RX_TRY(table, rx::package::readKernelTable());
  const auto constants = std::as_bytes(std::span(rxs_constants, static_cast<size_t>(rxs_constants_size)));
  RX_TRY(file,
         rx::vm::readExecutable({rxs_program_bytes, static_cast<size_t>(rxs_program_size)}, {constants, nullptr}));
  RX_TRY(executable, rx::vm::Executable::make(std::move(file.parts)));
  program = executable;
  forms = std::move(table.forms);
  kernels = std::move(table.kernels);
  rx::vm::MachineOptions options;
  options.limits.maxMemory = bytes;
  options.stop = &cancelled;
  options.registry = std::move(table.functions);
  surroundings.registry = options.registry.get();  // the machine keeps it
  surroundings.memory = std::make_shared<rx::StorageArena>(options.limits.maxMemory);
  if (rxs_device_code_size > 0) {
    RX_TRY(devices,
           rx::package::openDevices({rxs_device_code, static_cast<size_t>(rxs_device_code_size)}, options.registry));
    options.kernels = std::move(devices);
  }
  RX_TRY(made, rx::vm::Machine::create(program, std::move(options)));
  machine = std::move(made);
  if (params) {
    RX_TRY(read, rx::package::Weights::open(params, {rxs_weights_info, static_cast<size_t>(rxs_weights_info_size)}));
    weights = std::move(read);
  }
  return Unit{};
}

Result<Unit> rxs_session::place(const rx::vm::FunctionInfo& function, std::vector<rx::vm::Value>& args) {
  if (machine->devices().size() != 1 || !machine->devices()[0].memory) return Unit{};
  for (size_t i = 0; i < args.size(); ++i) {
    if (!args[i].is(rx::vm::ValueKind::Tensor)) continue;
    RX_TRY(weight, weights.find(function.paramNames[i]));
    if (!weight || weight.get() != &args[i].tensor()) continue;
    auto known = std::find_if(placed.begin(), placed.end(), [&](const auto& row) { return row.first == weight; });
    if (known == placed.end()) {
      RX_TRY(there, rx::vm::valueIn(surroundings, args[i], machine->devices()[0].memory));
      known = placed.emplace(placed.end(), std::move(weight), std::move(there));
    }
    args[i] = known->second;
  }
  return Unit{};
}

Result<Unit> rxs_session::run(const char* function, std::span<const rxs_tensor> inputs) {
  outputs.clear();
  outputViews.clear();
  if (!machine) return rx::fail("package.session", "the session was not opened");
  const auto index = program->findFunction(function);
  if (!index || program->function(*index).kind != rx::vm::FunctionKind::Bytecode)
    return rx::fail("vm.no-function", fmt::format("there is no function \"{}\"", rx::escapedForDisplay(function)));
  const auto known = std::find_if(forms.begin(), forms.end(), [&](const auto& row) { return row.name == function; });
  RX_TRY(given, rx::package::argumentsOf(program->function(*index), known == forms.end() ? nullptr : &*known, inputs,
                                         weights));
  RX_CHECK(place(program->function(*index), given.args));
  RX_CHECK(machine->start(function, std::move(given.args), std::move(given.lent)));
  const bool finished = machine->run() == rx::vm::MachineStatus::Finished;
  RX_CHECK(machine->returnLent());
  if (!finished) return rx::fail(machine->fault()->diagnostics);
  RX_TRY(tensors, rx::vm::tensorsOf({&machine->result(), 1}));
  outputs = std::move(tensors);
  for (const Ref<HostTensor>& tensor : outputs) {
    RX_TRY(view, rx::package::viewOf(*tensor));
    outputViews.push_back(view);
  }
  return Unit{};
}

Result<Unit> rxs_session::call(int64_t kernel, void** buffers, const int64_t* ints, const double* reals,
                               int64_t* result) {
  if (!machine || kernel < 0 || static_cast<size_t>(kernel) >= kernels.size())
    return rx::fail("package.session", "the session was not opened, or the package has no such kernel");
  rx::vm::CallContext context(surroundings);
  rx::vm::KernelHost host(context);
  if (rxs_kernels[kernel](buffers, ints, reals, result, &host) == 0) return Unit{};
  return host.failure(kernels[static_cast<size_t>(kernel)]);
}

int rxs_session::answer(const Result<Unit>& result) {
  error.clear();
  rule.clear();
  next.clear();
  if (result) return 0;
  const rx::Diagnostic& first = result.diagnostics().front();
  rule = first.rule;
  next = first.fix;
  error = first.context.empty() ? first.message : first.context + ": " + first.message;
  for (const rx::DiagnosticNote& note : first.notes) error += "; " + note.message;
  return 1;
}

int rxs_open(const char* params_path, rxs_session** out) {
  return rxs_open_within(params_path, rx::vm::MachineLimits().maxMemory, out);
}

int rxs_open_within(const char* params_path, int64_t bytes, rxs_session** out) {
  *out = new (std::nothrow) rxs_session;
  return *out ? (*out)->answer((*out)->open(params_path, bytes)) : 1;
}

void rxs_cancel(rxs_session* session) { session->cancelled.store(true, std::memory_order_relaxed); }

void rxs_watch(rxs_session* session, const void* stop) {
  session->surroundings.stop = static_cast<const std::atomic<bool>*>(stop);
}

void rxs_close(rxs_session* session) { delete session; }

const char* rxs_error(const rxs_session* session) { return session ? session->error.c_str() : "out of memory"; }

const char* rxs_rule(const rxs_session* session) { return session ? session->rule.c_str() : ""; }

const char* rxs_next_step(const rxs_session* session) { return session ? session->next.c_str() : ""; }

int rxs_run(rxs_session* session, const char* function, const rxs_tensor* inputs, int32_t input_count,
            const rxs_tensor** outputs, int32_t* output_count) {
  const int status = session->answer(session->run(function, {inputs, static_cast<size_t>(std::max(input_count, 0))}));
  session->cancelled.store(false, std::memory_order_relaxed);
  *outputs = session->outputViews.data();
  *output_count = static_cast<int32_t>(session->outputViews.size());
  return status;
}

int32_t rxs_function_count(const rxs_session* session) {
  int32_t count = 0;
  while (rxs_function_name(session, count)) ++count;
  return count;
}

const char* rxs_function_name(const rxs_session* session, int32_t index) {
  if (!session->program) return nullptr;
  for (const rx::vm::FunctionInfo& function : session->program->functions()) {
    if (function.kind == rx::vm::FunctionKind::Bytecode && index-- == 0) return function.name.c_str();
  }
  return nullptr;
}

void rxs_parts(rxs_part* program, rxs_part* kernels, rxs_part* weights) {
  *program = {rxs_program_bytes, rxs_program_size};
  *kernels = {rxs_kernel_info, rxs_kernel_info_size};
  *weights = {rxs_weights_info, rxs_weights_info_size};
}

void rxs_constants_part(rxs_part* constants) { *constants = {rxs_constants, rxs_constants_size}; }

void rxs_device_part(rxs_part* code) { *code = {rxs_device_code, rxs_device_code_size}; }

int rxs_call_kernel(rxs_session* session, int64_t kernel, void** buffers, const int64_t* ints, const double* reals,
                    int64_t* result) {
  const auto called = session->call(kernel, buffers, ints, reals, result);
  if (called) return session->answer(called);
  session->error = fmt::format("{}: {}", called.diagnostics().front().rule, called.diagnostics().front().message);
  return 1;
}

int64_t rxs_tensor_bytes(const rxs_tensor* tensor) {
  int64_t total = (tensor->dtype.bits + 7) / 8;
  for (int32_t i = 0; i < tensor->rank; ++i) total *= tensor->shape[i];
  return total;
}
