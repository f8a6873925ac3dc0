// BundleModelParams: the weights of a function as one tuple.
#include "core/transform/bundle_model_params.h"

#include <fmt/format.h>

#include "core/build/mutator.h"
#include "core/transform/cleanup.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

class ParamBundler : public build::Mutator {
 public:
  ParamBundler(build::ModuleContext& context, const relax::Function& function, size_t inputs,
               const relax::VarRef& tuple)
      : Mutator("BundleModelParams", &context), tuple_(tuple) {
    for (size_t i = inputs; i < function.params.size(); ++i) index_[function.params[i].get()] = i - inputs;
  }

 protected:
  relax::Expr visitVar(const relax::VarRef& var) override {
    auto index = index_.find(var.get());
    if (index == index_.end()) return Mutator::visitVar(var);
    return builder.emit(make<relax::TupleGetItem>(tuple_, static_cast<int64_t>(index->second)), var->name);
  }

 private:
  relax::VarRef tuple_;
  std::unordered_map<const relax::Var*, size_t> index_;
};

}  // namespace

Result<relax::FunctionRef> bundleModelParams(const relax::FunctionRef& function, std::string_view name,
                                             build::ModuleContext& context) {
  if (!ir::attrOf(function->attrs, "num_input")) return function;
  const int64_t stated = ir::intAttrOf(function->attrs, "num_input", -1);
  const auto count = static_cast<int64_t>(function->params.size());
  if (stated < 0 || stated > count) {
    return fail("pass.num-input", fmt::format("num_input is {}, and the function has {} parameters", stated, count));
  }
  const auto inputs = static_cast<size_t>(stated);
  std::vector<relax::VarRef> params(function->params.begin(), function->params.begin() + stated);
  std::vector<relax::StructInfo> weights;
  for (size_t i = inputs; i < function->params.size(); ++i) weights.push_back(function->params[i]->sinfo);
  params.push_back(make<relax::Var>(Str(name), relax::tupleSinfo(Array<relax::StructInfo>(std::move(weights)))));
  const relax::VarRef tuple = params.back();
  auto* made = new relax::Function(Array<relax::VarRef>(std::move(params)), function->body, function->retSinfo,
                                   function->isPure, function->attrs);
  made->span = function->span;
  return ParamBundler(context, *function, inputs, tuple).rewrite(relax::FunctionRef(made));
}

Result<ir::Module> bundleModelParams(const ir::Module& module, const ir::Attrs& options_, pass::PassContext& context) {
  const std::string_view name = ir::strAttrOf(options_, "param_tuple_name");
  return rewriteFunctions(module, context,
                          [&](const relax::FunctionRef& function, build::ModuleContext& moduleContext) {
                            return bundleModelParams(function, name, moduleContext);
                          });
}

}  // namespace rx::transform
