#include "core/debug/machine_history.h"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace rx::debug {

namespace {

constexpr int kMaxValueDepth = 64;

/// What a part of a tensor's memory overlaps.
bool overlaps(const HostTensor& tensor, const vm::MemoryWrite& write) {
  return tensor.storage() == write.storage && tensor.byteOffset() < write.offset + write.bytes &&
         write.offset < tensor.byteOffset() + tensor.bytes();
}

/// Whether a step changed a tensor's bytes in a range; memory that was fresh before counts as changed.
bool changed(const HostTensor& tensor, const vm::MemoryWrite& write) {
  if (write.freshBefore || static_cast<int64_t>(write.other.size()) != write.bytes) return true;
  int64_t from = std::max(tensor.byteOffset(), write.offset);
  int64_t to = std::min(tensor.byteOffset() + tensor.bytes(), write.offset + write.bytes);
  return std::memcmp(write.other.data() + (from - write.offset), write.storage->data() + from,
                     static_cast<size_t>(to - from)) != 0;
}

/// Calls `use` with every storage that a value refers to, also inside of tuples and closures.
template <class Use>
void eachStorage(const vm::Value& value, Use use) {
  std::vector<const vm::Value*> inside;
  const auto look = [&](const vm::Value& v) {
    if (v.is(vm::ValueKind::Tensor)) use(*v.tensor().storage());
    if (v.is(vm::ValueKind::Storage)) use(*v.asStorage());
    if (v.is(vm::ValueKind::Tuple))
      for (const vm::Value& item : v.asTuple()) inside.push_back(&item);
    if (v.is(vm::ValueKind::Closure))
      for (const vm::Value& item : v.asClosure().captured) inside.push_back(&item);
  };
  look(value);
  while (!inside.empty()) {
    const vm::Value* next = inside.back();
    inside.pop_back();
    look(*next);
  }
}

Value object(std::string text) {
  Value value;
  value.kind = ValueKind::Object;
  value.text = std::move(text);
  return value;
}

}  // namespace

MachineHistory::MachineHistory(std::unique_ptr<vm::Machine> machine, Program program,
                               std::unique_ptr<TraceWriter> trace, Pulse* pulse)
    : machine_(std::move(machine)), program_(std::move(program)), trace_(std::move(trace)), pulse_(pulse) {
  const vm::Frame& frame = machine_->top();
  int function = program_.functionIndex(machine_->executable().function(frame.function).name);
  begin(function, static_cast<int64_t>(frame.pc));
  for (const vm::Value& value : frame.registers) hold(value, 1);
  if (trace_) trace_->begin(function, static_cast<int64_t>(frame.pc), argumentsOf(frame));
}

int64_t MachineHistory::oldest() const {
  return recorded() - static_cast<int64_t>(machine_->stepsBehind() + machine_->stepsAhead());
}

void MachineHistory::seek(int64_t state) {
  int64_t here = oldest() + static_cast<int64_t>(machine_->stepsBehind());
  for (; here > state && machine_->stepBack(); --here) {
  }
  // Undone steps are redone without running anything.
  for (; here < state && machine_->stepsAhead() > 0; ++here) machine_->step();
}

uint64_t MachineHistory::storageId(const Storage& storage) {
  return storageIds_.emplace(&storage, storageIds_.size() + 1).first->second;
}

Value MachineHistory::valueOf(const vm::Value& from) {
  struct Work {
    const vm::Value* from;
    Value* to;
    int depth;
  };
  Value root;
  std::vector<Work> work{{&from, &root, 0}};
  while (!work.empty()) {
    auto [source, to, depth] = work.back();
    work.pop_back();
    const std::vector<vm::Value>* items = nullptr;
    switch (source->kind()) {
      case vm::ValueKind::Null:
        break;
      case vm::ValueKind::Int:
        to->kind = ValueKind::Int, to->integer = source->asInt();
        break;
      case vm::ValueKind::Bool:
        to->kind = ValueKind::Int, to->integer = source->asBool();
        break;
      case vm::ValueKind::Float:
        to->kind = ValueKind::Float, to->real = source->asFloat();
        break;
      case vm::ValueKind::String:
        to->kind = ValueKind::String, to->text = source->asString();
        break;
      case vm::ValueKind::Type:
        to->kind = ValueKind::DType, to->text = source->asType().str();
        break;
      case vm::ValueKind::Tensor:
        to->kind = ValueKind::Tensor, to->tensor = source->asTensor();
        to->storage = storageId(*to->tensor->storage());
        break;
      case vm::ValueKind::Shape:
        to->kind = ValueKind::Shape, to->shape = source->asShape();
        break;
      case vm::ValueKind::Tuple:
        to->kind = ValueKind::Tuple, items = &source->asTuple();
        break;
      case vm::ValueKind::Closure:
        to->kind = ValueKind::Closure, to->text = source->asClosure().name, items = &source->asClosure().captured;
        break;
      case vm::ValueKind::Storage:
        to->kind = ValueKind::Storage, to->memory = source->asStorage(), to->integer = to->memory->bytes();
        to->storage = storageId(*to->memory);
        break;
      default:
        *to = object(source->summary());
        break;
    }
    if (!items) continue;
    if (depth >= kMaxValueDepth) {
      *to = object("nested deeper than is shown");
      continue;
    }
    to->items.resize(items->size());
    for (size_t i = 0; i < items->size(); ++i) work.push_back({&(*items)[i], &to->items[i], depth + 1});
  }
  return root;
}

