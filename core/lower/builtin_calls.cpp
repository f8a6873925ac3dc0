// The calls of BuiltinLowering: arguments of packed functions become stores to the stack of their frame.
#include <fmt/format.h>

#include <algorithm>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/builtin_lowering.h"
#include "core/target/device_kinds.h"

namespace rx::lower {

using namespace tir;

namespace {

/// What a value is passed as: integers and truth values as int64, floats as float64; nothing for what cannot be passed.
std::optional<std::pair<DataType, AnyType>> passedAs(DataType type) {
  if (type.lanes != 1) return std::nullopt;
  if (type.isIntegral()) return std::pair(DataType::Int(64), AnyType::Int);
  if (type.code == TypeCode::Float) return std::pair(DataType::Float(64), AnyType::Float);
  return std::nullopt;
}

bool isArrayAddress(const PrimExpr& expr) {
  const auto* call = asCallOf(expr, "tvm_struct_get");
  return call && asInt(call->args[2]) == static_cast<int64_t>(StructField::TensorAddress);
}

}  // namespace

/// How a call is lowered. `becomes` is the name that the rule needs: of the lowered call, or of the device's method.
struct BuiltinLowering::CallRule {
  std::string_view name;
  PrimExpr (BuiltinLowering::*run)(const tir::Call&, const CallRule&);
  std::string_view becomes = {};
};

const BuiltinLowering::CallRule BuiltinLowering::kCallRules[] = {
    {"anylist_setitem_call_cpacked", &BuiltinLowering::listCall, "tvm_call_cpacked_lowered"},
    {"anylist_setitem_call_packed", &BuiltinLowering::listCall, "tvm_call_packed_lowered"},
    {"dma_copy", &BuiltinLowering::deviceCall, "dma_copy"},
    {"dma_end_group", &BuiltinLowering::deviceCall, "dma_end_group"},
    {"dma_start_group", &BuiltinLowering::deviceCall, "dma_start_group"},
    {"dma_wait", &BuiltinLowering::deviceCall, "dma_wait"},
    {"tvm_call_cpacked", &BuiltinLowering::packedCall, "tvm_call_cpacked_lowered"},
    {"tvm_call_packed", &BuiltinLowering::packedCall, "tvm_call_packed_lowered"},
    {"tvm_call_trace_packed", &BuiltinLowering::packedCall, "tvm_call_trace_packed_lowered"},
    {"tvm_context_id", &BuiltinLowering::contextId},
    {"tvm_stack_make_array", &BuiltinLowering::makeArray},
    {"tvm_stack_make_shape", &BuiltinLowering::makeShape},
};

NodeRef BuiltinLowering::enter(const NodeRef& node) {
  const op::TirIntrinsic* row = calledIntrinsic(node);
  if (!row) return nullptr;
  auto rule = std::find_if(std::begin(kCallRules), std::end(kCallRules),
                           [&](const CallRule& one) { return one.name == row->name; });
  if (rule == std::end(kCallRules)) return nullptr;
  return (this->*rule->run)(*as<tir::Call>(node), *rule);
}

PrimExpr BuiltinLowering::contextId(const tir::Call& call, const CallRule&) { return intImm(0, call.dtype); }

PrimExpr BuiltinLowering::deviceMethod(std::string_view method) {
  const auto type = device_.type ? asInt(device_.type) : std::nullopt;
  const std::string_view device = type ? target::deviceTypeName(*type) : std::string_view();
  if (device.empty()) {
    refuse("lower.no-device", fmt::format("the call of {} needs a constant device type around it", method));
    return make<StringImm>(Str(method));
  }
  return make<StringImm>(Str(fmt::format("device_api.{}.{}", device, method)));
}

PrimExpr BuiltinLowering::deviceCall(const tir::Call& call, const CallRule& rule) {
  std::vector<PrimExpr> args{deviceMethod(rule.becomes)};
  args.insert(args.end(), call.args.begin(), call.args.end());
  return rewrite(intrinsic(DataType::Int(32), "tvm_call_packed", Array<PrimExpr>(std::move(args))));
}

PrimExpr BuiltinLowering::packedCall(const tir::Call& call, const CallRule& rule) {
  return packed(call, 0, rule.becomes, call.args.size() > 0 && asCallOf(NodeRef(&call), "tvm_call_trace_packed"));
}

/// Calls, then moves the result from the stack to an element of a list.
PrimExpr BuiltinLowering::listCall(const tir::Call& call, const CallRule& rule) {
  PrimExpr made = packed(call, 2, rule.becomes, false);
  const auto* lowered = as<tir::Call>(made);
  prepared().push_back(make<Evaluate>(made));
  return intrinsic(DataType::Int(32), "TVMBackendAnyListMoveFromPackedReturn",
                   {call.args[0], call.args[1], lowered->args[1], lowered->args[3]});
}

/// The call on the stack: its arguments behind one another, then a slot for the result, set to None. `nameAt` is where
/// the function's name stands among the arguments; `traced` passes the last argument on too.
PrimExpr BuiltinLowering::packed(const tir::Call& call, size_t nameAt, std::string_view becomes, bool traced) {
  if (call.args.size() <= nameAt) {
    refuse("lower.packed-call", "a packed call needs the name of its function", call.span);
    return PrimExpr(&call);
  }
  const StackSizes before = frame().running;
  const auto count = static_cast<int64_t>(call.args.size() - nameAt - 1);
  frame().running.values += count + 1;
  const Array<PrimExpr> args = rewrite(call.args);
  for (int64_t i = 0; i < count; ++i) {
    setArgument(args[nameAt + 1 + static_cast<size_t>(i)], before.values + i);
  }
  const VarRef& values = frame().values;
  prepared().push_back(structSet(values, count, StructField::AnyTypeIndex, int32(static_cast<int64_t>(AnyType::None))));
  prepared().push_back(structSet(values, count, StructField::AnyZeroPadding, int32(0)));
  prepared().push_back(structSet(values, count, StructField::AnyValue, intImm(0)));
  StackSizes& most = frame().most;
  const StackSizes& now = frame().running;
  if (measuring_) {
    most = {std::max(most.shapes, now.shapes), std::max(most.arrays, now.arrays), std::max(most.values, now.values)};
  }
  frame().running = before;
  std::vector<PrimExpr> lowered{args[nameAt], values, int32(before.values), int32(before.values + count)};
  if (traced) lowered.push_back(args.back());
  return intrinsic(call.dtype, becomes, Array<PrimExpr>(std::move(lowered)));
}

void BuiltinLowering::setArgument(PrimExpr argument, int64_t slot) {
  const VarRef& values = frame().values;
  if (const auto* item = asCallOf(argument, "anylist_getitem")) {
    prepared().push_back(effect("TVMBackendAnyListSetPackedArg", {item->args[0], item->args[1], values, int32(slot)}));
    return;
  }
  auto type = AnyType::OpaquePointer;
  if (isa<StringImm>(argument)) {
    type = AnyType::RawText;
  } else if (argument->dtype.isHandle()) {
    if (isArrayAddress(argument)) type = AnyType::DLTensorPointer;
  } else if (auto passed = passedAs(argument->dtype)) {
    type = passed->second;
    if (argument->dtype != passed->first) argument = make<tir::Cast>(passed->first, argument);
  } else {
    return refuse("lower.packed-call",
                  fmt::format("a {} can not be passed to a packed function", argument->dtype.str()), argument->span);
  }
  auto setType = [&](AnyType index) {
    return structSet(values, slot, StructField::AnyTypeIndex, int32(static_cast<int64_t>(index)));
  };
  prepared().push_back(type == AnyType::OpaquePointer
                           ? make<IfThenElse>(intrinsic(DataType::Bool(), "isnullptr", {argument}),
                                              setType(AnyType::None), setType(type))
                           : setType(type));
  prepared().push_back(structSet(values, slot, StructField::AnyZeroPadding, int32(0)));
  prepared().push_back(structSet(values, slot, StructField::AnyValue, argument));
}

PrimExpr BuiltinLowering::makeShape(const tir::Call& call, const CallRule&) {
  int64_t& used = frame().running.shapes;
  used = std::max<int64_t>(used, 0);
  const int64_t begin = used;
  used += static_cast<int64_t>(call.args.size());
  const Array<PrimExpr> dims = rewrite(call.args);
  const BufferRef& shapes = frame().shapes;
  for (size_t i = 0; i < dims.size(); ++i) {
    prepared().push_back(make<BufferStore>(shapes, arith::cast(DataType::Int(64), dims[i]),
                                           Array<PrimExpr>{int32(begin + static_cast<int64_t>(i))}));
  }
  // The address is that of an element of a view which ends with it.
  auto* view = new Buffer(*shapes);
  view->shape = {int32(begin + 1)};
  PrimExpr first = make<BufferLoad>(BufferRef(view), Array<PrimExpr>{int32(begin)}, shapes->dtype);
  return intrinsic(DataType::Handle(), "address_of", {first});
}

/// Fills a DLTensor: data, shape, strides, rank, element (whose type counts), offset in elements.
PrimExpr BuiltinLowering::makeArray(const tir::Call& call, const CallRule&) {
  if (call.args.size() != 6) {
    refuse("lower.packed-call", "tvm_stack_make_array takes six arguments", call.span);
    return PrimExpr(&call);
  }
  const int64_t index = frame().running.arrays++;
  const Array<PrimExpr> args = rewrite(call.args);
  if (!needsDevice(nullptr)) return PrimExpr(&call);
  const VarRef& arrays = frame().arrays;
  auto set = [&](StructField field, PrimExpr value) {
    prepared().push_back(structSet(arrays, index, field, std::move(value)));
  };
  const DataType element = args[4]->dtype;
  PrimExpr strides = args[2];
  if (asInt(strides) == 0) strides = intrinsic(DataType::Handle(), "reinterpret", {intImm(0, DataType::UInt(64))});
  PrimExpr offset = args[5];
  if (asInt(offset) != 0) offset = arith::mul(offset, intImm(element.bytes(), offset->dtype));
  set(StructField::TensorData, args[0]);
  set(StructField::TensorShape, args[1]);
  set(StructField::TensorStrides, strides);
  set(StructField::TensorRank, args[3]);
  set(StructField::TensorTypeCode, intImm(element.dlpackCode(), DataType::UInt(8)));
  set(StructField::TensorTypeBits, intImm(element.bits, DataType::UInt(8)));
  set(StructField::TensorTypeLanes, intImm(element.lanes, DataType::UInt(16)));
  set(StructField::TensorByteOffset, arith::cast(DataType::UInt(64), offset));
  set(StructField::TensorDeviceId, arith::cast(DataType::Int(32), device_.id));
  set(StructField::TensorDeviceType, arith::cast(DataType::Int(32), device_.type));
  return structGet(DataType::Handle(), arrays, index, StructField::TensorAddress);
}

}  // namespace rx::lower
