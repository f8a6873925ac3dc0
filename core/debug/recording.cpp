#include "core/debug/recording.h"

#include <sys/mman.h>

#include <algorithm>

#include "core/debug/program_codec.h"

namespace rx::debug {
namespace {

/// Of the largest value that can be described without its bytes; less where the system gives fewer addresses.
constexpr size_t kMostEmpty = size_t{1} << 40, kLeastEmpty = size_t{1} << 26;

/// The bytes of a tensor, in memory that lives as long as somebody looks.
Result<Ref<HostTensor>> tensorOf(const std::shared_ptr<const store::Reader>& reader, uint32_t state,
                                 const store::Value& value) {
  const std::optional<int64_t> size = tensorBytes(value.shape, value.dtype);
  if (!size || value.offset < 0) return fail("store.damaged", "the recording holds a tensor of no size");
  RX_TRY(bytes,
         reader->bytesAt(state, value.storage, static_cast<uint64_t>(value.offset), static_cast<uint64_t>(*size)));
  struct Owner {
    std::shared_ptr<const store::Reader> reader;
    store::Bytes bytes;
  };
  auto owner = std::make_shared<const Owner>(Owner{reader, std::move(bytes)});
  const std::span<const std::byte> all = owner->bytes.span();
  return HostTensor::view(Storage::external(all.data(), *size, owner), 0, value.shape, value.dtype);
}

/// A value without what is inside of it, or its bytes.
Value plain(const store::Value& from) {
  Value to;
  to.kind = from.kind;
  to.integer = from.integer;
  to.real = from.real;
  to.text = from.kind == ValueKind::DType ? from.dtype.str() : from.text;
  if (to.kind == ValueKind::Shape) to.shape = from.shape;
  if (to.kind == ValueKind::Tensor || to.kind == ValueKind::Storage) to.storage = storageNumber(from.storage);
  to.offset = from.offset;
  to.items.resize(from.items.size());
  return to;
}

/// Addresses that hold zeros, and take no memory, with their number; null where there are none.
std::pair<std::shared_ptr<const std::byte>, size_t> emptyMemory() {
  for (size_t bytes = kMostEmpty; bytes >= kLeastEmpty; bytes /= 4) {
    void* at = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) continue;
    return {{static_cast<const std::byte*>(at), [at, bytes](const std::byte*) { munmap(at, bytes); }}, bytes};
  }
  return {};
}

bool overlaps(const store::Value& value, const store::Changes::Write& write) {
  const std::optional<int64_t> size = tensorBytes(value.shape, value.dtype);
  if (value.kind != ValueKind::Tensor || value.storage != write.storage || !size || value.offset < 0) return false;
  const auto begin = static_cast<uint64_t>(value.offset);
  return begin < write.offset + write.bytes && write.offset < begin + static_cast<uint64_t>(*size);
}

}  // namespace

Result<std::unique_ptr<Recording>> Recording::open(const std::string& path) {
  RX_TRY(reader, store::Reader::open(path));
  RX_TRY(program, programFrom(reader->program()));
  return std::unique_ptr<Recording>(new Recording(std::move(reader), std::move(program)));
}

Result<std::unique_ptr<Recording>> Recording::open(const std::string& path, Program program) {
  RX_TRY(reader, store::Reader::open(path));
  return std::unique_ptr<Recording>(new Recording(std::move(reader), std::move(program)));
}

Recording::Recording(std::shared_ptr<store::Reader> reader, Program program)
    : reader_(std::move(reader)), program_(std::move(program)), nothing_(emptyMemory()) {
  const auto last = static_cast<int>(program_.stages.size()) - 1;
  stages_.emplace_back(program_, 0);
  if (last > 0) stages_.emplace_back(program_, last);
}

template <class TensorOf>
Result<Value> Recording::shown(uint32_t state, const store::Value& value, TensorOf tensorOf) const {
  struct Work {
    const store::Value* from;
    Value* to;
  };
  Value root;
  std::vector<Work> open{{&value, &root}};
  while (!open.empty()) {
    const auto [from, to] = open.back();
    open.pop_back();
    *to = plain(*from);
    if (to->kind == ValueKind::Tensor) {
      RX_TRY(tensor, tensorOf(*from));
      to->tensor = std::move(tensor);
    }
    if (to->kind == ValueKind::Storage) {
      RX_TRY(storage, reader_->storage(state, from->storage));
      to->integer = static_cast<int64_t>(storage.bytes);
    }
    if (to->kind == ValueKind::Variant && to->integer >= 0 &&
        to->integer < static_cast<int64_t>(program_.constructors.size()))
      to->text = program_.constructors[static_cast<size_t>(to->integer)];
    to->place = deviceOf(state, *from);
    for (size_t i = 0; i < to->items.size(); ++i) open.push_back({&from->items[i], &to->items[i]});
  }
  return root;
}

