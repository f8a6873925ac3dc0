// EliminateCommonSubexpr: a value that was computed before in the same scope is not computed again; its second binding
// becomes an alias of the first.
#include "core/analysis/allocation.h"
#include "core/analysis/purity.h"
#include "core/build/mutator.h"
#include "core/ir/reflect.h"
#include "core/ir/structural_equal.h"
#include "core/ir/structural_hash.h"
#include "core/pass/options.h"
#include "core/transform/cleanup.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

/// A bound value and what a match_cast makes of it; that is no part of the value, since it would define symbols.
struct Computed {
  relax::Expr value;
  relax::StructInfo matched;  ///< null of a plain binding
  relax::VarRef var;
};

/// Values by structure, in scopes.
class KnownValues {
 public:
  const Computed* find(uint64_t hash, const relax::Expr& value, const relax::StructInfo& matched) const {
    auto hit = byHash_.find(hash);
    if (hit == byHash_.end()) return nullptr;
    for (const Computed& known : hit->second) {
      if (structuralEqual(known.value, value) && sameMatch(known.matched, matched)) return &known;
    }
    return nullptr;
  }
  void add(uint64_t hash, Computed computed) {
    byHash_[hash].push_back(std::move(computed));
    order_.push_back(hash);
  }
  size_t mark() const { return order_.size(); }
  /// Forgets what came after the mark, or of it only what a DataflowVar holds.
  void forget(size_t mark, bool dataflowOnly) {
    std::vector<uint64_t> kept;
    while (order_.size() > mark) {
      const uint64_t hash = order_.back();
      order_.pop_back();
      std::vector<Computed>& bucket = byHash_[hash];
      if (!dataflowOnly) {
        if (!bucket.empty()) bucket.pop_back();
        continue;
      }
      std::erase_if(bucket, [](const Computed& known) { return isa<relax::DataflowVar>(known.var); });
      if (!bucket.empty()) kept.push_back(hash);
    }
    order_.insert(order_.end(), kept.rbegin(), kept.rend());
  }

 private:
  static bool sameMatch(const relax::StructInfo& a, const relax::StructInfo& b) {
    return a && b ? structuralEqual(a, b) : !a && !b;
  }
  std::unordered_map<uint64_t, std::vector<Computed>> byHash_;
  std::vector<uint64_t> order_;
};

class CommonValues : public build::Mutator {
 public:
  CommonValues(build::ModuleContext& context, const ir::IRModule* module, bool callsOnly)
      : Mutator("EliminateCommonSubexpr", &context), module_(module), callsOnly_(callsOnly) {}

 protected:
  relax::Expr visitVar(const relax::VarRef& var) override {
    auto first = first_.find(var.get());
    return first == first_.end() ? Mutator::visitVar(var) : first->second;
  }

  void visitVarBinding(const Ref<relax::VarBinding>& binding) override {
    relax::Expr value = builder.normalize(visit(binding->value));
    relax::VarRef known = knownAs(binding->var, value, nullptr);
    if (!known) return rebind(binding, value);
    emitAlias(*binding, known);
  }
  void visitMatchCast(const Ref<relax::MatchCast>& binding) override {
    relax::Expr value = visit(binding->value);
    relax::VarRef known = knownAs(binding->var, value, binding->structInfo);
    if (!known) return recast(binding, value);
    emitAlias(*binding, known);
  }

  void visitBlock(const relax::BlockRef& block) override {
    if (!block->isDataflow()) return Mutator::visitBlock(block);
    const size_t mark = values_.mark(), aliases = aliases_.size();
    Mutator::visitBlock(block);
    values_.forget(mark, true);
    dropAliases(aliases);
  }
  relax::SeqRef visitSeq(const relax::SeqRef& seq) override {
    const size_t mark = values_.mark(), aliases = aliases_.size();
    relax::SeqRef result = Mutator::visitSeq(seq);
    values_.forget(mark, false);
    dropAliases(aliases);
    return result;
  }
  /// A local function shares nothing with what is around it.
  relax::FunctionRef visitFunction(const relax::FunctionRef& function) override {
    KnownValues outer = std::exchange(values_, {});
    auto outerFirst = std::exchange(first_, {});
    auto outerAliases = std::exchange(aliases_, {});
    relax::FunctionRef result = Mutator::visitFunction(function);
    values_ = std::move(outer);
    first_ = std::move(outerFirst);
    aliases_ = std::move(outerAliases);
    return result;
  }

