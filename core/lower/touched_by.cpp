#include "core/lower/touched_by.h"

#include <unordered_map>
#include <vector>

#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/intrinsics.h"
#include "core/lower/walk_nested.h"

namespace rx::lower {

using namespace tir;

namespace {

/// What an expression reads, and writes through pointers.
struct Uses {
  std::vector<const Var*> reads, writes;

  void add(const PrimExpr& expr) {
    if (!expr) return;
    walk(*expr, Into::Parts, [&](const Node& node) {
      if (const auto* var = as<Var>(&node)) reads.push_back(var);
      if (const auto* load = as<BufferLoad>(&node)) reads.push_back(load->buffer->data.get());
      if (const Call* call = asCallOf(NodeRef(&node), "tvm_access_ptr")) return pointer(*call);
      return !isa<Buffer>(&node);
    });
  }

 private:
  /// False where the pointer says by itself what is done through it.
  bool pointer(const Call& call) {
    const auto* data = call.args.size() == 5 ? as<Var>(call.args[1]) : nullptr;
    const auto mask = data ? asInt(call.args[4]) : std::nullopt;
    if (!mask) return true;
    if (*mask & 1) reads.push_back(data);
    if (*mask & 2) writes.push_back(data);
    add(call.args[2]);
    return false;
  }
};

class Flow {
 public:
  void look(const Node& node) {
    Uses uses;
    if (const auto* bind = as<Bind>(&node)) {
      uses.add(bind->value);
      record(bind->var.get(), uses);
    } else if (const auto* store = as<BufferStore>(&node)) {
      uses.add(store->value);
      for (const PrimExpr& index : store->indices) uses.add(index);
      record(store->buffer->data.get(), uses);
    } else if (const auto* loop = as<For>(&node)) {
      uses.add(loop->min);
      uses.add(loop->extent);
      record(loop->loopVar.get(), uses);
    } else if (const auto* alloc = as<AllocBuffer>(&node)) {
      for (const PrimExpr& size : alloc->buffer->shape) uses.add(size);
      record(alloc->buffer->data.get(), uses);
    } else if (const auto* evaluate = as<Evaluate>(&node)) {
      uses.add(evaluate->value);
      for (const Var* written : uses.writes) record(written, uses);
    }
  }

  std::unordered_set<const Var*> from(const Var* source) const {
    std::unordered_set<const Var*> touched{source};
    std::vector<const Var*> open{source};
    while (!open.empty()) {
      const auto next = into_.find(open.back());
      open.pop_back();
      if (next == into_.end()) continue;
      for (const Var* var : next->second) {
        if (touched.insert(var).second) open.push_back(var);
      }
    }
    return touched;
  }

 private:
  void record(const Var* result, const Uses& uses) {
    for (const Var* read : uses.reads) into_[read].push_back(result);
  }
  std::unordered_map<const Var*, std::vector<const Var*>> into_;
};

}  // namespace

std::unordered_set<const Var*> touchedBy(const Stmt& statement, const Var* var) {
  Flow flow;
  walkNested(
      *statement,
      [&](const Node& node) {
        flow.look(node);
        return isa<StmtNode>(&node);
      },
      [](const Node&) {});
  return flow.from(var);
}

}  // namespace rx::lower
