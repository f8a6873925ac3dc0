#include "core/debug/trace_history.h"

#include <algorithm>
#include <utility>

namespace rx::debug {
namespace {

Failure damaged(std::string_view what) {
  return fail("store.damaged", fmt::format("the recording contradicts itself: {}", what));
}

/// A value, or why there is none.
Value orWords(Result<Value> value) {
  if (value) return std::move(*value);
  Value words;
  words.kind = ValueKind::Object;
  words.text = value.diagnostics().front().message;
  words.kept = false;
  return words;
}

}  // namespace

Result<std::unique_ptr<TraceHistory>> TraceHistory::open(const std::string& path) {
  RX_TRY(run, Recording::open(path));
  std::unique_ptr<TraceHistory> history(new TraceHistory(std::move(run)));
  RX_CHECK(history->readBegin());
  RX_CHECK(history->readEdits());
  history->readEnd();
  return history;
}

const Recording& TraceHistory::look() const {
  if (std::exchange(grew_, false)) {
    settle();
    run_->refresh();
  }
  return *run_;
}

Result<Unit> TraceHistory::readBegin() {
  const store::Reader& reader = run_->reader();
  if (reader.oldest() == 0 && reader.activations() == 0) return damaged("it ends before the first step");
  RX_TRY(frames, reader.frames(reader.oldest()));
  for (const store::Next& frame : frames)
    if (activation(static_cast<int>(frame.activation)).function < 0)
      return damaged("a frame before its first step is of no function");
  RX_TRY(first, reader.next(reader.oldest()));
  if (first.instruction != store::kNone && first.instruction >= program().instructions.size())
    return damaged("its first step is of no instruction");
  return Unit{};
}

Result<Unit> TraceHistory::readEdits() {
  RX_TRY(states, run_->reader().edited());
  for (const uint32_t state : states) {
    RX_TRY(changes, run_->reader().edits(state));
    Edit& edit = edits_.emplace_back();
    edit.state = state;
    for (const auto& [activation, reg] : changes.registers)
      edit.registers.emplace_back(static_cast<int>(activation), static_cast<int>(reg));
    for (const store::Changes::Write& write : changes.writes)
      edit.memory.push_back(
          {storageNumber(write.storage), static_cast<int64_t>(write.offset), static_cast<int64_t>(write.bytes)});
  }
  return Unit{};
}

int TraceHistory::activationCount() const {
  return static_cast<int>(look().reader().activations() + behind_.calls.size());
}

Activation TraceHistory::activation(int number) const {
  const store::Reader& reader = look().reader();
  const auto inFile = static_cast<int>(reader.activations());
  Activation found;
  if (number >= inFile && number < activationCount()) {
    found = behind_.calls[static_cast<size_t>(number - inFile)];
  } else {
    const auto row = number < 0 ? std::nullopt : std::optional(reader.activation(static_cast<uint32_t>(number)));
    const bool calls = row && row->ok() && (*row)->parent != store::kNone;
    // Callers have smaller numbers, so that a walk over them ends.
    if (!row || !row->ok() || (*row)->function >= program().functions.size() ||
        (calls &&
         ((*row)->parent >= static_cast<uint32_t>(number) || (*row)->callInstruction >= program().instructions.size())))
      return found;
    found = {static_cast<int>((*row)->function),
             calls ? static_cast<int>((*row)->parent) : -1,
             (*row)->callStep(),
             calls ? int64_t{(*row)->callInstruction} : -1,
             static_cast<int>((*row)->depth),
             (*row)->lastState,
             (*row)->returned};
  }
  if (found.returned) return found;
  const auto left = behind_.returns.find(number);
  found.returned = left != behind_.returns.end();
  found.lastState = found.returned ? left->second : recorded();
  return found;
}

Next TraceHistory::next(int64_t state) const {
  const int64_t last = kept();
  if (state < oldest() || state > recorded()) return {};
  if (state > last) return behind_.states[static_cast<size_t>(state - last - 1)];
  const auto found = look().reader().next(static_cast<uint32_t>(state));
  if (!found || found->activation == store::kNone || found->instruction >= program().instructions.size() ||
      activation(static_cast<int>(found->activation)).function < 0)
    return {};
  return {int64_t{found->instruction}, static_cast<int>(found->activation)};
}

void TraceHistory::addBehind(int function, bool returned, int64_t nextInstruction) {
  const int64_t step = kept() + static_cast<int64_t>(behind_.states.size());
  const Next done = next(step);
  Next behind{nextInstruction, done.activation};
  if (function >= 0) {
    behind.activation = activationCount();
    const int depth = activation(done.activation).depth + 1;
    behind_.calls.push_back({function, done.activation, step, done.instruction, depth, -1, false});
  }
  if (returned) {
    behind_.returns[done.activation] = step;
    behind.activation = activation(done.activation).parent;
  }
  behind_.states.push_back(behind.activation < 0 ? Next{} : behind);
}

StepRecord TraceHistory::step(int64_t number) const {
  if (number >= 0 && asked_.first == number) return asked_.second;
  const Next done = number < recorded() ? next(number) : Next{};
  StepRecord record;
  if (done.instruction < 0) return record;
  record.instruction = done.instruction;
  record.activation = done.activation;
  if (number >= kept()) return record;
  const auto row = look().reader().step(static_cast<uint32_t>(number));
  if (!row) return record;
  record.nanoseconds = static_cast<int64_t>(row->nanoseconds);
  record.compiling = static_cast<int64_t>(row->compileNanoseconds);
  // Values that can not be read are as good as not there.
  if (row->pushed == store::kNone) (void)readProduced(static_cast<uint32_t>(number), record);
  asked_ = {number, record};
  return record;
}

TimedStep TraceHistory::timed(int64_t step) const {
  if (step < 0 || step >= recorded()) return {};
  if (step >= kept()) return {next(step).instruction, 0, 0};
  const auto row = look().reader().step(static_cast<uint32_t>(step));
  if (!row || row->instruction >= program().instructions.size()) return {};
  return {int64_t{row->instruction}, static_cast<int64_t>(row->nanoseconds),
          static_cast<int64_t>(row->compileNanoseconds)};
}

Result<Unit> TraceHistory::readProduced(uint32_t number, StepRecord& record) const {
  const store::Reader& reader = run_->reader();
  RX_TRY(changes, reader.changes(number));
  const Instruction& instruction = program().instructions[static_cast<size_t>(record.instruction)];
  const auto add = [&](int reg, const store::Value& tensor) {
    if (auto described = run_->described(number + 1, tensor)) record.produced.push_back({reg, std::move(*described)});
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
  if (!changes.writes.empty()) {
    RX_TRY(written, run_->writtenBy(number));
    for (const WrittenTensor& made : written)
      if (made.reg != record.dst) add(made.reg, made.tensor);
  }
  if (set && set->kind == ValueKind::Tensor && !instruction.housekeeping) add(record.dst, *set);
  return Unit{};
}

namespace {

/// A state or step of the recording; what is behind its end is asked at the end.
uint32_t inFile(int64_t state, int64_t last) { return static_cast<uint32_t>(std::clamp<int64_t>(state, 0, last)); }

TouchingSteps stepsOf(const store::Touches& touches) {
  return {touches.last ? int64_t{*touches.last} : -1, touches.next ? int64_t{*touches.next} : -1};
}

}  // namespace

TouchingSteps TraceHistory::setting(int64_t state, int activation, int reg) const {
  if (activation < 0 || reg < 0) return {};
  return stepsOf(look().reader().registerTouches(inFile(state, kept()), static_cast<uint32_t>(activation),
                                                 static_cast<uint32_t>(reg)));
}

TouchingSteps TraceHistory::writing(int64_t state, uint64_t storage) const {
  if (storage == 0) return {};
  return stepsOf(look().reader().writeTouches(inFile(state, kept()), recordedNumber(storage)));
}

int64_t TraceHistory::nextWrite(int64_t state) const {
  const auto step = look().reader().nextWrite(inFile(state, kept()));
  return step ? int64_t{*step} : -1;
}

int64_t TraceHistory::lastWrite(int64_t state) const {
  const auto step = look().reader().lastWrite(inFile(state, kept()));
  return step ? int64_t{*step} : -1;
}

std::optional<TensorStats> TraceHistory::statistics(int64_t step, int reg) const {
  if (step < oldest() || step >= kept()) return {};
  const auto number = static_cast<uint32_t>(step);
  const auto written = look().writtenBy(number);
  if (!written) return {};
  for (const WrittenTensor& tensor : *written)
    if (tensor.reg == reg) return run_->statistics(number, tensor);
  return {};
}

Finiteness TraceHistory::finiteness(int64_t step) const {
  return step < oldest() || step >= kept() ? Finiteness() : look().finiteness(static_cast<uint32_t>(step));
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

std::optional<TraceHistory::Held> TraceHistory::heldAt(int64_t state, int activation, int reg) const {
  if (activation < 0 || reg < 0) return {};
  const store::Reader& reader = look().reader();
  const auto frame = reader.activation(static_cast<uint32_t>(activation));
  const int64_t at = frame ? std::min<int64_t>(state, frame->lastState) : -1;
  if (!frame || at < int64_t{frame->firstState} || static_cast<uint32_t>(reg) >= frame->registers) return {};
  const auto number = static_cast<uint32_t>(at);
  return Held{number, reader.registerAt(number, static_cast<uint32_t>(activation), static_cast<uint32_t>(reg))};
}

Value TraceHistory::registerAs(Shown shown, int64_t state, int activation, int reg) const {
  // A recording that ended before the run knows nothing of the states behind its end.
  const int64_t last = kept();
  if (state > last && lastStateOf(activation, state) > last)
    return orWords(
        fail("store.not-kept", fmt::format("the recording ends at step {}: {}", last, run_->reader().stopReason())));
  const auto held = heldAt(state, activation, reg);
  if (!held) return {};
  return orWords(held->value ? ((*run_).*shown)(held->state, *held->value) : held->value.failure());
}

uint64_t TraceHistory::memoryAt(int64_t state, int activation, int reg) const {
  const auto held = heldAt(std::min(state, kept()), activation, reg);
  const bool read = held && held->value;
  const bool memory = read && (held->value->kind == ValueKind::Tensor || held->value->kind == ValueKind::Storage);
  return memory ? storageNumber(held->value->storage) : 0;
}

Value TraceHistory::result() {
  const auto& end = look().reader().end();
  return end && end->result ? orWords(run_->valueAt(run_->reader().recorded(), *end->result)) : Value();
}

std::vector<LiveStorage> TraceHistory::liveAt(int64_t state) {
  std::vector<LiveStorage> live;
  const auto found = look().reader().liveAt(static_cast<uint32_t>(state));
  if (!found) return live;
  for (const store::StorageInfo& storage : *found)
    live.push_back(
        {storageNumber(storage.number), static_cast<int64_t>(storage.bytes), static_cast<int64_t>(storage.bornState)});
  return live;
}

}  // namespace rx::debug