std::string Recording::deviceOf(uint32_t state, const store::Value& value) const {
  const bool memory = value.kind == ValueKind::Tensor || value.kind == ValueKind::Storage;
  if (!memory || program_.devices.empty()) return {};
  const auto storage = reader_->storage(state, value.storage);
  if (!storage || storage->device == 0 || storage->device > program_.devices.size()) return {};
  return program_.devices[storage->device - 1];
}

Result<Value> Recording::valueAt(uint32_t state, const store::Value& value) const {
  return shown(state, value, [&](const store::Value& tensor) { return tensorOf(reader_, state, tensor); });
}

Result<Value> Recording::described(uint32_t state, const store::Value& value) const {
  RX_TRY(said, shown(state, value, [&](const store::Value& tensor) -> Result<Ref<HostTensor>> {
           RX_TRY(memory, reader_->storage(state, tensor.storage));
           const auto& [nothing, most] = nothing_;
           if (memory.bytes > most) return fail("store.place", "memory of this size can not be shown");
           return HostTensor::view(Storage::external(nothing.get(), static_cast<int64_t>(memory.bytes), nothing),
                                   tensor.offset, tensor.shape, tensor.dtype);
         }));
  said.described = true;
  return said;
}

Result<Value> Recording::valueAt(const ValuePlace& place) const {
  RX_TRY(value, reader_->registerAt(place.state, place.activation, place.reg));
  RX_TRY(whole, valueAt(place.state, value));
  return itemAt(std::move(whole), place.path);
}

Result<std::vector<WrittenTensor>> Recording::writtenBy(uint32_t step) const {
  RX_TRY(row, reader_->step(step));
  RX_TRY(changes, reader_->changes(step));
  std::vector<WrittenTensor> written;
  if (row.instruction >= program_.instructions.size()) return fail("store.damaged", "a step is of no instruction");
  const Instruction& instruction = program_.instructions[row.instruction];
  std::vector<int> registers = instruction.arguments;
  if (instruction.dst >= 0) registers.push_back(instruction.dst);
  for (const int reg : registers) {
    auto value = reader_->registerAt(step + 1, row.activation, static_cast<uint32_t>(reg));
    if (!value || value->kind != ValueKind::Tensor) continue;
    const auto write = std::find_if(changes.writes.begin(), changes.writes.end(), [&](const auto& w) {
      // Of older recordings, statistics say what was to be made.
      return overlaps(*value, w) && (w.changed || w.output || w.statistics);
    });
    if (write != changes.writes.end()) written.push_back({reg, std::move(*value), *write});
  }
  return written;
}

std::optional<TensorStats> Recording::statistics(uint32_t step, const WrittenTensor& written) const {
  if (written.write.statistics) return written.write.statistics;
  const auto value = valueAt(step + 1, written.tensor);
  return value ? tensorStats(*value->tensor) : std::nullopt;
}

Finiteness Recording::finiteness(uint32_t step) const {
  const auto row = reader_->step(step);
  if (!row || row->instruction >= program_.instructions.size()) return {};
  if (row->nonFinite) return {true, true};
  const auto written = writtenBy(step);
  if (!written) return {};
  const auto isBad = [&](const WrittenTensor& tensor) {
    const auto found = statistics(step, tensor);
    return found && !found->finite();
  };
  if (std::none_of(written->begin(), written->end(), isBad)) return {};
  const Instruction& instruction = program_.instructions[row->instruction];
  if (!instruction.callsKernel() || row->givenNonFinite) return {true, false};
  for (const int reg : instruction.arguments) {
    if (std::any_of(written->begin(), written->end(), [&](const WrittenTensor& w) { return w.reg == reg; })) continue;
    const auto value = reader_->registerAt(step, row->activation, static_cast<uint32_t>(reg));
    if (!value || value->kind != ValueKind::Tensor) continue;
    const auto shown = valueAt(step, *value);
    if (!shown || !tensorStats(*shown->tensor)->finite()) return {true, false};
  }
  return {true, true};
}

