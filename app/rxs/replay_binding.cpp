#include "app/rxs/replay_binding.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <unordered_map>

#include "core/analysis/free_vars.h"
#include "core/compile/compile.h"
#include "core/compile/kernel_store.h"
#include "core/evaluate/evaluate.h"
#include "core/ir/text_bindings.h"

namespace rx::cli {
namespace {

/// A name that no function of the module has.
Str freeName(const ir::IRModule& module) {
  std::string name = "replayed_binding";
  while (module.findVar(name)) name += '_';
  return Str(name);
}

/// A binding with what it is computed of, as far as that is not given.
struct Slice {
  std::vector<relax::VarRef> params;
  std::vector<vm::Value> values;
  std::vector<relax::Binding> bindings;
};

Result<Slice> sliceOf(const ir::TextFunction& function, int ordinal, const GiveValue& give) {
  std::unordered_map<const relax::ExprNode*, int> bound;
  for (size_t i = 0; i < function.bindings.size(); ++i)
    if (function.bindings[i].variable) bound.emplace(function.bindings[i].variable, static_cast<int>(i));
  Slice slice;
  std::map<int, relax::Binding> needed;
  std::set<const relax::Var*> seen;
  std::vector<int> open{ordinal};
  while (!open.empty()) {
    const int at = open.back();
    open.pop_back();
    const ir::TextBinding& binding = function.bindings[static_cast<size_t>(at)];
    if (!needed.emplace(at, relax::Binding(static_cast<const relax::BindingNode*>(binding.node))).second) continue;
    for (const relax::VarRef& var : analysis::freeVars(relax::Expr(binding.value))) {
      if (!seen.insert(var.get()).second) continue;
      RX_TRY(value, give(*var));
      if (value) {
        slice.params.push_back(var);
        slice.values.push_back(vm::Value::of(std::move(value)));
      } else if (const auto made = bound.find(var.get()); made != bound.end()) {
        open.push_back(made->second);
      } else {
        return fail("against.unknown", fmt::format("there is no value of {}", var->name.view()));
      }
    }
  }
  for (auto& [at, binding] : needed) slice.bindings.push_back(std::move(binding));
  return slice;
}

/// The module with a function more, and without those of Relax that this one does not call.
ir::Module moduleWith(const ir::Module& module, Str name, const relax::FunctionRef& function) {
  std::set<const relax::GlobalVar*> called;
  std::vector<relax::Expr> open{function};
  while (!open.empty()) {
    const relax::Expr at = std::move(open.back());
    open.pop_back();
    for (const relax::GlobalVarRef& var : analysis::calledGlobals(at)) {
      if (!called.insert(var.get()).second) continue;
      if (const auto callee = refAs<relax::Function>(module->find(var.get()))) open.push_back(callee);
    }
  }
  std::vector<ir::IRModule::Entry> entries;
  for (ir::IRModule::Entry& entry : module->entries())
    if (!refAs<relax::Function>(entry.second) || called.contains(entry.first.get()))
      entries.push_back(std::move(entry));
  entries.emplace_back(make<relax::GlobalVar>(std::move(name)), function);
  return module->with(std::move(entries));
}

}  // namespace

Result<vm::Value> replayBinding(const ir::Module& module, std::string_view function, int ordinal,
                                const GiveValue& give) {
  const std::vector<ir::TextFunction> texts = ir::textFunctions(*module);
  size_t at = 0;
  while (at < module->vars.size() && module->vars[at]->name.view() != function) ++at;
  const bool known = at < texts.size() && ordinal >= 0 && static_cast<size_t>(ordinal) < texts[at].bindings.size();
  const auto of = known ? refAs<relax::Function>(module->functions[at]) : nullptr;
  if (!of) return fail("against.unknown", "the binding is of no function of Relax");
  RX_TRY(slice, sliceOf(texts[at], ordinal, give));
  const bool dataflow = std::any_of(slice.bindings.begin(), slice.bindings.end(), [](const relax::Binding& each) {
    return each->var->kind() == Kind::relax_DataflowVar;
  });
  const Str name = freeName(*module);
  const relax::VarRef last = slice.bindings.back()->var;
  Array<relax::Binding> bindings(std::move(slice.bindings));
  relax::BlockRef block = dataflow ? relax::BlockRef(make<relax::DataflowBlock>(std::move(bindings)))
                                   : make<relax::BindingBlock>(std::move(bindings));
  auto body = make<relax::SeqExpr>(Array<relax::BlockRef>{std::move(block)}, last);
  auto replay = make<relax::Function>(Array<relax::VarRef>(std::move(slice.params)), std::move(body), last->sinfo,
                                      of->isPure, ir::withAttr(nullptr, Str("global_symbol"), ir::strAttr(name)));
  compile::Request request;
  request.module = moduleWith(module, name, replay);
  request.passes = evaluate::fewestPasses();
  request.mode = compile::Mode::Step;
  RX_TRY(program, compile::compile(request, {}));
  RX_TRY(kernels, compile::kernelsOf(program, {}, compile::openKernelStore(compile::kernelStoreFolder())));
  vm::MachineOptions options;
  options.kernels = kernels;
  options.lateLinking = true;
  return evaluate::resultOf(program.executable, std::move(options), name.view(), std::move(slice.values));
}

}  // namespace rx::cli
