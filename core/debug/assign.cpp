// Writing values to places.
#include <fmt/format.h>

#include <cstring>

#include "core/debug/literal.h"
#include "core/debug/place.h"

namespace rx::debug {
namespace {

/// A kind of value that is one number, and what makes it of a literal's.
struct Scalar {
  vm::ValueKind kind;
  Result<vm::Value> (*of)(const Number&);
};
constexpr Scalar kScalars[] = {
    {vm::ValueKind::Int,
     [](const Number& number) -> Result<vm::Value> {
       RX_TRY(whole, wholeOf(number));
       return vm::Value::of(whole);
     }},
    {vm::ValueKind::Float, [](const Number& number) -> Result<vm::Value> { return vm::Value::of(number.real); }},
    {vm::ValueKind::Bool,
     [](const Number& number) -> Result<vm::Value> {
       RX_TRY(truth, truthOf(number));
       return vm::Value::of(truth);
     }},
};

/// A kind of value that is written in a way of its own.
struct Written {
  vm::ValueKind kind;
  Result<vm::Value> (*of)(std::string_view text);
};
constexpr Written kWritten[] = {
    {vm::ValueKind::String,
     [](std::string_view text) -> Result<vm::Value> {
       RX_TRY(read, readString(text));
       return vm::Value::of(std::move(read));
     }},
    {vm::ValueKind::Type,
     [](std::string_view text) -> Result<vm::Value> {
       RX_TRY(type, readType(text));
       return vm::Value::of(type);
     }},
};

Failure misshapen(const Place& place, std::span<const int64_t> shape, const Literal& literal) {
  return fail("debug.shape", fmt::format("{} has the shape {}, the list {}", escapedForDisplay(place.name),
                                         shapeText(shape), shapeText(literal.shape)));
}

Failure listForOne(const Place& place) {
  return fail("debug.shape", fmt::format("{} takes one number, a list is given", escapedForDisplay(place.name)));
}

/// The bytes that an element, or the whole tensor, gets.
Result<MemoryPatch> patchOf(const HostTensor& tensor, const Place& place, const Literal& literal) {
  if (place.element && literal.list) return listForOne(place);
  if (literal.list && literal.shape != tensor.shape()) return misshapen(place, tensor.shape(), literal);
  const int64_t size = tensor.elementBytes();
  MemoryPatch patch;
  patch.offset = place.element.value_or(0) * size;
  patch.bytes.resize(static_cast<size_t>(place.element ? size : tensor.bytes()));
  for (size_t i = 0; i < literal.numbers.size(); ++i)
    RX_CHECK(writeNumber(tensor.dtype(), literal.numbers[i], patch.bytes.data() + i * static_cast<size_t>(size)));
  // One number fills all.
  if (!literal.list)
    for (size_t at = static_cast<size_t>(size); at < patch.bytes.size(); ++at)
      patch.bytes[at] = patch.bytes[at - static_cast<size_t>(size)];
  return patch;
}

Result<vm::Value> shapeOf(const std::vector<int64_t>& before, const Place& place, const Literal& literal) {
  std::vector<int64_t> shape = before;
  if (place.element ? literal.list : !literal.list)
    return place.element ? listForOne(place)
                         : fail("debug.shape", fmt::format("{} is a shape of {} numbers: write a list, or one of them",
                                                           escapedForDisplay(place.name), shape.size()));
  const std::vector<int64_t> wanted{static_cast<int64_t>(shape.size())};
  if (literal.list && literal.shape != wanted) return misshapen(place, wanted, literal);
  for (size_t i = 0; i < literal.numbers.size(); ++i) {
    RX_TRY(number, wholeOf(literal.numbers[i]));
    if (number < 0) return fail("debug.range", fmt::format("{} is no size: those are 0 or more", number));
    shape[place.element ? static_cast<size_t>(*place.element) : i] = number;
  }
  return vm::Value::shape(std::move(shape));
}

Result<vm::Value> scalarOf(vm::ValueKind kind, const Place& place, const Literal& literal) {
  for (const Scalar& scalar : kScalars) {
    if (scalar.kind != kind) continue;
    if (literal.list) return listForOne(place);
    return scalar.of(literal.numbers.front());
  }
  return fail("debug.type", fmt::format("{} is a {}, which can not be written; numbers, strings, types, shapes and "
                                        "tensors can",
                                        escapedForDisplay(place.name), vm::valueKindName(kind)));
}

/// Bytes that no element of the type has, where it is one of fewer than eight bits: a bool is 0 or 1.
bool strange(DataType type, std::byte byte) {
  const unsigned bits = type.isBool() ? 1 : type.bits;
  return bits < 8 && static_cast<unsigned>(byte) >> bits != 0;
}

}  // namespace

Result<Unit> assign(Session& session, int activation, const Place& place, std::string_view text) {
  RX_TRY(now, session.held(place.ref));
  for (const Written& row : kWritten) {
    if (row.kind != now.kind()) continue;
    RX_TRY(value, row.of(text));
    return session.change(place.ref, std::move(value));
  }
  FrameEnvironment names(session, activation);
  RX_TRY(literal, readLiteral(text, names));
  if (now.is(vm::ValueKind::Tensor)) {
    RX_TRY(patch, patchOf(now.tensor(), place, literal));
    return session.change(place.ref, std::move(patch));
  }
  RX_TRY(value,
         now.is(vm::ValueKind::Shape) ? shapeOf(now.asShape(), place, literal) : scalarOf(now.kind(), place, literal));
  return session.change(place.ref, std::move(value));
}

Result<Unit> assignBytes(Session& session, const ValueRef& ref, int64_t offset, std::vector<std::byte> bytes) {
  RX_TRY(now, session.held(ref));
  if (!now.is(vm::ValueKind::Tensor)) return fail("debug.type", "only a tensor has bytes");
  const HostTensor& tensor = now.tensor();
  const auto size = static_cast<int64_t>(bytes.size());
  if (offset < 0 || offset > tensor.bytes() || size > tensor.bytes() - offset)
    return fail("debug.range", fmt::format("{} bytes from {} on are more than the tensor has, which is {}", size,
                                           offset, tensor.bytes()));
  for (const std::byte byte : bytes)
    if (strange(tensor.dtype(), byte))
      return fail("debug.range", fmt::format("the byte {} is no element of type {}", static_cast<unsigned>(byte),
                                             tensor.dtype().str()));
  return session.change(ref, MemoryPatch{offset, std::move(bytes)});
}

}  // namespace rx::debug
