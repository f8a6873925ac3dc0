#include "core/interpret/relax_runner.h"

#include <fmt/format.h>

#include "core/arith/equal.h"
#include "core/build/block_builder.h"
#include "core/interpret/values.h"
#include "core/ir/all_nodes.h"
#include "core/ir/inline_calls.h"
#include "core/legalize/legalize.h"
#include "core/op/op_table.h"
#include "core/op/tir_intrinsics.h"
#include "core/runtime/operator_builtins.h"
#include "core/support/stack.h"

namespace rx::interpret {

using namespace relax;

const Value* Environment::find(const relax::Var* var) const {
  for (const Environment* env = this; env; env = env->outer.get()) {
    if (auto found = env->vars.find(var); found != env->vars.end()) return &found->second;
  }
  return nullptr;
}
const Symbol* Environment::symbol(const tir::Var* var) const {
  for (const Environment* env = this; env; env = env->outer.get()) {
    if (auto found = env->symbols.find(var); found != env->symbols.end()) return &found->second;
  }
  return nullptr;
}

Result<Value> RelaxRunner::evalPrim(const tir::PrimExpr& expr, const Env& env) {
  if (const auto* imm = as<tir::IntImm>(expr)) {
    return imm->dtype.isBool() ? Value::of(imm->value != 0) : Value::of(imm->value);
  }
  if (const auto* imm = as<tir::FloatImm>(expr)) return Value::of(imm->value);
  std::vector<tir::VarRef> vars = arith::freeVars(expr);
  std::vector<Value> values;
  for (const tir::VarRef& var : vars) {
    const Symbol* symbol = env ? env->symbol(var.get()) : nullptr;
    if (!symbol) return fail("interpret.undefined", fmt::format("the symbol {} has no value here", var->name.view()));
    values.push_back(Value::of(symbol->value));
  }
  if (isa<tir::Var>(expr)) return values.front();
  // Computed as a function of its symbols, so that the arithmetic is that of TIR.
  auto ret = make<tir::Call>(expr->dtype, NodeRef(op::tirOp("ret")), Array<tir::PrimExpr>{expr});
  std::vector<tir::BufferRef> none(vars.size());
  const auto function = make<tir::PrimFunc>(Array<tir::VarRef>(vars), Array<tir::BufferRef>(std::move(none)),
                                            make<tir::Evaluate>(tir::PrimExpr(ret)), nullptr);
  return runPrimFunc(function, values, options_);
}

Result<int64_t> RelaxRunner::evalInt(const tir::PrimExpr& expr, const Env& env) {
  RX_TRY(value, evalPrim(expr, env));
  if (const auto i = intIn(value)) return *i;
  return fail("interpret.argument", "an integer is needed and there is " + value.summary());
}

Result<Value> RelaxRunner::newTensor(std::vector<int64_t> shape, DataType dtype) {
  RX_TRY(tensor, vm::CallContext(options_.around).tensor(std::move(shape), dtype));
  return Value::of(std::move(tensor));
}

Result<Value> RelaxRunner::allocate(const StructInfo& info, const Env& env) {
  if (const auto* tuple = as<TupleStructInfo>(info)) {
    std::vector<Value> items;
    for (const StructInfo& item : tuple->items) {
      RX_TRY(value, withStack([&] { return allocate(item, env); }));
      items.push_back(std::move(value));
    }
    return Value::tuple(std::move(items));
  }
  const auto* tensor = as<TensorStructInfo>(info);
  if (const auto* dtensor = as<DTensorStructInfo>(info)) tensor = dtensor->tensor.get();
  if (!tensor || !tensor->shape) return fail("interpret.unavailable", "the shape of a result is not known");
  std::vector<int64_t> shape;
  if (const auto* dims = as<ShapeExpr>(tensor->shape)) {
    for (const tir::PrimExpr& dim : dims->values) {
      RX_TRY(value, evalInt(dim, env));
      shape.push_back(value);
    }
  } else {
    RX_TRY(value, eval(tensor->shape, env));
    const auto* given = shapeIn(value);
    if (!given) return fail("interpret.argument", "a shape is needed and there is " + value.summary());
    shape = *given;
  }
  return newTensor(std::move(shape), tensor->dtype);
}

Result<Value> RelaxRunner::runKernel(const tir::PrimFunc& function, std::span<const Value> args) {
  auto found = programs_.find(&function);
  if (found == programs_.end()) {
    RX_TRY(program, compile(tir::PrimFuncRef(&function), ir::strAttrOf(function.attrs, "global_symbol", "the kernel")));
    found = programs_.emplace(&function, std::pair(tir::PrimFuncRef(&function), std::move(program))).first;
  }
  return execute(found->second.second, args, options_);
}

Result<Value> RelaxRunner::callPacked(std::string_view name, std::span<const Value> args) {
  return interpret::callPacked(name, args, options_.around);
}

ir::BaseFunc RelaxRunner::functionOf(const Expr& callee) const {
  const auto* global = as<GlobalVar>(callee);
  return global && module_ ? module_->find(global) : nullptr;
}

Result<Unit> RelaxRunner::bindDim(const tir::PrimExpr& dim, int64_t actual, const std::string& what, int64_t axis,
                                  const Env& env, bool check) {
  std::string place = axis < 0 ? what : fmt::format("{}, axis {}", what, axis);
  const auto* var = as<tir::Var>(dim);
  const Symbol* known = var ? env->symbol(var) : nullptr;
  if (var && !known) {
    env->symbols[var] = {actual, place};
    return Unit{};
  }
  if (!check) return Unit{};
  if (known) {
    if (known->value == actual) return Unit{};
    return fail("interpret.shape", fmt::format("{}: {} is {} here, but {} (bound by {})", place, var->name.view(),
                                               actual, known->value, known->boundBy));
  }
  RX_TRY(wanted, evalInt(dim, env));
  if (wanted == actual) return Unit{};
  std::string symbols;
  for (const tir::VarRef& each : arith::freeVars(dim)) {
    const Symbol* symbol = env->symbol(each.get());
    if (symbol) symbols += fmt::format("; {} = {} was bound by {}", each->name.view(), symbol->value, symbol->boundBy);
  }
  return fail("interpret.shape",
              fmt::format("{}: the value has {}, the annotation says {}{}", place, actual, wanted, symbols));
}

Result<Unit> RelaxRunner::bind(const StructInfo& info, const Value& value, const std::string& what, const Env& env,
                               bool check) {
  auto wrong = [&](const char* wanted) {
    return fail("interpret.shape", fmt::format("{}: {} is needed and there is {}", what, wanted, value.summary()));
  };
  if (const auto* tuple = as<TupleStructInfo>(info)) {
    const auto* items = tupleIn(value);
    if (!items) return wrong("a tuple");
    if (items->size() != tuple->items.size()) return wrong(fmt::format("a tuple of {}", tuple->items.size()).c_str());
    for (size_t i = 0; i < tuple->items.size(); ++i) {
      RX_CHECK(
          withStack([&] { return bind(tuple->items[i], (*items)[i], fmt::format("{}[{}]", what, i), env, check); }));
    }
    return Unit{};
  }
  if (const auto* shape = as<ShapeStructInfo>(info)) {
    const auto* dims = shapeIn(value);
    if (!dims) return wrong("a shape");
    if (shape->ndim >= 0 && shape->ndim != static_cast<int64_t>(dims->size())) {
      return wrong(fmt::format("a shape of {} dimensions", shape->ndim).c_str());
    }
    for (size_t i = 0; i < shape->values.size(); ++i) {
      RX_CHECK(bindDim(shape->values[i], (*dims)[i], what, static_cast<int64_t>(i), env, check));
    }
    return Unit{};
  }
  if (const auto* prim = as<PrimStructInfo>(info)) {
    const auto number = intIn(value);
    if (prim->value && number) return bindDim(prim->value, *number, what, -1, env, check);
    bool scalar = number || floatIn(value) || boolIn(value);
    return scalar ? Result<Unit>(Unit{}) : wrong("a number");
  }
  const auto* tensor = as<TensorStructInfo>(info);
  if (const auto* dtensor = as<DTensorStructInfo>(info)) tensor = dtensor->tensor.get();
  if (!tensor) return Unit{};
  const HostTensor* held = tensorIn(value);
  if (!held) return wrong("a tensor");
  const HostTensor& actual = *held;
  if (!tensor->dtype.isVoid() && tensor->dtype != actual.dtype())
    return wrong(("a tensor of " + tensor->dtype.str()).c_str());
  if (tensor->ndim >= 0 && tensor->ndim != actual.rank()) {
    return wrong(fmt::format("a tensor of {} dimensions", tensor->ndim).c_str());
  }
  if (const auto* dims = as<ShapeExpr>(tensor->shape)) {
    for (size_t i = 0; i < dims->values.size(); ++i) {
      RX_CHECK(bindDim(dims->values[i], actual.shape()[i], what, static_cast<int64_t>(i), env, check));
    }
  }
  return Unit{};
}

Result<RelaxRunner::Frame> RelaxRunner::enter(const FunctionRef& function, std::span<const Value> args,
                                              const Env& outer, int depth) {
  if (depth > options_.maxDepth) {
    return fail("interpret.budget", fmt::format("more than {} calls are nested (interpret.depth)", options_.maxDepth));
  }
  if (args.size() != function->params.size()) {
    return fail("interpret.argument",
                fmt::format("the function takes {} arguments and got {}", function->params.size(), args.size()));
  }
  auto* fresh = new Environment();
  Env env(fresh);
  fresh->outer = outer;
  // Two rounds: what a later parameter binds may be used in the dimensions of an earlier one.
  for (bool check : {false, true}) {
    for (size_t i = 0; i < args.size(); ++i) {
      const relax::VarRef& param = function->params[i];
      if (param->sinfo)
        RX_CHECK(bind(param->sinfo, args[i], fmt::format("parameter {}", param->name.view()), env, check));
      env->vars[param.get()] = args[i];
    }
  }
  return Frame{function->body, env, 0, 0, depth};
}

Result<RelaxRunner::Started> RelaxRunner::startApply(const Value& callee, std::vector<Value> args, int depth) {
  const FunctionValue* held = functionIn(callee);
  if (!held) return fail("interpret.argument", "what is called is no function but " + callee.summary());
  const FunctionValue& target = *held;
  args.insert(args.end(), target.captured.begin(), target.captured.end());
  Env outer = target.environment ? Env(static_cast<const Environment*>(target.environment.get())) : nullptr;
  NodeRef function = target.function;
  if (isa<GlobalVar>(target.function)) {
    function = functionOf(target.function);
    if (!function) {
      return fail("interpret.undefined",
                  fmt::format("the module has no function {}", as<GlobalVar>(target.function)->name.view()));
    }
  }
  if (const auto* kernel = as<tir::PrimFunc>(function)) {
    RX_TRY(value, runKernel(*kernel, args));
    return Started{std::nullopt, std::move(value)};
  }
  if (const auto* external = as<ExternFunc>(function)) {
    RX_TRY(value, callPacked(external->globalSymbol.view(), args));
    return Started{std::nullopt, std::move(value)};
  }
  RX_TRY(frame, enter(rx::cast<Function>(function), args, outer, depth));
  return Started{std::move(frame), Value()};
}

Result<std::vector<Value>> RelaxRunner::evalAll(std::span<const Expr> exprs, const Env& env) {
  std::vector<Value> values;
  for (const Expr& e : exprs) {
    RX_TRY(value, eval(e, env));
    values.push_back(std::move(value));
  }
  return values;
}

Result<RelaxRunner::Started> RelaxRunner::start(const Expr& expr, const Frame& from) {
  if (const auto* seq = as<SeqExpr>(expr)) {
    return Started{Frame{SeqRef(seq), from.env, 0, 0, from.depth}, Value()};
  }
  if (const auto* node = as<If>(expr)) {
    RX_TRY(test, eval(node->cond, from.env));
    RX_TRY(yes, callPacked("vm.builtin.read_if_cond", {&test, 1}));
    return Started{Frame{yes.asBool() ? node->trueBranch : node->falseBranch, from.env, 0, 0, from.depth}, Value()};
  }
  if (const auto* call = as<Call>(expr)) {
    if (isa<Op>(call->op)) {
      std::string_view name = as<Op>(call->op)->name.view();
      if (name == "relax.invoke_closure" || name == "relax.invoke_pure_closure") {
        RX_TRY(callee, eval(call->args[0], from.env));
        RX_TRY(packed, eval(call->args[1], from.env));
        const auto* items = tupleIn(packed);
        std::vector<Value> args = items ? *items : std::vector<Value>{packed};
        return startApply(callee, std::move(args), from.depth + 1);
      }
      RX_TRY(value, operatorCall(*call, from.env));
      return Started{std::nullopt, std::move(value)};
    }
    RX_TRY(callee, eval(call->op, from.env));
    RX_TRY(args, evalAll(call->args, from.env));
    return startApply(callee, std::move(args), from.depth + 1);
  }
  RX_TRY(value, eval(expr, from.env));
  return Started{std::nullopt, std::move(value)};
}

Result<Value> RelaxRunner::eval(const Expr& expr, const Env& env) {
  if (const auto* var = as<relax::Var>(expr)) {
    const Value* value = env ? env->find(var) : nullptr;
    if (value) return *value;
    return fail("interpret.undefined", fmt::format("the variable {} has no value here", var->name.view()));
  }
  if (const auto* constant = as<Constant>(expr)) {
    if (constant->data) return Value::of(constant->data);
    return fail("interpret.undefined", "the text left out the data of a constant");
  }
  if (const auto* tuple = as<relax::Tuple>(expr)) {
    return withStack([&]() -> Result<Value> {
      RX_TRY(items, evalAll(tuple->items, env));
      return Value::tuple(std::move(items));
    });
  }
  if (const auto* item = as<TupleGetItem>(expr)) {
    RX_TRY(tuple, withStack([&] { return eval(item->tuple, env); }));
    const auto* items = tupleIn(tuple);
    auto index = static_cast<size_t>(item->index);
    if (!items || item->index < 0 || index >= items->size()) {
      return fail("interpret.argument", fmt::format("item {} of {}", item->index, tuple.summary()));
    }
    return (*items)[index];
  }
  if (const auto* shape = as<ShapeExpr>(expr)) {
    std::vector<int64_t> dims;
    for (const tir::PrimExpr& dim : shape->values) {
      RX_TRY(value, evalInt(dim, env));
      dims.push_back(value);
    }
    return Value::shape(std::move(dims));
  }
  if (const auto* prim = as<PrimValue>(expr)) return evalPrim(prim->value, env);
  if (const auto* text = as<StringImm>(expr)) return Value::of(text->value.string());
  if (const auto* type = as<DataTypeImm>(expr)) return Value::of(type->value);
  if (isa<GlobalVar>(expr) || isa<ExternFunc>(expr) || isa<Function>(expr)) {
    auto* function = new FunctionValue();
    Ref<FunctionValue> held(function);
    function->function = expr;
    if (isa<Function>(expr)) function->environment = env;
    return Value::opaque(held);
  }
  // A nested computation runs to its end here.
  return withStack([&]() -> Result<Value> {
    RX_TRY(begun, start(expr, Frame{nullptr, env, 0, 0, depth_ + 1}));
    if (begun.frame) return loop(std::move(*begun.frame));
    return std::move(begun.value);
  });
}

Result<Value> RelaxRunner::operatorCall(const Call& call, const Env& env) {
  const auto* op = as<Op>(call.op);
  RX_TRY(args, evalAll(call.args, env));
  if (OperatorFn own = findOperator(op->name.view())) return own(*this, call, std::move(args), env);
  const vm::OperatorBuiltin* builtin = vm::builtinOf(op->name.view());
  if (!builtin) return legalized(call, std::move(args));
  if (builtin->machineFirst) args.insert(args.begin(), Value::machine());
  return callPacked(builtin->builtin, args);
}

Result<Value> RelaxRunner::legalized(const Call& call, std::vector<Value> args) {
  build::ModuleContext context;
  build::BlockBuilder builder(&context);
  std::vector<relax::VarRef> params;
  std::vector<Value> values;
  std::vector<Expr> leaves;
  for (const Value& arg : args) leaves.push_back(describe(arg, params, values));
  std::string name = as<Op>(call.op)->name.string();
  for (const Expr& leaf : leaves) {
    if (!leaf) return fail("interpret.unavailable", name + " of a value without a type can not be run");
  }
  builder.beginFunction(Array<relax::VarRef>(params));
  auto ready = make<Call>(call.op, Array<Expr>(leaves), call.attrs, call.sinfoArgs);
  auto info = build::deduceCall(*ready, builder.context());
  if (!info) return info.failure();
  ready = make<Call>(call.op, Array<Expr>(leaves), call.attrs, call.sinfoArgs, *info);
  RX_TRY(lowered, legalize::legalizeCall(*ready, builder));
  if (!lowered) return fail("interpret.unavailable", name + " has no kernel that can be run here");
  Expr result = builder.emit(lowered);
  FunctionRef function = builder.endFunction(result, nullptr, true);
  if (builder.failed()) return fail(builder.takeDiagnostics());
  RelaxRunner inner(context.module(), options_);
  RX_TRY(frame, inner.enter(function, values, nullptr, 0));
  return inner.loop(std::move(frame));
}

void RelaxRunner::finishBinding(Frame& frame, const Binding& binding, Value value) {
  frame.env->vars[binding->var.get()] = std::move(value);
  ++frame.binding;
}

Result<Value> RelaxRunner::loop(Frame first) {
  std::vector<Frame> frames;
  int before = depth_;
  frames.push_back(std::move(first));
  while (true) {
    if (++steps_ > options_.maxSteps) return fail("interpret.budget", "the run takes more steps than allowed");
    if (options_.around.cancel.cancelled()) return fail("interpret.cancelled", "the run was cancelled");
    Frame& top = frames.back();
    depth_ = top.depth;
    if (top.block >= top.seq->blocks.size()) {
      // The value of a sequence may itself be a call, where the text was not in normal form.
      Expr body = top.seq->body;
      RX_TRY(value, eval(body, top.env));
      frames.pop_back();
      if (frames.empty()) {
        depth_ = before;
        return value;
      }
      Frame& caller = frames.back();
      finishBinding(caller, caller.seq->blocks[caller.block]->bindings[caller.binding], std::move(value));
      continue;
    }
    const BindingBlock& block = *top.seq->blocks[top.block];
    if (top.binding >= block.bindings.size()) {
      ++top.block;
      top.binding = 0;
      continue;
    }
    const Binding& binding = block.bindings[top.binding];
    if (const auto* match = as<MatchCast>(binding)) {
      RX_TRY(value, eval(match->value, top.env));
      std::string what = fmt::format("match_cast of {}", binding->var->name.view());
      for (bool check : {false, true}) RX_CHECK(bind(match->structInfo, value, what, top.env, check));
      finishBinding(top, binding, std::move(value));
      continue;
    }
    RX_TRY(begun, start(as<VarBinding>(binding)->value, top));
    if (begun.frame) {
      if (frames.size() > static_cast<size_t>(options_.maxDepth) * 4) {
        return fail("interpret.budget", "too many sequences are open (interpret.depth)");
      }
      frames.push_back(std::move(*begun.frame));
    } else {
      finishBinding(top, binding, std::move(begun.value));
    }
  }
}

Result<Value> RelaxRunner::apply(const Value& callee, std::vector<Value> args) {
  RX_TRY(begun, startApply(callee, std::move(args), depth_ + 1));
  if (begun.frame) return loop(std::move(*begun.frame));
  return std::move(begun.value);
}

Result<Value> RelaxRunner::callGlobal(std::string_view name, std::span<const Value> args) {
  relax::GlobalVarRef global = module_->findVar(name);
  if (!global) return fail("interpret.undefined", fmt::format("the module has no function {}", name));
  RX_TRY(callee, eval(global, nullptr));
  return apply(callee, std::vector<Value>(args.begin(), args.end()));
}

Result<Value> runFunction(const ir::Module& module, std::string_view name, std::span<const Value> args,
                          const Options& options) {
  return RelaxRunner(ir::withCallsInlined(module), options).callGlobal(name, args);
}

Result<Value> evaluate(const ir::Module& module, const Expr& expr, const Options& options) {
  return RelaxRunner(module, options).eval(expr, make<Environment>());
}

}  // namespace rx::interpret
