// StaticPlanBlockMemory: tensors whose lives do not overlap share storage.
//
// Planning is by block: a tensor is planned when it is allocated in a block and all its uses are arguments of kernels
// and packed functions in that same block (aliases, tuples and reshapes of it included). Whatever else sees it (another
// block, a branch, a result, a closure) leaves it with an allocation of its own. So branches and recursion are safe.
// Where the function asks for it (relax.memory_plan_dynamic_func_output), results of symbolic size get storage too.
#include <unordered_set>

#include "core/arith/fold.h"
#include "core/ir/reflect.h"
#include "core/runtime/registry.h"
#include "core/transform/calls.h"
#include "core/transform/pass_functions.h"
#include "core/transform/shape_bounds.h"
#include "core/transform/storage_pool.h"

namespace rx::transform {

namespace {

using relax::Var;
using Plan = std::unordered_map<const Var*, std::shared_ptr<StorageToken>>;
constexpr std::string_view kAllocTensor = "relax.builtin.alloc_tensor";
/// The attribute by which a function has its results of symbolic size planned; the pass takes it away.
constexpr std::string_view kPlanOutput = "relax.memory_plan_dynamic_func_output";

/// What a value is made of: an allocation, or fields.
struct Holding {
  const Var* alloc = nullptr;
  bool viewed = false;  ///< seen through a view of it that a packed function made
  bool loose = false;   ///< the fields are all there is, but not at their indices
  std::vector<std::shared_ptr<const Holding>> fields;
};
using HoldingRef = std::shared_ptr<const Holding>;

/// The one packed function whose result is the memory of its argument. TVM takes no result for that; here a view at
/// least keeps the storage from being used again.
constexpr std::string_view kView = "vm.builtin.reshape";

class Planner {
 public:
  explicit Planner(const ShapeBounds& bounds) : bounds_(bounds) {}

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
          holds_[plain->var.get()] = std::make_shared<Holding>(Holding{plain->var.get(), false, false, {}});
        }
        continue;
      }
      noteUses(block, *plain);
    }
  }

  void noteUses(const relax::BindingBlock& block, const relax::VarBinding& binding) {
    const relax::Expr& value = binding.value;
    if (isa<Var>(value) || isa<relax::Tuple>(value) || isa<relax::TupleGetItem>(value)) {
      holds_[binding.var.get()] = inBlock(block, holdingOf(*value));
      return;
    }
    if (auto reshape = callOf(value, "relax.reshape")) {
      holds_[binding.var.get()] = inBlock(block, holdingOf(*reshape->args[0]));
      return;
    }
    const auto* call = as<relax::Call>(value);
    if (!call || !takesBuffers(*call)) return discardAll(*value);
    for (const relax::Expr& arg : call->args) {
      for (const Holding* leaf : leavesIn(inBlock(block, holdingOf(*arg)))) addUse(*leaf);
    }
    const auto* packed = as<relax::ExternFunc>(call->op);
    if (packed && packed->globalSymbol == kView && !call->args.empty())
      holds_[binding.var.get()] = viewOf(holdingOf(*call->args[0]));
  }

  void addUse(const Holding& leaf) {
    if (auto found = candidates_.find(leaf.alloc); found != candidates_.end()) ++found->second->uses;
  }

  /// The value; what of it was allocated in another block is not planned.
  HoldingRef inBlock(const relax::BindingBlock& block, HoldingRef value) {
    for (const Holding* leaf : leavesIn(value)) {
      if (home_[leaf->alloc] != &block) candidates_.erase(leaf->alloc);
    }
    return value;
  }

  /// Calls that read and write their tensor arguments and keep none: kernels, packed functions, call_tir_dyn.
  static bool takesBuffers(const relax::Call& call) {
    if (const auto* packed = as<relax::ExternFunc>(call.op)) return !vm::keepsArguments(packed->globalSymbol.view());
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
    for (const Holding* leaf : leavesIn(holdingOf(arg))) {
      auto counter = left.find(leaf->alloc);
      if (counter != left.end() && --counter->second == 0) pool.release(plan_[leaf->alloc]);
    }
  }

  /// What a value is made of; null when it has no allocation. The structure of tuples and fields of them is kept, of
  /// anything else only what it names.
  HoldingRef holdingOf(const Node& value) const {
    std::unordered_map<const Node*, HoldingRef> parts;
    auto named = std::make_shared<Holding>();
    named->loose = true;
    walkPostOrder(value, Into::Parts, [&](const Node& node) {
      if (const auto* var = as<Var>(&node)) {
        auto found = holds_.find(var);
        if (found == holds_.end()) return;
        parts[&node] = found->second;
        named->fields.push_back(found->second);
      } else if (const auto* get = as<relax::TupleGetItem>(&node)) {
        parts[&node] = fieldOf(parts[get->tuple.get()], get->index);
      } else if (const auto* tuple = as<relax::Tuple>(&node)) {
        auto held = std::make_shared<Holding>();
        for (const relax::Expr& item : tuple->items) held->fields.push_back(parts[item.get()]);
        parts[&node] = std::move(held);
      }
    });
    const bool structured = isa<Var>(&value) || isa<relax::TupleGetItem>(&value) || isa<relax::Tuple>(&value);
    return structured ? parts[&value] : named;
  }

  static HoldingRef fieldOf(const HoldingRef& tuple, int64_t index) {
    if (!tuple || tuple->loose || tuple->alloc) return tuple;
    return index >= 0 && index < static_cast<int64_t>(tuple->fields.size()) ? tuple->fields[static_cast<size_t>(index)]
                                                                            : nullptr;
  }

  static std::vector<const Holding*> leavesIn(const HoldingRef& value) {
    std::vector<const Holding*> leaves, open{value.get()};
    while (!open.empty()) {
      const Holding* held = open.back();
      open.pop_back();
      if (!held) continue;
      if (held->alloc) leaves.push_back(held);
      for (auto field = held->fields.rbegin(); field != held->fields.rend(); ++field) open.push_back(field->get());
    }
    return leaves;
  }

  static HoldingRef viewOf(const HoldingRef& value) {
    return value && value->alloc ? std::make_shared<Holding>(Holding{value->alloc, true, false, {}}) : nullptr;
  }

  /// What leaves the block is not planned; behind a view it is, and never free again.
  void discardAll(const Node& value) {
    const HoldingRef held = holdingOf(value);
    for (const Holding* leaf : leavesIn(held)) {
      if (leaf->viewed) {
        addUse(*leaf);
      } else {
        candidates_.erase(leaf->alloc);
      }
    }
  }

  std::shared_ptr<StorageToken> tokenOf(const relax::Call& alloc) const {
    const auto* shape = as<relax::ShapeExpr>(alloc.args[0]);
    const auto* dtype = as<relax::DataTypeImm>(alloc.args[1]);
    const auto* device = as<relax::PrimValue>(alloc.args[2]);
    const auto* scope = as<relax::StringImm>(alloc.args[3]);
    if (!shape || !dtype || !device || !scope) return nullptr;
    auto token = std::make_shared<StorageToken>();
    // One number, times the dimensions that are none: the form in which equal sizes look equal.
    tir::PrimExpr fixed = tir::intImm(dtype->value.bytes()), symbolic = tir::intImm(1);
    for (const tir::PrimExpr& dim : shape->values) {
      const tir::PrimExpr bound = bounds_.upper(dim);
      tir::PrimExpr& product = tir::asInt(bound) ? fixed : symbolic;
      product = arith::mul(product, bound);
    }
    token->bytes = arith::mul(fixed, symbolic);
    token->dtype = dtype->value;
    token->scope = scope->value.string();
    token->device = tir::asInt(device->value).value_or(0);
    return token;
  }

  const ShapeBounds& bounds_;
  std::unordered_map<const Var*, std::shared_ptr<StorageToken>> candidates_;
  std::unordered_map<const Var*, const relax::BindingBlock*> home_;
  std::unordered_map<const Var*, HoldingRef> holds_;
  Plan plan_;
};

