#include "app/rxs/run_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/support/file_set.h"
#include "core/tensor/npy.h"
#include "core/tensor/stats.h"
#include "core/vm/site_origin.h"

namespace rx::cli {

namespace {

using Json = nlohmann::ordered_json;

/// JSON has no NaN and no infinity.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(fmt::format("{}", value)); }

/// Names become file names: letters, digits, '_', '-' and '.' only.
std::string fileName(std::string text) {
  for (char& c : text) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-' && c != '.') c = '_';
  }
  return text.substr(0, 80);
}

class TraceFolder {
 public:
  explicit TraceFolder(FileSetWriter set) : set_(std::move(set)) {}

  Result<Unit> addStep(const vm::Executable& program, const vm::StepRecord& step, const std::vector<vm::Value>& made) {
    const vm::DebugSite* site = program.site(step.pc);
    const Origin* from = site ? vm::originOf(*site) : nullptr;
    const OriginSite* origin = from && !from->sites.empty() ? &from->sites.back() : nullptr;
    std::string binding = origin ? origin->name.string() : site ? site->variable : std::string();
    std::string function = program.function(step.function).name;
    for (const vm::Value& value : made) {
      const HostTensor& tensor = value.tensor();
      std::string name = fileName(fmt::format("{:05}_{}_{}", rows_.size(), function, binding)) + ".npy";
      RX_TRY(path, set_.place(name));
      RX_CHECK(writeNpy(path, tensor));
      TensorStats stats = tensorStats(tensor).value_or(TensorStats{});
      rows_.push_back({{"file", name},
                       {"step", step.step},
                       {"function", function},
                       {"binding", binding},
                       {"instruction", program.instructionText(step.pc)},
                       {"shape", tensor.shape()},
                       {"dtype", tensor.dtype().str()},
                       {"min", number(stats.min)},
                       {"max", number(stats.max)},
                       {"mean", number(stats.mean)},
                       {"nan", stats.nanCount},
                       {"inf", stats.infCount}});
    }
    return Unit{};
  }
  Result<Unit> finish() {
    return set_.commit({{"format", "relaxscope trace"}, {"version", 1}, {"values", std::move(rows_)}});
  }

 private:
  FileSetWriter set_;
  Json rows_ = Json::array();
};

bool touches(const vm::MemoryWrite& write, const HostTensor& tensor) {
  return write.storage == tensor.storage() && write.offset < tensor.byteOffset() + tensor.bytes() &&
         tensor.byteOffset() < write.offset + write.bytes;
}

/// A tensor in storage that the call was given as such is a place for a value; the value comes with who writes it.
bool isPlace(const vm::Value& result, const std::vector<vm::Value>& arguments) {
  return std::any_of(arguments.begin(), arguments.end(), [&](const vm::Value& argument) {
    return argument.is(vm::ValueKind::Storage) && argument.asStorage() == result.tensor().storage();
  });
}

/// Tensors that a Call wrote: those whose memory it changed, or what it returned.
std::vector<vm::Value> madeBy(const vm::Machine& machine, const vm::StepRecord& step,
                              const std::vector<vm::Value>& arguments) {
  std::vector<vm::Value> made;
  for (const vm::Value& argument : arguments) {
    if (!argument.is(vm::ValueKind::Tensor)) continue;
    const bool written = std::any_of(step.memory.begin(), step.memory.end(),
                                     [&](const auto& write) { return touches(write, argument.tensor()); });
    if (written) made.push_back(argument);
  }
  if (made.empty() && step.frames == vm::StepRecord::Frames::Same && !machine.frames().empty()) {
    for (const auto& write : step.registers) {
      if (write.after.is(vm::ValueKind::Tensor) && !isPlace(write.after, arguments)) made.push_back(write.after);
    }
  }
  return made;
}

}  // namespace

Result<Unit> runTraced(vm::Machine& machine, const std::string& folder) {
  RX_TRY(set, FileSetWriter::begin(folder, "trace.json"));
  TraceFolder trace(std::move(set));
  while (machine.status() == vm::MachineStatus::Running) {
    const vm::Instruction& instruction = machine.executable().instruction(machine.pc());
    std::vector<vm::Value> arguments;
    for (size_t i = 0; i < instruction.args.size(); ++i) {
      vm::Arg argument = instruction.arg(i);
      if (argument.kind != vm::ArgKind::Register || argument.value < 0) continue;
      if (argument.value < static_cast<vm::Word>(machine.top().registers.size())) {
        arguments.push_back(machine.top().registers[static_cast<size_t>(argument.value)]);
      }
    }
    vm::MachineStatus status = machine.step();
    const vm::StepRecord* step = machine.lastStep();
    if (step && status != vm::MachineStatus::Faulted)
      RX_CHECK(trace.addStep(machine.executable(), *step, madeBy(machine, *step, arguments)));
  }
  return trace.finish();
}

}  // namespace rx::cli
