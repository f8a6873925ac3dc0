#include "core/lower/buffer_scope.h"

#include <deque>
#include <unordered_set>

#include "core/arith/equal.h"
#include "core/lower/walk_nested.h"

namespace rx::lower {

using namespace tir;

namespace {

/// A loop or block; the function itself has neither statement nor parent.
struct Place {
  const Place* parent;
  const StmtNode* statement;
  int depth;
};

const Place* common(const Place* a, const Place* b) {
  if (!a || !b) return a ? a : b;
  while (a != b) {
    if (a->depth >= b->depth) {
      a = a->parent;
    } else {
      b = b->parent;
    }
  }
  return a;
}
const Place* higher(const Place* a, const Place* b) { return !a || (b && b->depth < a->depth) ? b : a; }

class Detector {
 public:
  explicit Detector(const PrimFunc& function) {
    for (const BufferRef& buffer : function.buffers) {
      if (buffer) byPointer_[buffer->data.get()] = buffer.get();
    }
    around_.push_back(place(nullptr));
    walkNested(
        *function.body, [&](const Node& node) { return enter(node); }, [&](const Node& node) { leave(node); });
    for (auto& [buffer, found] : found_) {
      if (buffer->scope() != "global") continue;
      for (const Place* launch : launches_) found = common(found, launch);
    }
  }

  std::unordered_map<const Buffer*, const StmtNode*> result() const {
    std::unordered_map<const Buffer*, const StmtNode*> made;
    for (const auto& [buffer, found] : found_) made[buffer] = found->statement;
    return made;
  }

 private:
  const Place* place(const StmtNode* statement) {
    const Place* parent = around_.empty() ? nullptr : around_.back();
    places_.push_back({parent, statement, parent ? parent->depth + 1 : 0});
    return &places_.back();
  }

  bool enter(const Node& node) {
    if (const auto* loop = as<For>(&node)) {
      around_.push_back(place(loop));
      if (loop->threadBinding && loop->threadBinding->threadTag.view().starts_with("blockIdx.")) {
        launches_.push_back(around_.back());
      }
      loops_[loop->loopVar.get()] = around_.back();
    } else if (const auto* realize = as<BlockRealize>(&node)) {
      for (const BufferRef& buffer : realize->block->allocBuffers) byPointer_[buffer->data.get()] = buffer.get();
      around_.push_back(place(realize->block.get()));
      ordered(*realize);
      for (const auto& match : realize->block->matchBuffers) {
        touch(match->source->buffer.get(), around_.back());
        matched_.insert(match->buffer.get());
      }
    } else if (const auto* attr = as<AttrStmt>(&node)) {
      const auto* iter = as<IterVar>(attr->node);
      if (iter && attr->key == "thread_extent" && iter->threadTag.view().starts_with("blockIdx.")) {
        launches_.push_back(around_.back());
      }
    } else if (const auto* load = as<BufferLoad>(&node)) {
      touch(load->buffer.get(), around_.back());
    } else if (const auto* store = as<BufferStore>(&node)) {
      touch(store->buffer.get(), around_.back());
    } else if (const auto* view = as<DeclBuffer>(&node)) {
      pointer(view->buffer->data.get());
    } else if (const auto* var = as<Var>(&node)) {
      pointer(var);
    }
    return true;
  }

  void leave(const Node& node) {
    if (!isa<For>(&node) && !isa<BlockRealize>(&node)) return;
    around_.pop_back();
    if (const auto* loop = as<For>(&node)) loops_.erase(loop->loopVar.get());
  }

  void pointer(const Var* var) {
    const auto found = byPointer_.find(var);
    if (found != byPointer_.end()) touch(found->second, around_.back());
  }

  void touch(const Buffer* buffer, const Place* where) {
    byPointer_.emplace(buffer->data.get(), buffer);
    if (matched_.contains(buffer)) return;
    const Place*& found = found_[buffer];
    found = common(found, where);
  }

  /// The place around all loops that the value of an axis runs with, or null.
  const Place* outside(const PrimExpr& value) const {
    const Place* highest = nullptr;
    for (const VarRef& var : arith::freeVars(value)) {
      const auto loop = loops_.find(var.get());
      if (loop != loops_.end()) highest = higher(highest, loop->second->parent);
    }
    return highest;
  }

  /// What a block writes along axes that are not parallel has to outlive the loops of these axes.
  void ordered(const BlockRealize& realize) {
    const Block& block = *realize.block;
    std::unordered_map<const Var*, const Place*> opaque;
    const Place* reduced = nullptr;
    for (size_t i = 0; i < realize.iterValues.size() && i < block.iterVars.size(); ++i) {
      const IterVar& axis = *block.iterVars[i];
      const Place* where = axis.iterType == IterType::DataPar ? nullptr : outside(realize.iterValues[i]);
      if (!where) continue;
      if (axis.iterType == IterType::CommReduce) {
        reduced = higher(reduced, where);
        continue;
      }
      opaque[axis.var.get()] = where;
      for (const auto& write : block.writes) touch(write->buffer.get(), where);
    }
    auto update = [&](const Ref<BufferRegion>& region, const Place* limit) {
      const Place* where = around_.back();
      for (const auto& range : region->region) {
        for (const PrimExpr* end : {&range->min, &range->extent}) {
          for (const VarRef& var : arith::freeVars(*end)) {
            const auto found = opaque.find(var.get());
            if (found != opaque.end()) where = higher(where, found->second);
          }
        }
      }
      touch(region->buffer.get(), higher(where, limit));
    };
    if (!opaque.empty()) {
      for (const auto& read : block.reads) update(read, nullptr);
    }
    if (!opaque.empty() || reduced) {
      for (const auto& write : block.writes) update(write, reduced);
    }
  }

  std::deque<Place> places_;
  std::vector<const Place*> around_;
  std::vector<const Place*> launches_;  ///< of blocks of threads
  std::unordered_map<const Var*, const Place*> loops_;
  std::unordered_map<const Var*, const Buffer*> byPointer_;
  std::unordered_set<const Buffer*> matched_;
  std::unordered_map<const Buffer*, const Place*> found_;
};

}  // namespace

std::unordered_map<const Buffer*, const StmtNode*> accessScopes(const PrimFunc& function) {
  return Detector(function).result();
}

}  // namespace rx::lower
