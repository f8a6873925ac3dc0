#include "core/analysis/usage.h"

#include "core/analysis/purity.h"
#include "core/analysis/value_parts.h"

namespace rx::analysis {

namespace {

/// Notes for every bound variable what its value uses; what is used outside a binding lives in any case.
class UseCollector {
 public:
  explicit UseCollector(const ir::IRModule* module) : module_(module) {}

  VarSet run(const relax::Function& function) {
    visitSeq(*function.body, nullptr);
    // A variable is used after it is defined: from behind, its users are known to live or not before it is met.
    for (size_t i = uses_.size(); i-- > 0;)
      if (live_.find(uses_[i].user)) expose(uses_[i].used);
    return std::move(live_);
  }

 private:
  void expose(const relax::Var* var) { live_.set(var, true); }
  void use(const relax::Var* var, const relax::Var* user) {
    if (user) {
      uses_.push_back({user, var});
    } else {
      expose(var);
    }
  }

  void visitSeq(const relax::SeqExpr& seq, const relax::Var* user) {
    for (const relax::BlockRef& block : seq.blocks) {
      for (const relax::Binding& binding : block->bindings) visitBinding(*binding, user);
    }
    visitValue(*seq.body, user);
  }

  void visitBinding(const relax::BindingNode& binding, const relax::Var* user) {
    const auto* plain = as<relax::VarBinding>(&binding);
    // A match_cast checks and defines symbols: it stays, and so does what it needs.
    if (!plain) {
      const auto* cast = as<relax::MatchCast>(&binding);
      visitValue(*cast->structInfo, user);
      return visitValue(*cast->value, user);
    }
    if (binding.var->sinfo) visitValue(*binding.var->sinfo, binding.var.get());
    visitValue(*plain->value, binding.var.get());
    if (containsImpureCall(plain->value, module_)) expose(binding.var.get());
  }

  void visitValue(const Node& value, const relax::Var* user) {
    walkValue(value, {.variable = [&](const relax::Var& var) { use(&var, user); },
                      .sequence = [&](const relax::SeqExpr& seq) { visitSeq(seq, user); },
                      // What a local function gives back is its own business, not that of the variable that holds it.
                      .function = [&](const relax::Function& function) { visitSeq(*function.body, nullptr); }});
  }

  const ir::IRModule* module_;
  struct Use {
    const relax::Var* user;
    const relax::Var* used;
  };
  std::vector<Use> uses_;  ///< in the order of the text
  VarSet live_;
};

}  // namespace

VarSet liveVars(const relax::Function& function, const ir::IRModule* module) {
  return UseCollector(module).run(function);
}

}  // namespace rx::analysis
