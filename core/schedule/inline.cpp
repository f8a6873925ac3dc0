#include "core/schedule/inline.h"

#include <algorithm>

#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/access_regions.h"
#include "core/schedule/loop_checks.h"

namespace rx::schedule {

using namespace tir;

Inliner::Inliner(const InlineSite& site, BufferRef buffer) : scope_(site.rest.get()), buffer_(std::move(buffer)) {
  walk(*site.scope, Into::Parts, [&](const Node& node) {
    if (const auto* region = as<BufferRegion>(&node)) known_[region->buffer->data.get()] = region->buffer;
    if (const auto* block = as<Block>(&node)) {
      for (const BufferRef& own : block->allocBuffers) known_[own->data.get()] = own;
    }
    return isa<StmtNode>(&node);
  });
}

Stmt Inliner::visit(const Stmt& statement) {
  const auto* old = as<Block>(statement);
  if (!old) return parts(statement);
  const Stmt made = parts(statement);
  const auto& block = *as<Block>(made);
  if (old == scope_) {
    std::vector<BufferRef> allocated = old->allocBuffers.vector();
    std::erase(allocated, buffer_);
    return changed(block, [&](Block& copy) { copy.allocBuffers = Array<BufferRef>(std::move(allocated)); });
  }
  if (!regionOf(old->reads, *buffer_) && !regionOf(old->writes, *buffer_)) return made;
  const lower::AccessRegions regions = lower::accessRegions(block, known_);
  return changed(block, [&](Block& copy) {
    copy.reads = regions.reads;
    copy.writes = regions.writes;
  });
}

Result<InlineSite> inlineSite(Schedule& schedule, std::string_view primitive, BlockRef block) {
  RX_TRY(path, blockPath(schedule, primitive, block));
  const std::string_view name = schedule.name(block);
  if (path.size() < 2) return refuse(primitive, name, "it is the block of the kernel itself");
  InlineSite site{cast<BlockRealize>(path.back()), nullptr, schedule.get(schedule.scopeOf(path)), nullptr};
  if (site.realize->block->init) return refuse(primitive, name, "it has an init");
  site.store = refAs<BufferStore>(site.realize->block->body);
  if (!site.store) return refuse(primitive, name, "its body is not a single store");
  const BlockScope scope(*site.scope);
  if (const std::string_view why = scope.whyNoPipeline(); !why.empty()) return refuse(primitive, name, why);
  if (const std::string_view why = scope.whyIncomplete(*site.realize->block); !why.empty()) {
    return refuse(primitive, name, why);
  }
  if (scope.blocks().size() < 2) return refuse(primitive, name, "it is the only block");
  site.rest = cast<Block>(withReplaced(site.scope, site.realize, nullptr));
  return site;
}

}  // namespace rx::schedule
