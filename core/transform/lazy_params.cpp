// LazyGetInput and LazySetOutput: parameters that are asked for when they are needed, results that are given away when
// they are there, so that not all of them take memory at once.
#include "core/build/mutator.h"
#include "core/transform/calls.h"
#include "core/transform/cleanup.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

using relax::Expr;
using relax::VarRef;

/// The number of parameters that stay parameters; fails where the function says something impossible.
Result<std::optional<size_t>> inputCount(const relax::Function& function) {
  const NodeRef attr = ir::attrOf(function.attrs, "num_input");
  if (!attr) return std::optional<size_t>();
  const int64_t count = ir::intAttrOf(function.attrs, "num_input", -1);
  if (count < 0 || count > static_cast<int64_t>(function.params.size())) {
    return fail("pass.num-input", "num_input counts parameters of the function, and it has not so many");
  }
  return std::optional<size_t>(static_cast<size_t>(count));
}

/// A function that is called with a number and an object.
VarRef accessor(const char* name, relax::StructInfo result, bool pure) {
  Array<relax::StructInfo> params{make<relax::PrimStructInfo>(DataType::Int(64)), relax::objectSinfo()};
  return make<relax::Var>(Str(name), make<relax::FuncStructInfo>(params, std::move(result), pure));
}

relax::FunctionRef withSignature(const relax::Function& function, std::vector<VarRef> params, relax::StructInfo ret,
                                 bool pure, ir::Attrs attrs) {
  auto* made =
      new relax::Function(Array<VarRef>(std::move(params)), function.body, std::move(ret), pure, std::move(attrs));
  made->span = function.span;
  return relax::FunctionRef(made);
}

class LazyInputs : public build::Mutator {
 public:
  LazyInputs(build::ModuleContext& context, const relax::Function& function, size_t inputs, VarRef get)
      : Mutator("LazyGetInput", &context), get_(std::move(get)) {
    for (size_t i = inputs; i < function.params.size(); ++i) {
      index_[function.params[i].get()] = static_cast<int64_t>(i - inputs);
    }
  }

 protected:
  Expr visitVar(const VarRef& var) override {
    auto index = index_.find(var.get());
    if (index == index_.end()) return Mutator::visitVar(var);
    auto call = make<relax::Call>(get_, Array<Expr>{primInt(index->second), textImm(var->name.view())});
    VarRef untyped = builder.emit(call, Str(var->name.string() + "_untyped"));
    return builder.emitMatchCast(untyped, var->sinfo, var->name);
  }

 private:
  VarRef get_;
  std::unordered_map<const relax::Var*, int64_t> index_;
};

Result<relax::FunctionRef> withLazyInputs(const relax::FunctionRef& function, build::ModuleContext& context,
                                          const ir::IRModule* module) {
  RX_TRY(stated, inputCount(*function));
  const size_t inputs = stated.value_or(0);
  VarRef get = accessor("fget_param", relax::objectSinfo(), true);
  std::vector<VarRef> params(function->params.begin(), function->params.begin() + static_cast<std::ptrdiff_t>(inputs));
  std::unordered_set<const tir::Var*> symbols;
  for (const VarRef& param : params) {
    for (const tir::VarRef& symbol : op::definableSymbolsIn(param->sinfo)) symbols.insert(symbol.get());
  }
  params.push_back(get);
  op::InferContext infer;
  relax::StructInfo ret = op::eraseToKnown(function->retSinfo, symbols, {}, infer);
  auto changed =
      withSignature(*function, std::move(params), ret, function->isPure,
                    ir::withAttr(function->attrs, "num_input", ir::intAttr(static_cast<int64_t>(inputs) + 1)));
  RX_TRY(lazy, LazyInputs(context, *function, inputs, get).rewrite(changed));
  // A parameter is asked for at each of its uses: the first of them is enough.
  RX_TRY(once, eliminateCommonValues(lazy, context, module, false));
  return removeUnusedBindings(once, context, module);
}

class LazyOutputs : public build::Mutator {
 public:
  LazyOutputs(build::ModuleContext& context, const relax::Function& function, VarRef set)
      : Mutator("LazySetOutput", &context), set_(std::move(set)), params_(function.params) {
    const Expr& result = function.body->body;
    const auto* tuple = as<relax::Tuple>(result);
    const std::vector<Expr> outputs = tuple ? tuple->items.vector() : std::vector<Expr>{result};
    for (size_t i = 0; i < outputs.size(); ++i) {
      const auto index = static_cast<int64_t>(i);
      if (const auto* var = as<relax::Var>(outputs[i])) {
        index_[var].push_back(index);
      } else {
        inline_.emplace_back(index, outputs[i]);
      }
    }
  }

 protected:
  Expr visitBody(const relax::SeqRef& body) override {
    for (const VarRef& param : params_) give(param);
    for (const relax::BlockRef& block : body->blocks) visitBlock(block);
    for (const auto& [index, value] : inline_) giveAs(index, visit(value));
    return make<relax::Tuple>(Array<Expr>());
  }
  void visitBlock(const relax::BlockRef& block) override {
    Mutator::visitBlock(block);
    // Effects have no place in a dataflow block: what it made is given away behind it.
    if (!block->isDataflow()) return;
    for (const relax::Binding& binding : block->bindings) give(binding->var);
  }
  void visitBinding(const relax::Binding& binding) override {
    Mutator::visitBinding(binding);
    if (!builder.inDataflow()) give(binding->var);
  }

 private:
  void give(const VarRef& var) {
    auto indices = index_.find(var.get());
    if (indices == index_.end()) return;
    for (int64_t index : indices->second) giveAs(index, mapped(var));
  }
  void giveAs(int64_t index, const Expr& value) {
    builder.emit(make<relax::Call>(set_, Array<Expr>{primInt(index), value}), "_void");
  }

  VarRef set_;
  Array<VarRef> params_;
  std::unordered_map<const relax::Var*, std::vector<int64_t>> index_;  ///< which results a variable is
  std::vector<std::pair<int64_t, Expr>> inline_;
};

Result<relax::FunctionRef> withLazyOutputs(const relax::FunctionRef& function, build::ModuleContext& context) {
  RX_TRY(inputs, inputCount(*function));
  VarRef set = accessor("fset_output", relax::voidSinfo(), false);
  std::vector<VarRef> params = function->params.vector();
  params.insert(params.begin() + static_cast<std::ptrdiff_t>(inputs.value_or(params.size())), set);
  ir::Attrs attrs = function->attrs;
  if (inputs) attrs = ir::withAttr(attrs, "num_input", ir::intAttr(static_cast<int64_t>(*inputs) + 1));
  return LazyOutputs(context, *function, set)
      .rewrite(withSignature(*function, std::move(params), relax::voidSinfo(), false, attrs));
}

bool isPublic(const relax::FunctionRef& function) {
  return static_cast<bool>(ir::attrOf(function->attrs, "global_symbol"));
}

}  // namespace

Result<ir::Module> lazyGetInput(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  return rewriteFunctions(
      module, context,
      [&](const relax::FunctionRef& function, build::ModuleContext& moduleContext) -> Result<relax::FunctionRef> {
        if (!isPublic(function)) return function;
        return withLazyInputs(function, moduleContext, module.get());
      });
}

Result<ir::Module> lazySetOutput(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  return rewriteFunctions(
      module, context,
      [](const relax::FunctionRef& function, build::ModuleContext& moduleContext) -> Result<relax::FunctionRef> {
        if (!isPublic(function)) return function;
        return withLazyOutputs(function, moduleContext);
      });
}

}  // namespace rx::transform
