#include "core/vm/codegen.h"

#include <functional>
#include <unordered_map>

#include "core/ir/symbols.h"
#include "core/op/operator_builtins.h"
#include "core/vm/builder.h"
#include "core/vm/codegen_slots.h"

namespace rx::vm {
namespace {

using relax::Expr;

constexpr std::string_view kKillObject = "relax.vm.kill_object";
constexpr std::string_view kCallBuiltin = "relax.call_builtin_with_ctx";

Failure refuse(const relax::ExprNode& at, const std::string& what) {
  return fail(errorAt(at.span, "vm.codegen", what));
}

/// Code for one function. Nested branches are levels of a stack of our own.
class FunctionGenerator {
 public:
  /// `name` is what the module calls the function.
  FunctionGenerator(ExecBuilder& builder, const ir::IRModule& module, std::string name, const relax::Function& function,
                    const ExprText& exprText)
      : builder_(builder), module_(module), name_(std::move(name)), function_(function), exprText_(exprText) {}

  Result<Unit> run(const std::string& symbol) {
    std::vector<std::string> names;
    for (const auto& param : function_.params) {
      registers_[param.get()] = static_cast<Word>(names.size());
      names.push_back(param->name.string());
    }
    next_ = static_cast<Word>(names.size());
    if (auto begun = builder_.beginFunction(symbol, next_, std::move(names)); !begun)
      return placed(begun.diagnostics());
    for (const auto& [slot, text] : heapSlotTexts(module_, function_, exprText_)) builder_.nameHeapSlot(slot, text);
    push(function_.body.get(), Part::Body);
    while (!levels_.empty())
      if (auto done = advance(); !done) return placed(done.diagnostics());
    builder_.endFunction();
    return Unit{};
  }

 private:
  enum class Part : uint8_t { Body, True, False };
  struct Level {
    const relax::SeqExpr* seq;
    Part part;
    uint32_t firstBlock;
    size_t block = 0;
    size_t binding = 0;
    const relax::VarBinding* owner = nullptr;  ///< the binding of the If
    Word merge = kVoidRegister;
    Word jump = 0;  ///< the If (in the true branch) or the Goto (in the false branch) to patch
  };

  Level& push(const relax::SeqExpr* seq, Part part) {
    levels_.push_back({seq, part, nextBlock_});
    nextBlock_ += static_cast<uint32_t>(seq->blocks.size());
    return levels_.back();
  }

  /// Findings without a context are of the binding that code is made for.
  Failure placed(std::vector<Diagnostic> found) const {
    for (Diagnostic& each : found)
      if (each.context.empty()) each.context = bound_.empty() ? name_ : fmt::format("{}, binding {}", name_, bound_);
    return fail(std::move(found));
  }

  Word newRegister() { return next_++; }
  /// A new register with what a builtin gives.
  Word made(const char* builtin, const std::vector<Arg>& args) {
    const Word reg = newRegister();
    builder_.emitCall(builtin, args, reg);
    return reg;
  }

  Result<Unit> advance() {
    Level& level = levels_.back();
    if (level.block == level.seq->blocks.size()) return finishLevel();
    const relax::BlockRef& block = level.seq->blocks[level.block];
    if (level.binding == block->bindings.size()) {
      ++level.block;
      level.binding = 0;
      return Unit{};
    }
    const relax::Binding& binding = block->bindings[level.binding];
    DebugSite site;
    site.block = level.firstBlock + static_cast<uint32_t>(level.block);
    site.binding = static_cast<uint32_t>(level.binding);
    site.known = true;
    site.variable = binding->var->name.string();
    site.span = binding->span;
    site.origin = binding->origin;
    // What a pass wrote, such as a call that writes into what it is given, stands where it was imported from.
    if (const OriginRef& origin = binding->origin; origin && !origin->sites.empty()) {
      if (!site.span.known()) site.span = origin->sites.back().span;
      if (!site.bindsName()) site.from = origin->sites.back().name.string();
    }
    bound_ = site.name();
    builder_.setSite(std::move(site));
    ++level.binding;
    return bind(*binding);
  }

  Result<Unit> bind(const relax::BindingNode& binding) {
    const auto* plain = as<relax::VarBinding>(&binding);
    if (!plain) {
      // Its checks were emitted before it; what is left gives the value another name.
      const auto& match = static_cast<const relax::MatchCast&>(binding);
      return name(*match.var, match.value);
    }
    if (const auto* branch = as<relax::If>(plain->value)) return beginIf(*plain, *branch);
    return name(*plain->var, plain->value);
  }

