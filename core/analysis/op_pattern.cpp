#include "core/analysis/op_pattern.h"

#include <algorithm>
#include <unordered_set>

#include "core/ir/reflect.h"
#include "core/support/stack.h"

namespace rx::analysis {

namespace {

using tir::BufferLoad;
using tir::BufferStore;
using tir::PrimExpr;
using Vars = std::unordered_set<const Node*>;

/// Indices are compared as variables: anything computed counts as different.
bool sameIndex(const PrimExpr& a, const PrimExpr& b) { return a == b && isa<tir::Var>(a); }
bool sameIndices(const Array<PrimExpr>& a, const Array<PrimExpr>& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), sameIndex);
}

bool isInt(const PrimExpr& expr, int64_t value) {
  const auto* imm = as<tir::IntImm>(expr);
  return imm && imm->value == value;
}

bool anyVar(const PrimExpr& expr, const std::function<bool(const Node*)>& test) {
  bool found = false;
  walk(*expr, Into::Parts, [&](const Node& node) {
    found = found || (isa<tir::Var>(&node) && test(&node));
    return !found;
  });
  return found;
}

/// The load's indices stand among those of the store in their order; dimensions of size 1 are left out.
bool isBroadcast(const BufferStore& store, const BufferLoad& load) {
  size_t j = 0;
  for (size_t i = 0; i < load.indices.size(); ++i) {
    const bool unit = i < load.buffer->shape.size() && isInt(load.buffer->shape[i], 1) && isInt(load.indices[i], 0);
    if (unit) continue;
    // One store index may serve several dimensions of a load (a diagonal).
    while (j < store.indices.size() && !sameIndex(store.indices[j], load.indices[i])) ++j;
    if (j == store.indices.size()) return false;
  }
  return true;
}

/// The variables of the store's indices, or nothing where one is no variable.
std::optional<Vars> storeVars(const BufferStore& store) {
  Vars vars;
  for (const PrimExpr& index : store.indices) {
    if (!isa<tir::Var>(index)) return std::nullopt;
    vars.insert(index.get());
  }
  return vars;
}

bool isInjective(const BufferStore& store, const BufferLoad& load) {
  const std::optional<Vars> vars = storeVars(store);
  if (!vars) return false;
  auto foreign = [&](const Node* var) { return !vars->contains(var); };
  return std::none_of(load.indices.begin(), load.indices.end(),
                      [&](const PrimExpr& index) { return anyVar(index, foreign); });
}

/// Some variable of the store does not occur in the load: what is loaded serves several stores.
bool isReused(const BufferStore& store, const BufferLoad& load) {
  std::optional<Vars> vars = storeVars(store);
  if (!vars) return false;
  for (const PrimExpr& index : load.indices) {
    walk(*index, Into::Parts, [&](const Node& node) {
      vars->erase(&node);
      return true;
    });
  }
  return !vars->empty();
}

const PrimExpr& withoutCasts(const PrimExpr& expr) {
  const PrimExpr* inner = &expr;
  while (const auto* node = as<tir::Cast>(*inner)) inner = &node->value;
  return *inner;
}

/// C[i, j] = C[i, j] + A[i, k] * B[k, j], with casts anywhere.
bool isMultiplyAdd(const tir::Stmt& body) {
  const auto* store = as<BufferStore>(body);
  const auto* add = store ? as<tir::Add>(withoutCasts(store->value)) : nullptr;
  const auto* mul = add ? as<tir::Mul>(withoutCasts(add->b)) : nullptr;
  if (!mul) return false;
  const auto* sum = as<BufferLoad>(withoutCasts(add->a));
  if (!sum || !(sum->buffer == store->buffer) || !sameIndices(sum->indices, store->indices)) return false;
  const auto* lhs = as<BufferLoad>(withoutCasts(mul->a));
  const auto* rhs = as<BufferLoad>(withoutCasts(mul->b));
  return lhs && rhs && isReused(*store, *lhs) && isReused(*store, *rhs);
}

class PatternFinder {
 public:
  explicit PatternFinder(const tir::PrimFunc& func) : func_(func) {}

  OpPattern run() {
    visit(*func_.body);
    return pattern_;
  }

