#include "core/lower/undefined.h"

#include <unordered_set>

#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"

namespace rx::lower {

using namespace tir;

namespace {

class Collector {
 public:
  Undefined run(const Stmt& statement) {
    walk(*statement, Into::Parts, [this](const Node& node) { return enter(node); });
    Undefined result;
    for (const VarRef& var : used_) {
      if (!defined_.contains(var.get())) result.vars.push_back(var);
    }
    for (const BufferRef& buffer : buffers_) {
      if (!defined_.contains(buffer.get())) result.buffers.push_back(buffer);
    }
    return result;
  }

 private:
  bool enter(const Node& node) {
    if (const auto* loop = as<For>(&node)) define(loop->loopVar);
    if (const auto* bind = as<Bind>(&node)) define(bind->var);
    if (const auto* let = as<Let>(&node)) define(let->var);
    if (const auto* allocate = as<Allocate>(&node)) define(allocate->var);
    if (const auto* axis = as<IterVar>(&node)) define(axis->var);
    if (const auto* allocation = as<AllocBuffer>(&node)) defineBuffer(*allocation->buffer, true);
    if (const auto* declaration = as<DeclBuffer>(&node)) defineBuffer(*declaration->buffer, false);
    if (const auto* view = as<MatchBufferRegion>(&node)) defineBuffer(*view->buffer, true);
    if (const auto* block = as<Block>(&node)) {
      for (const BufferRef& buffer : block->allocBuffers) defineBuffer(*buffer, true);
    }
    if (const auto* reducer = as<CommReducer>(&node)) {
      for (const VarRef& var : reducer->lhs) define(var);
      for (const VarRef& var : reducer->rhs) define(var);
    }
    if (const auto* buffer = as<Buffer>(&node)) {
      // Its shape is looked at once; the walk meets it at every use.
      if (!met_.insert(buffer).second) return false;
      buffers_.emplace_back(buffer);
    }
    if (const auto* var = as<Var>(&node); var && met_.insert(var).second) used_.emplace_back(var);
    return true;
  }
  void define(const VarRef& var) { defined_.insert(var.get()); }
  void defineBuffer(const Buffer& buffer, bool allocates) {
    defined_.insert(&buffer);
    if (allocates) defined_.insert(buffer.data.get());
  }

  std::unordered_set<const Node*> defined_, met_;
  std::vector<VarRef> used_;
  std::vector<BufferRef> buffers_;
};

}  // namespace

Undefined undefinedIn(const Stmt& statement) { return Collector().run(statement); }

}  // namespace rx::lower
