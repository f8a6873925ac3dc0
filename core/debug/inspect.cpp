// The part of Session that finds and reads values.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/debug/session.h"

namespace rx::debug {

namespace {

/// The register that holds what a step gave a binding: the one that is known, else the tensor that a kernel wrote, else
/// what the call returned; -1 for none.
int givenRegister(const GivenValue& given, const StepRecord& record, const Instruction& instruction) {
  if (given.reg >= 0) return given.reg;
  if (!record.produced.empty()) return record.produced.back().reg;
  return instruction.dst;
}

}  // namespace

std::vector<std::pair<StagePlace, ValueRef>> Session::computed(int activation, int64_t since) {
  std::vector<std::pair<StagePlace, ValueRef>> found;
  if (activation < 0) return found;
  std::set<StagePlace> seen;
  // From the frame's last state that is not after the shown one, back to its first.
  for (int64_t step = history_->lastRunning(activation, state_); step >= 0; step = history_->previous(step)) {
    const int64_t after = history_->following(step);
    if (after >= 0 && after <= since) break;
    if (after < 0 || after > state_) continue;
    const int64_t done = history_->next(step).instruction;
    const auto& given = map_.given(done);
    if (given.empty()) continue;
    const Instruction& instruction = program().instructions[static_cast<size_t>(done)];
    const StepRecord record = history_->step(step);
    // Later names first: the whole list is turned round at the end.
    for (auto value = given.rbegin(); value != given.rend(); ++value) {
      const int reg = givenRegister(*value, record, instruction);
      if (reg < 0 || (since < 0 && !seen.insert(value->place).second)) continue;
      found.push_back({value->place, ValueRef{after, activation, reg, value->path}});
    }
  }
  std::reverse(found.begin(), found.end());
  return found;
}

std::vector<std::pair<StagePlace, ValueRef>> Session::valuesOf(int activation, int64_t since) {
  std::vector<std::pair<StagePlace, ValueRef>> found = computed(activation, since);
  if (history_->edits().empty()) return found;
  if (since >= 0) {
    addEdited(activation, since, found);
  } else {
    for (auto& [place, ref] : found) ref = current(std::move(ref));
  }
  return found;
}

std::string Session::shownFunction(int function) const {
  const VmFunction& row = program().functions[static_cast<size_t>(function)];
  if (stage().functionIndex(row.name) >= 0) return row.name;
  for (int64_t i = row.begin; i < row.end; ++i)
    if (const StagePlace place = map_.placeOf(i); place.known())
      return stage().functions()[static_cast<size_t>(place.function)].name.string();
  return {};
}

std::optional<ValueRef> Session::valueNamed(int activation, std::string_view variable) {
  if (activation < 0 || history_->activation(activation).function < 0) return {};
  for (int64_t step = givenSteps_.last(*history_, map_, activation, state_, variable); step >= 0;
       step = givenSteps_.last(*history_, map_, activation, step, variable)) {
    const int64_t done = history_->next(step).instruction;
    for (const GivenValue& given : map_.given(done)) {
      if (stage().binding(given.place)->variable.view() != variable) continue;
      const int reg = givenRegister(given, history_->step(step), program().instructions[static_cast<size_t>(done)]);
      if (reg >= 0) return current({history_->following(step), activation, reg, given.path});
    }
  }
  return {};
}

std::optional<ValueRef> Session::valueOf(int activation, StagePlace place) {
  for (auto& [where, ref] : valuesOf(activation))
    if (where == place) return ref;
  return {};
}

Result<Value> Session::read(const ValueRef& ref) {
  if (ref.state < history_->oldest() || ref.state > history_->recorded() || ref.activation < 0 ||
      ref.activation >= history_->activationCount() || history_->activation(ref.activation).function < 0)
    return fail("debug.value", "the value is not part of this run");
  const VmFunction& function = program().functions[static_cast<size_t>(history_->activation(ref.activation).function)];
  if (ref.reg < 0 || ref.reg >= function.registers)
    return fail("debug.value", fmt::format("{} has no register %{}", function.name, ref.reg));
  return itemAt(history_->registerAt(ref.state, ref.activation, ref.reg), ref.path);
}

Result<Value> Session::readOrDescribe(const ValueRef& ref) {
  RX_TRY(value, read(ref));
  if (value.kept) return value;
  RX_TRY(described, itemAt(history_->describedAt(ref.state, ref.activation, ref.reg), ref.path));
  if (described.kept && described.kind == ValueKind::Tensor) return described;
  return fail("store.not-kept", value.text);
}

Result<Value> Session::readKept(const ValueRef& ref) {
  RX_TRY(value, read(ref));
  if (!value.kept) return fail("store.not-kept", value.text);
  return value;
}

Result<Value> Session::describe(const ValueRef& ref) {
  if (ref.path.empty() && ref.state > 0 && ref.state <= history_->recorded() && !edited(ref.state)) {
    const StepRecord record = history_->step(ref.state - 1);
    // Tensors whose statistics the step did not keep have to be read for them.
    const bool tensors = record.value.kind == ValueKind::Tensor || record.value.indexed();
    if (record.dstActivation == ref.activation && record.dst == ref.reg && !tensors) return record.value;
    if (record.activation == ref.activation)
      for (const Produced& produced : record.produced)
        if (produced.reg == ref.reg) return produced.value;
  }
  return read(ref);
}

std::optional<TensorStats> Session::statsOf(const ValueRef& ref, const Value& value) {
  if (value.kind != ValueKind::Tensor) return {};
  // Weights and other values are asked for at every stop; they change only where a step wrote their memory.
  const HostTensor& tensor = *value.tensor;
  DataType type = tensor.dtype();
  std::array<int64_t, 6> key{static_cast<int64_t>(value.storage),
                             history_->writing(ref.state, value.storage).last,
                             lastEdit(value.storage, ref.state),
                             value.offset,
                             tensor.count(),
                             static_cast<int64_t>(type.code) << 8 | type.bits};
  const auto known = stats_.find(key);
  if (known != stats_.end()) return known->second;
  std::optional<TensorStats> stats;
  if (ref.path.empty() && ref.state > 0 && !edited(ref.state)) {
    const StepRecord record = history_->step(ref.state - 1);
    const bool wrote = std::any_of(record.produced.begin(), record.produced.end(),
                                   [&](const Produced& produced) { return produced.reg == ref.reg; });
    if (wrote && record.activation == ref.activation) stats = history_->statistics(ref.state - 1, ref.reg);
  }
  if (!stats && value.described) {
    const Result<Value> whole = read(ref);
    if (whole && whole->kind == ValueKind::Tensor) stats = tensorStats(*whole->tensor);
  } else if (!stats) {
    stats = tensorStats(tensor);
  }
  if (stats) stats_.emplace(key, *stats);
  return stats;
}

int64_t Session::writerOf(const ValueRef& ref) {
  int64_t last = -1;
  for (int64_t state = ref.state;;) {
    const int64_t step = history_->setting(state, ref.activation, ref.reg).last;
    if (step < 0) break;
    const StepRecord record = history_->step(step);
    const bool sets = record.dst == ref.reg && record.dstActivation == ref.activation;
    if (sets) last = step;
    // What was no step's work was an edit, with older values before it, or an argument.
    if (sets || !edited(step + 1)) break;
    state = step;
  }
  const Value value = history_->describedAt(ref.state, ref.activation, ref.reg);
  if (value.kind != ValueKind::Tensor) return last;
  for (int64_t step = history_->writing(ref.state, value.storage).last; step > last;
       step = history_->writing(step, value.storage).last) {
    const StepRecord record = history_->step(step);
    if (record.activation != ref.activation) continue;
    for (const Produced& produced : record.produced)
      if (produced.reg == ref.reg) return step;
  }
  return last;
}

bool Session::unwritten(const ValueRef& ref, const Value& value) {
  if (value.kind != ValueKind::Tensor || !ref.path.empty()) return false;
  const int64_t step = writerOf(ref);
  if (step < 0) return false;
  const int64_t instruction = history_->timed(step).instruction;
  if (instruction < 0 || !program().instructions[static_cast<size_t>(instruction)].allocatesTensor()) return false;
  return history_->writing(ref.state, value.storage).last <= step && lastEdit(value.storage, ref.state) <= step;
}

Session::Touched Session::touchedBetween(int activation, int64_t from, int64_t to) const {
  const int64_t registers = registersOf(activation);
  Touched touched;
  if (to - from <= registers) {
    for (int64_t step = from; step < to; ++step) {
      const StepRecord record = history_->step(step);
      if (record.dst >= 0 && record.dstActivation == activation) touched.registers.insert(record.dst);
      for (const Produced& produced : record.produced) touched.memory.insert(produced.value.storage);
    }
    for (const Edit& edit : history_->edits()) {
      if (edit.state <= from || edit.state > to) continue;
      for (const auto& [frame, reg] : edit.registers)
        if (frame == activation) touched.registers.insert(reg);
      for (const Edit::Memory& memory : edit.memory) touched.memory.insert(memory.storage);
    }
    return touched;
  }
  // The index of the recording answers by register, and by memory below, faster than so many steps.
  const auto within = [to](int64_t step) { return step >= 0 && step < to; };
  for (int reg = 0; reg < registers; ++reg)
    if (within(history_->setting(from, activation, reg).next)) touched.registers.insert(reg);
  for (const LiveStorage& storage : history_->liveAt(state_))
    if (within(history_->writing(from, storage.id).next)) touched.memory.insert(storage.id);
  return touched;
}

const std::vector<uint64_t>& Session::memoryHeld(int activation, int64_t state) {
  const auto registers = static_cast<size_t>(registersOf(activation));
  const bool known = held_.activation == activation && held_.edits == history_->edits().size();
  if (known) {
    const auto [from, to] = std::minmax(held_.state, state);
    for (const int reg : touchedBetween(activation, from, to).registers)
      held_.memory[static_cast<size_t>(reg)] = history_->memoryAt(state, activation, reg);
  } else {
    held_.memory.resize(registers);
    for (size_t reg = 0; reg < registers; ++reg)
      held_.memory[reg] = history_->memoryAt(state, activation, static_cast<int>(reg));
  }
  held_.activation = activation;
  held_.state = state;
  held_.edits = history_->edits().size();
  return held_.memory;
}

std::vector<int> Session::registersBetween(int activation, int64_t one, int64_t other) {
  const auto [from, to] = std::minmax(one, other);
  Touched touched = touchedBetween(activation, from, to);
  if (!touched.memory.empty()) {
    const std::vector<uint64_t>& memory = memoryHeld(activation, state_);
    for (size_t reg = 0; reg < memory.size(); ++reg)
      if (touched.memory.contains(memory[reg])) touched.registers.insert(static_cast<int>(reg));
  }
  return {touched.registers.begin(), touched.registers.end()};
}

int Session::registersOf(int activation) const {
  const int function = history_->activation(activation).function;
  return function < 0 ? 0 : history_->program().functions[static_cast<size_t>(function)].registers;
}

std::vector<std::optional<int64_t>> Session::heapOf(int activation, int64_t state) {
  const VmFunction& function = program().functions[static_cast<size_t>(history_->activation(activation).function)];
  std::vector<std::optional<int64_t>> slots(function.heap.size());
  if (function.heapRegister < 0) return slots;
  Value heap = history_->registerAt(state, activation, function.heapRegister);
  if (heap.kind != ValueKind::Tensor || heap.tensor->dtype() != DataType::Int(64)) return slots;
  // Fresh memory has a fixed content, so a slot that still has it was not stored.
  int64_t fresh = 0;
  std::memset(&fresh, static_cast<int>(Storage::kFreshFill), sizeof fresh);
  for (size_t i = 0; i < slots.size() && static_cast<int64_t>(i) < heap.tensor->count(); ++i)
    if (int64_t number = heap.tensor->intAt(static_cast<int64_t>(i)); number != fresh) slots[i] = number;
  return slots;
}

}  // namespace rx::debug
