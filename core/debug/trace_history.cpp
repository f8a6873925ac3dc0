#include "core/debug/trace_history.h"

#include <algorithm>

namespace rx::debug {
namespace {

Failure damaged(std::string_view what) {
  return fail("store.damaged", fmt::format("the recording contradicts itself: {}", what));
}

int64_t numberOf(uint32_t instruction) { return instruction == store::kNone ? -1 : int64_t{instruction}; }

/// A value, or why there is none.
Value orWords(Result<Value> value) {
  if (value) return std::move(*value);
  Value words;
  words.kind = ValueKind::Object;
  words.text = value.diagnostics().front().message;
  return words;
}

}  // namespace

Result<std::unique_ptr<TraceHistory>> TraceHistory::open(const std::string& path) {
  RX_TRY(run, Recording::open(path));
  std::unique_ptr<TraceHistory> history(new TraceHistory(std::move(run)));
  RX_CHECK(history->readBegin());
  const uint32_t last = history->run_->reader().recorded();
  for (uint32_t state = history->run_->reader().oldest(); state <= last; ++state) {
    RX_CHECK(history->readEdits(state));
    if (state < last) RX_CHECK(history->readStep(state));
  }
  history->readEnd();
  return history;
}

Result<Unit> TraceHistory::readBegin() {
  const store::Reader& reader = run_->reader();
  if (reader.oldest() > 0) return readOldest();
  if (reader.activations() == 0) return damaged("it ends before the first step");
  RX_TRY(outermost, reader.activation(0));
  RX_TRY(next, reader.next(0));
  if (outermost.function >= program().functions.size() || next.instruction >= program().instructions.size())
    return damaged("the program has no such function");
  begin(static_cast<int>(outermost.function), next.instruction);
  return Unit{};
}

Result<Unit> TraceHistory::readOldest() {
  const store::Reader& reader = run_->reader();
  const uint32_t oldest = reader.oldest();
  RX_TRY(frames, reader.frames(oldest));
  RX_TRY(next, reader.next(oldest));
  std::map<int, Activation> carried;
  for (const store::Next& frame : frames) {
    RX_TRY(row, reader.activation(frame.activation));
    const bool calls = row.parent != store::kNone;
    if (row.function >= program().functions.size() || row.parent == frame.activation ||
        (calls && row.callInstruction >= program().instructions.size()))
      return damaged("a frame before its first step is of no function");
    carried[static_cast<int>(frame.activation)] = {
        static_cast<int>(row.function), calls ? static_cast<int>(row.parent) : -1, row.callStep(),
        calls ? int64_t{row.callInstruction} : -1, static_cast<int>(row.depth)};
  }
  if (next.instruction != store::kNone && next.instruction >= program().instructions.size())
    return damaged("its first step is of no instruction");
  const int running = next.activation == store::kNone ? -1 : static_cast<int>(next.activation);
  resume(oldest, std::move(carried), {numberOf(next.instruction), running});
  return Unit{};
}

Result<Unit> TraceHistory::readStep(uint32_t number) {
  const store::Reader& reader = run_->reader();
  RX_TRY(step, reader.step(number));
  // The step has to be the one that the state before it announced.
  if (int64_t{step.instruction} != last_.instruction || static_cast<int>(step.activation) != last_.activation ||
      step.instruction >= program().instructions.size())
    return damaged(fmt::format("step {} is not what comes next", number));
  StepRecord record;
  record.instruction = step.instruction;
  record.activation = static_cast<int>(step.activation);
  record.nonFinite = step.nonFinite;
  record.nanoseconds = static_cast<int64_t>(step.nanoseconds);
  record.compiling = static_cast<int64_t>(step.compileNanoseconds);
  int pushed = -1;
  if (step.pushed != store::kNone) {
    RX_TRY(called, reader.activation(step.pushed));
    // Calls are numbered one after the other; how many were dropped, the first that is known tells.
    const auto call = static_cast<int>(step.pushed);
    if (firstStep_ > 0 && activations_.empty() && call > firstActivation_) firstActivation_ = call;
    if (called.function >= program().functions.size() || call != activationCount())
      return damaged(fmt::format("step {} calls no function of the program", number));
    pushed = static_cast<int>(called.function);
  } else {
    RX_CHECK(readProduced(number, record));
  }
  RX_TRY(next, reader.next(number + 1));
  if (step.returned != (program().instructions[step.instruction].op == OpKind::Ret) ||
      (next.instruction != store::kNone && next.instruction >= program().instructions.size()))
    return damaged(fmt::format("step {} goes on nowhere", number));
  append(std::move(record), pushed, numberOf(next.instruction));
  return Unit{};
}

Result<Unit> TraceHistory::readEdits(uint32_t state) {
  RX_TRY(changes, run_->reader().edits(state));
  if (changes.registers.empty() && changes.writes.empty()) return Unit{};
  Edit edit;
  edit.state = state;
  for (const auto& [activation, reg] : changes.registers)
    edit.registers.emplace_back(static_cast<int>(activation), static_cast<int>(reg));
  for (const store::Changes::Write& write : changes.writes)
    edit.memory.push_back(
        {storageNumber(write.storage), static_cast<int64_t>(write.offset), static_cast<int64_t>(write.bytes)});
  edits_.push_back(std::move(edit));
  return Unit{};
}

Result<Unit> TraceHistory::readProduced(uint32_t number, StepRecord& record) const {
  const store::Reader& reader = run_->reader();
  RX_TRY(changes, reader.changes(number));
  const Instruction& instruction = program().instructions[static_cast<size_t>(record.instruction)];
  const auto add = [&](int reg, const store::Value& tensor, std::optional<TensorStats> stats) {
    if (!stats) {
      const auto value = run_->valueAt(number + 1, tensor);
      if (!value) return;
      stats = tensorStats(*value->tensor);
    }
    if (auto described = run_->described(number + 1, tensor))
      record.produced.push_back({reg, std::move(*described), *stats});
  };
  std::optional<store::Value> set;
  if (!changes.registers.empty()) {
    const store::Changes::Register& place = changes.registers.back();
    RX_TRY(value, reader.registerAt(number + 1, place.activation, place.reg));
    record.dst = static_cast<int>(place.reg);
    record.dstActivation = static_cast<int>(place.activation);
    record.value = orWords(run_->described(number + 1, value));
    set = std::move(value);
  }
  if (instruction.op != OpKind::Call) return Unit{};
  RX_TRY(written, run_->writtenBy(number));
  for (const WrittenTensor& made : written)
    if (made.reg != record.dst) add(made.reg, made.tensor, made.write.statistics);
  if (set && set->kind == ValueKind::Tensor && !instruction.housekeeping) add(record.dst, *set, {});
  return Unit{};
}

void TraceHistory::readEnd() {
  const store::Reader& reader = run_->reader();
  if (reader.state() == store::RunState::Finished) return finish(RunEnd::Finished);
  const bool failed = reader.state() == store::RunState::Failed && !reader.end()->diagnostics.empty();
  if (failed) return finish(RunEnd::Failed, reader.end()->diagnostics);
  finish(RunEnd::Cut);
}

Value TraceHistory::registerAt(int64_t state, int activation, int reg) {
  return registerAs(&Recording::valueAt, state, activation, reg);
}

Value TraceHistory::describedAt(int64_t state, int activation, int reg) {
  return registerAs(&Recording::described, state, activation, reg);
}

Value TraceHistory::registerAs(Shown shown, int64_t state, int activation, int reg) const {
  if (activation < 0 || reg < 0) return {};
  // A recording that ended before the run knows nothing of the states behind its end.
  const int64_t last = run_->reader().recorded();
  if (state > last && lastStateOf(activation, state) > last)
    return orWords(
        fail("store.not-kept", fmt::format("the recording ends at step {}: {}", last, run_->reader().stopReason())));
  const auto frame = run_->reader().activation(static_cast<uint32_t>(activation));
  const int64_t at = frame ? std::min<int64_t>(state, frame->lastState) : -1;
  if (!frame || at < int64_t{frame->firstState} || static_cast<uint32_t>(reg) >= frame->registers) return {};
  const auto number = static_cast<uint32_t>(at);
  const auto value = run_->reader().registerAt(number, static_cast<uint32_t>(activation), static_cast<uint32_t>(reg));
  return orWords(value ? ((*run_).*shown)(number, *value) : value.failure());
}

Value TraceHistory::result() {
  const auto& end = run_->reader().end();
  return end && end->result ? orWords(run_->valueAt(run_->reader().recorded(), *end->result)) : Value();
}

std::vector<LiveStorage> TraceHistory::liveAt(int64_t state) {
  std::vector<LiveStorage> live;
  const auto found = run_->reader().liveAt(static_cast<uint32_t>(state));
  if (!found) return live;
  for (const store::StorageInfo& storage : *found)
    live.push_back({storageNumber(storage.number), static_cast<int64_t>(storage.bytes)});
  return live;
}

}  // namespace rx::debug
