// annotate, unannotate and storage_align: notes on loops and blocks for later passes.
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

/// Where a note stands: the path to a loop or a block, and its name.
struct NotePlace {
  Path path;
  std::string name;
};
Result<NotePlace> notePlace(const Schedule& schedule, std::string_view primitive, const Place& place) {
  if (const auto* block = std::get_if<BlockRef>(&place)) {
    RX_TRY(path, blockPath(schedule, primitive, *block));
    return NotePlace{std::move(path), std::string(schedule.name(*block))};
  }
  const auto& loop = std::get<LoopRef>(place);
  RX_TRY(path, loopPath(schedule, primitive, loop));
  return NotePlace{std::move(path), loop->name.string()};
}

}  // namespace

Result<Unit> bare::annotate(Schedule& schedule, const Place& place, std::string_view key, NodeRef value) {
  RX_TRY(at, notePlace(schedule, "annotate", place));
  const ir::Attrs known = annotationsOf(at.path.back());
  if (ir::attrOf(known, key)) return refuse("annotate", at.name, "it has an annotation of that name");
  schedule.replace(at.path.back(), withAnnotations(at.path.back(), ir::withAttr(known, Str(key), std::move(value))));
  return Unit{};
}

Result<Unit> bare::unannotate(Schedule& schedule, const Place& place, std::string_view key) {
  RX_TRY(at, notePlace(schedule, "unannotate", place));
  const ir::Attrs known = annotationsOf(at.path.back());
  if (!ir::attrOf(known, key)) return refuse("unannotate", at.name, "it has no annotation of that name");
  schedule.replace(at.path.back(), withAnnotations(at.path.back(), ir::withoutAttr(known, key)));
  return Unit{};
}

Result<Unit> bare::storageAlign(Schedule& schedule, BlockRef block, size_t bufferIndex, int64_t axis, int64_t factor,
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
