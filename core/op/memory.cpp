// Allocation, views, and reading of a tensor's own fields.
#include "core/op/families.h"
#include "core/op/rules.h"

namespace rx::op {

namespace {

/// A tensor of the shape and the type that two arguments give.
Inferred allocated(const Call& call, size_t shape, size_t type) {
  RX_CHECK(shapeAt(call, shape));
  const auto* dtype = type < call.args.size() ? as<relax::DataTypeImm>(call.args[type]) : nullptr;
  if (!dtype) return refuse(call, fmt::format("argument '{}' must be a data type", argName(call, type)));
  return make<TensorStructInfo>(call.args[shape], dtype->value);
}

Inferred inferBuiltinAlloc(const Call& call, InferContext&) {
  RX_TRY(result, allocated(call, 0, 1));
  // The device of the tensor is said by sinfo_args alone.
  const auto* given = call.sinfoArgs.size() == 1 ? as<TensorStructInfo>(call.sinfoArgs[0]) : nullptr;
  if (!given || !given->vdevice) return result;
  return make<TensorStructInfo>(call.args[0], as<TensorStructInfo>(result)->dtype, given->vdevice);
}
Inferred inferStorageTensor(const Call& call, InferContext&) { return allocated(call, 2, 3); }

/// The machine's shapes are values of registers: what is known of one that is not written out is its rank.
Inferred inferMachineTensor(const Call& call, InferContext&) {
  RX_TRY(result, allocated(call, 2, 3));
  const auto* shape = as<ShapeStructInfo>(infoAt(call, 2));
  if (isa<relax::ShapeExpr>(call.args[2]) || !shape) return result;
  const DataType type = as<TensorStructInfo>(result)->dtype;
  if (shape->known) return make<TensorStructInfo>(make<relax::ShapeExpr>(shape->values), type);
  return make<TensorStructInfo>(type, shape->ndim);
}

bool isUnset(const Expr& expr) {
  const auto* tuple = as<TupleStructInfo>(expr->sinfo);
  return tuple && tuple->items.empty();
}

/// What is not given is the empty tuple.
Result<Unit> makeView(BoundCall& bound, InferContext&) {
  for (std::string_view param : {"shape", "dtype", "relative_byte_offset"}) {
    if (!bound.get(param)) bound.set(param, make<relax::Tuple>(Array<Expr>(), relax::voidSinfo()));
  }
  return Unit{};
}

/// Bytes of a shape, null where they are not known.
PrimExpr bytesOf(const Array<PrimExpr>* dims, DataType type, InferContext& context) {
  if (!dims || type.isVoid()) return nullptr;
  return simplify(arith::mul(product(*dims), int64(type.bytes())), context);
}

Inferred inferView(const Call& call, InferContext& context) {
  RX_TRY(data, tensorAt(call, 0));
  if (call.args.size() != 4) return refuse(call, fmt::format("4 arguments are needed, {} are given", call.args.size()));
  const bool hasShape = !isUnset(call.args[1]), hasType = !isUnset(call.args[2]), hasOffset = !isUnset(call.args[3]);
  const ShapeStructInfo* target = nullptr;
  if (hasShape) {
    RX_TRY(shape, shapeAt(call, 1));
    target = shape;
  }
  DataType type = data->dtype;
  if (hasType) {
    const Expr value = context.resolve(call.args[2]);
    const auto* given = as<relax::DataTypeImm>(value);
    if (!given && !isa<relax::ObjectStructInfo>(infoAt(call, 2))) {
      return refuse(call, fmt::format("argument 'dtype' must be a data type, but is {}", sinfoText(infoAt(call, 2))));
    }
    type = given ? given->value : DataType::Void();
  }
  PrimExpr offset = hasOffset ? PrimExpr() : int64(0);
  if (hasOffset) {
    RX_TRY(value, primAt(call, 3));
    const auto* prim = as<PrimStructInfo>(infoAt(call, 3));
    if (prim && prim->dtype != DataType::Int(64)) {
      return refuse(call, fmt::format("argument 'relative_byte_offset' must be int64, but is {}", prim->dtype.str()));
    }
    offset = value;
    if (const auto constant = offset ? tir::asInt(offset) : std::nullopt; constant && *constant < 0) {
      return refuse(call, fmt::format("argument 'relative_byte_offset' must not be negative, but is {}", *constant));
    }
  }
  const auto shift = offset ? tir::asInt(offset) : std::nullopt;
  const bool unknownType = type.isVoid() || data->dtype.isVoid();
  const bool shorter = hasShape || (hasType && (unknownType || type.bytes() < data->dtype.bytes()));
  if (shift && *shift > 0 && !shorter) {
    return refuse(call,
                  fmt::format("the view starts at byte {} and is not shorter: it ends outside the tensor", *shift));
  }
  const Array<PrimExpr>* from = dimsOf(*data);
  const Array<PrimExpr>* to = hasShape ? (target->known ? &target->values : nullptr) : from;
  // Of one and the same unknown type the elements count.
  const bool sameType = !hasType && data->dtype.isVoid() && shift && *shift == 0;
  const DataType unit = DataType::Int(8);
  const PrimExpr before = bytesOf(from, sameType ? unit : data->dtype, context);
  const PrimExpr after = bytesOf(to, sameType ? unit : type, context);
  if (before && after) {
    const PrimExpr end = offset ? simplify(arith::add(after, offset), context) : after;
    if (context.analyzer().canProve(arith::gt(end, before))) {
      return refuse(call, fmt::format("the view ends at byte {}, the tensor at {}", primText(end), primText(before)));
    }
    if (!hasShape && !hasOffset && matchValues(before, after, context) == Match::Different) {
      return refuse(call, fmt::format("the view has {} bytes, the tensor {}", primText(after), primText(before)));
    }
  }
  if (hasShape) return make<TensorStructInfo>(call.args[1], type, data->vdevice);
  return withType(infoAt(call, 0), *data, type);
}

Inferred inferExtent(const Call& call, InferContext&) {
  RX_TRY(data, tensorAt(call, 0));
  RX_TRY(axis, primAt(call, 1));
  const auto index = axis ? tir::asInt(axis) : std::nullopt;
  if (index && (*index < 0 || (knownRank(*data) && *index >= data->ndim))) {
    return refuse(call, fmt::format("axis {} is out of range for {} dimensions", *index, data->ndim));
  }
  const Array<PrimExpr>* dims = dimsOf(*data);
  if (index && dims) return make<PrimStructInfo>((*dims)[static_cast<size_t>(*index)]);
  return make<PrimStructInfo>(DataType::Int(64));
}

Inferred inferStride(const Call& call, InferContext&) {
  RX_TRY(data, tensorAt(call, 0));
  RX_TRY(axis, primAt(call, 1));
  const auto index = axis ? tir::asInt(axis) : std::nullopt;
  if (index && (*index < 0 || (knownRank(*data) && *index >= data->ndim))) {
    return refuse(call, fmt::format("axis {} is out of range for {} dimensions", *index, data->ndim));
  }
  return make<PrimStructInfo>(DataType::Int(64));
}

template <TypeCode Code, uint8_t Bits>
Inferred inferField(const Call& call, InferContext&) {
  RX_CHECK(tensorAt(call, 0));
  return make<PrimStructInfo>(DataType{Code, Bits, 1});
}

constexpr OpSpec kRows[] = {
    {"relax.builtin.alloc_tensor",
     "shape: shape, dtype: dtypearg, runtime_device_index: prim, storage_scope: strarg = 'global'", inferBuiltinAlloc,
     "A new tensor."},
    {"relax.memory.alloc_storage", "size: shape, virtual_device_index: prim, storage_scope: strarg, dtype: dtypearg",
     inferObject, "Bytes to plan in."},
    {"relax.memory.alloc_tensor",
     "storage: expr, offset: prim, shape: shape, dtype: dtypearg, runtime_device_ind: prim = 0", inferStorageTensor,
     "A tensor in a storage."},
    {"relax.memory.kill_storage", "storage: expr", inferVoid, "End of a storage's life.", nullptr, kImpure},
    {"relax.memory.kill_tensor", "tensor: expr", inferVoid, "End of a tensor's life.", nullptr, kImpure},
    {"relax.memory.view", "data: expr, shape: shape?, dtype: dtypearg?, relative_byte_offset: prim?", inferView,
     "The bytes of a tensor seen with another shape or type.", makeView},
    {"relax.memory.ensure_zero_offset", "data: expr", inferFirstArg,
     "The tensor, copied when it starts inside a storage."},
    {"relax.vm.alloc_storage",
     "shape: shape, runtime_device_index: prim, dtype: dtypearg, storage_scope: strarg = 'global'", inferObject,
     "Bytes allocated by the machine."},
    {"relax.vm.alloc_tensor",
     "storage: expr, offset: prim, shape: shape, dtype: dtypearg, runtime_device_ind: prim = 0", inferMachineTensor,
     "A tensor in a storage of the machine."},
    {"relax.vm.kill_object", "obj: expr", inferVoid, "Sets a register to null.", nullptr, kImpure},
    {"relax.vm.call_tir_dyn", "func: expr, args: tuple", inferVoid, "A call of a PrimFunc with shape values.", nullptr,
     kImpure | kCallsFunction},
    {"relax.inspect.tensor_stride_i", "tensor: expr, axis: prim", inferStride, "A stride, in elements.", nullptr,
     kNormalizes},
    {"relax.inspect.tensor_shape_i", "tensor: expr, axis: prim", inferExtent, "A dimension.", nullptr, kNormalizes},
    {"relax.inspect.tensor_dtype_code", "tensor: expr", inferField<TypeCode::UInt, 8>, "Number of the type's kind.",
     nullptr, kNormalizes},
    {"relax.inspect.tensor_dtype_bits", "tensor: expr", inferField<TypeCode::UInt, 8>, "Bits of an element.", nullptr,
     kNormalizes},
    {"relax.inspect.tensor_dtype_lanes", "tensor: expr", inferField<TypeCode::UInt, 16>, "Lanes of an element.",
     nullptr, kNormalizes},
    {"relax.inspect.tensor_ndim", "tensor: expr", inferField<TypeCode::Int, 32>, "The number of dimensions.", nullptr,
     kNormalizes},
    {"relax.inspect.tensor_byte_offset", "tensor: expr", inferField<TypeCode::UInt, 64>,
     "Bytes from the start of the storage.", nullptr, kNormalizes},
    {"relax.inspect.tensor_elem_offset", "tensor: expr", inferField<TypeCode::UInt, 64>,
     "Elements from the start of the storage.", nullptr, kNormalizes},
};

}  // namespace

std::span<const OpSpec> memoryOps() { return kRows; }

}  // namespace rx::op
