#include "core/transform/composite_functions.h"

#include <fmt/format.h>

#include "core/build/mutator.h"

namespace rx::transform {

Result<Str> codegenOf(std::string_view composite) {
  const size_t point = composite.find('.');
  if (point != std::string_view::npos) return Str(composite.substr(0, point));
  return fail("pass.composite-name",
              fmt::format("the name of the pattern \"{}\" does not start with a compiler and a point", composite));
}

std::string_view compositeOf(const ir::BaseFunc& function) {
  return function ? ir::strAttrOf(function->attrs, "Composite") : std::string_view();
}

Result<analysis::FusionGroups> patternGroups(const ir::Module& module, const analysis::PatternToGroup& wanted,
                                             const std::vector<relax::GlobalVarRef>& chosen,
                                             const pass::PassContext& context) {
  analysis::FusionGroups groups;
  const std::vector<relax::GlobalVarRef> entries = chosen.empty() ? module->vars.vector() : chosen;
  for (const relax::GlobalVarRef& var : entries) {
    if (context.cancel.cancelled()) return fail("pass.cancelled", "cancelled");
    const ir::BaseFunc function = module->find(var.get());
    const auto* relaxFunction = as<relax::Function>(function);
    const bool skipped =
        chosen.empty() && relaxFunction && (analysis::isFusedFunction(*function) || !compositeOf(function).empty());
    if (relaxFunction && !skipped) analysis::addPatternGroups(*relaxFunction, wanted, groups);
  }
  return groups;
}

Result<ir::Module> groupByPattern(const ir::Module& module, const analysis::PatternToGroup& wanted,
                                  const Grouping& grouping, const pass::PassContext& context) {
  RX_TRY(groups, patternGroups(module, wanted, grouping.entries, context));
  return makeGroupedFunctions(module, groups, grouping, context);
}

namespace {

class CodegenAnnotator : public build::Mutator {
 public:
  explicit CodegenAnnotator(build::ModuleContext& module, std::unordered_map<std::string, relax::GlobalVarRef>& made)
      : Mutator("FuseOpsByPattern", &module), module_(module), made_(made) {}

 protected:
  relax::Expr visitCall(const Ref<relax::Call>& call) override {
    const auto* callee = as<relax::GlobalVar>(call->op);
    if (!callee || builder.failed()) return Mutator::visitCall(call);
    auto known = made_.find(callee->name.string());
    if (known == made_.end()) {
      auto composite = refAs<relax::Function>(module_.functionOf(callee));
      if (compositeOf(composite).empty()) return Mutator::visitCall(call);
      const relax::GlobalVarRef var = annotated(*callee, composite);
      if (!var) return call;
      known = made_.emplace(callee->name.string(), var).first;
    }
    std::vector<relax::Expr> args;
    for (const relax::Expr& arg : call->args) args.push_back(visit(arg));
    return make<relax::Call>(known->second, Array<relax::Expr>(std::move(args)));
  }

 private:
  relax::GlobalVarRef annotated(const relax::GlobalVar& var, const relax::FunctionRef& composite) {
    Result<Str> codegen = codegenOf(compositeOf(composite));
    Result<relax::FunctionRef> inner = CodegenAnnotator(module_, made_).rewrite(composite);
    for (const auto& problems : {codegen.diagnostics(), inner.diagnostics()}) {
      for (const Diagnostic& problem : problems) builder.report(problem);
    }
    if (!codegen || !inner) return nullptr;
    const Str symbol(fmt::format("{}_{}", var.name.view(), codegen->view()));
    relax::FunctionRef outer =
        wrapped(cast<relax::Function>(ir::withFunctionAttrs(*inner, ir::withoutAttr((*inner)->attrs, "Primitive"))));
    const ir::Attrs attrs = ir::withAttr(ir::withAttr(nullptr, Str("Codegen"), ir::strAttr(*codegen)),
                                         Str("global_symbol"), ir::strAttr(symbol));
    module_.remove(var.name.view());
    return module_.add(ir::withFunctionAttrs(outer, attrs), symbol.view(), true);
  }

  /// A function that binds this one and calls it.
  static relax::FunctionRef wrapped(const relax::FunctionRef& inner) {
    std::vector<relax::VarRef> params;
    std::vector<relax::Expr> args;
    for (const relax::VarRef& param : inner->params) {
      params.push_back(make<relax::Var>(param->name, param->sinfo));
      args.push_back(params.back());
    }
    auto local = make<relax::Var>(Str("local_func"), inner->sinfo);
    auto output = make<relax::Var>(Str("output"), inner->retSinfo);
    auto call = make<relax::Call>(local, Array<relax::Expr>(std::move(args)), nullptr, Array<relax::StructInfo>(),
                                  inner->retSinfo);
    auto block = make<relax::BindingBlock>(Array<relax::Binding>{
        relax::Binding(make<relax::VarBinding>(local, inner)), relax::Binding(make<relax::VarBinding>(output, call))});
    auto body = make<relax::SeqExpr>(Array<relax::BlockRef>{relax::BlockRef(block)}, output);
    return make<relax::Function>(Array<relax::VarRef>(std::move(params)), body, inner->retSinfo, inner->isPure,
                                 nullptr);
  }

  build::ModuleContext& module_;
  std::unordered_map<std::string, relax::GlobalVarRef>& made_;
};

}  // namespace

Result<ir::Module> annotateCodegen(const ir::Module& module, const pass::PassContext& context) {
  build::ModuleContext annotated(module);
  std::unordered_map<std::string, relax::GlobalVarRef> made;
  for (const auto& [var, function] : module->entries()) {
    if (context.cancel.cancelled()) return fail("pass.cancelled", "cancelled");
    auto relaxFunction = refAs<relax::Function>(function);
    if (!relaxFunction || !compositeOf(function).empty() || ir::attrOf(function->attrs, "Codegen")) continue;
    RX_TRY(rewritten, CodegenAnnotator(annotated, made).rewrite(relaxFunction));
    annotated.update(var, rewritten);
  }
  return annotated.module();
}

}  // namespace rx::transform
