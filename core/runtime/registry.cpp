#include "core/runtime/registry.h"

#include <algorithm>
#include <array>

#include "core/runtime/prepared_call.h"

namespace rx::vm {
namespace {

template <class... Kinds>
constexpr uint32_t anyOf(Kinds... kinds) {
  return ((1u << static_cast<int>(kinds)) | ...);
}

struct LetterRow {
  char letter;
  const char* text;
  uint32_t kinds;                             ///< a bit each
  bool (*also)(const HostTensor&) = nullptr;  ///< of a tensor
  bool reaches = false;                       ///< the bytes of a tensor

  bool accepts(const Value& value) const {
    if ((kinds >> static_cast<int>(value.kind()) & 1) == 0) return false;
    return !also || !value.is(ValueKind::Tensor) || also(value.tensor());
  }
};
constexpr LetterRow kLetters[] = {
    {'v', "the machine", anyOf(ValueKind::Machine)},
    {'t', "a tensor", anyOf(ValueKind::Tensor), nullptr, true},
    {'h', "a shape heap", anyOf(ValueKind::Null, ValueKind::Tensor),
     [](const HostTensor& heap) { return heap.dtype() == DataType::Int(64) && heap.rank() == 1; }, true},
    {'s', "a shape", anyOf(ValueKind::Shape)},
    {'i', "an integer", anyOf(ValueKind::Int)},
    {'b', "an integer or a bool", anyOf(ValueKind::Int, ValueKind::Bool)},
    {'S', "a storage", anyOf(ValueKind::Storage)},
    {'n', "a string", anyOf(ValueKind::String)},
    {'d', "a dtype", anyOf(ValueKind::Type)},
    {'c', "a closure or function", anyOf(ValueKind::Closure, ValueKind::Function)},
    {'u', "a tuple", anyOf(ValueKind::Tuple)},
    {'r', "a reference", anyOf(ValueKind::Reference)},
    {'a', "any value", UINT32_MAX},
    {'T', "a tensor", anyOf(ValueKind::Tensor)},
    {'x', "any value", UINT32_MAX, nullptr, true},
};

/// The row of a letter, by its code; past the last where it has none.
constexpr auto kRowOfLetter = [] {
  std::array<uint8_t, 128> rows{};
  rows.fill(std::size(kLetters));
  for (size_t i = 0; i < std::size(kLetters); ++i)
    rows[static_cast<size_t>(kLetters[i].letter)] = static_cast<uint8_t>(i);
  return rows;
}();

/// The signature of a builtin.
class Letters {
 public:
  explicit Letters(const char* signature) : signature_(signature) {
    for (const char* letter = signature; *letter; ++letter) {
      if (*letter == '*' || *letter == '+') {
        open_ = true;
        restReached_ = *letter == '+';
      } else if (*letter == '?') {
        required_ = count_;
      } else {
        RX_ASSERT(kRowOfLetter[static_cast<size_t>(*letter) % kRowOfLetter.size()] < std::size(kLetters),
                  "no signature letter '{}'", *letter);
        ++count_;
      }
    }
    required_ = std::min(required_, count_);
  }

  /// Whether the call reaches the bytes of an argument that is a tensor.
  bool reaches(size_t i) const { return i < count_ ? row(i).reaches : restReached_; }

  Result<Unit> check(const char* name, Arguments args) const {
    if (args.size() < required_ || (args.size() > count_ && !open_)) {
      return fail("vm.argument-count", fmt::format("{} does not take {} arguments", name, args.size()));
    }
    for (size_t i = 0; i < std::min(args.size(), count_); ++i) {
      if (row(i).accepts(args[i])) continue;
      return fail("vm.argument-type",
                  fmt::format("argument {} of {} has to be {}, it is {}", i, name, row(i).text, args[i].summary()));
    }
    return Unit{};
  }

 private:
  /// Of an argument that has a letter; the ? stands before those that are optional.
  const LetterRow& row(size_t i) const {
    return kLetters[kRowOfLetter[static_cast<size_t>(signature_[i < required_ ? i : i + 1])]];
  }

  const char* signature_;
  size_t count_ = 0;
  size_t required_ = SIZE_MAX;
  bool open_ = false;         ///< any number may follow
  bool restReached_ = false;  ///< whose bytes the call reaches
};

class Builtin final : public Callable {
 public:
  explicit Builtin(const BuiltinRow& row) : row_(row), letters_(row.signature) {}
  std::string_view name() const override { return row_.name; }
  Result<Value> call(CallContext& context, Arguments args) const override {
    RX_CHECK(letters_.check(row_.name, args));
    // Those that hand all their arguments on write none themselves.
    const bool writes = row_.forwardsTo < 0 && row_.writes != ~uint64_t{0};
    for (size_t i = 0; i < args.size() && writes; ++i) {
      if (mayWrite(i) && args[i].is(ValueKind::Tensor) && !args[i].tensor().storage()->writable()) {
        return fail("vm.argument-type",
                    fmt::format("argument {} of {} is written, but it is a constant in a mapped file", i, row_.name));
      }
    }
    return row_.run(context, args);
  }
  bool mayWrite(size_t argument) const override { return argument < 64 && ((row_.writes >> argument) & 1) != 0; }
  bool givesNull() const override { return row_.givesNull; }
  std::optional<int32_t> reaches(size_t i) const override {
    return letters_.reaches(i) ? std::optional(kHost) : std::nullopt;
  }
  std::unique_ptr<PreparedCall> prepare(std::span<const PlannedArgument> places) const override {
    return row_.prepare ? row_.prepare(places) : nullptr;
  }
  std::optional<size_t> forwardsTo() const override {
    return row_.forwardsTo < 0 ? std::nullopt : std::optional(static_cast<size_t>(row_.forwardsTo));
  }

