// Objects that Relay has beside Relax: values of algebraic data types, which are tuples with the number of their
// constructor, and references, whose content changes.
#include <algorithm>

#include "core/runtime/registry.h"

namespace rx::vm {
namespace {

Result<Value> makeReference(CallContext&, Arguments args) { return Value::reference(args[0]); }

Result<Value> readReference(CallContext&, Arguments args) { return args[0].asReference().content; }

Result<Value> writeReference(CallContext&, Arguments args) {
  args[0].asReference().content = args[1];
  return Value::tuple({});
}

/// make(constructor, fields...).
Result<Value> makeVariant(CallContext&, Arguments args) {
  if (args[0].asInt() < 0) return fail("vm.constructor", "a constructor has no negative number");
  const Arguments fields = args.subspan(1);
  return Value::variant(args[0].asInt(), {fields.begin(), fields.end()});
}

/// Whether a value is as a pattern asks: -1 is anything, -2 and a length a tuple, else the number of a constructor and
/// how many fields it has. The parts follow.
Result<Value> fits(CallContext&, Arguments args) {
  const std::vector<int64_t>& pattern = args[1].asShape();
  std::vector<const Value*> waiting{&args[0]};
  size_t at = 0;
  while (!waiting.empty()) {
    const Value& now = *waiting.back();
    waiting.pop_back();
    if (at >= pattern.size()) return fail("vm.pattern", "a pattern ends before its value does");
    const int64_t wanted = pattern[at++];
    if (wanted == -1) continue;
    const bool variant = wanted != -2;
    if (at == pattern.size() || !now.is(ValueKind::Tuple) || variant == (now.tupleTag() == TupleObject::kPlain)) {
      return fail("vm.pattern", "a pattern does not go with " + now.summary());
    }
    const int64_t count = pattern[at++];
    if (variant && now.tupleTag() != wanted) return Value::of(false);
    const std::vector<Value>& items = now.asTuple();
    if (static_cast<int64_t>(items.size()) != count) {
      return fail("vm.pattern", fmt::format("a pattern has {} parts and its value {}", count, items.size()));
    }
    for (size_t i = items.size(); i-- > 0;) waiting.push_back(&items[i]);
  }
  return Value::of(true);
}

constexpr BuiltinRow kRows[] = {
    {"rx.reference.make", "a", makeReference},
    {"rx.reference.read", "r", readReference},
    {"rx.reference.write", "ra", writeReference},
    {"rx.variant.make", "i*", makeVariant},
    {"rx.variant.fits", "as", fits},
};

}  // namespace

std::span<const BuiltinRow> objectBuiltins() { return kRows; }

bool keepsArguments(std::string_view builtin) {
  constexpr std::string_view kKeeping[] = {"rx.reference.make", "rx.reference.write", "rx.variant.make"};
  return std::find(std::begin(kKeeping), std::end(kKeeping), builtin) != std::end(kKeeping);
}

}  // namespace rx::vm
