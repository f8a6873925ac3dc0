#include "core/transform/storage_plan.h"

#include "core/arith/fold.h"
#include "core/ir/reflect.h"
#include "core/runtime/registry.h"
#include "core/transform/calls.h"

namespace rx::transform {

namespace {

using relax::Var;

/// A tensor that is allocated in a block.
struct Allocation {
  const Var* var = nullptr;
  const relax::BindingBlock* home = nullptr;
  std::shared_ptr<StorageToken> wanted;  ///< null: not planned
  std::shared_ptr<StorageToken> given;
  int64_t left = 0;  ///< uses that are still to come
};

/// What a value is made of: an allocation, or fields.
struct Holding {
  Allocation* alloc = nullptr;
  bool viewed = false;  ///< seen through a view of it that a packed function made
  bool loose = false;   ///< the fields are all there is, but not at their indices
  std::vector<std::shared_ptr<const Holding>> fields;
};
using HoldingRef = std::shared_ptr<const Holding>;

/// The one packed function whose result is the memory of its argument. TVM takes no result for that; here a view at
/// least keeps the storage from being used again.
constexpr std::string_view kView = "vm.builtin.reshape";

/// Calls `see` with every allocation that the value holds, in the order of its fields.
template <class See>
void eachLeaf(const Holding* value, See&& see) {
  if (!value) return;
  if (value->alloc) return see(*value);
  std::vector<const Holding*> open{value};
  while (!open.empty()) {
    const Holding* held = open.back();
    open.pop_back();
    if (!held) continue;
    if (held->alloc) see(*held);
    for (auto field = held->fields.rbegin(); field != held->fields.rend(); ++field) open.push_back(field->get());
  }
}

/// Arguments that are no values of tensors.
bool namesNothing(const Node& value) {
  return isa<relax::GlobalVar>(&value) || isa<relax::Constant>(&value) || isa<relax::ShapeExpr>(&value) ||
         isa<relax::PrimValue>(&value) || isa<relax::StringImm>(&value) || isa<relax::DataTypeImm>(&value);
}

/// Calls that read and write their tensor arguments and keep none: kernels, packed functions, call_tir_dyn.
bool takesBuffers(const relax::Call& call) {
  if (const auto* packed = as<relax::ExternFunc>(call.op)) return !vm::keepsArguments(packed->globalSymbol.view());
  if (const auto* callee = as<relax::GlobalVar>(call.op)) {
    const auto* info = as<relax::FuncStructInfo>(callee->sinfo);
    const auto* ret = info ? as<relax::TupleStructInfo>(info->ret) : nullptr;
    return ret && ret->items.empty();
  }
  const auto* op = as<relax::Op>(call.op);
  return op && op->name == "relax.vm.call_tir_dyn";
}

class Planner {
 public:
  Planner(const ShapeBounds& bounds, const CancelToken& cancel) : bounds_(bounds), cancel_(cancel) {}

  StoragePlan plan(const relax::Function& function) {
    std::vector<const relax::SeqExpr*> open{function.body.get()};
    while (!open.empty() && !cancel_.cancelled()) {
      const relax::SeqExpr* seq = open.back();
      open.pop_back();
      planSequence(*seq);
      openBranches(*seq, open);
    }
    return std::move(plan_);
  }

 private:
  /// Appends the sequences in the values of a sequence, those of the text's beginning last.
  static void openBranches(const relax::SeqExpr& seq, std::vector<const relax::SeqExpr*>& open) {
    for (size_t b = seq.blocks.size(); b-- > 0;) {
      const Array<relax::Binding>& bindings = seq.blocks[b]->bindings;
      for (size_t i = bindings.size(); i-- > 0;) {
        const auto* plain = as<relax::VarBinding>(bindings[i]);
        const auto* branch = plain ? as<relax::If>(plain->value) : nullptr;
        if (branch) open.insert(open.end(), {branch->falseBranch.get(), branch->trueBranch.get()});
      }
    }
  }

  void planSequence(const relax::SeqExpr& seq) {
    for (const relax::BlockRef& block : seq.blocks) collect(*block);
    discardAll(*seq.body);
    for (const relax::BlockRef& block : seq.blocks) assign(*block);
  }

  /// First walk over a block: which allocations can be planned, and how often each is used.
  void collect(const relax::BindingBlock& block) {
    holds_.reserve(holds_.size() + block.bindings.size() / 2);
    for (const relax::Binding& binding : block.bindings) {
      if (cancel_.cancelled()) return;
      const auto* plain = as<relax::VarBinding>(binding);
      if (!plain) {
        // A match_cast gives the value another name; its own uses are not told apart, so it is not planned.
        discardAll(*as<relax::MatchCast>(binding)->value);
      } else if (auto alloc = callOf(plain->value, kAllocTensor)) {
        addAllocation(block, *plain->var, *alloc);
      } else {
        noteUses(block, *plain);
      }
    }
  }

  void addAllocation(const relax::BindingBlock& block, const Var& var, const relax::Call& alloc) {
    std::shared_ptr<StorageToken> token = tokenOf(alloc);
    if (!token) return;
    allocations_.push_back(std::make_unique<Allocation>(Allocation{&var, &block, std::move(token), nullptr, 0}));
    holds_.set(&var, std::make_shared<Holding>(Holding{allocations_.back().get(), false, false, {}}));
  }