std::vector<Value> MachineHistory::argumentsOf(const vm::Frame& frame) {
  std::vector<Value> arguments;
  auto count = static_cast<size_t>(machine_->executable().function(frame.function).numArgs);
  for (size_t i = 0; i < count && i < frame.registers.size(); ++i) arguments.push_back(valueOf(frame.registers[i]));
  return arguments;
}

void MachineHistory::advance() {
  if (!canAdvance()) return;
  seek(recorded());
  if (pulse_) {
    pulse_->instruction = last_.instruction;
    pulse_->steps = recorded();
  }
  uint64_t before = machine_->stepCount();
  const int64_t compiled = compileTime_ ? compileTime_() : 0;
  auto start = std::chrono::steady_clock::now();
  machine_->step();
  auto time = std::chrono::steady_clock::now() - start;
  const int64_t nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
  const int64_t compiling = compileTime_ ? std::min(compileTime_() - compiled, nanoseconds) : 0;
  if (machine_->stepCount() > before) takeStep(nanoseconds - compiling, compiling);
  if (machine_->status() == vm::MachineStatus::Finished) {
    finish(RunEnd::Finished);
  } else if (machine_->status() == vm::MachineStatus::Faulted) {
    finish(RunEnd::Failed, machine_->fault()->diagnostics);
  }
  if (trace_ && end_ != RunEnd::Open) trace_->end(end_, failure_, result());
}

std::optional<Misfit> MachineHistory::misfit() const {
  using Shape = vm::ShapeMismatch::What;
  const vm::Fault* fault = machine_->fault();
  if (end_ != RunEnd::Failed || !fault || !fault->mismatch) return std::nullopt;
  static constexpr std::pair<Shape, Misfit::What> kKinds[] = {{Shape::Dim, Misfit::What::Axis},
                                                              {Shape::Rank, Misfit::What::Rank},
                                                              {Shape::Type, Misfit::What::Type},
                                                              {Shape::Kind, Misfit::What::Kind},
                                                              {Shape::Value, Misfit::What::Value}};
  const vm::ShapeMismatch& mismatch = *fault->mismatch;
  Misfit misfit;
  for (const auto& [shape, what] : kKinds)
    if (shape == mismatch.what) misfit.what = what;
  const bool words = mismatch.what == Shape::Type || mismatch.what == Shape::Kind;
  misfit.parameter = fault->parameter;
  misfit.axis = mismatch.axis;
  misfit.symbol = fault->symbol;
  misfit.boundBy = fault->boundBy;
  misfit.wanted = words ? mismatch.expectedText : std::to_string(mismatch.expected);
  misfit.given = words ? mismatch.actualText : std::to_string(mismatch.actual);
  return misfit;
}

void MachineHistory::takeStep(int64_t nanoseconds, int64_t compiling) {
  const vm::StepRecord& step = *machine_->lastStep();
  StepRecord record;
  record.instruction = last_.instruction;
  record.activation = last_.activation;
  record.nanoseconds = nanoseconds;
  record.compiling = compiling;
  size_t frame = step.depth - 1;
  if (!step.registers.empty()) {
    const vm::RegisterWrite& write = step.registers.back();
    record.dst = static_cast<int>(write.reg);
    record.dstActivation =
        write.frame == frame ? record.activation : activations_[static_cast<size_t>(record.activation)].parent;
    record.value = valueOf(write.after);
  }
  if (step.frames == vm::StepRecord::Frames::Same) {
    findProduced(record, step, frame);
    record.nonFinite = madeNonFinite(record, frame);
  }
  int pushed = -1;
  std::vector<Value> arguments;
  if (step.frames == vm::StepRecord::Frames::Pushed) {
    pushed = program_.functionIndex(machine_->executable().function(machine_->top().function).name);
    arguments = argumentsOf(machine_->top());
  }
  int64_t next = machine_->frames().empty() ? -1 : static_cast<int64_t>(machine_->pc());
  holdAfter(step);
  if (trace_) trace_->step(record, pushed, next, arguments, written(step), peak_);
  append(std::move(record), pushed, next);
}

