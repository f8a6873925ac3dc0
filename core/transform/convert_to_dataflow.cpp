// ConvertToDataflow: runs of bindings without effects and branches become dataflow blocks, existing ones grow.
#include "core/analysis/purity.h"
#include "core/build/mutator.h"
#include "core/pass/options.h"
#include "core/transform/cleanup.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

class DataflowExtractor : public build::Mutator {
 public:
  DataflowExtractor(build::ModuleContext& context, const ir::IRModule* module, size_t minSize)
      : Mutator("ConvertToDataflow", &context), module_(module), minSize_(minSize) {}

 protected:
  relax::Expr visitBody(const relax::SeqRef& body) override {
    visitRuns(*body);
    return visit(body->body);
  }
  relax::SeqRef visitSeq(const relax::SeqRef& seq) override {
    builder.beginSeq();
    visitRuns(*seq);
    relax::Expr value = visit(seq->body);
    return builder.endSeq(value, seq);
  }

 private:
  bool isDataflow(const relax::BindingNode& binding) const {
    const auto* plain = as<relax::VarBinding>(&binding);
    const relax::Expr& value = plain ? plain->value : as<relax::MatchCast>(&binding)->value;
    if (isa<relax::If>(value)) return false;
    const auto* call = as<relax::Call>(value);
    return !call || !analysis::isImpureCall(*call, module_);
  }

  /// A run is a block when it is long enough, or when it holds what was a block before.
  void visitRuns(const relax::SeqExpr& seq) {
    std::vector<relax::Binding> run;
    bool wasBlock = false;
    auto flush = [&] {
      const bool block = !run.empty() && (run.size() >= minSize_ || wasBlock);
      if (block) builder.beginDataflow();
      for (const relax::Binding& binding : run) visitBinding(binding);
      if (block) builder.endDataflow();
      run.clear();
      wasBlock = false;
    };
    for (const relax::BlockRef& block : seq.blocks) {
      wasBlock = wasBlock || block->isDataflow();
      for (const relax::Binding& binding : block->bindings) {
        if (block->isDataflow() || isDataflow(*binding)) {
          run.push_back(binding);
          continue;
        }
        flush();
        visitBinding(binding);
      }
    }
    flush();
  }

  const ir::IRModule* module_;
  size_t minSize_;
};

}  // namespace

Result<ir::Module> convertToDataflow(const ir::Module& module, const ir::Attrs& options_, pass::PassContext& context) {
  const auto minSize = static_cast<size_t>(std::max<int64_t>(pass::numberOf(options_, "min_size"), 0));
  return rewriteFunctions(
      module, context,
      [&](const relax::FunctionRef& function, build::ModuleContext& moduleContext) -> Result<relax::FunctionRef> {
        RX_TRY(blocks, DataflowExtractor(moduleContext, module.get(), minSize).rewrite(function));
        // CanonicalizeBindings has a level of its own, at which it is left out.
        if (context.optLevel < static_cast<int>(pass::Level::One)) return blocks;
        return canonicalizeBindings(blocks, moduleContext);
      });
}

}  // namespace rx::transform
