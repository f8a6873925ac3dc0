// ToNonDataflow: after the optimisations dataflow blocks have no further use; later passes insert impure calls.
#include "core/build/mutator.h"
#include "core/transform/cleanup.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

class NonDataflow : public build::Mutator {
 public:
  explicit NonDataflow(build::ModuleContext& module) : Mutator("ToNonDataflow", &module) {}

 protected:
  void visitBlock(const relax::BlockRef& block) override {
    // Without beginDataflow the builder makes plain variables and one plain block.
    builder.expect(block->bindings.size());
    for (const relax::Binding& binding : block->bindings) visitBinding(binding);
  }
  void visitVarBinding(const Ref<relax::VarBinding>& binding) override {
    relax::Expr value = builder.normalize(visit(binding->value));
    if (!isa<relax::DataflowVar>(binding->var)) return rebind(binding, value);
    auto plain = make<relax::Var>(binding->var->name, binding->var->sinfo);
    auto copy = new relax::VarBinding(plain, value);
    copy->span = binding->span;
    copy->origin = binding->origin;
    builder.emitBinding(relax::Binding(Ref<relax::VarBinding>(copy)));
    mapVar(binding->var, plain);
  }
  void visitMatchCast(const Ref<relax::MatchCast>& binding) override {
    if (!isa<relax::DataflowVar>(binding->var)) return Mutator::visitMatchCast(binding);
    auto plain = make<relax::Var>(binding->var->name, binding->var->sinfo);
    auto copy = new relax::MatchCast(plain, builder.normalize(visit(binding->value)), binding->structInfo);
    copy->span = binding->span;
    copy->origin = binding->origin;
    builder.emitBinding(relax::Binding(Ref<relax::MatchCast>(copy)));
    mapVar(binding->var, plain);
  }
};

}  // namespace

Result<relax::FunctionRef> withoutDataflow(const relax::FunctionRef& function, build::ModuleContext& context) {
  return NonDataflow(context).rewrite(function);
}

Result<ir::Module> toNonDataflow(const ir::Module& module, const ir::Attrs&, pass::PassContext& pass) {
  return build::mutateFunctions(module, pass.cancel,
                                [](build::ModuleContext& context) { return std::make_unique<NonDataflow>(context); });
}

}  // namespace rx::transform