  Result<Unit> name(const relax::Var& var, const Expr& bound) {
    RX_TRY(reg, value(bound));
    registers_[&var] = reg;
    builder_.nameRegister(reg, var.name.string());
    return Unit{};
  }

  Result<Unit> beginIf(const relax::VarBinding& binding, const relax::If& branch) {
    RX_TRY(condition, argument(branch.cond));
    const Word jump = builder_.emitIf(made("vm.builtin.read_if_cond", {condition}));
    Level& level = push(branch.trueBranch.get(), Part::True);
    level.owner = &binding;
    level.jump = jump;
    return Unit{};
  }

  Result<Unit> finishLevel() {
    Level level = levels_.back();
    DebugSite glue;
    bound_.clear();
    if (level.owner) {
      glue.span = level.owner->span;
      glue.origin = level.owner->origin;
    } else {
      glue.span = level.seq->body->span;
    }
    builder_.setSite(std::move(glue));
    RX_TRY(result, argument(level.seq->body));
    if (level.part == Part::Body) {
      builder_.emitRet(result.kind == ArgKind::Register ? result.value : made("vm.builtin.copy", {result}));
      levels_.pop_back();
      return Unit{};
    }
    // Registers are numbered in the order in which they are first written.
    if (level.part == Part::True) level.merge = newRegister();
    builder_.emitCall("vm.builtin.copy", {result}, level.merge);
    if (level.part == Part::True) {
      const Word skip = builder_.emitGoto();
      builder_.patch(level.jump, builder_.nextInstruction());
      levels_.pop_back();
      Level& other = push(as<relax::If>(level.owner->value)->falseBranch.get(), Part::False);
      other.owner = level.owner;
      other.merge = level.merge;
      other.jump = skip;
      return Unit{};
    }
    builder_.patch(level.jump, builder_.nextInstruction());
    levels_.pop_back();
    registers_[level.owner->var.get()] = level.merge;
    builder_.nameRegister(level.merge, level.owner->var->name.string());
    return Unit{};
  }

  /// The register that holds the value of a binding.
  Result<Word> value(const Expr& expr) {
    if (const auto* call = as<relax::Call>(expr)) return this->call(*call);
    RX_TRY(arg, argument(expr));
    // A value made just now has a register of its own; everything else is copied into one.
    if (arg.kind == ArgKind::Register && !isa<relax::Var>(expr)) return arg.value;
    return made("vm.builtin.copy", {arg});
  }

  Result<Arg> argument(const Expr& expr) {
    static const std::unordered_map<Kind, Result<Arg> (FunctionGenerator::*)(const Expr&)> kHandlers = {
        {Kind::relax_Var, &FunctionGenerator::variable},
        {Kind::relax_DataflowVar, &FunctionGenerator::variable},
        {Kind::relax_GlobalVar, &FunctionGenerator::globalVar},
        {Kind::relax_ExternFunc, &FunctionGenerator::externFunc},
        {Kind::relax_Constant, &FunctionGenerator::constant},
        {Kind::relax_Tuple, &FunctionGenerator::tuple},
        {Kind::relax_TupleGetItem, &FunctionGenerator::tupleItem},
        {Kind::relax_ShapeExpr, &FunctionGenerator::shape},
        {Kind::relax_PrimValue, &FunctionGenerator::primValue},
        {Kind::relax_StringImm, &FunctionGenerator::string},
        {Kind::relax_DataTypeImm, &FunctionGenerator::dataType},
        {Kind::relax_Call, &FunctionGenerator::nestedCall},
    };
    const auto found = kHandlers.find(expr->kind());
    if (found == kHandlers.end()) {
      return refuse(*expr, fmt::format("a {} can not stand here after lowering", kindName(expr->kind())));
    }
    // Tuples and calls may nest in hand-written modules; normal form has no depth at all.
    constexpr int kMaxNesting = 1000;
    if (depth_ >= kMaxNesting) return refuse(*expr, fmt::format("expressions nest deeper than {}", kMaxNesting));
    ++depth_;
    auto result = (this->*found->second)(expr);
    --depth_;
    return result;
  }

  Result<Arg> variable(const Expr& expr) {
    const auto found = registers_.find(as<relax::Var>(expr));
    if (found == registers_.end())
      return refuse(*expr, fmt::format("{} has no value here", as<relax::Var>(expr)->name.view()));
    return Arg::reg(found->second);
  }

