// ExpandTupleArguments: private functions take the fields of a tuple as parameters of their own.
#include <fmt/format.h>

#include "core/support/stack.h"
#include "core/transform/call_sites.h"
#include "core/transform/calls.h"
#include "core/transform/cleanup.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

/// The parameters that stand for one, and the bindings that make tuples of them again.
struct Expansion {
  std::vector<relax::VarRef> params;
  std::vector<relax::Binding> bindings;

  void add(const relax::VarRef& param) {
    const auto* tuple = as<relax::TupleStructInfo>(param->sinfo);
    if (!tuple) return params.push_back(param);
    std::vector<relax::Expr> fields;
    for (size_t i = 0; i < tuple->items.size(); ++i) {
      auto field = make<relax::Var>(Str(fmt::format("{}_{}", param->name.view(), i)), tuple->items[i]);
      fields.push_back(field);
      withStack([&] { add(field); });
    }
    bindings.push_back(make<relax::VarBinding>(
        param, make<relax::Tuple>(Array<relax::Expr>(std::move(fields)), relax::StructInfo(param->sinfo))));
  }
};

/// Null for a function that the outside can call, and where no parameter is a tuple.
relax::FunctionRef expanded(const relax::Function& function) {
  if (isa<ir::StrAttr>(ir::attrOf(function.attrs, "global_symbol"))) return nullptr;
  Expansion expansion;
  for (const relax::VarRef& param : function.params) expansion.add(param);
  if (expansion.bindings.empty()) return nullptr;
  std::vector<relax::BlockRef> blocks = function.body->blocks.vector();
  blocks.insert(blocks.begin(), make<relax::BindingBlock>(Array<relax::Binding>(std::move(expansion.bindings))));
  auto body = make<relax::SeqExpr>(Array<relax::BlockRef>(std::move(blocks)), function.body->body);
  auto* made = new relax::Function(Array<relax::VarRef>(std::move(expansion.params)), body, function.retSinfo,
                                   function.isPure, function.attrs);
  made->span = function.span;
  return relax::FunctionRef(made);
}

void appendFields(const relax::Expr& arg, std::vector<relax::Expr>& out) {
  if (!isa<relax::TupleStructInfo>(arg->sinfo)) return out.push_back(arg);
  for (const relax::Expr& field : fieldsOf(arg)) withStack([&] { appendFields(field, out); });
}

}  // namespace

Result<ir::Module> expandTupleArguments(const ir::Module& module, const ir::Attrs& options_,
                                        pass::PassContext& context) {
  build::ModuleContext renewed(module);
  renewed.setCancel(context.cancel);
  std::unordered_set<std::string_view> changed;
  const auto values = functionsAsValues(*module);
  for (const auto& [var, function] : module->entries()) {
    const auto* relaxFunction = values.contains(var->name.view()) ? nullptr : as<relax::Function>(function);
    relax::FunctionRef wide = relaxFunction ? expanded(*relaxFunction) : nullptr;
    if (!wide) continue;
    renewed.update(var, wide);
    changed.insert(var->name.view());
  }
  const ir::Module callees = renewed.module();
  auto update = [&](const relax::Call& call, build::BlockBuilder&) -> relax::Expr {
    const auto* callee = as<relax::GlobalVar>(call.op);
    if (!callee || !changed.contains(callee->name.view())) return nullptr;
    std::vector<relax::Expr> args;
    for (const relax::Expr& arg : call.args) appendFields(arg, args);
    return make<relax::Call>(callees->findVar(callee->name.view()), Array<relax::Expr>(std::move(args)), call.attrs,
                             call.sinfoArgs);
  };
  ir::Module called = callees;
  if (!changed.empty()) {
    RX_TRY(rewritten, rewriteFunctions(callees, context,
                                       [&](const relax::FunctionRef& function, build::ModuleContext& moduleContext) {
                                         return rewriteCalls(function, "ExpandTupleArguments", moduleContext, update);
                                       }));
    called = rewritten;
  }
  RX_TRY(plain, canonicalizeBindings(called, options_, context));
  return deadCodeElimination(plain, options_, context);
}

}  // namespace rx::transform
