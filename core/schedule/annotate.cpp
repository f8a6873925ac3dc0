// annotate and storage_align: notes on loops and blocks for later passes.
#include "core/ir/all_nodes.h"
#include "core/lower/storage_align.h"
#include "core/schedule/block_facts.h"
#include "core/schedule/loop_checks.h"
#include "core/schedule/primitives.h"

namespace rx::schedule {

using namespace tir;

namespace {

Stmt withAnnotations(const Stmt& statement, const ir::Attrs& annotations) {
  if (const auto* loop = as<For>(statement)) {
    return changed(*loop, [&](For& copy) { copy.annotations = annotations; });
  }
  const auto realize = cast<BlockRealize>(statement);
  const auto block = changed(*realize->block, [&](Block& copy) { copy.annotations = annotations; });
  return make<BlockRealize>(realize->iterValues, realize->predicate, block);
}

ir::Attrs annotationsOf(const Stmt& statement) {
  const auto* loop = as<For>(statement);
  return loop ? loop->annotations : cast<BlockRealize>(statement)->block->annotations;
}

Result<Unit> noted(Schedule& schedule, const Path& path, std::string_view place, std::string_view key, NodeRef value) {
  const ir::Attrs known = annotationsOf(path.back());
  if (ir::attrOf(known, key)) return refuse("annotate", place, "it has an annotation of that name");
  schedule.replace(path.back(), withAnnotations(path.back(), ir::withAttr(known, Str(key), std::move(value))));
  return Unit{};
}

}  // namespace

Result<Unit> annotate(Schedule& schedule, const LoopRef& loop, std::string_view key, NodeRef value) {
  RX_TRY(path, loopPath(schedule, "annotate", loop));
  return noted(schedule, path, loop->name.view(), key, std::move(value));
}

Result<Unit> annotate(Schedule& schedule, BlockRef block, std::string_view key, NodeRef value) {
  RX_TRY(path, blockPath(schedule, "annotate", block));
  return noted(schedule, path, schedule.name(block), key, std::move(value));
}

Result<Unit> storageAlign(Schedule& schedule, BlockRef block, size_t bufferIndex, int64_t axis, int64_t factor,
                          int64_t offset) {
  RX_TRY(path, blockPath(schedule, "storage_align", block));
  const Block& found = *cast<BlockRealize>(path.back())->block;
  if (bufferIndex >= found.writes.size()) {
    return refuse("storage_align", schedule.name(block), "it writes no buffer of that number");
  }
  const Buffer& buffer = *found.writes[bufferIndex]->buffer;
  const auto rank = static_cast<int64_t>(buffer.shape.size());
  if (axis < -rank || axis >= rank) return refuse("storage_align", schedule.name(block), "the buffer has no such axis");
  if (factor <= 0) return refuse("storage_align", schedule.name(block), "the factor is not positive");
  const BlockScope scope(*schedule.get(schedule.scopeOf(path)));
  if (scope.isOutput(found)) return refuse("storage_align", schedule.name(block), "the buffer is not the kernel's own");
  axis += axis < 0 ? rank : 0;
  const int64_t index = static_cast<int64_t>(bufferIndex);
  std::vector<NodeRef> entries;
  if (const auto* known = as<ir::ArrayAttr>(ir::attrOf(found.annotations, lower::kDimAlign))) {
    for (const NodeRef& entry : known->items) {
      const auto* numbers = as<ir::ArrayAttr>(entry);
      const bool same = numbers && numbers->items.size() == 4 && as<ir::IntAttr>(numbers->items[0]) &&
                        as<ir::IntAttr>(numbers->items[0])->value == index && as<ir::IntAttr>(numbers->items[1]) &&
                        as<ir::IntAttr>(numbers->items[1])->value == axis;
      if (!same) entries.push_back(entry);
    }
  }
  entries.push_back(ir::intArrayAttr(std::array{index, axis, factor, offset}));
  const NodeRef value = ir::arrayAttr(Array<NodeRef>(std::move(entries)));
  schedule.replace(path.back(),
                   withAnnotations(path.back(), ir::withAttr(found.annotations, Str(lower::kDimAlign), value)));
  return Unit{};
}

}  // namespace rx::schedule
