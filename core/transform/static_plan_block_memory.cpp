// StaticPlanBlockMemory: tensors whose lives do not overlap share storage.
//
// Planning is by block: a tensor is planned when it is allocated in a block and all its uses are arguments of kernels
// and packed functions in that same block (aliases, tuples and reshapes of it included). Whatever else sees it (another
// block, a branch, a result, a closure) leaves it with an allocation of its own. So branches and recursion are safe.
#include <unordered_set>

#include "core/arith/equal.h"
#include "core/arith/fold.h"
#include "core/ir/reflect.h"
#include "core/transform/calls.h"
#include "core/transform/pass_functions.h"
#include "core/transform/storage_pool.h"

namespace rx::transform {

namespace {

using relax::Var;
using Plan = std::unordered_map<const Var*, std::shared_ptr<StorageToken>>;
/// Allocations that a value may stand for.
using Allocations = std::vector<const Var*>;

constexpr std::string_view kAllocTensor = "relax.builtin.alloc_tensor";

/// Upper bounds of symbolic variables by name, from the attribute tir_var_upper_bound.
using Bounds = std::unordered_map<std::string, int64_t>;
Bounds boundsOf(const relax::Function& function, const char* key) {
  Bounds bounds;
  const auto* dict = as<ir::DictAttrs>(ir::attrOf(function.attrs, key));
  for (size_t i = 0; dict && i < dict->size(); ++i) {
    const auto* value = as<ir::IntAttr>(dict->values[i]);
    if (value) bounds[dict->keys[i].string()] = value->value;
  }
  return bounds;
}

class Planner {
 public:
  explicit Planner(const relax::Function& function)
      : upper_(boundsOf(function, "tir_var_upper_bound")), lower_(boundsOf(function, "tir_var_lower_bound")) {}

  /// Plans every block of the function, those of branches included.
  Plan plan(const relax::Function& function) {
    walk(*function.body, Into::Parts, [&](const Node& node) {
      if (const auto* seq = as<relax::SeqExpr>(&node)) planSequence(*seq);
      return !isa<relax::Function>(&node);
    });
    return std::move(plan_);
  }

 private:
  void planSequence(const relax::SeqExpr& seq) {
    for (const relax::BlockRef& block : seq.blocks) collect(*block);
    discardAll(*seq.body);
    for (const relax::BlockRef& block : seq.blocks) assign(*block);
  }

  /// First walk over a block: which allocations can be planned, and how often each is used.
  void collect(const relax::BindingBlock& block) {
    for (const relax::Binding& binding : block.bindings) {
      const auto* plain = as<relax::VarBinding>(binding);
      if (!plain) {
        // A match_cast gives the value another name; its own uses are not told apart, so it is not planned.
        discardAll(*as<relax::MatchCast>(binding)->value);
        continue;
      }
      if (auto alloc = callOf(plain->value, kAllocTensor)) {
        if (std::shared_ptr<StorageToken> token = tokenOf(*alloc)) {
          candidates_[plain->var.get()] = std::move(token);
          home_[plain->var.get()] = &block;
          stands_[plain->var.get()] = {plain->var.get()};
        }
        continue;
      }
      noteUses(block, *plain);
    }
  }

  void noteUses(const relax::BindingBlock& block, const relax::VarBinding& binding) {
    const relax::Expr& value = binding.value;
    if (isa<Var>(value) || isa<relax::Tuple>(value) || isa<relax::TupleGetItem>(value) ||
        isOp(value, "relax.reshape")) {
      setAlias(block, binding, *value);
      return;
    }
    const auto* call = as<relax::Call>(value);
    if (!call || !takesBuffers(*call)) return discardAll(*value);
    for (const relax::Expr& arg : call->args) {
      for (const Var* alloc : allocationsIn(*arg)) {
        if (home_[alloc] != &block) {
          discard(alloc);
        } else if (candidates_.contains(alloc)) {
          ++candidates_[alloc]->uses;
        }
      }
    }
    // A packed function may give back what it was given.
    if (isa<relax::ExternFunc>(call->op) && !isVoid(binding.var->sinfo)) setAlias(block, binding, *value);
  }

  void setAlias(const relax::BindingBlock& block, const relax::VarBinding& binding, const Node& value) {
    Allocations allocations = allocationsIn(value);
    for (const Var* alloc : allocations) {
      if (home_[alloc] != &block) discard(alloc);
    }
    stands_[binding.var.get()] = std::move(allocations);
  }

  static bool isVoid(const relax::StructInfo& info) {
    const auto* tuple = as<relax::TupleStructInfo>(info);
    return tuple && tuple->items.empty();
  }

  /// Calls that read and write their tensor arguments and keep none: kernels, packed functions, call_tir_dyn.
  static bool takesBuffers(const relax::Call& call) {
    if (isa<relax::ExternFunc>(call.op)) return true;
    if (isOp(Ref<relax::Call>(&call), "relax.vm.call_tir_dyn")) return true;
    const auto* info = isa<relax::GlobalVar>(call.op) ? as<relax::FuncStructInfo>(call.op->sinfo) : nullptr;
    const auto* ret = info ? as<relax::TupleStructInfo>(info->ret) : nullptr;
    return ret && ret->items.empty();
  }

