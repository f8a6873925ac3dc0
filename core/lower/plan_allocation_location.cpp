// PlanAndUpdateBufferAllocationLocation: a buffer that a block allocates moves to the innermost loop or block around
// all its accesses; a loop gets a block in its body for it.
#include <fmt/format.h>

#include <unordered_set>

#include "core/ir/all_nodes.h"
#include "core/lower/access_regions.h"
#include "core/lower/buffer_scope.h"
#include "core/lower/checked_rewriter.h"
#include "core/lower/scope.h"
#include "core/lower/walk_nested.h"

namespace rx::lower {

using namespace tir;

namespace {

/// Buffers in the order in which they are allocated or, for others, first accessed.
struct Order {
  std::vector<BufferRef> buffers;
  std::unordered_set<const Buffer*> seen;
  std::unordered_set<const Buffer*> movable;  ///< allocated or matched by blocks

  explicit Order(const PrimFunc& function) {
    walkNested(
        *function.body,
        [&](const Node& node) {
          if (const auto* block = as<Block>(&node)) {
            for (const BufferRef& buffer : block->allocBuffers) {
              add(buffer);
              movable.insert(buffer.get());
            }
            for (const auto& match : block->matchBuffers) {
              add(match->source->buffer);
              movable.insert(match->buffer.get());
            }
          } else if (const auto* load = as<BufferLoad>(&node)) {
            add(load->buffer);
          } else if (const auto* store = as<BufferStore>(&node)) {
            add(store->buffer);
          }
          return true;
        },
        [](const Node&) {});
  }
  void add(const BufferRef& buffer) {
    if (seen.insert(buffer.get()).second) buffers.push_back(buffer);
  }
};

class Planner : public CheckedRewriter {
 public:
  explicit Planner(const PrimFunc& function) {
    std::unordered_set<const Buffer*> params;
    for (const BufferRef& buffer : function.buffers) {
      if (!buffer) continue;
      params.insert(buffer.get());
      live_[buffer->data.get()] = buffer;
    }
    const Order order(function);
    const auto scopes = accessScopes(function);
    for (const BufferRef& buffer : order.buffers) {
      const auto scope = scopes.find(buffer.get());
      if (scope == scopes.end() || params.contains(buffer.get())) continue;
      if (order.movable.contains(buffer.get())) at_[scope->second].push_back(buffer);
      live_[buffer->data.get()] = buffer;
    }
  }

 protected:
  bool changesExpressions() const override { return false; }
  Stmt visit(const Stmt& statement) override {
    if (auto loop = refAs<For>(statement)) return ofLoop(loop);
    if (auto block = refAs<Block>(statement)) return ofBlock(block);
    return parts(statement);
  }

 private:
  Stmt ofLoop(const Ref<For>& loop) {
    const auto here = at_.find(loop.get());
    if (here == at_.end()) return parts(loop);
    for (const BufferRef& buffer : here->second) live_[buffer->data.get()] = buffer;
    auto made = std::make_unique<For>(*cast<For>(parts(loop)));
    for (const BufferRef& buffer : here->second) live_.erase(buffer->data.get());
    auto block = std::make_unique<Block>();
    block->body = made->body;
    block->allocBuffers = Array<BufferRef>(here->second);
    const AccessRegions regions = accessRegions(*block, live_);
    block->reads = regions.reads;
    block->writes = regions.writes;
    made->body = make<BlockRealize>(Array<PrimExpr>(), boolImm(true), Ref<Block>(block.release()));
    return Stmt(made.release());
  }

  Stmt ofBlock(const Ref<Block>& block) {
    if (block->init) {
      refuse("lower.order",
             fmt::format("the block {} still has an init: LowerInitBlock comes first", block->name.view()),
             block->span);
      return block;
    }
    const auto here = at_.find(block.get());
    const std::vector<BufferRef> none;
    const std::vector<BufferRef>& own = here == at_.end() ? none : here->second;
    for (const BufferRef& buffer : own) live_[buffer->data.get()] = buffer;
    for (const auto& match : block->matchBuffers) live_[match->buffer->data.get()] = match->buffer;
    auto made = std::make_unique<Block>(*cast<Block>(parts(block)));
    for (const auto& match : block->matchBuffers) live_.erase(match->buffer->data.get());
    for (const BufferRef& buffer : own) live_.erase(buffer->data.get());
    made->allocBuffers = Array<BufferRef>(own);
    made->reads = outer(made->reads);
    made->writes = outer(made->writes);
    return Stmt(made.release());
  }

  /// The regions of buffers that live outside the block too.
  Array<Ref<BufferRegion>> outer(const Array<Ref<BufferRegion>>& regions) const {
    std::vector<Ref<BufferRegion>> kept;
    for (const auto& region : regions) {
      if (live_.contains(region->buffer->data.get())) kept.push_back(region);
    }
    return Array<Ref<BufferRegion>>(std::move(kept));
  }

  std::unordered_map<const StmtNode*, std::vector<BufferRef>> at_;
  BufferByPointer live_;
};

}  // namespace

Result<PrimFuncRef> planAllocationLocation(const PrimFuncRef& func, Scope&) {
  RX_TRY(body, Planner(*func).run(func->body));
  return withBody(func, body);
}

}  // namespace rx::lower
