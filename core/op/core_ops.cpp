// Calls of functions of other kinds, closures, shapes, printing, devices.
#include "core/op/families.h"
#include "core/op/lattice.h"
#include "core/op/rules.h"

namespace rx::op {

namespace {

Inferred inferTensorArg(const Call& call, InferContext&) {
  RX_CHECK(tensorAt(call, 0));
  return infoAt(call, 0);
}

Inferred inferDeclared(const Call& call, InferContext&) {
  if (call.sinfoArgs.size() != 1) return refuse(call, "exactly one out_sinfo is needed");
  return call.sinfoArgs[0];
}

Inferred inferCallTir(const Call& call, InferContext& context) {
  if (call.args.empty() || !isa<relax::GlobalVar>(call.args[0])) {
    return refuse(call, "the first argument must be a function of the module");
  }
  return inferDeclared(call, context);
}

/// Arguments of call_tir: a lone tensor is a tuple of one.
Result<Unit> makeCallTirArgs(BoundCall& bound, InferContext&) {
  const NodeRef args = bound.get("args");
  auto expr = refAs<relax::ExprNode>(args);
  if (!expr || isa<relax::Tuple>(expr)) return Unit{};
  const bool tuple = isa<TupleStructInfo>(expr->sinfo) || isa<relax::ObjectStructInfo>(expr->sinfo) || !expr->sinfo;
  if (!tuple || isa<relax::PrimValue>(expr) || isa<relax::ShapeExpr>(expr) || isa<relax::Constant>(expr)) {
    bound.set("args", make<relax::Tuple>(Array<Expr>{expr}));
  }
  return Unit{};
}

Inferred inferBuiltin(const Call& call, InferContext&) { return statedResult(call, relax::voidSinfo()); }
Inferred inferClosure(const Call& call, InferContext&) { return statedResult(call, relax::objectSinfo()); }

Inferred inferPurePacked(const Call& call, InferContext& context) {
  if (call.args.empty()) return refuse(call, "a function to call is needed");
  const auto* func = as<relax::FuncStructInfo>(infoAt(call, 0));
  if (!func) {
    return refuse(call, fmt::format("argument 'func' must be a function, but is {}", sinfoText(infoAt(call, 0))));
  }
  if (func->paramsKnown) {
    return deriveCallResult(*func, call.args.span().subspan(1), call, context);
  }
  return statedResult(call, func->ret);
}

Inferred inferInplacePacked(const Call& call, InferContext& context) {
  const std::vector<int64_t> indices = ints(call, "inplace_indices");
  if (indices.empty()) return refuse(call, "at least one in-place index is needed");
  std::vector<int64_t> seen;
  for (int64_t index : indices) {
    if (index < -1 || index + 1 >= static_cast<int64_t>(call.args.size())) {
      return refuse(call,
                    fmt::format("in-place index {} is out of range for {} arguments", index, call.args.size() - 1));
    }
    if (index == -1) continue;
    if (std::find(seen.begin(), seen.end(), index) != seen.end()) {
      return refuse(call, fmt::format("in-place index {} is given twice", index));
    }
    seen.push_back(index);
  }
  if (seen.empty()) return refuse(call, "at least one in-place index must name an argument");
  return inferPurePacked(call, context);
}

Inferred inferShapeOf(const Call& call, InferContext&) {
  RX_TRY(data, tensorAt(call, 0));
  if (const auto* shape = as<ShapeExpr>(data->shape)) return shape->sinfo;
  if (const Array<PrimExpr>* dims = valuesOf(*data)) return make<ShapeStructInfo>(*dims);
  return make<ShapeStructInfo>(data->ndim);
}

Inferred inferSize(const Call& call, InferContext&) {
  RX_TRY(data, tensorAt(call, 0));
  return tensor({}, DataType::Int(64), data->vdevice);
}

Inferred inferTensorToShape(const Call& call, InferContext&) {
  RX_TRY(data, tensorAt(call, 0));
  if (data->ndim != 1) return refuse(call, "the argument must have 1 dimension");
  const Array<PrimExpr>* dims = dimsOf(*data);
  const auto length = dims ? tir::asInt((*dims)[0]) : std::nullopt;
  return make<ShapeStructInfo>(length ? *length : kUnknownDim);
}

Inferred inferShapeToTensor(const Call& call, InferContext&) {
  RX_TRY(shape, shapeAt(call, 0));
  return tensor({int64(shape->ndim)}, DataType::Int(64), nullptr);
}

Inferred inferAssert(const Call& call, InferContext&) {
  if (call.args.empty()) return refuse(call, "a condition is needed");
  const StructInfo& info = infoAt(call, 0);
  if (const auto* prim = as<PrimStructInfo>(info)) {
    if (!prim->dtype.isBool())
      return refuse(call, fmt::format("the condition must be bool, but is {}", prim->dtype.str()));
  } else {
    const auto* data = as<TensorStructInfo>(info);
    if (!data || (!data->dtype.isVoid() && !data->dtype.isBool()) || (knownRank(*data) && data->ndim != 0)) {
      return refuse(call, fmt::format("the condition must be a bool scalar, but is {}", sinfoText(info)));
    }
  }
  if (call.args.size() > 1 && !isa<relax::StringImm>(call.args[1])) return refuse(call, "the format must be a string");
  return relax::voidSinfo();
}

Inferred inferToDevice(const Call& call, InferContext&) {
  RX_TRY(data, tensorAt(call, 0));
  auto device = refAs<ir::VDevice>(attr(call, "dst_vdevice"));
  if (!device) return infoAt(call, 0);
  return withType(infoAt(call, 0), *data, data->dtype, device);
}

Result<Unit> makeHint(BoundCall& bound, InferContext&) {
  const auto* device = as<ir::DictAttrs>(bound.get("dst_vdevice"));
  if (!device) return Unit{};
  for (std::string_view key : {"device_type", "index"}) {
    if (NodeRef value = device->get(key)) bound.set(key, value);
  }
  return Unit{};
}

Inferred inferHint(const Call& call, InferContext&) {
  RX_CHECK(tensorAt(call, 0));
  return infoAt(call, 0);
}

constexpr OpSpec kRows[] = {
    {"relax.call_tir", "gvar: expr, args: tuple, out_sinfo: sinfo, tir_vars: shape?", inferCallTir,
     "A call of a PrimFunc that writes its results into new tensors.", makeCallTirArgs, kCallsFunction | kNormalizes},
    {"relax.call_tir_with_grad",
     "gvar: expr, args: tuple, out_sinfo: sinfo, te_grad_name: str, te_grad_kwargs: attr? = None, tir_vars: shape?",
     inferCallTir, "call_tir with the name of its gradient.", makeCallTirArgs, kCallsFunction | kNormalizes},
    {"relax.call_tir_inplace", "gvar: expr, args: tuple, inplace_indices: ints, out_sinfo: sinfo, tir_vars: shape?",
     inferCallTir, "call_tir whose results may overwrite arguments.", makeCallTirArgs, kCallsFunction | kNormalizes},
    {"relax.call_dps_packed", "func: func, args: tuple, out_sinfo: sinfo", inferDeclared,
     "A call of a packed function that writes its results into new tensors.", makeCallTirArgs, kCallsFunction},
    {"relax.call_py_func", "func_name: strarg, args: tuple, out_sinfo: sinfo", inferDeclared,
     "A call of a Python function.", makeCallTirArgs},
    {"relax.call_builtin_with_ctx", "func: func, args: tuple, sinfo_args: sinfos?", inferBuiltin,
     "A call of a builtin that gets the machine as its first argument.", makeCallTirArgs, kImpure | kCallsFunction},
    {"relax.call_pure_packed", "func: func, *args: expr, sinfo_args: sinfos?", inferPurePacked,
     "A call of a packed function that is known to be pure.", nullptr, kCallsFunction},
    {"relax.call_inplace_packed", "func: func, *args: expr, inplace_indices: ints, sinfo_args: sinfos?",
     inferInplacePacked, "A call of a packed function that overwrites arguments.", nullptr, kCallsFunction},
    {"relax.make_closure", "func: expr, args: tuple", inferObject, "A function with captured values.", nullptr,
     kCallsFunction},
    {"relax.invoke_closure", "closure: expr, args: tuple, sinfo_args: sinfos?", inferClosure, "A call of a closure.",
     nullptr, kImpure},
    {"relax.invoke_pure_closure", "closure: expr, args: tuple, sinfo_args: sinfos?", inferClosure,
     "A call of a closure that is known to be pure."},
    {"relax.null_value", "", inferObject, "The null object."},
    {"relax.shape_of", "expr: expr", inferShapeOf, "The shape of a tensor."},
    {"relax.size", "x: expr", inferSize, "The number of elements."},
    {"relax.tensor_to_shape", "expr: expr", inferTensorToShape, "The elements of a tensor as a shape."},
    {"relax.shape_to_tensor", "expr: expr", inferShapeToTensor, "A shape as a tensor."},
    {"relax.print", "*values: expr, format: strarg = ''", inferVoid, "Prints values.", nullptr, kImpure, "",
     "format values"},
    {"relax.assert_op", "condition: expr, *format_args: expr, format: strarg = ''", inferAssert,
     "Ends the run with a message unless the condition holds.", nullptr, kImpure, "", "condition format format_args"},
    {"relax.to_vdevice", "data: expr, dst_vdevice: attr", inferToDevice, "A copy on another device."},
    {"relax.hint_on_device",
     "data: expr, dst_vdevice: attr? = None, memory_scope: str = 'global', device_type: int = 1, index: int = 0",
     inferHint, "Where a tensor should be.", makeHint, kPure, "device_type index memory_scope"},
    {"relax.builtin.stop_lift_params", "x: expr", inferTensorArg, "What is above can be computed once for all runs."},
};

}  // namespace

std::span<const OpSpec> coreOps() { return kRows; }

}  // namespace rx::op
