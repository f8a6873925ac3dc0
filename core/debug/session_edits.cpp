// The part of Session that changes values, and finds what was changed.
#include <fmt/format.h>

#include <algorithm>

#include "core/debug/session.h"

namespace rx::debug {
namespace {

/// Calls `use` with every tensor of a value, inside of tuples and closures too.
template <class Use>
void eachTensor(const Value& value, const Use& use) {
  std::vector<const Value*> open{&value};
  while (!open.empty()) {
    const Value& here = *open.back();
    open.pop_back();
    if (here.kind == ValueKind::Tensor) use(here);
    for (const Value& item : here.items) open.push_back(&item);
  }
}

bool overlap(const Value& tensor, int64_t offset, int64_t bytes) {
  return tensor.offset < offset + bytes && offset < tensor.offset + tensor.tensor->bytes();
}

}  // namespace

bool Session::edited(int64_t state) const {
  const auto& edits = history_->edits();
  return std::any_of(edits.begin(), edits.end(), [&](const Edit& edit) { return edit.state == state; });
}

int64_t Session::lastEdit(uint64_t storage, int64_t state) const {
  int64_t last = -1;
  for (const Edit& edit : history_->edits())
    for (const Edit::Memory& memory : edit.memory)
      if (edit.state <= state && memory.storage == storage) last = edit.state;
  return last;
}

bool Session::holdsUntil(const ValueRef& ref, int64_t state) {
  if (ref.state >= state) return true;
  if (writerOf({state, ref.activation, ref.reg, {}}) >= ref.state) return false;
  bool untouched = true;
  eachTensor(history_->describedAt(ref.state, ref.activation, ref.reg), [&](const Value& tensor) {
    for (int64_t step = history_->writing(ref.state, tensor.storage).next; step >= 0 && step < state && untouched;
         step = history_->writing(step + 1, tensor.storage).next) {
      const StepRecord record = history_->step(step);
      for (const Produced& produced : record.produced)
        untouched = untouched && (produced.value.storage != tensor.storage ||
                                  !overlap(tensor, produced.value.offset, produced.value.tensor->bytes()));
    }
  });
  return untouched;
}

bool Session::touches(const Edit& edit, const ValueRef& ref) {
  const std::pair where(ref.activation, ref.reg);
  if (std::find(edit.registers.begin(), edit.registers.end(), where) != edit.registers.end()) return true;
  bool touched = false;
  eachTensor(history_->describedAt(ref.state, ref.activation, ref.reg), [&](const Value& tensor) {
    for (const Edit::Memory& memory : edit.memory)
      touched = touched || (memory.storage == tensor.storage && overlap(tensor, memory.offset, memory.bytes));
  });
  return touched;
}

ValueRef Session::newest(ValueRef ref, int64_t until) {
  for (const Edit& edit : history_->edits()) {
    if (edit.state <= ref.state) continue;
    if (edit.state > until || !holdsUntil(ref, edit.state)) break;
    if (touches(edit, ref)) ref.state = edit.state;
  }
  return ref;
}

void Session::addEdited(int activation, int64_t since, std::vector<std::pair<StagePlace, ValueRef>>& found) {
  const auto& edits = history_->edits();
  if (edits.back().state <= since) return;
  const auto all = computed(activation, -1);
  for (const Edit& edit : edits) {
    if (edit.state <= since || edit.state > state_) continue;
    auto behind = std::find_if(found.begin(), found.end(), [&](const auto& f) { return f.second.state > edit.state; });
    for (const auto& [place, ref] : all) {
      const bool changed = ref.state < edit.state && newest(ref, edit.state).state == edit.state;
      if (changed) behind = found.insert(behind, {place, newest(ref, edit.state)}) + 1;
    }
  }
}

Result<vm::Value> Session::held(const ValueRef& found) {
  RX_CHECK(history_->changeable());
  if (past())
    return fail("debug.past", fmt::format("what is shown is step {} of {}: only the present can be changed", state_,
                                          history_->recorded()));
  const ValueRef ref = current(found);
  RX_TRY(value, history_->held(ref.activation, ref.reg));
  if (!holdsUntil(ref, state_))
    return fail("debug.gone",
                fmt::format("the value of step {} is gone: its memory holds another one since", ref.state));
  for (const int item : ref.path) {
    if (!value.is(vm::ValueKind::Tuple) || item < 0 || static_cast<size_t>(item) >= value.asTuple().size())
      return fail("debug.value", fmt::format("the tuple has no item {}", item));
    vm::Value inner = value.asTuple()[static_cast<size_t>(item)];
    value = std::move(inner);
  }
  if (value.isNull())
    return fail("debug.gone", "the program has let go of the value: nothing uses it behind this step");
  return value;
}

Result<Unit> Session::change(const ValueRef& ref, std::variant<vm::Value, MemoryPatch> content) {
  RX_CHECK(history_->change({ref.activation, ref.reg, ref.path, std::move(content)}));
  // Of a state that is changed twice, the first change was known by the same number.
  stats_.clear();
  return Unit();
}

}  // namespace rx::debug