  void noteUses(const relax::BindingBlock& block, const relax::VarBinding& binding) {
    const relax::Expr& value = binding.value;
    if (isa<Var>(value) || isa<relax::Tuple>(value) || isa<relax::TupleGetItem>(value)) {
      return hold(*binding.var, inBlock(block, holdingOf(*value)));
    }
    if (auto reshape = callOf(value, "relax.reshape")) {
      return hold(*binding.var, inBlock(block, holdingOf(*reshape->args[0])));
    }
    const auto* call = as<relax::Call>(value);
    if (!call || !takesBuffers(*call)) return discardAll(*value);
    for (const relax::Expr& arg : call->args) {
      eachLeaf(inBlock(block, holdingOf(*arg)).get(), [](const Holding& leaf) { ++leaf.alloc->left; });
    }
    const auto* packed = as<relax::ExternFunc>(call->op);
    if (packed && packed->globalSymbol == kView && !call->args.empty())
      hold(*binding.var, viewOf(holdingOf(*call->args[0])));
  }

  void hold(const Var& var, HoldingRef value) {
    if (value) holds_.set(&var, std::move(value));
  }

  /// The value; what of it was allocated in another block is not planned.
  static HoldingRef inBlock(const relax::BindingBlock& block, HoldingRef value) {
    eachLeaf(value.get(), [&](const Holding& leaf) {
      if (leaf.alloc->home != &block) leaf.alloc->wanted = nullptr;
    });
    return value;
  }

  /// Second walk: storage in the order of the allocations, free again after the last use.
  void assign(const relax::BindingBlock& block) {
    StoragePool pool;
    arith::Analyzer analyzer;
    for (const relax::Binding& binding : block.bindings) {
      if (cancel_.cancelled()) return;
      const auto* plain = as<relax::VarBinding>(binding);
      const auto* call = plain ? as<relax::Call>(plain->value) : nullptr;
      if (!call) continue;
      if (takesBuffers(*call)) {
        for (const relax::Expr& arg : call->args) release(*arg, pool);
      } else if (const HoldingRef* held = holds_.find(plain->var.get())) {
        Allocation* alloc = (*held)->alloc;
        if (alloc && alloc->wanted && alloc->var == plain->var.get()) give(*alloc, pool, analyzer);
      }
    }
  }

  void give(Allocation& alloc, StoragePool& pool, arith::Analyzer& analyzer) {
    alloc.given = pool.take(*alloc.wanted, analyzer);
    if (!alloc.given) alloc.given = alloc.wanted;
    plan_.set(alloc.var, alloc.given);
  }

  void release(const Node& arg, StoragePool& pool) {
    eachLeaf(holdingOf(arg).get(), [&](const Holding& leaf) {
      if (leaf.alloc->given && --leaf.alloc->left == 0) pool.release(leaf.alloc->given);
    });
  }

  /// What a value is made of; null when it has no allocation. The structure of tuples and fields of them is kept, of
  /// anything else only what it names.
  HoldingRef holdingOf(const Node& value) const {
    if (const auto* var = as<Var>(&value)) return heldBy(*var);
    if (namesNothing(value)) return nullptr;
    const bool structured = isa<relax::TupleGetItem>(&value) || isa<relax::Tuple>(&value);
    std::unordered_map<const Node*, HoldingRef> parts;
    auto named = std::make_shared<Holding>();
    named->loose = true;
    walkPostOrder(value, Into::Parts, [&](const Node& node) {
      if (const auto* var = as<Var>(&node)) {
        HoldingRef held = heldBy(*var);
        if (!held) return;
        if (!structured) named->fields.push_back(held);
        parts[&node] = std::move(held);
      } else if (const auto* get = as<relax::TupleGetItem>(&node)) {
        parts[&node] = fieldOf(parts[get->tuple.get()], get->index);
      } else if (const auto* tuple = as<relax::Tuple>(&node)) {
        auto held = std::make_shared<Holding>();
        for (const relax::Expr& item : tuple->items) held->fields.push_back(parts[item.get()]);
        parts[&node] = std::move(held);
      }
    });
    return structured ? parts[&value] : named;
  }

  HoldingRef heldBy(const Var& var) const {
    const HoldingRef* held = holds_.find(&var);
    return held ? *held : nullptr;
  }

  static HoldingRef fieldOf(const HoldingRef& tuple, int64_t index) {
    if (!tuple || tuple->loose || tuple->alloc) return tuple;
    return index >= 0 && index < static_cast<int64_t>(tuple->fields.size()) ? tuple->fields[static_cast<size_t>(index)]
                                                                            : nullptr;
  }

  static HoldingRef viewOf(const HoldingRef& value) {
    return value && value->alloc ? std::make_shared<Holding>(Holding{value->alloc, true, false, {}}) : nullptr;
  }

  /// What leaves the block is not planned; behind a view it is, and never free again.
  void discardAll(const Node& value) {
    eachLeaf(holdingOf(value).get(), [](const Holding& leaf) {
      if (leaf.viewed) {
        ++leaf.alloc->left;
      } else {
        leaf.alloc->wanted = nullptr;
      }
    });
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
    token->scope = scope->value;
    token->device = tir::asInt(device->value).value_or(0);
    return token;
  }

  const ShapeBounds& bounds_;
  const CancelToken& cancel_;
  std::vector<std::unique_ptr<Allocation>> allocations_;
  PointerMap<Var, HoldingRef> holds_;
  StoragePlan plan_;
};

}  // namespace

StoragePlan planStorage(const relax::Function& function, const ShapeBounds& bounds, const CancelToken& cancel) {
  return Planner(bounds, cancel).plan(function);
}

}  // namespace rx::transform
