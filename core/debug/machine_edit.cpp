// The part of MachineHistory that changes values of a live run.
#include <algorithm>

#include "core/debug/machine_history.h"

namespace rx::debug {
namespace {

/// The value with another one in the place of an item, inside of tuples.
vm::Value replaced(const vm::Value& whole, std::span<const int> path, vm::Value item) {
  std::vector<const vm::Value*> outer{&whole};
  for (const int at : path) outer.push_back(&outer.back()->asTuple()[static_cast<size_t>(at)]);
  for (size_t i = path.size(); i-- > 0;) {
    std::vector<vm::Value> items = outer[i]->asTuple();
    items[static_cast<size_t>(path[i])] = std::move(item);
    const int64_t tag = outer[i]->tupleTag();
    item =
        tag == vm::TupleObject::kPlain ? vm::Value::tuple(std::move(items)) : vm::Value::variant(tag, std::move(items));
  }
  return item;
}

}  // namespace

Result<Unit> MachineHistory::changeable() const {
  if (end_ != RunEnd::Open)
    return fail("debug.ended", "the run has ended, so that nothing would use another value; start it again");
  if (const std::string& why = recorder_->writer().stopped(); !why.empty())
    return fail("debug.recorded", "what is changed could not be recorded any more: " + why);
  return Unit();
}

Result<vm::Value> MachineHistory::held(int activation, int reg) const {
  RX_CHECK(changeable());
  const auto frame = recorder_->frameOf(activation);
  if (!frame) return fail("debug.gone", "the function has returned: its frame holds nothing any more");
  const std::vector<vm::Value>& registers = machine_->frames()[*frame].registers;
  if (reg < 0 || static_cast<size_t>(reg) >= registers.size())
    return fail("debug.value", fmt::format("there is no register %{}", reg));
  return registers[static_cast<size_t>(reg)];
}

Edit& MachineHistory::presentEdit() {
  if (edits_.empty() || edits_.back().state != recorded()) edits_.push_back({recorded(), {}, {}});
  return edits_.back();
}

Result<Unit> MachineHistory::change(Change change) {
  RX_TRY(whole, held(change.activation, change.reg));
  const vm::Value* item = &whole;
  for (const int at : change.path) {
    if (!item->is(vm::ValueKind::Tuple) || at < 0 || static_cast<size_t>(at) >= item->asTuple().size())
      return fail("debug.value", fmt::format("the tuple has no item {}", at));
    item = &item->asTuple()[static_cast<size_t>(at)];
  }
  if (const auto* bytes = std::get_if<MemoryPatch>(&change.content)) {
    RX_ASSERT(item->is(vm::ValueKind::Tensor), "bytes of a {} are changed", vm::valueKindName(item->kind()));
    return patch(item->tensor(), *bytes);
  }
  const size_t frame = *recorder_->frameOf(change.activation);
  const auto reg = static_cast<size_t>(change.reg);
  machine_->setRegister(frame, reg, replaced(whole, change.path, std::move(std::get<vm::Value>(change.content))));
  recorder_->edit(frame, reg, whole);
  grew();
  presentEdit().registers.emplace_back(change.activation, change.reg);
  return Unit();
}

Result<Unit> MachineHistory::patch(const HostTensor& tensor, const MemoryPatch& patch) {
  const Storage& storage = *tensor.storage();
  if (recorder_->isConstant(storage))
    return fail("debug.constant", "the value is a constant of the program, which every run of it shares");
  const int64_t offset = tensor.byteOffset() + patch.offset;
  const auto size = static_cast<int64_t>(patch.bytes.size());
  RX_ASSERT(patch.offset >= 0 && size <= tensor.bytes() - patch.offset, "{} bytes from {} on are changed of {}", size,
            patch.offset, tensor.bytes());
  const uint32_t number = recorder_->numberOf(storage);
  RX_CHECK(machine_->writeMemory(storage, offset, patch.bytes));
  recorder_->edit(storage, offset, size);
  grew();
  presentEdit().memory.push_back({storageNumber(number), offset, size});
  return Unit();
}

}  // namespace rx::debug
