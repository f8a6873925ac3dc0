// The part of Session that finds and reads values.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

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
  int64_t last = state_;
  while (last >= history_->firstStep() && history_->next(last).activation != activation) --last;
  for (int64_t step = last; step >= history_->firstStep(); step = previous(step)) {
    int64_t after = step < history_->recorded() ? following(step) : -1;
    if (after >= 0 && after <= since) break;
    if (after < 0 || after > state_) continue;
    const StepRecord& record = history_->step(step);
    const Instruction& instruction = program().instructions[static_cast<size_t>(record.instruction)];
    const auto& given = map_.given(record.instruction);
    // Later names first: the whole list is turned round at the end.
    for (auto value = given.rbegin(); value != given.rend(); ++value) {
      const int reg = givenRegister(*value, record, instruction);
      if (reg < 0 || (since < 0 && !seen.insert(value->place).second)) continue;
      found.push_back({value->place, ValueRef{after, activation, reg, {}}});
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

std::optional<ValueRef> Session::valueNamed(int activation, std::string_view variable) {
  int64_t last = activation < 0 ? -1 : state_;
  while (last >= history_->firstStep() && history_->next(last).activation != activation) --last;
  for (int64_t step = last; step >= history_->firstStep(); step = previous(step)) {
    const int64_t after = step < history_->recorded() ? following(step) : -1;
    if (after < 0 || after > state_) continue;
    const StepRecord& record = history_->step(step);
    for (const GivenValue& given : map_.given(record.instruction)) {
      if (stage().binding(given.place)->variable.view() != variable) continue;
      const int reg = givenRegister(given, record, program().instructions[static_cast<size_t>(record.instruction)]);
      if (reg >= 0) return current({after, activation, reg, {}});
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
  Value value = history_->registerAt(ref.state, ref.activation, ref.reg);
  for (int item : ref.path) {
    if (item < 0 || static_cast<size_t>(item) >= value.items.size())
      return fail("debug.value", fmt::format("the tuple has no item {}", item));
    Value inner = value.items[static_cast<size_t>(item)];
    value = std::move(inner);
  }
  return value;
}

Result<Value> Session::describe(const ValueRef& ref) {
  if (ref.path.empty() && ref.state > 0 && ref.state <= history_->recorded() && !edited(ref.state)) {
    const StepRecord& record = history_->step(ref.state - 1);
    // Tensors whose statistics the step did not keep have to be read for them.
    const bool tensors = record.value.kind == ValueKind::Tensor || record.value.kind == ValueKind::Tuple;
    if (record.dstActivation == ref.activation && record.dst == ref.reg && !tensors) return record.value;
    if (record.activation == ref.activation)
      for (const Produced& produced : record.produced)
        if (produced.reg == ref.reg) return produced.value;
  }
  return read(ref);
}

void Session::indexWrites() {
  for (; writesIndexed_ < history_->recorded(); ++writesIndexed_) {
    const StepRecord& record = history_->step(writesIndexed_);
    if (record.dst >= 0) sets_[{record.dstActivation, record.dst}].push_back(writesIndexed_);
    for (const Produced& produced : record.produced) {
      writes_[produced.value.storage].push_back(writesIndexed_);
      sets_[{record.activation, produced.reg}].push_back(writesIndexed_);
    }
  }
}

int64_t Session::lastWrite(uint64_t storage, int64_t state) {
  indexWrites();
  auto it = writes_.find(storage);
  if (it == writes_.end()) return -1;
  auto after = std::lower_bound(it->second.begin(), it->second.end(), state);
  return after == it->second.begin() ? -1 : *std::prev(after);
}

std::optional<TensorStats> Session::statsOf(const ValueRef& ref, const Value& value) {
  if (value.kind != ValueKind::Tensor) return {};
  if (ref.path.empty() && ref.state > 0 && !edited(ref.state)) {
    const StepRecord& record = history_->step(ref.state - 1);
    if (record.activation == ref.activation)
      for (const Produced& produced : record.produced)
        if (produced.reg == ref.reg) return produced.stats;
  }
  // Weights and other values are asked for at every stop; they change only where a step wrote their memory.
  const HostTensor& tensor = *value.tensor;
  DataType type = tensor.dtype();
  std::array<int64_t, 6> key{static_cast<int64_t>(value.storage),
                             lastWrite(value.storage, ref.state),
                             lastEdit(value.storage, ref.state),
                             value.offset,
                             tensor.count(),
                             static_cast<int64_t>(type.code) << 8 | type.bits};
  auto [it, added] = stats_.try_emplace(key);
  if (added) it->second = *tensorStats(tensor);
  return it->second;
}

int64_t Session::writerOf(const ValueRef& ref) {
  indexWrites();
  auto it = sets_.find({ref.activation, ref.reg});
  if (it == sets_.end()) return -1;
  auto after = std::lower_bound(it->second.begin(), it->second.end(), ref.state);
  return after == it->second.begin() ? -1 : *std::prev(after);
}

std::vector<int> Session::registersBetween(int activation, int64_t one, int64_t other) {
  std::set<int> found;
  std::set<uint64_t> written;
  for (int64_t step = std::min(one, other); step < std::max(one, other); ++step) {
    const StepRecord& record = history_->step(step);
    if (record.dst >= 0 && record.dstActivation == activation) found.insert(record.dst);
    for (const Produced& produced : record.produced) {
      if (record.activation == activation) found.insert(produced.reg);
      written.insert(produced.value.storage);
    }
  }
  for (const Edit& edit : history_->edits()) {
    if (edit.state <= std::min(one, other) || edit.state > std::max(one, other)) continue;
    for (const auto& [frame, reg] : edit.registers)
      if (frame == activation) found.insert(reg);
    for (const Edit::Memory& memory : edit.memory) written.insert(memory.storage);
  }
  if (written.empty()) return {found.begin(), found.end()};
  // Other views of the memory that was written: arguments, and what steps before set. Those are found by the records,
  // which are at hand; to read every register would cost more the longer the function is.
  const auto holds = [&](const Value& value) {
    return value.kind == ValueKind::Tensor && written.contains(value.storage);
  };
  const auto function = history_->activation(activation).function;
  std::set<int> views;
  for (int reg = 0; reg < program().functions[static_cast<size_t>(function)].arguments; ++reg) views.insert(reg);
  for (int64_t step = history_->firstStep(); step < std::max(one, other); ++step) {
    const StepRecord& record = history_->step(step);
    if (record.dst >= 0 && record.dstActivation == activation && holds(record.value)) views.insert(record.dst);
  }
  for (const int reg : views)
    if (!found.contains(reg) && holds(history_->registerAt(state_, activation, reg))) found.insert(reg);
  return {found.begin(), found.end()};
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
