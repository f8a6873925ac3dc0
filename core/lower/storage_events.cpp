#include "core/lower/storage_events.h"

#include <fmt/format.h>

#include <unordered_set>

#include "core/arith/equal.h"
#include "core/ir/all_nodes.h"
#include "core/lower/own_code.h"
#include "core/lower/walk_nested.h"

namespace rx::lower {

using namespace tir;

namespace {

class Finder {
 public:
  Result<StorageEvents> run(const Stmt& body) {
    walkNested(
        *body, [&](const Node& node) { return enter(node); }, [&](const Node& node) { leave(node); });
    if (!errors_.empty()) return fail(std::move(errors_));
    return std::move(events_);
  }

 private:
  struct Allocation {
    size_t level;
    size_t dimensions;
  };

  /// Whether a statement is a scope: its accesses count where it ends.
  bool isScope(const Node& node) const {
    if (const auto* attr = as<AttrStmt>(&node)) {
      if (attr->key == "thread_extent") return !launch_ || launch_ == attr;
      return attr->key == "extern_scope" || attr->key == "virtual_thread" || attr->key == kOwnCode;
    }
    return isa<IfThenElse>(&node) || isa<For>(&node) || isa<While>(&node) || isa<AssertStmt>(&node);
  }
  static bool isLeaf(const Node& node) { return isa<BufferStore>(&node) || isa<Evaluate>(&node) || isa<Bind>(&node); }

  bool enter(const Node& node) {
    if (const auto* alloc = as<AllocBuffer>(&node)) {
      allocations_[alloc->buffer->data.get()] = {open_.size(), alloc->buffer->shape.size()};
      events_.allocations[alloc->buffer->data.get()] = alloc;
    } else if (isScope(node)) {
      const auto* attr = as<AttrStmt>(&node);
      if (attr && attr->key == "thread_extent") launch_ = attr;
      const auto* loop = as<For>(&node);
      if (loop && loop->forKind == ForKind::Vectorized) {
        refuse("lower.order", "a loop is still vectorized: VectorizeLoop comes first", loop->span);
      }
      open_.push_back({static_cast<const StmtNode*>(&node), StorageEvent::Kind::Begin, events_.sequence.size(), {}});
      events_.sequence.push_back(open_.back());
    } else if (isLeaf(node)) {
      open_.push_back({static_cast<const StmtNode*>(&node), StorageEvent::Kind::Leaf, 0, {}});
    } else if (const auto* var = as<Var>(&node)) {
      touch(var);
    }
    return true;
  }

  void leave(const Node& node) {
    if (const auto* load = as<BufferLoad>(&node)) {
      access(*load->buffer, load->span);
      return;
    }
    if (const auto* store = as<BufferStore>(&node)) access(*store->buffer, store->span);
    if (isScope(node)) {
      if (launch_ == &node) launch_ = nullptr;
      const size_t begin = open_.back().pair;
      StorageEvent end = std::move(open_.back());
      open_.pop_back();
      end.kind = StorageEvent::Kind::End;
      events_.sequence[begin].pair = events_.sequence.size();
      events_.sequence.push_back(std::move(end));
    } else if (isLeaf(node)) {
      if (!open_.back().touched.empty()) events_.sequence.push_back(std::move(open_.back()));
      open_.pop_back();
    }
  }

  void access(const Buffer& buffer, Span span) {
    const auto found = allocations_.find(buffer.data.get());
    if (found == allocations_.end()) return;
    touch(buffer.data.get());
    if (found->second.dimensions == 1) return;
    refuse("lower.order", fmt::format("the buffer {} is not flat: FlattenBuffer comes first", buffer.name.view()),
           span);
  }

  void touch(const Var* data) {
    const auto found = allocations_.find(data);
    if (found != allocations_.end() && found->second.level < open_.size()) {
      open_[found->second.level].touched.push_back(data);
    }
  }

  void refuse(std::string rule, std::string message, Span span) {
    errors_.push_back(errorAt(span, std::move(rule), std::move(message)));
  }

  StorageEvents events_;
  std::vector<StorageEvent> open_;
  std::unordered_map<const Var*, Allocation> allocations_;
  const Node* launch_ = nullptr;  ///< the outermost
  std::vector<Diagnostic> errors_;
};

/// See worksInPlace. It trusts that each place of dst is written once, as kernels made from schedules do.
class InPlace {
 public:
  InPlace(const Var* dst, const Var* src) : dst_(dst), src_(src) {}

  bool check(const Node& root) {
    walkNested(
        root, [&](const Node& node) { return enter(node); }, [&](const Node& node) { leave(node); });
    return holds_;
  }

 private:
  bool enter(const Node& node) {
    if (!holds_) return false;
    if (&node == dst_ || &node == src_) return holds_ = false;
    if (const auto* attr = as<AttrStmt>(&node)) holds_ = attr->key != "extern_scope";
    if (const auto* alloc = as<AllocBuffer>(&node)) holds_ = !ir::attrOf(alloc->annotations, "tirx.volatile");
    if (const auto* load = as<BufferLoad>(&node)) return entered(*load);
    if (const auto* store = as<BufferStore>(&node)) {
      store_ = store;
      // Loads in the place of a store would be indirect.
      for (const PrimExpr& index : store->indices) {
        walkNested(
            *index, [&](const Node& part) { return holds_ = holds_ && !isa<BufferLoad>(&part); }, [](const Node&) {});
      }
    }
    return holds_;
  }

  bool entered(const BufferLoad& load) {
    const Var* data = load.buffer->data.get();
    holds_ = data != dst_ && depth_ == 0;
    if (holds_ && data == src_) {
      const bool same = store_ && store_->buffer->data.get() == dst_ && store_->value->dtype == load.dtype;
      holds_ = same && arith::sameExprs(store_->indices, load.indices);
    }
    ++depth_;
    return holds_;
  }

  void leave(const Node& node) {
    if (isa<BufferLoad>(&node)) --depth_;
    if (isa<BufferStore>(&node)) store_ = nullptr;
  }

  const Var *dst_, *src_;
  const BufferStore* store_ = nullptr;
  int depth_ = 0;  ///< loads around
  bool holds_ = true;
};

}  // namespace

std::unordered_map<const StmtNode*, StorageLifetime> storageLifetimes(const std::vector<StorageEvent>& sequence) {
  std::unordered_map<const StmtNode*, StorageLifetime> lifetimes;
  std::unordered_set<const Var*> seen;
  for (size_t i = sequence.size(); i-- > 0;) {
    for (const Var* pointer : sequence[i].touched) {
      if (seen.insert(pointer).second) lifetimes[sequence[i].statement].ends.push_back(pointer);
    }
  }
  seen.clear();
  for (const StorageEvent& event : sequence) {
    if (event.kind == StorageEvent::Kind::End) continue;
    const StorageEvent& whole = event.kind == StorageEvent::Kind::Begin ? sequence[event.pair] : event;
    for (const Var* pointer : whole.touched) {
      if (seen.insert(pointer).second) lifetimes[whole.statement].begins.push_back(pointer);
    }
  }
  return lifetimes;
}

Result<StorageEvents> storageEvents(const Stmt& body) { return Finder().run(body); }

bool worksInPlace(const StmtNode& statement, const Var* dst, const Var* src) {
  switch (statement.kind()) {
    case Kind::tir_AttrStmt:
    case Kind::tir_For:
    case Kind::tir_IfThenElse:
    case Kind::tir_While:
    case Kind::tir_BufferStore:
      return InPlace(dst, src).check(statement);
    default:
      return false;
  }
}

}  // namespace rx::lower
