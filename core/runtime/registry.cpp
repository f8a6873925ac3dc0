#include "core/runtime/registry.h"

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

Result<Unit> checkArguments(const BuiltinRow& row, std::span<const Value> args) {
  auto wrongCount = [&] {
    return fail("vm.argument-count", fmt::format("{} does not take {} arguments", row.name, args.size()));
  };
  size_t i = 0;
  bool optional = false;
  for (const char* letter = row.signature; *letter; ++letter) {
    if (*letter == '*') return Unit{};
    if (*letter == '?') {
      optional = true;
      continue;
    }
    if (i == args.size()) {
      if (optional) return Unit{};
      return wrongCount();
    }
    const LetterRow& expected = letterRow(*letter);
    if (!expected.accepts(args[i])) {
      return fail("vm.argument-type", fmt::format("argument {} of {} has to be {}, it is {}", i, row.name,
                                                  expected.text, args[i].summary()));
    }
    ++i;
  }
  if (i != args.size()) return wrongCount();
  return Unit{};
}

class Builtin final : public Callable {
 public:
  explicit Builtin(const BuiltinRow& row) : row_(row) {}
  std::string_view name() const override { return row_.name; }
  Result<Value> call(CallContext& context, std::span<const Value> args) const override {
    RX_CHECK(checkArguments(row_, args));
    return row_.run(context, args);
  }
  bool mayWrite(size_t argument) const override { return argument < 64 && ((row_.writes >> argument) & 1) != 0; }

  bool mayWriteIn(std::span<const Value> args, size_t argument) const override {
    const auto callee = static_cast<size_t>(row_.forwardsTo);
    if (row_.forwardsTo < 0 || callee >= args.size()) return mayWrite(argument);
    return argument > callee && args[callee].is(ValueKind::Function) &&
           args[callee].asFunction()->mayWriteIn(args.subspan(callee + 1), argument - callee - 1);
  }

 private:
  const BuiltinRow& row_;
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
  RX_TRY(storage, Storage::allocate(*bytes, memory));
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

Ref<Callable> PackedRegistry::find(std::string_view name) const {
  const auto found = functions_.find(name);
  return found == functions_.end() ? nullptr : found->second;
}

std::vector<std::string> PackedRegistry::names() const {
  std::vector<std::string> result;
  for (const auto& [name, function] : functions_) result.push_back(name);
  return result;
}

}  // namespace rx::vm
