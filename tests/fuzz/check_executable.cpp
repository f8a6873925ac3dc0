#include "checks.h"
#include "core/runtime/machine.h"
#include "core/tensor/npy.h"
#include "core/tensor/safetensors.h"
#include "core/vm/executable_file.h"

namespace rx::fuzz {

namespace {

constexpr uint64_t kSteps = 2000;
constexpr int64_t kMemory = int64_t{64} << 20;

std::string ruleless(const std::vector<Diagnostic>& diagnostics, const char* what) {
  for (const Diagnostic& d : diagnostics) {
    if (d.rule.empty() || d.message.empty()) return std::string(what) + " without a rule or a message";
  }
  return diagnostics.empty() ? std::string(what) + " that says nothing" : "";
}

/// Values of every kind in turn: a function may be called with anything.
vm::Value argument(size_t number) {
  static const Ref<HostTensor> tensor =
      *HostTensor::fromDoubles({2, 3}, DataType::Float(32), std::vector<double>(6, 1));
  switch (number % 4) {
    case 0:
      return vm::Value::of(tensor);
    case 1:
      return vm::Value::of(int64_t{3});
    case 2:
      return vm::Value::of(std::string("text"));
    default:
      return vm::Value();
  }
}

std::string runs(const Ref<vm::Executable>& executable, const vm::FunctionInfo& function) {
  vm::MachineOptions options;
  options.limits.maxDepth = 100;
  options.limits.maxInstructions = kSteps;
  options.limits.maxMemory = kMemory;
  options.lateLinking = true;
  auto machine = vm::Machine::create(executable, std::move(options));
  if (!machine) return ruleless(machine.diagnostics(), "a refused program");
  std::vector<vm::Value> values;
  for (size_t i = 0; i < function.paramNames.size(); ++i) values.push_back(argument(i));
  if (auto started = (*machine)->start(function.name, std::move(values)); !started)
    return ruleless(started.diagnostics(), "a refused call");
  (*machine)->run();
  const vm::Fault* fault = (*machine)->fault();
  if (fault) return ruleless(fault->diagnostics, "a fault");
  (void)(*machine)->result().summary();
  return {};
}

}  // namespace

std::string checkExecutable(std::string_view bytes) {
  auto read = vm::parseExecutable(bytes);
  if (!read) return ruleless(read.diagnostics(), "a refused executable");
  const Ref<vm::Executable>& executable = *read;
  if (executable->text().empty() && !executable->functions().empty()) return "an executable prints as nothing";
  if (auto written = vm::executableBytes(*executable)) {
    auto again = vm::parseExecutable(*written);
    if (!again) return "the written executable is refused: " + again.diagnostics()[0].message;
    if ((*again)->text() != executable->text()) return "the written executable reads differently";
  }
  for (const vm::FunctionInfo& function : executable->functions()) {
    if (function.kind != vm::FunctionKind::Bytecode) continue;
    if (std::string bad = runs(executable, function); !bad.empty()) return bad;
  }
  return {};
}

std::string checkArrays(std::string_view bytes) {
  auto look = [&](const Result<std::vector<NamedTensor>>& read) -> std::string {
    if (!read) return ruleless(read.diagnostics(), "a refused file");
    for (const auto& [name, tensor] : *read) {
      // Every byte that the tensor says it has is read.
      uint64_t sum = 0;
      for (int64_t i = 0; i < tensor->bytes(); ++i) sum += static_cast<uint64_t>(tensor->data()[i]);
      if (tensor->bytes() < 0 || sum > UINT64_MAX / 2) return "a tensor of no size";
    }
    return {};
  };
  const auto owner = std::make_shared<const std::string>(bytes);
  if (std::string bad = look(parseSafetensors(*owner, owner)); !bad.empty()) return bad;
  if (std::string bad = look(parseNpz(*owner, owner)); !bad.empty()) return bad;
  const Result<Ref<HostTensor>> one = parseNpy(*owner);
  if (!one) return ruleless(one.diagnostics(), "a refused array");
  return look(std::vector<NamedTensor>{{"one", *one}});
}

}  // namespace rx::fuzz