  Result<std::string> symbolOf(const relax::GlobalVar& var, const relax::ExprNode& at) const {
    const ir::BaseFunc target = module_.find(&var);
    if (!target) return refuse(at, fmt::format("the module has no function {}", var.name.view()));
    return ir::symbolOf(var, *target);
  }

  Result<Arg> globalVar(const Expr& expr) {
    RX_TRY(symbol, symbolOf(*as<relax::GlobalVar>(expr), *expr));
    return builder_.function(symbol);
  }

  Result<Arg> externFunc(const Expr& expr) {
    return builder_.function(as<relax::ExternFunc>(expr)->globalSymbol.string());
  }

  Result<Arg> constant(const Expr& expr) {
    const auto* node = as<relax::Constant>(expr);
    if (!node->data)
      return refuse(*expr, fmt::format("the data of constant {} is not in the file", node->unresolved.view()));
    const auto* info = as<relax::TensorStructInfo>(node->sinfo);
    return builder_.pooled(Value::of(node->data),
                           info && info->vdevice ? info->vdevice->memoryScope.string() : std::string());
  }

  Result<Arg> tuple(const Expr& expr) {
    std::vector<Arg> items;
    for (const Expr& item : as<relax::Tuple>(expr)->items) {
      RX_TRY(arg, argument(item));
      items.push_back(arg);
    }
    return Arg::reg(made("vm.builtin.make_tuple", items));
  }

  Result<Arg> tupleItem(const Expr& expr) {
    const auto* item = as<relax::TupleGetItem>(expr);
    RX_TRY(arg, argument(item->tuple));
    return Arg::reg(made("vm.builtin.tuple_getitem", {arg, builder_.constant(Value::of(item->index))}));
  }

  Result<Arg> shape(const Expr& expr) {
    std::vector<int64_t> dims;
    for (const tir::PrimExpr& dim : as<relax::ShapeExpr>(expr)->values) {
      const auto value = tir::asInt(dim);
      if (!value) return refuse(*expr, "a symbolic shape is not lowered (VMShapeLower does that)");
      dims.push_back(*value);
    }
    return builder_.constant(Value::shape(std::move(dims)));
  }

  Result<Arg> primValue(const Expr& expr) {
    const tir::PrimExpr& value = as<relax::PrimValue>(expr)->value;
    if (const auto* number = as<tir::FloatImm>(value)) return builder_.constant(Value::of(number->value));
    if (const auto number = tir::asInt(value)) return builder_.constant(Value::of(*number));
    return refuse(*expr, "a symbolic value is not lowered (ComputePrimValue and VMShapeLower do that)");
  }

  Result<Arg> string(const Expr& expr) {
    return builder_.constant(Value::of(as<relax::StringImm>(expr)->value.string()));
  }
  Result<Arg> dataType(const Expr& expr) { return builder_.constant(Value::of(as<relax::DataTypeImm>(expr)->value)); }
  Result<Arg> nestedCall(const Expr& expr) {
    RX_TRY(reg, call(*as<relax::Call>(expr)));
    return Arg::reg(reg);
  }

  Result<std::vector<Arg>> arguments(const Array<Expr>& exprs, bool machineFirst, bool unpackTuple) {
    std::vector<Arg> args;
    if (machineFirst) args.push_back(Arg::machine());
    for (size_t i = 0; i < exprs.size(); ++i) {
      const auto* packed = unpackTuple && i == 1 ? as<relax::Tuple>(exprs[i]) : nullptr;
      for (const Expr& item : packed ? packed->items : Array<Expr>{exprs[i]}) {
        RX_TRY(arg, argument(item));
        args.push_back(arg);
      }
    }
    return args;
  }

  Result<Word> emit(const relax::Call& call, const std::string& callee, const std::vector<Arg>& args) {
    const auto* none = as<relax::TupleStructInfo>(call.sinfo);
    const Word dst = none && none->items.empty() ? kVoidRegister : newRegister();
    builder_.emitCall(callee, args, dst);
    return dst;
  }