  /// Second walk: storage in the order of the allocations, free again after the last use.
  void assign(const relax::BindingBlock& block) {
    StoragePool pool;
    arith::Analyzer analyzer;
    std::unordered_map<const Var*, int64_t> left;
    for (const relax::Binding& binding : block.bindings) {
      const auto* plain = as<relax::VarBinding>(binding);
      if (!plain) continue;
      auto candidate = candidates_.find(plain->var.get());
      if (candidate != candidates_.end()) {
        std::shared_ptr<StorageToken> token = pool.take(*candidate->second, analyzer);
        plan_[plain->var.get()] = token ? token : candidate->second;
        left[plain->var.get()] = candidate->second->uses;
        continue;
      }
      const auto* call = as<relax::Call>(plain->value);
      if (!call || !takesBuffers(*call)) continue;
      for (const relax::Expr& arg : call->args) release(*arg, pool, left);
    }
  }

  void release(const Node& arg, StoragePool& pool, std::unordered_map<const Var*, int64_t>& left) {
    for (const Var* alloc : allocationsIn(arg)) {
      auto counter = left.find(alloc);
      if (counter != left.end() && --counter->second == 0) pool.release(plan_[alloc]);
    }
  }

  Allocations allocationsIn(const Node& value) const {
    Allocations found;
    walk(value, Into::Parts, [&](const Node& node) {
      const auto* var = as<Var>(&node);
      if (!var) return true;
      auto stands = stands_.find(var);
      if (stands != stands_.end()) found.insert(found.end(), stands->second.begin(), stands->second.end());
      return false;
    });
    return found;
  }

  void discardAll(const Node& value) {
    for (const Var* alloc : allocationsIn(value)) discard(alloc);
  }
  void discard(const Var* alloc) { candidates_.erase(alloc); }

  std::shared_ptr<StorageToken> tokenOf(const relax::Call& alloc) const {
    const auto* shape = as<relax::ShapeExpr>(alloc.args[0]);
    const auto* dtype = as<relax::DataTypeImm>(alloc.args[1]);
    const auto* device = as<relax::PrimValue>(alloc.args[2]);
    const auto* scope = as<relax::StringImm>(alloc.args[3]);
    if (!shape || !dtype || !device || !scope) return nullptr;
    auto token = std::make_shared<StorageToken>();
    tir::PrimExpr count = tir::intImm(1);
    for (const tir::PrimExpr& dim : shape->values) count = arith::mul(count, bounded(dim));
    token->bytes = arith::mul(tir::intImm(dtype->value.bytes()), count);
    token->dtype = dtype->value;
    token->scope = scope->value.string();
    token->device = tir::asInt(device->value).value_or(0);
    return token;
  }

  /// A dimension at its upper bound where all its variables have one, else as it stands.
  tir::PrimExpr bounded(const tir::PrimExpr& dim) const {
    if (upper_.empty() || tir::asInt(dim)) return dim;
    arith::Analyzer analyzer;
    for (const tir::VarRef& var : arith::freeVars(dim)) {
      auto upper = upper_.find(var->name.string());
      if (upper == upper_.end()) return dim;
      auto lower = lower_.find(var->name.string());
      analyzer.setBound(var, {lower == lower_.end() ? 0 : lower->second, upper->second});
    }
    arith::ConstIntBound bound = analyzer.constIntBound(dim);
    return bound.max == arith::ConstIntBound::kPosInf ? dim : tir::intImm(bound.max);
  }

  Bounds upper_, lower_;
  std::unordered_map<const Var*, std::shared_ptr<StorageToken>> candidates_;
  std::unordered_map<const Var*, const relax::BindingBlock*> home_;
  std::unordered_map<const Var*, Allocations> stands_;
  Plan plan_;
};

class PlanRewriter : public build::Mutator {
 public:
  explicit PlanRewriter(build::ModuleContext& module) : Mutator("StaticPlanBlockMemory", &module) {}

 protected:
  relax::FunctionRef visitFunction(const relax::FunctionRef& function) override {
    plan_ = Planner(*function).plan(*function);
    return Mutator::visitFunction(function);
  }

  void visitVarBinding(const Ref<relax::VarBinding>& binding) override {
    auto planned = plan_.find(binding->var.get());
    auto alloc = callOf(binding->value, kAllocTensor);
    if (planned == plan_.end() || !alloc) return Mutator::visitVarBinding(binding);
    const StorageToken& token = *planned->second;
    relax::Expr& storage = storages_[planned->second.get()];
    if (!storage) {
      relax::Expr size = make<relax::ShapeExpr>(Array<tir::PrimExpr>{token.bytes});
      storage = builder.emit(op::makeCall("relax.memory.alloc_storage",
                                          {size, primInt(token.device), textImm(token.scope), typeImm(token.dtype)}),
                             builder.names().fresh("storage"));
    }
    rebind(binding, op::makeCall("relax.memory.alloc_tensor",
                                 {storage, primInt(0), alloc->args[0], alloc->args[1], alloc->args[2]}));
  }

 private:
  Plan plan_;
  std::unordered_map<const StorageToken*, relax::Expr> storages_;
};

}  // namespace

Result<ir::Module> staticPlanBlockMemory(const ir::Module& module, const ir::Attrs&, pass::PassContext&) {
  return build::mutateFunctions(module,
                                [](build::ModuleContext& context) { return std::make_unique<PlanRewriter>(context); });
}

}  // namespace rx::transform