 private:
  /// The variable that holds this value already; null where there is none, and then `var` is it from now on.
  relax::VarRef knownAs(const relax::VarRef& var, const relax::Expr& value, const relax::StructInfo& matched) {
    const auto* call = as<relax::Call>(value);
    if (callsOnly_ && !call) return nullptr;
    if (analysis::containsImpureCall(value, module_) ||
        (call && analysis::allocationOf(*call) != analysis::Allocation::None))
      return nullptr;
    const uint64_t hash = hashOf(value, matched);
    const Computed* known = values_.find(hash, value, matched);
    relax::VarRef first = known ? known->var : nullptr;
    // An alias counts too: where the first is a DataflowVar, it may be what outlives the block.
    values_.add(hash, {value, matched, var});
    return first;
  }

  /// Equal values have equal hashes. Calls, tuples and fields are told apart by their variables, each of which is
  /// itself; by structure alone all calls of an operator would have one hash, since variables that are defined
  /// elsewhere count alike there.
  static uint64_t hashOf(const relax::Expr& value, const relax::StructInfo& matched) {
    uint64_t hash = matched ? structuralHash(matched) : 0;
    if (isa<relax::If>(value) || isa<relax::Function>(value)) return hashMix(hash, structuralHash(value));
    walk(*value, Into::Parts, [&](const Node& node) {
      const auto* op = as<relax::Op>(&node);
      const auto* attrs = as<ir::DictAttrs>(&node);
      const auto* field = as<relax::TupleGetItem>(&node);
      const bool opened = field || isa<relax::Call>(&node) || isa<relax::Tuple>(&node);
      if (opened) {
        hash = hashMix(hash, static_cast<uint64_t>(node.kind()));
        if (field) hash = hashMix(hash, static_cast<uint64_t>(field->index));
      } else if (isa<relax::Var>(&node)) {
        hash = hashMix(hash, reinterpret_cast<uintptr_t>(&node));
      } else if (op) {
        hash = hashMix(hash, std::hash<Str>()(op->name));
      } else if (!attrs || attrs->size() > 0) {
        hash = hashMix(hash, structuralHash(NodeRef(&node)));
      }
      return opened;
    });
    return hash;
  }

  void emitAlias(const relax::BindingNode& binding, const relax::VarRef& known) {
    const relax::Expr now = mapped(known);
    auto* alias = new relax::VarBinding(binding.var, now);
    alias->span = binding.span;
    alias->origin = builder.origin();
    builder.emitBinding(relax::Binding(alias));
    first_[binding.var.get()] = now;
    aliases_.push_back(binding.var.get());
  }
  void dropAliases(size_t mark) {
    while (aliases_.size() > mark) {
      first_.erase(aliases_.back());
      aliases_.pop_back();
    }
  }

  const ir::IRModule* module_;
  bool callsOnly_;
  KnownValues values_;
  std::unordered_map<const relax::Var*, relax::Expr> first_;  ///< alias -> what it is an alias of, in this scope
  std::vector<const relax::Var*> aliases_;
};

}  // namespace

Result<relax::FunctionRef> eliminateCommonValues(const relax::FunctionRef& function, build::ModuleContext& context,
                                                 const ir::IRModule* module, bool callsOnly) {
  return CommonValues(context, module, callsOnly).rewrite(function);
}

Result<ir::Module> eliminateCommonSubexpr(const ir::Module& module, const ir::Attrs& options_,
                                          pass::PassContext& context) {
  const bool callsOnly = pass::flagOf(options_, "call_only");
  return rewriteFunctions(module, context,
                          [&](const relax::FunctionRef& function, build::ModuleContext& moduleContext) {
                            return eliminateCommonValues(function, moduleContext, module.get(), callsOnly);
                          });
}

}  // namespace rx::transform
