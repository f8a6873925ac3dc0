// Operators of Relax that are no computations on tensors: calls, memory, shapes, checks.
#include <fmt/format.h>

#include "core/interpret/relax_runner.h"
#include "core/interpret/values.h"
#include "core/ir/all_nodes.h"

namespace rx::interpret {

using namespace relax;

namespace {

using Args = std::vector<Value>;

std::vector<Value> itemsOf(const Value& value) {
  const auto* tuple = tupleIn(value);
  return tuple ? *tuple : std::vector<Value>{value};
}

Result<Ref<HostTensor>> tensorOf(const Value& value, std::string_view what) {
  if (value.is(vm::ValueKind::Tensor)) return value.asTensor();
  return fail("interpret.argument", fmt::format("{}: a tensor is needed and there is {}", what, value.summary()));
}
Result<std::vector<int64_t>> shapeOf(const Value& value, std::string_view what) {
  if (const auto* shape = shapeIn(value)) return *shape;
  return fail("interpret.argument", fmt::format("{}: a shape is needed and there is {}", what, value.summary()));
}
Result<int64_t> intOf(const Value& value, std::string_view what) {
  if (const auto i = intIn(value)) return *i;
  return fail("interpret.argument", fmt::format("{}: an integer is needed and there is {}", what, value.summary()));
}
Result<DataType> typeOf(const Value& value, std::string_view what) {
  if (const auto type = typeIn(value)) return *type;
  return fail("interpret.argument", fmt::format("{}: a type is needed and there is {}", what, value.summary()));
}

StructInfo outInfo(const Call& call) { return call.sinfoArgs.empty() ? call.sinfo : call.sinfoArgs[0]; }

Result<Unit> appendScalars(const Args& args, size_t at, std::vector<Value>& out) {
  if (args.size() <= at) return Unit{};
  RX_TRY(values, shapeOf(args[at], "tir_vars"));
  for (int64_t v : values) out.push_back(Value::of(v));
  return Unit{};
}

Result<const tir::PrimFunc*> kernelOf(RelaxRunner& r, const Call& call) {
  ir::BaseFunc function = r.functionOf(call.args[0]);
  if (const auto* kernel = as<tir::PrimFunc>(function)) return kernel;
  return fail("interpret.undefined", "call_tir: the first argument is no PrimFunc of the module");
}

Result<Value> callTir(RelaxRunner& r, const Call& call, Args args, const Env& env) {
  RX_TRY(kernel, kernelOf(r, call));
  RX_TRY(out, r.allocate(outInfo(call), env));
  std::vector<Value> all = itemsOf(args[1]);
  for (const Value& each : itemsOf(out)) all.push_back(each);
  RX_CHECK(appendScalars(args, 2, all));
  RX_CHECK(r.runKernel(*kernel, all));
  return out;
}

Result<Value> callTirInplace(RelaxRunner& r, const Call& call, Args args, const Env& env) {
  RX_TRY(kernel, kernelOf(r, call));
  std::vector<Value> all = itemsOf(args[1]), outs;
  std::vector<Value> fresh;
  StructInfo info = outInfo(call);
  const auto* tuple = as<TupleStructInfo>(info);
  const auto* indices = as<ir::ArrayAttr>(ir::attrOf(call.attrs, "inplace_indices"));
  size_t count = tuple ? tuple->items.size() : 1;
  for (size_t i = 0; i < count; ++i) {
    int64_t at = -1;
    if (indices && i < indices->items.size()) {
      if (const auto* one = as<ir::IntAttr>(indices->items[i])) at = one->value;
      if (const auto* imm = as<tir::IntImm>(indices->items[i])) at = imm->value;
    }
    if (at >= 0 && static_cast<size_t>(at) < all.size()) {
      // What was there before stays visible to nobody: the caller gave the argument away.
      RX_TRY(tensor, tensorOf(all[static_cast<size_t>(at)], "call_tir_inplace"));
      if (!tensor->storage()->writable()) {
        RX_TRY(copy, tensor->copy());
        all[static_cast<size_t>(at)] = Value::of(copy);
      }
      outs.push_back(all[static_cast<size_t>(at)]);
    } else {
      RX_TRY(out, r.allocate(tuple ? tuple->items[i] : info, env));
      fresh.push_back(out);
      outs.push_back(out);
    }
  }
  all.insert(all.end(), fresh.begin(), fresh.end());
  RX_CHECK(appendScalars(args, 2, all));
  RX_CHECK(r.runKernel(*kernel, all));
  return tuple ? Value::tuple(std::move(outs)) : outs.front();
}

Result<Value> callDpsPacked(RelaxRunner& r, const Call& call, Args args, const Env& env) {
  RX_TRY(out, r.allocate(outInfo(call), env));
  std::vector<Value> all = itemsOf(args[1]);
  for (const Value& each : itemsOf(out)) all.push_back(each);
  RX_CHECK(r.apply(args[0], std::move(all)));
  return out;
}

Result<Value> callPurePacked(RelaxRunner& r, const Call&, Args args, const Env&) {
  Value callee = args.front();
  args.erase(args.begin());
  return r.apply(callee, std::move(args));
}

Result<Value> callTirDyn(RelaxRunner& r, const Call& call, Args args, const Env&) {
  RX_TRY(kernel, kernelOf(r, call));
  std::vector<Value> all;
  for (const Value& each : itemsOf(args[1])) {
    if (const auto* dims = shapeIn(each)) {
      for (int64_t d : *dims) all.push_back(Value::of(d));
    } else {
      all.push_back(each);
    }
  }
  return r.runKernel(*kernel, all);
}

Result<Value> makeClosure(RelaxRunner&, const Call&, Args args, const Env&) {
  const FunctionValue* function = functionIn(args[0]);
  if (!function) return fail("interpret.argument", "make_closure: the first argument is no function");
  auto* closure = new FunctionValue(*function);
  Ref<FunctionValue> held(closure);
  closure->captured = itemsOf(args[1]);
  return Value::opaque(held);
}

Result<Value> invokeClosure(RelaxRunner& r, const Call&, Args args, const Env&) {
  return r.apply(args[0], itemsOf(args[1]));
}

Result<Value> allocTensor(RelaxRunner& r, const Call&, Args args, const Env&) {
  RX_TRY(shape, shapeOf(args[0], "alloc_tensor"));
  RX_TRY(type, typeOf(args[1], "alloc_tensor"));
  RX_TRY(tensor, r.newTensor(std::move(shape), type));
  return Value::of(tensor);
}

Result<Value> allocStorage(RelaxRunner& r, const Call&, Args args, const Env&) {
  RX_TRY(shape, shapeOf(args[0], "alloc_storage"));
  int64_t bytes = 0;
  auto count = elementCount(shape);
  // The size is in bytes; the type of the first argument that is one only says how it is aligned.
  if (!count) return fail("interpret.memory", "alloc_storage: the size overflows");
  bytes = *count;
  RX_TRY(storage, r.newStorage(bytes));
  return Value::of(storage);
}

Result<Value> tensorFromStorage(RelaxRunner&, const Call&, Args args, const Env&) {
  if (!args[0].is(vm::ValueKind::Storage))
    return fail("interpret.argument", "alloc_tensor: the first argument is no storage");
  RX_TRY(offset, intOf(args[1], "alloc_tensor"));
  RX_TRY(shape, shapeOf(args[2], "alloc_tensor"));
  RX_TRY(type, typeOf(args[3], "alloc_tensor"));
  RX_TRY(tensor, HostTensor::view(args[0].asStorage(), offset, std::move(shape), type));
  return Value::of(tensor);
}

Result<Value> nothing(RelaxRunner&, const Call&, Args, const Env&) { return Value(); }
Result<Value> firstArgument(RelaxRunner&, const Call&, Args args, const Env&) { return args.front(); }

Result<Value> shapeOfTensor(RelaxRunner&, const Call&, Args args, const Env&) {
  RX_TRY(tensor, tensorOf(args[0], "shape_of"));
  return Value::shape(tensor->shape());
}
Result<Value> tensorToShape(RelaxRunner&, const Call&, Args args, const Env&) {
  RX_TRY(tensor, tensorOf(args[0], "tensor_to_shape"));
  if (tensor->rank() != 1 || !tensor->dtype().isIntegral()) {
    return fail("interpret.argument",
                "tensor_to_shape: a list of integers is needed and there is " + args[0].summary());
  }
  std::vector<int64_t> dims;
  for (int64_t i = 0; i < tensor->count(); ++i) dims.push_back(tensor->intAt(i));
  return Value::shape(std::move(dims));
}
Result<Value> shapeToTensor(RelaxRunner&, const Call&, Args args, const Env&) {
  RX_TRY(dims, shapeOf(args[0], "shape_to_tensor"));
  RX_TRY(tensor, HostTensor::fromInts({static_cast<int64_t>(dims.size())}, DataType::Int(64), dims));
  return Value::of(tensor);
}
Result<Value> sizeOf(RelaxRunner&, const Call&, Args args, const Env&) {
  RX_TRY(tensor, tensorOf(args[0], "size"));
  return Value::of(HostTensor::scalarInt(DataType::Int(64), tensor->count()));
}
Result<Value> viewOf(RelaxRunner&, const Call&, Args args, const Env&) {
  RX_TRY(tensor, tensorOf(args[0], "view"));
  std::vector<int64_t> shape = tensor->shape();
  if (args.size() > 1) {
    if (const auto* given = shapeIn(args[1])) shape = *given;
  }
  DataType type = tensor->dtype();
  if (args.size() > 2) {
    if (const auto given = typeIn(args[2])) type = *given;
  }
  int64_t offset = tensor->byteOffset();
  if (args.size() > 3) {
    if (const auto given = intIn(args[3])) offset += *given;
  }
  RX_TRY(view, HostTensor::view(tensor->storage(), offset, std::move(shape), type));
  return Value::of(view);
}
Result<Value> assertOp(RelaxRunner&, const Call&, Args args, const Env&) {
  bool holds = false;
  if (const auto b = boolIn(args[0])) holds = *b;
  if (const HostTensor* t = tensorIn(args[0]); t && t->count() == 1) holds = t->at(0) != 0;
  if (holds) return Value();
  std::string text = "Assertion Failed";
  if (args.size() > 1) {
    if (args[1].is(vm::ValueKind::String) && !args[1].asString().empty()) text = args[1].asString();
  }
  return fail("interpret.assert", text);
}

struct Row {
  std::string_view name;
  OperatorFn run;
};
constexpr Row kRows[] = {
    {"relax.call_tir", callTir},
    {"relax.call_tir_with_grad", callTir},
    {"relax.call_tir_inplace", callTirInplace},
    {"relax.call_dps_packed", callDpsPacked},
    {"relax.call_pure_packed", callPurePacked},
    {"relax.call_inplace_packed", callPurePacked},
    {"relax.vm.call_tir_dyn", callTirDyn},
    {"relax.make_closure", makeClosure},
    {"relax.invoke_closure", invokeClosure},
    {"relax.invoke_pure_closure", invokeClosure},
    {"relax.builtin.alloc_tensor", allocTensor},
    {"relax.memory.alloc_storage", allocStorage},
    {"relax.vm.alloc_storage", allocStorage},
    {"relax.memory.alloc_tensor", tensorFromStorage},
    {"relax.vm.alloc_tensor", tensorFromStorage},
    {"relax.memory.kill_storage", nothing},
    {"relax.memory.kill_tensor", nothing},
    {"relax.vm.kill_object", nothing},
    {"relax.null_value", nothing},
    {"relax.print", nothing},
    {"relax.memory.ensure_zero_offset", firstArgument},
    {"relax.memory.view", viewOf},
    {"relax.to_vdevice", firstArgument},
    {"relax.hint_on_device", firstArgument},
    {"relax.builtin.stop_lift_params", firstArgument},
    {"relax.grad.no_grad", firstArgument},
    {"relax.grad.start_checkpoint", firstArgument},
    {"relax.grad.end_checkpoint", firstArgument},
    {"relax.shape_of", shapeOfTensor},
    {"relax.tensor_to_shape", tensorToShape},
    {"relax.shape_to_tensor", shapeToTensor},
    {"relax.size", sizeOf},
    {"relax.assert_op", assertOp},
};

}  // namespace

OperatorFn findOperator(std::string_view name) {
  for (const Row& row : kRows) {
    if (row.name == name) return row.run;
  }
  return nullptr;
}

Expr describe(const Value& value, std::vector<relax::VarRef>& params, std::vector<Value>& values) {
  if (const HostTensor* tensor = tensorIn(value)) {
    std::vector<tir::PrimExpr> shape;
    for (int64_t dim : tensor->shape()) shape.push_back(tir::intImm(dim));
    // Numbers as constants let operators that want one have it.
    if (tensor->rank() == 0) return make<Constant>(value.asTensor(), tensorSinfo(shape, tensor->dtype()));
    auto var = make<relax::Var>(Str("x" + std::to_string(params.size())), tensorSinfo(shape, tensor->dtype()));
    params.push_back(var);
    values.push_back(value);
    return var;
  }
  if (const auto* shape = shapeIn(value)) {
    std::vector<tir::PrimExpr> dims;
    for (int64_t dim : *shape) dims.push_back(tir::intImm(dim));
    return make<ShapeExpr>(Array<tir::PrimExpr>(std::move(dims)));
  }
  if (const auto i = intIn(value)) return make<PrimValue>(tir::intImm(*i));
  if (const auto f = floatIn(value)) return make<PrimValue>(tir::floatImm(*f, DataType::Float(64)));
  if (const auto b = boolIn(value)) return make<PrimValue>(tir::boolImm(*b));
  if (value.is(vm::ValueKind::String)) return make<StringImm>(Str(value.asString()));
  if (const auto type = typeIn(value)) return make<DataTypeImm>(*type);
  if (const auto* tuple = tupleIn(value)) {
    std::vector<Expr> items;
    std::vector<StructInfo> infos;
    for (const Value& item : *tuple) {
      Expr leaf = describe(item, params, values);
      if (!leaf) return nullptr;
      infos.push_back(leaf->sinfo);
      items.push_back(std::move(leaf));
    }
    return make<relax::Tuple>(Array<Expr>(std::move(items)), tupleSinfo(Array<StructInfo>(std::move(infos))));
  }
  return nullptr;
}

}  // namespace rx::interpret