 private:
  void visit(const Node& root) {
    walk(root, Into::Parts, [&](const Node& node) {
      if (const auto* block = as<tir::Block>(&node)) {
        withStack([&] { visitBlock(*block); });
        return false;
      }
      // What says itself on which threads it runs has no part that could be another kernel's.
      const auto* loop = as<tir::For>(&node);
      const auto* attribute = as<tir::AttrStmt>(&node);
      if ((loop && loop->forKind == tir::ForKind::ThreadBinding) ||
          (attribute && attribute->key.view() == "thread_extent")) {
        pattern_ = OpPattern::Opaque;
        return false;
      }
      if (const auto* load = as<BufferLoad>(&node)) loads_.push_back(load);
      const auto* store = as<BufferStore>(&node);
      if (!store) return true;
      // One store a block is understood, as tensor expressions give it.
      if (store_ && !sameIndices(store_->indices, store->indices)) {
        pattern_ = OpPattern::Opaque;
        return false;
      }
      store_ = store;
      return true;
    });
  }

  void visitBlock(const tir::Block& block) {
    if (block.name == "root") return visit(*block.body);
    loads_.clear();
    store_ = nullptr;
    visit(*block.body);
    if (!store_ || pattern_ == OpPattern::Opaque) {
      pattern_ = OpPattern::Opaque;
      return;
    }
    const OpPattern indices = patternOfIndices();
    if (indices == OpPattern::Opaque) return visitReduction(block);
    // A reduction whose result is spread again: softmax.
    const bool spreads = pattern_ == OpPattern::Reduction && writesParameter(block);
    pattern_ = spreads ? OpPattern::OutEwiseFusable : std::max(pattern_, indices);
  }

  OpPattern patternOfIndices() const {
    OpPattern all = OpPattern::ElementWise;
    bool elementWise = false;
    for (const BufferLoad* load : loads_) {
      if (sameIndices(store_->indices, load->indices)) {
        elementWise = true;
      } else if (isBroadcast(*store_, *load)) {
        all = std::max(all, OpPattern::Broadcast);
      } else if (isInjective(*store_, *load)) {
        all = std::max(all, OpPattern::Injective);
      } else {
        return OpPattern::Opaque;
      }
    }
    // A[i, j] + B[i] is as good as element-wise.
    return all == OpPattern::Broadcast && elementWise ? OpPattern::ElementWise : all;
  }

  void visitReduction(const tir::Block& block) {
    Vars reduced;
    for (const Ref<tir::IterVar>& iter : block.iterVars) {
      if (iter->iterType == tir::IterType::CommReduce) reduced.insert(iter->var.get());
    }
    if (reduced.empty()) {
      pattern_ = OpPattern::Opaque;
      return;
    }
    const bool pure =
        std::all_of(loads_.begin(), loads_.end(), [&](const BufferLoad* load) { return readsPlainly(*load, reduced); });
    const bool complex = isMultiplyAdd(block.body) || !pure;
    pattern_ = std::max(pattern_, complex ? OpPattern::OutEwiseFusable : OpPattern::Reduction);
  }

  /// Reduced variables stand by themselves in the indices: pooling, which reads in[i + k], is no plain reduction.
  static bool readsPlainly(const BufferLoad& load, const Vars& reduced) {
    auto isReduced = [&](const Node* var) { return reduced.contains(var); };
    return std::all_of(load.indices.begin(), load.indices.end(), [&](const PrimExpr& index) {
      return reduced.contains(index.get()) || !anyVar(index, isReduced);
    });
  }

  bool writesParameter(const tir::Block& block) const {
    for (const Ref<tir::BufferRegion>& region : block.writes) {
      if (std::find(func_.buffers.begin(), func_.buffers.end(), region->buffer) != func_.buffers.end()) return true;
    }
    return false;
  }

  const tir::PrimFunc& func_;
  OpPattern pattern_ = OpPattern::ElementWise;
  std::vector<const BufferLoad*> loads_;  ///< of the block that was visited last
  const BufferStore* store_ = nullptr;
};

}  // namespace

OpPattern opPatternOf(const tir::PrimFunc& func) { return PatternFinder(func).run(); }

}  // namespace rx::analysis