 private:
  const BuiltinRow& row_;
  Letters letters_;
};

class FunctionCallable final : public Callable {
 public:
  using Function = std::function<Result<Value>(CallContext&, Arguments)>;
  FunctionCallable(std::string name, Function function) : name_(std::move(name)), function_(std::move(function)) {}
  std::string_view name() const override { return name_; }
  Result<Value> call(CallContext& context, Arguments args) const override { return function_(context, args); }

 private:
  std::string name_;
  Function function_;
};

}  // namespace

Ref<Callable> makeCallable(std::string name, std::function<Result<Value>(CallContext&, Arguments)> function) {
  return make<FunctionCallable>(std::move(name), std::move(function));
}

void TensorShells::keep(Value& value) {
  constexpr size_t kMost = 1024;
  if (!value.tensor().unique() || unused_.size() == kMost) return;
  HostTensor::abandon(value.tensor());
  unused_.push_back(std::move(value));
}

Result<Value> TensorShells::view(Ref<Storage> storage, int64_t byteOffset, const std::vector<int64_t>& shape,
                                 DataType dtype) {
  if (unused_.empty()) {
    RX_TRY(tensor, HostTensor::view(std::move(storage), byteOffset, shape, dtype));
    return Value::of(std::move(tensor));
  }
  Value shell = std::move(unused_.back());
  unused_.pop_back();
  RX_CHECK(HostTensor::remake(shell.tensor(), std::move(storage), byteOffset, shape, dtype));
  return shell;
}

std::unique_ptr<PreparedCall> Callable::prepare(std::span<const PlannedArgument>) const { return nullptr; }

bool mayWrite(const Callable& function, Arguments args, size_t argument) {
  const Callable* callee = &function;
  while (const auto at = callee->forwardsTo()) {
    if (argument <= *at || *at >= args.size() || !args[*at].is(ValueKind::Function)) return false;
    callee = &args[*at].asFunction();
    args = args.subspan(*at + 1);
    argument -= *at + 1;
  }
  return callee->mayWrite(argument);
}

Result<Ref<HostTensor>> CallContext::tensor(std::vector<int64_t> shape, DataType dtype) const {
  const auto bytes = tensorBytes(shape, dtype);
  if (!bytes) return fail("tensor.shape", fmt::format("{} is no shape that can be allocated", shapeText(shape)));
  RX_TRY(storage, Storage::allocate(*bytes, around.memory));
  return HostTensor::view(std::move(storage), 0, std::move(shape), dtype);
}

namespace {
/// Where a name is, or would be.
template <class Rows>
auto placeIn(Rows& rows, std::string_view name) {
  return std::lower_bound(rows.begin(), rows.end(), name,
                          [](const auto& row, std::string_view n) { return row.first < n; });
}

/// The last row of this name; null where there is none.
const BuiltinRow* rowOf(std::span<const BuiltinRow> rows, std::string_view name) {
  const auto at = std::find_if(rows.rbegin(), rows.rend(), [&](const BuiltinRow& row) { return row.name == name; });
  return at == rows.rend() ? nullptr : &*at;
}
}  // namespace

PackedRegistry::PackedRegistry(const PackedRegistry& other) : tables_(other.tables_) {
  const std::lock_guard lock(other.made_->mutex);
  made_->functions = other.made_->functions;
}

PackedRegistry PackedRegistry::withBuiltins() {
  PackedRegistry registry;
  for (const auto& table :
       {shapeBuiltins(), memoryBuiltins(), dataBuiltins(), programBuiltins(), sortBuiltins(), objectBuiltins()})
    registry.addTable(table);
  return registry;
}

void PackedRegistry::addTable(std::span<const BuiltinRow> rows) {
  for (auto at = made_->functions.begin(); at != made_->functions.end();)
    at = rowOf(rows, at->first) ? made_->functions.erase(at) : at + 1;
  tables_.push_back(rows);
}

void PackedRegistry::add(std::string name, Ref<Callable> function) {
  const auto at = placeIn(made_->functions, name);
  if (at != made_->functions.end() && at->first == name) {
    at->second = std::move(function);
  } else {
    made_->functions.emplace(at, std::move(name), std::move(function));
  }
}

Ref<Callable> PackedRegistry::find(std::string_view name) const {
  const std::lock_guard lock(made_->mutex);
  const auto at = placeIn(made_->functions, name);
  if (at != made_->functions.end() && at->first == name) return at->second;
  for (size_t i = tables_.size(); i-- > 0;) {
    if (const BuiltinRow* row = rowOf(tables_[i], name))
      return made_->functions.emplace(at, row->name, make<Builtin>(*row))->second;
  }
  return nullptr;
}

}  // namespace rx::vm
