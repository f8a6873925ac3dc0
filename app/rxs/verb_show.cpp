// rxs show: what a recorded run did, and the values that it had.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/rxs/input.h"
#include "app/rxs/standard_output.h"
#include "app/rxs/verbs.h"
#include "core/debug/recording.h"
#include "core/runtime/value.h"
#include "core/tensor/npy.h"
#include "core/tensor/tensor_text.h"

namespace rx::cli {
namespace {

struct ShowArguments {
  std::string path, binding, out;
  std::optional<uint32_t> step;
};

std::string statisticsText(const TensorStats& stats) {
  return fmt::format("min {:.6g}  max {:.6g}  mean {:.6g}  NaN {}  Inf {}", stats.min, stats.max, stats.mean,
                     stats.nanCount, stats.infCount);
}

std::string nameOf(const debug::Program& program, const store::Step& step, int reg) {
  const int function = program.instructions[step.instruction].function;
  const std::vector<std::string>& names = program.functions[static_cast<size_t>(function)].registerNames;
  const auto at = static_cast<size_t>(reg);
  return at < names.size() && !names[at].empty() ? names[at] : fmt::format("%{}", reg);
}

/// "Tensor((2, 3), float32)", and where it lay on a device.
std::string typeText(const debug::Recording& run, uint32_t state, const store::Value& tensor) {
  const std::string device = run.deviceOf(state, tensor);
  return fmt::format("Tensor({}, {}){}{}", shapeText(tensor.shape), tensor.dtype.str(), device.empty() ? "" : " on ",
                     escapedForDisplay(device));
}

/// What a step wrote, or else what it set: "lv = Tensor((2, 3), float32)  min 0 ...".
Result<std::string> valuesOf(const debug::Recording& run, uint32_t number, const store::Step& step) {
  RX_TRY(written, run.writtenBy(number));
  std::vector<std::string> values;
  for (const debug::WrittenTensor& made : written) {
    values.push_back(
        fmt::format("{} = {}", nameOf(run.program(), step, made.reg), typeText(run, number + 1, made.tensor)));
    if (const auto stats = run.statistics(number, made)) values.back() += "  " + statisticsText(*stats);
    if (!made.write.kept) values.back() += "  (bytes not kept)";
  }
  if (!values.empty()) return fmt::format("{}", fmt::join(values, "; "));
  RX_TRY(changes, run.reader().changes(number));
  for (const store::Changes::Register& set : changes.registers) {
    RX_TRY(value, run.reader().registerAt(number + 1, set.activation, set.reg));
    if (value.kind == store::ValueKind::Tensor) {
      values.push_back(typeText(run, number + 1, value));
    } else {
      RX_TRY(shown, run.valueAt(number + 1, value));
      values.push_back(debug::valueText(shown));
    }
  }
  return fmt::format("{}", fmt::join(values, ", "));
}

/// "   12  main  17  lv1  call fused_add ...  lv1 = Tensor(...)".
Result<std::string> lineOf(const debug::Recording& run, uint32_t number) {
  RX_TRY(step, run.reader().step(number));
  const debug::Program& program = run.program();
  if (step.instruction >= program.instructions.size()) return fail("store.damaged", "a step is of no instruction");
  const debug::Instruction& instruction = program.instructions[step.instruction];
  RX_TRY(values, valuesOf(run, number, step));
  const std::string binding = run.bindingOf(step.instruction);
  constexpr std::string_view kOps[] = {"call", "ret", "goto", "if"};
  std::string line =
      fmt::format("{:>6}  {:>5}  {}  {}  {} {}", number, step.instruction,
                  program.functions[static_cast<size_t>(instruction.function)].name, binding.empty() ? "-" : binding,
                  kOps[static_cast<size_t>(instruction.op)], instruction.callee);
  while (line.ends_with(' ')) line.pop_back();
  if (!values.empty()) line += "  " + values;
  if (run.finiteness(number).made) line += "  (made NaN or Inf)";
  return line + "\n";
}

/// How a recording ends that does not end with a result.
std::vector<Diagnostic> endOf(const store::Reader& run) {
  switch (run.state()) {
    case store::RunState::Failed: {
      return run.end()->diagnostics;
    }
    case store::RunState::Stopped:
      return {
          warningAt({}, "store.file", "the recording ended before the run: " + escapedForDisplay(run.stopReason()))};
    case store::RunState::Cut:
      return {warningAt({}, "store.file", fmt::format("the recording is cut after {} steps", run.recorded()))};
    case store::RunState::Running:
      return {warningAt({}, "store.file", fmt::format("the run goes on after {} steps", run.recorded()))};
    case store::RunState::Finished:
      break;
  }
  return {};
}

int showSteps(const debug::Recording& run, std::optional<uint32_t> only) {
  const store::Reader& reader = run.reader();
  const uint32_t first = only ? *only : reader.oldest();
  const uint32_t end = only ? *only + 1 : reader.recorded();
  if (!only && first > 0) {
    const auto gone = reader.step(0);
    if (!gone) report({warningAt({}, "store.not-kept", gone.diagnostics().front().message)}, {});
  }
  for (uint32_t step = first; step < end; ++step) {
    Result<std::string> line = lineOf(run, step);
    if (!line) return refuse(line.diagnostics());
    say(*line);
  }
  if (!only) report(endOf(reader), {});
  return kYes;
}

void print(const std::string& name, const debug::Value& value) {
  std::vector<std::pair<std::string, const debug::Value*>> open{{name, &value}};
  while (!open.empty()) {
    const auto [path, shown] = open.back();
    open.pop_back();
    say("{}: {}\n", path, debug::valueText(*shown));
    if (shown->kind == debug::ValueKind::Tensor)
      say("{}\n{}\n", statisticsText(tensorStats(*shown->tensor).value_or(TensorStats{})), tensorText(*shown->tensor));
    for (size_t i = shown->items.size(); i-- > 0;) open.emplace_back(fmt::format("{}.{}", path, i), &shown->items[i]);
  }
}

int showBinding(const ShowArguments& arguments, const debug::Recording& run, uint32_t step) {
  Result<debug::ValuePlace> place = run.placeOf(arguments.binding, step);
  if (!place) return refuse(place.diagnostics());
  Result<debug::Value> value = run.valueAt(*place);
  if (!value) return refuse(value.diagnostics());
  if (arguments.out.empty()) {
    print(arguments.binding, *value);
    return kYes;
  }
  if (value->kind != debug::ValueKind::Tensor)
    return refuse(
        {errorAt({}, "show.value",
                 fmt::format("{} is no tensor: {}", escapedForDisplay(arguments.binding), debug::valueText(*value)))});
  Result<Unit> written = writeNpy(arguments.out, *value->tensor);
  return written ? kYes : refuse(written.diagnostics());
}

int runShow(const ShowArguments& arguments) {
  auto run = debug::Recording::open(arguments.path);
  if (!run) return refuse(run.diagnostics());
  const uint32_t recorded = (*run)->reader().recorded();
  if (arguments.step) {
    const auto known = (*run)->reader().step(*arguments.step);
    if (!known) return refuse(known.diagnostics());
  }
  if (arguments.binding.empty()) return showSteps(**run, arguments.step);
  return showBinding(arguments, **run, arguments.step.value_or(recorded > 0 ? recorded - 1 : 0));
}

}  // namespace

std::function<int()> setupShow(CLI::App& command) {
  auto arguments = std::make_shared<ShowArguments>();
  command.add_option("FILE", arguments->path, "a recording: what `rxs run --record` wrote")->required();
  command.add_option("--step", arguments->step, "number of a step; alone it shows that one");
  CLI::Option* binding = command.add_option(
      "--binding", arguments->binding,
      "a binding or parameter: its value, as of its last evaluation up to the step (default: the last step)");
  command.add_option("-o,--output", arguments->out, "write the tensor to this .npy file")->needs(binding);
  return [arguments] { return runShow(*arguments); };
}

}  // namespace rx::cli
