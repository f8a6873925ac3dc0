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
  const auto type = typeIn(args[1]);
  if (!type) return fail("interpret.argument", "alloc_tensor: a type is needed and there is " + args[1].summary());
  return r.newTensor(std::move(shape), *type);
}

/// Its size is in bytes, whatever the type; the builtin has that before the scope.
Result<Value> allocStorage(RelaxRunner& r, const Call&, Args args, const Env&) {
  return r.callPacked("vm.builtin.alloc_storage",
                      Args{Value::machine(), args[0], args[1], Value::of(DataType::UInt(8)), args[2]});
}

Result<Value> nothing(RelaxRunner&, const Call&, Args, const Env&) { return Value(); }
Result<Value> firstArgument(RelaxRunner&, const Call&, Args args, const Env&) { return args.front(); }

/// What is not given is as the tensor has it.
Result<Value> viewOf(RelaxRunner& r, const Call&, Args args, const Env&) {
  RX_TRY(tensor, tensorOf(args[0], "view"));
  const auto given = [&](size_t i, vm::ValueKind kind, Value otherwise) {
    return args.size() > i && args[i].is(kind) ? args[i] : std::move(otherwise);
  };
  return r.callPacked("runtime.TVMTensorCreateView",
                      Args{args[0], given(1, vm::ValueKind::Shape, Value::shape(tensor->shape())),
                           given(2, vm::ValueKind::Type, Value::of(tensor->dtype())),
                           given(3, vm::ValueKind::Int, Value::of(int64_t{0}))});
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
    {"relax.memory.kill_storage", nothing},
    {"relax.memory.kill_tensor", nothing},
    {"relax.vm.kill_object", nothing},
    {"relax.memory.view", viewOf},
    {"relax.to_vdevice", firstArgument},
    {"relax.hint_on_device", firstArgument},
    {"relax.builtin.stop_lift_params", firstArgument},
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