  Result<Word> call(const relax::Call& call) {
    if (const auto* op = as<relax::Op>(call.op)) return intrinsic(call, op->name.view());
    RX_TRY(args, arguments(call.args, false, false));
    if (const auto* external = as<relax::ExternFunc>(call.op)) return emit(call, external->globalSymbol.string(), args);
    if (const auto* var = as<relax::GlobalVar>(call.op)) {
      RX_TRY(symbol, symbolOf(*var, call));
      return emit(call, symbol, args);
    }
    // A variable that holds a function: the closure is called by the machine.
    RX_TRY(callee, argument(call.op));
    args.insert(args.begin(), {Arg::machine(), callee});
    return emit(call, "vm.builtin.invoke_closure", args);
  }

  /// What an operator that is still here lacks. Shapes of arguments are no longer known at this stage.
  Failure notLowered(const relax::Call& call, std::string_view name) const {
    const auto* result = as<relax::TensorStructInfo>(call.sinfo);
    const bool known = !result || (isa<relax::ShapeExpr>(result->shape) && !result->dtype.isVoid());
    const std::string what = fmt::format("not available: the operator {} has no kernel", name);
    if (known) return refuse(call, what);
    const auto missing = module_.facts.missingConstants;
    if (missing == 0)
      return refuse(call, what +
                              ": the shape or the element type of its arguments or of its result is not known; "
                              "R.match_cast can name it");
    Diagnostic left =
        errorAt(call.span, "script.missing-constants",
                fmt::format("{} can not be computed: {} not in the text, which was written without its "
                            "metadata, and nothing else says of what shape and type {}",
                            name, missing == 1 ? "1 constant is" : fmt::format("{} constants are", missing),
                            missing == 1 ? "it is" : "they are"));
    left.fix = "write the text again where the module is, by mod.script(show_meta=True)";
    return fail(std::move(left));
  }

  Result<Word> intrinsic(const relax::Call& call, std::string_view name) {
    if (name == kKillObject) return killObject(call);
    if (name == kCallBuiltin) {
      const auto* callee = call.args.empty() ? nullptr : as<relax::ExternFunc>(call.args[0]);
      const auto* packed = call.args.size() == 2 ? as<relax::Tuple>(call.args[1]) : nullptr;
      if (!callee || !packed) return refuse(call, "call_builtin_with_ctx takes a name and a tuple");
      RX_TRY(args, arguments(packed->items, true, false));
      return emit(call, callee->globalSymbol.string(), args);
    }
    const op::OperatorBuiltin* row = op::builtinOf(name);
    if (!row) return notLowered(call, name);
    RX_TRY(args, arguments(call.args, row->machineFirst, row->unpackTuple));
    return emit(call, row->builtin, args);
  }

  Result<Word> killObject(const relax::Call& call) {
    if (call.args.size() != 1) return refuse(call, "kill_object takes one variable");
    RX_TRY(arg, argument(call.args[0]));
    if (arg.kind == ArgKind::Register) builder_.emitCall("vm.builtin.null_value", {}, arg.value);
    return kVoidRegister;
  }

  ExecBuilder& builder_;
  const ir::IRModule& module_;
  std::string name_;
  const relax::Function& function_;
  const ExprText& exprText_;
  std::unordered_map<const relax::Var*, Word> registers_;
  std::vector<Level> levels_;
  uint32_t nextBlock_ = 0;
  Word next_ = 0;
  int depth_ = 0;
  std::string bound_;  ///< what the binding is called that code is made for; empty between bindings
};

}  // namespace

Result<Ref<Executable>> generateExecutable(const ir::Module& module, const ExprText& exprText) {
  const ExprText text = exprText ? exprText : [](const tir::PrimExpr& expr) {
    const auto* var = as<tir::Var>(expr);
    return var ? var->name.string() : std::string();
  };
  ExecBuilder builder;
  std::vector<Diagnostic> diagnostics;
  for (size_t i = 0; i < module->size(); ++i) {
    const bool bytecode = isa<relax::Function>(module->functions[i]);
    if (bytecode)
      builder.declareFunction(ir::symbolOf(*module->vars[i], *module->functions[i]), FunctionKind::Bytecode);
  }
  for (size_t i = 0; i < module->size(); ++i) {
    const auto* function = as<relax::Function>(module->functions[i]);
    if (!function) continue;
    FunctionGenerator generator(builder, *module, module->vars[i]->name.string(), *function, text);
    const auto result = generator.run(ir::symbolOf(*module->vars[i], *module->functions[i]));
    diagnostics.insert(diagnostics.end(), result.diagnostics().begin(), result.diagnostics().end());
  }
  if (!diagnostics.empty()) return fail(std::move(diagnostics));
  return builder.finish();
}

}  // namespace rx::vm
