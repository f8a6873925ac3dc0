// UpdateParamStructInfo: parameters get the StructInfo that the option says, and what follows from it is deduced anew.
// In TVM a function of Python says it; here it is a text by the name of the parameter.
#include <fmt/format.h>

#include "core/build/mutator.h"
#include "core/ir/reflect.h"
#include "core/transform/cleanup.h"
#include "core/transform/option_values.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

constexpr const char* kOption = "sinfo_func";

/// The StructInfo of a text, read where one may stand: as the annotation of a parameter. Symbols are those of the
/// function that have their names.
Result<relax::StructInfo> infoOf(std::string_view text, const relax::Function& function) {
  RX_TRY(module,
         moduleOption(kOption, fmt::format("from tvm.script import relax as R\nfrom tvm.script import tirx as T\n\n"
                                           "@R.function\ndef main(x: {}):\n    return x\n",
                                           text)));
  const auto* holder = as<relax::Function>(module->functions[0]);
  std::unordered_map<std::string_view, tir::VarRef> known;
  for (const relax::VarRef& param : function.params) {
    for (const tir::VarRef& symbol : op::definableSymbolsIn(param->sinfo)) known.emplace(symbol->name.view(), symbol);
  }
  auto leave = [&](const NodeRef& node) -> NodeRef {
    const auto* symbol = as<tir::Var>(node);
    const auto own = symbol ? known.find(symbol->name.view()) : known.end();
    return own == known.end() ? node : NodeRef(own->second);
  };
  return cast<relax::StructInfoNode>(rewriteNodes(holder->params[0]->sinfo, Into::All, nullptr, leave));
}

class ParamWriter : public build::Mutator {
 public:
  ParamWriter(build::ModuleContext& context, Array<relax::VarRef> params)
      : Mutator("UpdateParamStructInfo", &context), params_(std::move(params)) {}

 protected:
  relax::FunctionRef visitFunction(const relax::FunctionRef& function) override {
    const Array<relax::VarRef> params = std::exchange(params_, {});
    // A function in the function keeps its own.
    if (params.empty()) return Mutator::visitFunction(function);
    for (size_t i = 0; i < params.size(); ++i) mapVar(function->params[i], params[i]);
    auto* made = new relax::Function(params, function->body, function->retSinfo, function->isPure, function->attrs);
    made->span = function->span;
    return Mutator::visitFunction(relax::FunctionRef(made));
  }

 private:
  Array<relax::VarRef> params_;
};

}  // namespace

Result<ir::Module> updateParamStructInfo(const ir::Module& module, const ir::Attrs& options_,
                                         pass::PassContext& context) {
  const NodeRef given = ir::attrOf(options_, kOption);
  const auto* infos = as<ir::DictAttrs>(given);
  if (!infos || infos->size() == 0) return module;
  std::vector<bool> used(infos->size());
  auto rewrite = [&](const relax::FunctionRef& function,
                     build::ModuleContext& moduleContext) -> Result<relax::FunctionRef> {
    std::vector<relax::VarRef> params = function->params.vector();
    bool changed = false;
    for (relax::VarRef& param : params) {
      for (size_t i = 0; i < infos->size(); ++i) {
        if (infos->keys[i] != param->name) continue;
        used[i] = true;
        const auto* text = as<ir::StrAttr>(infos->values[i]);
        if (!text)
          return fail("pass.option-value",
                      fmt::format("{}: the StructInfo of {} is a text", kOption, param->name.view()));
        RX_TRY(info, infoOf(text->value.view(), *function));
        param = make<relax::Var>(param->name, info);
        changed = true;
        break;
      }
    }
    if (!changed) return function;
    return ParamWriter(moduleContext, Array<relax::VarRef>(std::move(params))).rewrite(function);
  };
  RX_TRY(made, rewriteFunctions(module, context, rewrite));
  for (size_t i = 0; i < used.size(); ++i) {
    if (!used[i])
      return fail("pass.parameter", fmt::format("{}: no function has a parameter {}", kOption, infos->keys[i].view()));
  }
  return made;
}

}  // namespace rx::transform
