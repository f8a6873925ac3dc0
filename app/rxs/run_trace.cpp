#include "app/rxs/run_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/debug/recording.h"
#include "core/support/file_set.h"
#include "core/tensor/npy.h"
#include "core/tensor/stats.h"

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

/// Whether a tensor lies in storage that the step was given as such: a place for a value, which comes with who writes
/// it.
Result<bool> isPlace(const debug::Recording& run, uint32_t number, const store::Step& step,
                     const store::Value& tensor) {
  for (const int argument : run.program().instructions[step.instruction].arguments) {
    if (argument < 0) continue;
    RX_TRY(value, run.reader().registerAt(number, step.activation, static_cast<uint32_t>(argument)));
    if (value.kind == store::ValueKind::Storage && value.storage == tensor.storage) return true;
  }
  return false;
}

/// Tensors that a call made: those whose memory it wrote, or what it returned.
Result<std::vector<Ref<HostTensor>>> madeBy(const debug::Recording& run, uint32_t number, const store::Step& step) {
  std::vector<store::Value> values;
  RX_TRY(written, run.writtenBy(number));
  for (const debug::WrittenTensor& each : written) values.push_back(each.tensor);
  if (values.empty() && step.pushed == store::kNone && !step.returned) {
    RX_TRY(changes, run.reader().changes(number));
    for (const store::Changes::Register& set : changes.registers) {
      RX_TRY(value, run.reader().registerAt(number + 1, set.activation, set.reg));
      if (value.kind != store::ValueKind::Tensor) continue;
      RX_TRY(place, isPlace(run, number, step, value));
      if (!place) values.push_back(std::move(value));
    }
  }
  std::vector<Ref<HostTensor>> made;
  for (const store::Value& value : values) {
    RX_TRY(shown, run.valueAt(number + 1, value));
    made.push_back(shown.tensor);
  }
  return made;
}

class TraceFolder {
 public:
  explicit TraceFolder(FileSetWriter set) : set_(std::move(set)) {}

  Result<Unit> addStep(const debug::Recording& run, uint32_t at, const store::Step& step) {
    const debug::Instruction& instruction = run.program().instructions[step.instruction];
    const std::string& function = run.program().functions[static_cast<size_t>(instruction.function)].name;
    const std::string binding = run.bindingOf(step.instruction);
    RX_TRY(made, madeBy(run, at, step));
    for (const Ref<HostTensor>& value : made) {
      const HostTensor& tensor = *value;
      std::string name = fileName(fmt::format("{:05}_{}_{}", rows_.size(), function, binding)) + ".npy";
      RX_TRY(path, set_.place(name));
      RX_CHECK(writeNpy(path, tensor));
      TensorStats stats = tensorStats(tensor).value_or(TensorStats{});
      rows_.push_back({{"file", name},
                       {"step", at},
                       {"function", function},
                       {"binding", binding},
                       {"instruction", instruction.text},
                       {"allocated", instruction.allocatesTensor()},
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

}  // namespace

Result<Unit> writeTrace(const std::string& recording, const std::string& folder) {
  RX_TRY(run, debug::Recording::open(recording));
  RX_TRY(set, FileSetWriter::begin(folder, "trace.json"));
  TraceFolder trace(std::move(set));
  for (uint32_t number = run->reader().oldest(); number < run->reader().recorded(); ++number) {
    RX_TRY(step, run->reader().step(number));
    if (step.instruction >= run->program().instructions.size())
      return fail("store.damaged", "a step is of no instruction");
    RX_CHECK(trace.addStep(*run, number, step));
  }
  return trace.finish();
}

}  // namespace rx::cli
