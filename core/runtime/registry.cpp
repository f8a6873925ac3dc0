#include "core/runtime/registry.h"

#include <algorithm>

namespace rx::vm {
namespace {

struct LetterRow {
  char letter;
  const char* text;
  bool (*accepts)(const Value&);
};
template <ValueKind K>
bool isKind(const Value& value) {
  return value.is(K);
}
constexpr LetterRow kLetters[] = {
    {'v', "the machine", isKind<ValueKind::Machine>},
    {'t', "a tensor", isKind<ValueKind::Tensor>},
    {'h', "a shape heap",
     [](const Value& v) {
       return v.isNull() ||
              (v.is(ValueKind::Tensor) && v.tensor().dtype() == DataType::Int(64) && v.tensor().rank() == 1);
     }},
    {'s', "a shape", isKind<ValueKind::Shape>},
    {'i', "an integer", isKind<ValueKind::Int>},
    {'b', "an integer or a bool", [](const Value& v) { return v.is(ValueKind::Int) || v.is(ValueKind::Bool); }},
    {'S', "a storage", isKind<ValueKind::Storage>},
    {'n', "a string", isKind<ValueKind::String>},
    {'d', "a dtype", isKind<ValueKind::Type>},
    {'c', "a closure or function",
     [](const Value& v) { return v.is(ValueKind::Closure) || v.is(ValueKind::Function); }},
    {'u', "a tuple", isKind<ValueKind::Tuple>},
    {'a', "any value", [](const Value&) { return true; }},
};

const LetterRow& letterRow(char letter) {
  for (const LetterRow& row : kLetters) {
    if (row.letter == letter) return row;
  }
  RX_ASSERT(false, "no signature letter '{}'", letter);
  __builtin_unreachable();
}

/// The signature of a builtin, taken apart once.
class Letters {
 public:
  explicit Letters(const char* signature) {
    for (const char* letter = signature; *letter; ++letter) {
      if (*letter == '*') {
        open_ = true;
      } else if (*letter == '?') {
        required_ = rows_.size();
      } else {
        rows_.push_back(&letterRow(*letter));
      }
    }
    required_ = std::min(required_, rows_.size());
  }

  Result<Unit> check(const char* name, std::span<const Value> args) const {
    if (args.size() < required_ || (args.size() > rows_.size() && !open_)) {
      return fail("vm.argument-count", fmt::format("{} does not take {} arguments", name, args.size()));
    }
    for (size_t i = 0; i < std::min(args.size(), rows_.size()); ++i) {
      if (rows_[i]->accepts(args[i])) continue;
      return fail("vm.argument-type",
                  fmt::format("argument {} of {} has to be {}, it is {}", i, name, rows_[i]->text, args[i].summary()));
    }
    return Unit{};
  }

 private:
  std::vector<const LetterRow*> rows_;
  size_t required_ = SIZE_MAX;
  bool open_ = false;  ///< any number may follow
};

class Builtin final : public Callable {
 public:
  explicit Builtin(const BuiltinRow& row) : row_(row), letters_(row.signature) {}
  std::string_view name() const override { return row_.name; }
  Result<Value> call(CallContext& context, std::span<const Value> args) const override {
    RX_CHECK(letters_.check(row_.name, args));
    return row_.run(context, args);
  }
  bool mayWrite(size_t argument) const override { return argument < 64 && ((row_.writes >> argument) & 1) != 0; }

  bool mayWriteIn(std::span<const Value> args, size_t argument) const override {
    const auto callee = static_cast<size_t>(row_.forwardsTo);
    if (row_.forwardsTo < 0 || callee >= args.size()) return mayWrite(argument);
    return argument > callee && args[callee].is(ValueKind::Function) &&
           args[callee].asFunction().mayWriteIn(args.subspan(callee + 1), argument - callee - 1);
  }

 private:
  const BuiltinRow& row_;
  Letters letters_;
};

class FunctionCallable final : public Callable {
 public:
  using Function = std::function<Result<Value>(CallContext&, std::span<const Value>)>;
  FunctionCallable(std::string name, Function function) : name_(std::move(name)), function_(std::move(function)) {}
  std::string_view name() const override { return name_; }
  Result<Value> call(CallContext& context, std::span<const Value> args) const override {
    return function_(context, args);
  }

 private:
  std::string name_;
  Function function_;
};

}  // namespace

Ref<Callable> makeCallable(std::string name,
                           std::function<Result<Value>(CallContext&, std::span<const Value>)> function) {
  return make<FunctionCallable>(std::move(name), std::move(function));
}

Result<Ref<HostTensor>> CallContext::tensor(std::vector<int64_t> shape, DataType dtype) const {
  const auto bytes = tensorBytes(shape, dtype);
  if (!bytes) return fail("tensor.shape", fmt::format("{} is no shape that can be allocated", shapeText(shape)));
  RX_TRY(storage, Storage::allocate(*bytes, around.memory));
  return HostTensor::view(std::move(storage), 0, std::move(shape), dtype);
}

PackedRegistry PackedRegistry::withBuiltins() {
  PackedRegistry registry;
  for (const auto& table : {shapeBuiltins(), memoryBuiltins(), dataBuiltins(), programBuiltins(), sortBuiltins()}) {
    registry.addTable(table);
  }
  return registry;
}

void PackedRegistry::addTable(std::span<const BuiltinRow> rows) {
  for (const BuiltinRow& row : rows) add(row.name, make<Builtin>(row));
}

namespace {
/// Where a name is, or would be.
template <class Rows>
auto placeIn(Rows& rows, std::string_view name) {
  return std::lower_bound(rows.begin(), rows.end(), name,
                          [](const auto& row, std::string_view n) { return row.first < n; });
}
}  // namespace

void PackedRegistry::add(std::string name, Ref<Callable> function) {
  const auto at = placeIn(functions_, name);
  if (at != functions_.end() && at->first == name) {
    at->second = std::move(function);
  } else {
    functions_.emplace(at, std::move(name), std::move(function));
  }
}

Ref<Callable> PackedRegistry::find(std::string_view name) const {
  const auto at = placeIn(functions_, name);
  return at != functions_.end() && at->first == name ? at->second : nullptr;
}

std::vector<std::string> PackedRegistry::names() const {
  std::vector<std::string> result;
  for (const auto& [name, function] : functions_) result.push_back(name);
  return result;
}

}  // namespace rx::vm