class PlanRewriter : public build::Mutator {
 public:
  explicit PlanRewriter(build::ModuleContext& module) : Mutator("StaticPlanBlockMemory", &module) {}

 protected:
  relax::FunctionRef visitFunction(const relax::FunctionRef& function) override {
    const ShapeBounds bounds(*function);
    plan_ = Planner(bounds).plan(*function);
    storages_.clear();
    outputBounds_ = ir::boolAttrOf(function->attrs, kPlanOutput, false) ? &bounds : nullptr;
    relax::FunctionRef planned = Mutator::visitFunction(function);
    if (outputBounds_)
      planned = refAs<relax::Function>(ir::withFunctionAttrs(planned, ir::withoutAttr(planned->attrs, kPlanOutput)));
    outputBounds_ = nullptr;
    return planned;
  }

  void visitVarBinding(const Ref<relax::VarBinding>& binding) override {
    auto alloc = callOf(binding->value, kAllocTensor);
    relax::Expr storage = alloc ? storageOf(*binding->var, *alloc) : nullptr;
    if (!storage) return Mutator::visitVarBinding(binding);
    rebind(binding, op::makeCall("relax.memory.alloc_tensor",
                                 {storage, primInt(0), alloc->args[0], alloc->args[1], alloc->args[2]}));
  }

 private:
  /// The storage that is planned for an allocation, null when it keeps one of its own.
  relax::Expr storageOf(const Var& var, const relax::Call& alloc) {
    auto planned = plan_.find(&var);
    if (planned != plan_.end()) {
      relax::Expr& storage = storages_[planned->second.get()];
      if (!storage) storage = emitStorage(planned->second->bytes, alloc);
      return storage;
    }
    const auto* shape = as<relax::ShapeExpr>(alloc.args[0]);
    const auto* dtype = as<relax::DataTypeImm>(alloc.args[1]);
    if (!outputBounds_ || !shape || !dtype || allConstant(shape->values)) return nullptr;
    tir::PrimExpr bytes = tir::intImm(1);
    for (const tir::PrimExpr& dim : shape->values) bytes = arith::mul(bytes, outputBounds_->upper(dim));
    return emitStorage(arith::mul(bytes, tir::intImm(dtype->value.bytes())), alloc);
  }

  relax::Expr emitStorage(const tir::PrimExpr& bytes, const relax::Call& alloc) {
    relax::Expr size = make<relax::ShapeExpr>(Array<tir::PrimExpr>{bytes});
    return builder.emit(op::makeCall("relax.memory.alloc_storage", {size, alloc.args[2], alloc.args[3], alloc.args[1]}),
                        builder.names().fresh("storage"));
  }

  Plan plan_;
  std::unordered_map<const StorageToken*, relax::Expr> storages_;
  const ShapeBounds* outputBounds_ = nullptr;  ///< set where results of symbolic size are planned
};

}  // namespace

Result<ir::Module> staticPlanBlockMemory(const ir::Module& module, const ir::Attrs&, pass::PassContext& pass) {
  return build::mutateFunctions(module, pass.cancel,
                                [](build::ModuleContext& context) { return std::make_unique<PlanRewriter>(context); });
}

}  // namespace rx::transform