std::string Recording::bindingOf(uint32_t instruction) const {
  if (instruction >= program_.instructions.size()) return {};
  const Instruction& row = program_.instructions[instruction];
  return row.sites.empty() ? row.variable : row.sites.back().name.string();
}

Result<GivenValue> Recording::givenBy(uint32_t step, uint32_t instruction, const std::string& name) const {
  if (instruction >= program_.instructions.size()) return fail("store.damaged", "a step is of no instruction");
  for (const StageMap& map : stages_) {
    const Stage& stage = *program_.stages[static_cast<size_t>(map.stage())];
    for (const GivenValue& given : map.given(instruction)) {
      const StageBinding* binding = stage.binding(given.place);
      if (!binding || binding->variable.view() != name) continue;
      RX_TRY(reg, registerOf(step, instruction, given));
      if (reg >= 0) return GivenValue{given.place, reg, given.path};
    }
  }
  return GivenValue{};
}

Result<int> Recording::registerOf(uint32_t step, uint32_t instruction, const GivenValue& given) const {
  if (given.reg >= 0) return given.reg;
  const Instruction& row = program_.instructions[instruction];
  if (row.dst >= 0) {
    // A packed function that writes its result into an argument, as call_dps_packed has it, gives a null.
    if (!row.callsKernel()) return row.dst;
    RX_TRY(taken, reader_->step(step));
    RX_TRY(result, reader_->registerAt(step + 1, taken.activation, static_cast<uint32_t>(row.dst)));
    if (result.kind != store::ValueKind::None) return row.dst;
  }
  RX_TRY(written, writtenBy(step));
  return written.empty() ? row.dst : written.back().reg;
}

Result<ValuePlace> Recording::placeBehind(const store::Step& row, uint32_t step, int reg) const {
  uint32_t state = step + 1;
  if (row.pushed != store::kNone) {
    // What a function of the program gives is there behind its return.
    RX_TRY(called, reader_->activation(row.pushed));
    state = called.lastState + 1;
  }
  return ValuePlace{state, row.activation, static_cast<uint32_t>(reg)};
}

Result<std::vector<GivenBinding>> Recording::givenBy(uint32_t step) const {
  RX_TRY(row, reader_->step(step));
  std::vector<GivenBinding> all;
  if (row.instruction >= program_.instructions.size()) return fail("store.damaged", "a step is of no instruction");
  for (const GivenValue& given : stages_.front().given(row.instruction)) {
    RX_TRY(reg, registerOf(step, row.instruction, given));
    if (reg < 0) continue;
    RX_TRY(place, placeBehind(row, step, reg));
    place.path = given.path;
    if (place.state <= reader_->recorded()) all.push_back({given.place, place});
  }
  return all;
}

std::optional<ValuePlace> Recording::parameterOf(const std::string& name, uint32_t state) const {
  const auto frames = reader_->frames(state);
  if (!frames) return {};
  for (const store::Next& frame : *frames) {
    const auto activation = reader_->activation(frame.activation);
    if (!activation || activation->function >= program_.functions.size()) continue;
    const VmFunction& function = program_.functions[activation->function];
    const auto end = function.registerNames.begin() +
                     std::min<ptrdiff_t>(std::max(function.arguments, 0), std::ssize(function.registerNames));
    const auto at = std::find(function.registerNames.begin(), end, name);
    if (at == end) continue;
    return ValuePlace{std::max(activation->firstState, reader_->oldest()), frame.activation,
                      static_cast<uint32_t>(at - function.registerNames.begin())};
  }
  return {};
}

Result<ValuePlace> Recording::placeOf(const std::string& name, uint32_t step) const {
  for (uint32_t s = step + 1; s-- > reader_->oldest();) {
    RX_TRY(row, reader_->step(s));
    RX_TRY(given, givenBy(s, row.instruction, name));
    if (given.reg < 0) continue;
    RX_TRY(place, placeBehind(row, s, given.reg));
    place.path = given.path;
    if (place.state <= step + 1) return place;
  }
  if (const auto place = parameterOf(name, step)) return *place;
  Diagnostic missing = errorAt({}, "show.binding",
                               fmt::format("no step up to {} gives a value to \"{}\"", step, escapedForDisplay(name)));
  if (reader_->oldest() > 0)
    missing.notes.push_back({fmt::format("steps before {} are not kept", reader_->oldest()), {}});
  return fail(std::vector<Diagnostic>{std::move(missing)});
}

}  // namespace rx::debug
