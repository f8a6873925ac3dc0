// Builtins of the shape heap and of the checks of values against their annotations.
#include "core/runtime/prepared_shapes.h"
#include "core/runtime/registry.h"

namespace rx::vm {
namespace {

using Args = Arguments;

Failure badProgram(std::string message) { return fail("vm.bad-instruction", std::move(message)); }

Result<int64_t*> heapSlot(const Value& heap, int64_t slot) {
  if (!heap.is(ValueKind::Tensor) || slot < 0 || slot >= heap.tensor().count()) {
    return badProgram(fmt::format("shape heap slot {} does not exist", slot));
  }
  return reinterpret_cast<int64_t*>(heap.tensor().mutableData()) + slot;
}

Result<int64_t> intArgument(const Value& value) {
  if (!value.is(ValueKind::Int)) return badProgram("a code or slot has to be an integer, it is " + value.summary());
  return value.asInt();
}

Failure mismatched(CallContext& context, ShapeMismatch mismatch, std::string message) {
  context.mismatch = std::move(mismatch);
  return fail("vm.shape-mismatch", std::move(message));
}

Failure wrongKind(CallContext& context, const Value& value, const std::string& expected, const Value& text) {
  return mismatched(context,
                    {.what = ShapeMismatch::What::Kind,
                     .expectedText = expected,
                     .actualText = value.summary(),
                     .context = text.asString()},
                    fmt::format("{} is needed, this is {}", expected, value.summary()));
}

Failure wrongRank(CallContext& context, int64_t expected, const std::vector<int64_t>& dims, const Value& text) {
  const auto actual = static_cast<int64_t>(dims.size());
  return mismatched(
      context, {.what = ShapeMismatch::What::Rank, .expected = expected, .actual = actual, .context = text.asString()},
      fmt::format("{} dimensions are needed, {} has {}", expected, shapeText(dims), dims.size()));
}

Result<Value> allocShapeHeap(CallContext& context, Args args) {
  const int64_t slots = args[1].asInt();
  RX_TRY(heap, context.tensor({slots}, DataType::Int(64)));
  return Value::of(std::move(heap));
}

/// Applies one (code, slot or value) pair to the value of a dimension.
Result<Unit> matchOne(CallContext& context, const Value& heap, int64_t code, int64_t operand, int64_t actual,
                      ShapeMismatch mismatch) {
  mismatch.actual = actual;
  switch (code) {
    case kEqualsImmediate:
      mismatch.expected = operand;
      break;
    case kStore: {
      RX_TRY(slot, heapSlot(heap, operand));
      *slot = actual;
      return Unit{};
    }
    case kSkip:
      return Unit{};
    case kEqualsSlot: {
      RX_TRY(slot, heapSlot(heap, operand));
      mismatch.expected = *slot;
      mismatch.slot = operand;
      break;
    }
    default:
      return badProgram(fmt::format("there is no match code {}", code));
  }
  if (mismatch.expected == actual) return Unit{};
  std::string message = mismatch.axis >= 0
                            ? fmt::format("axis {} has to be {}, it is {}", mismatch.axis, mismatch.expected, actual)
                            : fmt::format("the value has to be {}, it is {}", mismatch.expected, actual);
  return mismatched(context, std::move(mismatch), std::move(message));
}

Result<Value> matchShape(CallContext& context, Args args) {
  const Value& value = args[0];
  const int64_t rank = args[2].asInt();
  if (rank < 0 || static_cast<uint64_t>(rank) > args.size() || args.size() != 4 + 2 * static_cast<size_t>(rank) ||
      !args.back().is(ValueKind::String)) {
    return badProgram("match_shape takes a code and a slot for each dimension, then a text");
  }
  if (!value.is(ValueKind::Tensor) && !value.is(ValueKind::Shape))
    return wrongKind(context, value, "a tensor or shape", args.back());
  const std::vector<int64_t>& dims = value.is(ValueKind::Tensor) ? value.tensor().shape() : value.asShape();
  if (static_cast<int64_t>(dims.size()) != rank) return wrongRank(context, rank, dims, args.back());
  ShapeMismatch mismatch;
  mismatch.context = args.back().asString();
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    RX_TRY(code, intArgument(args[3 + 2 * axis]));
    RX_TRY(operand, intArgument(args[4 + 2 * axis]));
    mismatch.axis = static_cast<int64_t>(axis);
    RX_CHECK(matchOne(context, args[1], code, operand, dims[axis], mismatch));
  }
  return Value();
}

Result<Value> matchPrimValue(CallContext& context, Args args) {
  const ShapeMismatch mismatch{.what = ShapeMismatch::What::Value, .context = args[4].asString()};
  const int64_t actual = args[0].is(ValueKind::Bool) ? args[0].isTrue() : args[0].asInt();
  RX_CHECK(matchOne(context, args[1], args[2].asInt(), args[3].asInt(), actual, mismatch));
  return Value();
}

Result<int64_t> makeOne(const Value& heap, int64_t code, int64_t operand) {
  if (code == kImmediate) return operand;
  if (code != kLoad) return badProgram(fmt::format("there is no make code {}", code));
  RX_TRY(slot, heapSlot(heap, operand));
  return *slot;
}

Result<Value> makeShape(CallContext&, Args args) {
  const int64_t rank = args[1].asInt();
  if (rank < 0 || static_cast<uint64_t>(rank) > args.size() || args.size() != 2 + 2 * static_cast<size_t>(rank)) {
    return badProgram("make_shape takes a code and a slot for each dimension");
  }
  std::vector<int64_t> dims;
  for (size_t axis = 0; axis < static_cast<size_t>(rank); ++axis) {
    RX_TRY(code, intArgument(args[2 + 2 * axis]));
    RX_TRY(operand, intArgument(args[3 + 2 * axis]));
    RX_TRY(dim, makeOne(args[0], code, operand));
    dims.push_back(dim);
  }
  return Value::shape(std::move(dims));
}

Result<Value> makePrimValue(CallContext&, Args args) {
  RX_TRY(value, makeOne(args[0], args[1].asInt(), args[2].asInt()));
  return Value::of(value);
}

/// check_tensor_info(value, ndim[, dtype], text): ndim -1 and dtype void match anything.
Result<Value> checkTensorInfo(CallContext& context, Args args) {
  const Value& text = args.back();
  if (!text.is(ValueKind::String)) return badProgram("check_tensor_info ends in a text");
  if (args.size() == 4 && !args[2].is(ValueKind::Type)) return badProgram("check_tensor_info takes a dtype");
  if (!args[0].is(ValueKind::Tensor)) return wrongKind(context, args[0], "a tensor", text);
  const HostTensor& tensor = args[0].tensor();
  const int64_t rank = args[1].asInt();
  if (rank != -1 && tensor.rank() != rank) return wrongRank(context, rank, tensor.shape(), text);
  if (args.size() == 4 && !args[2].asType().isVoid() && args[2].asType() != tensor.dtype()) {
    const std::string wanted = args[2].asType().str(), given = tensor.dtype().str();
    return mismatched(
        context,
        {.what = ShapeMismatch::What::Type, .expectedText = wanted, .actualText = given, .context = text.asString()},
        fmt::format("elements have to be {}, they are {}", wanted, given));
  }
  return Value();
}

Result<Value> checkShapeInfo(CallContext& context, Args args) {
  if (!args[0].is(ValueKind::Shape)) return wrongKind(context, args[0], "a shape", args[2]);
  const std::vector<int64_t>& dims = args[0].asShape();
  const int64_t rank = args[1].asInt();
  if (rank != -1 && static_cast<int64_t>(dims.size()) != rank) return wrongRank(context, rank, dims, args[2]);
  return Value();
}

Result<Value> checkPrimValueInfo(CallContext& context, Args args) {
  const DataType dtype = args[1].asType();
  const Value& value = args[0];
  const bool right = dtype.isVoid()
                         ? value.is(ValueKind::Int) || value.is(ValueKind::Float) || value.is(ValueKind::Bool)
                     : dtype.isBool()   ? value.is(ValueKind::Bool) || value.is(ValueKind::Int)
                     : dtype.isFloat()  ? value.is(ValueKind::Float)
                     : dtype.isHandle() ? true
                                        : value.is(ValueKind::Int) || value.is(ValueKind::Bool);
  if (right) return Value();
  return wrongKind(context, value, dtype.isVoid() ? "a number" : "a value of type " + dtype.str(), args[2]);
}

Result<Value> checkTupleInfo(CallContext& context, Args args) {
  const int64_t count = args[1].asInt();
  if (args[0].is(ValueKind::Tuple) && static_cast<int64_t>(args[0].asTuple().size()) == count) return Value();
  return wrongKind(context, args[0], fmt::format("a tuple of {}", count), args[2]);
}

Result<Value> checkFuncInfo(CallContext& context, Args args) {
  if (args[0].is(ValueKind::Closure) || args[0].is(ValueKind::Function)) return Value();
  return wrongKind(context, args[0], "a function", args[1]);
}

constexpr uint64_t kHeap = 0b10;
constexpr BuiltinRow kRows[] = {
    {"vm.builtin.alloc_shape_heap", "vi", allocShapeHeap, 0, -1, false, prepareShapeHeap},
    {"vm.builtin.match_shape", "ahi*", matchShape, kHeap, -1, false, prepareMatchShape},
    {"vm.builtin.match_prim_value", "bhiin", matchPrimValue, kHeap, -1, false, prepareMatchPrimValue},
    {"vm.builtin.make_shape", "hi*", makeShape, 0, -1, false, prepareMakeShape},
    {"vm.builtin.make_prim_value", "hii", makePrimValue, 0, -1, false, prepareMakePrimValue},
    {"vm.builtin.check_tensor_info", "aia?a", checkTensorInfo, 0, -1, false, prepareTensorInfo},
    {"vm.builtin.check_shape_info", "ain", checkShapeInfo},
    {"vm.builtin.check_prim_value_info", "adn", checkPrimValueInfo},
    {"vm.builtin.check_tuple_info", "ain", checkTupleInfo},
    {"vm.builtin.check_func_info", "an", checkFuncInfo},
};

}  // namespace

std::span<const BuiltinRow> shapeBuiltins() { return kRows; }

}  // namespace rx::vm