void MachineHistory::holdAfter(const vm::StepRecord& step) {
  for (const vm::RegisterWrite& write : step.registers) {
    hold(write.after, 1);
    hold(write.before, -1);
  }
  if (step.frames == vm::StepRecord::Frames::Popped && step.frame)
    for (const vm::Value& value : step.frame->registers) hold(value, -1);
  if (step.frames == vm::StepRecord::Frames::Pushed)
    for (const vm::Value& value : machine_->top().registers) hold(value, 1);
  peak_ = std::max(peak_, live_);
}

void MachineHistory::findProduced(StepRecord& record, const vm::StepRecord& step, size_t frame) {
  const Instruction& instruction = program_.instructions[static_cast<size_t>(record.instruction)];
  const auto& registers = machine_->frames()[frame].registers;
  auto add = [&](int reg) {
    Value value = valueOf(registers[static_cast<size_t>(reg)]);
    auto stats = tensorStats(*value.tensor);
    record.produced.push_back({reg, std::move(value), *stats});
  };
  int lastTensor = -1;
  for (int reg : instruction.arguments)
    if (registers[static_cast<size_t>(reg)].is(vm::ValueKind::Tensor)) lastTensor = reg;
  for (int reg : instruction.arguments) {
    const vm::Value& value = registers[static_cast<size_t>(reg)];
    if (!value.is(vm::ValueKind::Tensor)) continue;
    // A function that nothing is known about counts as writing all its arguments: only what differs was written. The
    // last argument of a kernel is an output, even where the same bytes were there before.
    bool output = !instruction.builtin && reg == lastTensor;
    bool wrote = std::any_of(step.memory.begin(), step.memory.end(), [&](const vm::MemoryWrite& write) {
      return overlaps(value.tensor(), write) && (output || changed(value.tensor(), write));
    });
    if (wrote) add(reg);
  }
  if (record.dst >= 0 && record.value.kind == ValueKind::Tensor && !instruction.housekeeping) add(record.dst);
}

bool MachineHistory::madeNonFinite(const StepRecord& record, size_t frame) {
  bool bad =
      std::any_of(record.produced.begin(), record.produced.end(), [](const Produced& p) { return !p.stats.finite(); });
  if (!bad) return false;
  const auto& registers = machine_->frames()[frame].registers;
  for (int reg : program_.instructions[static_cast<size_t>(record.instruction)].arguments) {
    bool output =
        std::any_of(record.produced.begin(), record.produced.end(), [&](const Produced& p) { return p.reg == reg; });
    const vm::Value& value = registers[static_cast<size_t>(reg)];
    if (!output && value.is(vm::ValueKind::Tensor) && !tensorStats(value.tensor())->finite()) return false;
  }
  return true;
}

std::vector<WrittenMemory> MachineHistory::written(const vm::StepRecord& step) {
  std::vector<WrittenMemory> list;
  for (const vm::MemoryWrite& write : step.memory) {
    const auto* bytes = reinterpret_cast<const char*>(write.storage->data() + write.offset);
    list.push_back({storageId(*write.storage), write.offset, {bytes, static_cast<size_t>(write.bytes)}});
  }
  return list;
}

Value MachineHistory::registerAt(int64_t state, int activation, int reg) {
  int64_t at = lastStateOf(activation, state);
  if (at < oldest()) return {};
  seek(at);
  size_t frame = static_cast<size_t>(depths_[static_cast<size_t>(activation)]) - 1;
  if (frame >= machine_->frames().size()) return {};
  const auto& registers = machine_->frames()[frame].registers;
  return reg >= 0 && static_cast<size_t>(reg) < registers.size() ? valueOf(registers[static_cast<size_t>(reg)])
                                                                 : Value();
}

Value MachineHistory::result() {
  if (end_ != RunEnd::Finished) return {};
  seek(recorded());
  return valueOf(machine_->result());
}

void MachineHistory::collect(const vm::Value& value, std::unordered_map<uint64_t, int64_t>& live) {
  eachStorage(value, [&](const Storage& storage) { live[storageId(storage)] = storage.bytes(); });
}

void MachineHistory::hold(const vm::Value& value, int by) {
  eachStorage(value, [&](const Storage& storage) {
    int64_t& holders = holders_[storageId(storage)];
    if (holders == 0) live_ += storage.bytes();
    holders += by;
    if (holders == 0) live_ -= storage.bytes();
  });
}

std::vector<LiveStorage> MachineHistory::liveAt(int64_t state) {
  seek(state);
  std::unordered_map<uint64_t, int64_t> found;
  for (const vm::Frame& frame : machine_->frames())
    for (const vm::Value& value : frame.registers) collect(value, found);
  std::vector<LiveStorage> live;
  for (const auto& [id, bytes] : found) live.push_back({id, bytes});
  std::sort(live.begin(), live.end(), [](const LiveStorage& a, const LiveStorage& b) { return a.id < b.id; });
  return live;
}

}  // namespace rx::debug
