// Builtins of control and data: copies, tuples, conditions, closures, dynamic kernel calls.
#include "core/runtime/placement.h"
#include "core/runtime/registry.h"
#include "core/tensor/tensor_rows.h"

namespace rx::vm {
namespace {

using Args = Arguments;

Result<Value> copyValue(CallContext&, Args args) { return args[0]; }
Result<Value> nullValue(CallContext&, Args) { return Value(); }
Result<Value> makeTuple(CallContext&, Args args) { return Value::tuple({args.begin(), args.end()}); }

Result<Value> tupleItem(CallContext&, Args args) {
  const auto& items = args[0].asTuple();
  const int64_t index = args[1].asInt();
  if (index < 0 || index >= static_cast<int64_t>(items.size())) {
    return fail("vm.tuple-index", fmt::format("item {} of a tuple of {}", index, items.size()));
  }
  return items[static_cast<size_t>(index)];
}

/// Tuples are immutable here, so dropping an item early is a saving that is not made.
Result<Value> tupleResetItem(CallContext&, Args) { return Value(); }

Result<Value> readIfCond(CallContext&, Args args) {
  const Value& value = args[0];
  if (value.is(ValueKind::Bool) || value.is(ValueKind::Int)) return Value::of(value.isTrue());
  if (value.is(ValueKind::Tensor) && value.tensor().count() == 1 && value.tensor().dtype().isIntegral()) {
    return Value::of(value.tensor().intAt(0) != 0);
  }
  return fail("vm.condition", "a condition has to be one bool or integer, it is " + value.summary());
}

Result<Value> shapeOf(CallContext&, Args args) { return Value::shape(args[0].tensor().shape()); }

Result<Value> tensorToShape(CallContext&, Args args) {
  const HostTensor& tensor = args[0].tensor();
  if (tensor.rank() != 1 || !tensor.dtype().isIntegral()) {
    return fail("vm.shape", "a shape is made from a vector of integers, not from " + args[0].summary());
  }
  std::vector<int64_t> dims;
  for (int64_t i = 0; i < tensor.count(); ++i) dims.push_back(tensor.intAt(i));
  return Value::shape(std::move(dims));
}

/// make_closure(function, captured...): the captured values become the last arguments.
Result<Value> makeClosure(CallContext&, Args args) {
  if (!args[0].is(ValueKind::Closure)) {
    return fail("vm.closure", "a closure is made from a function of the module, not from " + args[0].summary());
  }
  const ClosureObject& base = args[0].asClosure();
  std::vector<Value> captured(args.begin() + 1, args.end());
  captured.insert(captured.end(), base.captured.begin(), base.captured.end());
  return Value::of(make<ClosureObject>(base.function, base.name, std::move(captured)));
}

Result<Value> invoke(CallContext& context, const Value& callee, Args args) {
  if (callee.is(ValueKind::Function)) return callPlaced(callee.asFunction(), context, args);
  context.call = ClosureCall{Ref<ClosureObject>(&callee.asClosure()), {args.begin(), args.end()}};
  return Value();
}

Result<Value> invokeClosure(CallContext& context, Args args) { return invoke(context, args[1], args.subspan(2)); }

/// get_cached_alloc(machine, function, index) and run_or_capture(machine, function, arguments, index[, sizes]), where
/// no device keeps what it is asked for: one step at a time.
Result<Value> runRegion(CallContext& context, Args args) {
  const Value none = Value::tuple({});
  const Value& given = args[2].is(ValueKind::Tuple) ? args[2] : none;
  return invoke(context, args[1], ArgumentsOf(given.asTuple()));
}

/// call_tir_dyn(kernel, tensors..., shape): the dimensions become the last, scalar arguments.
Result<Value> callTirDyn(CallContext& context, Args args) {
  if (args.size() < 2 || !args.back().is(ValueKind::Shape)) {
    return fail("vm.bad-instruction", "call_tir_dyn ends in a shape");
  }
  std::vector<Value> all(args.begin() + 1, args.end() - 1);
  for (int64_t dim : args.back().asShape()) all.push_back(Value::of(dim));
  return invoke(context, args[0], ArgumentsOf(all));
}

/// invoke_debug_func(io effect, name, line, values...): calls a registered function for its effect.
Result<Value> invokeDebugFunc(CallContext& context, Args args) {
  const Ref<Callable> function = context.around.registry ? context.around.registry->find(args[1].asString()) : nullptr;
  if (!function) return fail("vm.missing-function", fmt::format("there is no function \"{}\"", args[1].asString()));
  std::vector<Value> all = {args[2]};
  all.insert(all.end(), args.begin() + 3, args.end());
  RX_CHECK(function->call(context, ArgumentsOf(all)));
  return args[0];
}

Result<Value> typeCode(CallContext&, Args args) { return Value::of(int64_t{args[0].tensor().dtype().dlpackCode()}); }
Result<Value> typeBits(CallContext&, Args args) { return Value::of(int64_t{args[0].tensor().dtype().bits}); }
Result<Value> typeLanes(CallContext&, Args args) { return Value::of(int64_t{args[0].tensor().dtype().lanes}); }
Result<Value> rankOf(CallContext&, Args args) { return Value::of(args[0].tensor().rank()); }
/// The tensor's own pointer is at its first element, so nothing is left to add.
Result<Value> noOffset(CallContext&, Args) { return Value::of(int64_t{0}); }

Result<size_t> axisOf(Args args) {
  const int64_t axis = args[1].asInt();
  if (axis < 0 || axis >= args[0].tensor().rank()) {
    return fail("vm.axis", fmt::format("axis {} of {}", axis, args[0].summary()));
  }
  return static_cast<size_t>(axis);
}

Result<Value> extentOf(CallContext&, Args args) {
  RX_TRY(axis, axisOf(args));
  return Value::of(args[0].tensor().shape()[axis]);
}

Result<Value> strideAlong(CallContext&, Args args) {
  RX_TRY(axis, axisOf(args));
  return Value::of(strideOf(args[0].tensor(), axis));
}

constexpr uint64_t kAll = ~uint64_t{0};
constexpr BuiltinRow kRows[] = {
    {"vm.builtin.copy", "a", copyValue},
    {.name = "vm.builtin.null_value", .signature = "", .run = nullValue, .givesNull = true},
    {"vm.builtin.make_tuple", "*", makeTuple},
    {"vm.builtin.tuple_getitem", "ui", tupleItem},
    {"vm.builtin.tuple_reset_item", "ui", tupleResetItem},
    {"vm.builtin.read_if_cond", "x", readIfCond},
    {"vm.builtin.shape_of", "T", shapeOf},
    {"rx.inspect.tensor_dtype_code", "T", typeCode},
    {"rx.inspect.tensor_dtype_bits", "T", typeBits},
    {"rx.inspect.tensor_dtype_lanes", "T", typeLanes},
    {"rx.inspect.tensor_ndim", "T", rankOf},
    {"rx.inspect.tensor_shape_i", "Ti", extentOf},
    {"rx.inspect.tensor_stride_i", "Ti", strideAlong},
    {"rx.inspect.tensor_byte_offset", "T", noOffset},
    {"rx.inspect.tensor_elem_offset", "T", noOffset},
    {"vm.builtin.tensor_to_shape", "t", tensorToShape},
    {"vm.builtin.make_closure", "a*", makeClosure},
    {"vm.builtin.invoke_closure", "vc*", invokeClosure, kAll, 1},
    {"vm.builtin.call_tir_dyn", "c*", callTirDyn, kAll, 0},
    {"vm.builtin.cuda_graph.get_cached_alloc", "vci", runRegion},
    {"vm.builtin.cuda_graph.run_or_capture", "vcui?s", runRegion},
    {"vm.builtin.invoke_debug_func", "ann+", invokeDebugFunc, kAll},
};

}  // namespace

std::span<const BuiltinRow> dataBuiltins() { return kRows; }

}  // namespace rx::vm
