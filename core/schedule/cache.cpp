// cache_read and cache_write: a block uses a copy of a buffer in another memory.
#include <fmt/format.h>

#include <algorithm>

#include "core/arith/analyzer.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/access_regions.h"
#include "core/schedule/copy_loops.h"
#include "core/schedule/loop_checks.h"
#include "core/schedule/new_buffers.h"
#include "core/schedule/primitives.h"
#include "core/schedule/stage_insert.h"

namespace rx::schedule {

using namespace tir;

namespace {

constexpr std::string_view kSkips = "a loop around the copy has steps without what is copied";

/// What is copied, and where the block that copies goes.
struct Stage {
  Ref<Block> scope;
  BufferRef buffer;
  Array<Ref<Range>> region;  ///< what of the buffer is copied
  StagePlace place;
};

/// Everything that a block writes of a buffer while the loops between it and the holder of the place run.
Array<Ref<Range>> writtenUnder(const Path& path, const BufferRegion& write, const Stmt& holder) {
  const auto& realize = *as<BlockRealize>(path.back());
  const auto above = std::find(path.begin(), path.end(), holder);
  const arith::Domains domains = domainsOf(loopsOf(path, static_cast<size_t>(above - path.begin()) + 1));
  const arith::VarMap values = bindings(realize);
  arith::Analyzer analyzer;
  const Array<Ref<Range>> region = substituted(write.region, values);
  const std::vector<arith::IntSet> sets =
      arith::regionBound(region, domains, arith::substitute(realize.predicate, values), analyzer);
  const Array<Ref<Range>> whole = lower::wholeRegion(*write.buffer);
  std::vector<Ref<Range>> made;
  for (size_t i = 0; i < sets.size(); ++i) made.push_back(arith::cover(sets[i], whole[i]));
  return Array<Ref<Range>>(std::move(made));
}

/// Whether a loop around the place of the copy has steps in which the block does not run: the copy would run in them.
bool skipsSteps(const Path& path, const Stmt& holder) {
  const auto at = std::find(path.begin(), path.end(), holder);
  if (at == path.end() || !isa<For>(holder)) return false;
  return usesAny(as<BlockRealize>(path.back())->predicate, loopsOf(Path(path.begin(), at + 1)));
}

/// Blocks of the scope that read the buffer.
std::vector<Ref<BlockRealize>> readersOf(const BlockScope& scope, const Buffer& buffer) {
  std::vector<Ref<BlockRealize>> found;
  for (const auto& realize : scope.blocks()) {
    if (regionOf(realize->block->reads, buffer)) found.push_back(realize);
  }
  return found;
}

/// Whether the copy can be as small as what is copied: nobody outside of where it is made reads the buffer.
bool isCompact(const Stage& stage, const BlockScope& scope) {
  if (!isa<Block>(stage.place.holder)) return false;
  const std::vector<Ref<BlockRealize>> inside = blocksBelow(as<Block>(stage.place.holder)->body);
  const std::vector<Ref<BlockRealize>> readers = readersOf(scope, *stage.buffer);
  return std::all_of(readers.begin(), readers.end(), [&](const auto& reader) {
    return std::find(inside.begin(), inside.end(), reader) != inside.end();
  });
}

/// The loops that copy between the buffer and its copy; `compact`: the copy begins where the region does.
Stmt copying(const Stage& stage, const BufferRef& cache, bool reads, bool compact, const Str& name) {
  std::vector<CopyAxis> axes;
  for (size_t i = 0; i < stage.region.size(); ++i) {
    const Range& range = *stage.region[i];
    const PrimExpr zero = arith::constantInt(range.extent->dtype, 0);
    axes.push_back({compact ? range.extent : stage.buffer->shape[i], compact ? zero : range.min, range.extent});
  }
  CopyLoops copy(std::move(axes));
  std::vector<PrimExpr> there = copy.place;
  for (size_t i = 0; compact && i < there.size(); ++i) there[i] = arith::add(stage.region[i]->min, there[i]);
  copy.from = reads ? stage.buffer : cache;
  copy.to = reads ? cache : stage.buffer;
  copy.source = reads ? there : copy.place;
  copy.target = reads ? copy.place : there;
  return copy.nest(name);
}

/// Puts the copy in, and lets the blocks use it.
Result<BlockRef> staged(Schedule& schedule, const Stage& stage, std::string_view scopeName, bool reads,
                        std::unordered_set<const Block*> users) {
  const bool compact = isCompact(stage, BlockScope(*stage.scope));
  BufferRef cache = inScope(*stage.buffer, scopeName);
  if (compact) {
    std::vector<PrimExpr> shape;
    for (const auto& range : stage.region) shape.push_back(range->extent);
    cache = reshaped(*cache, Array<PrimExpr>(std::move(shape)), "");
  }
  const Str name = schedule.freshName(fmt::format("{}_{}", stage.buffer->name.view(), scopeName));
  const Stmt nest = copying(stage, cache, reads, compact, name);
  const auto scope = cast<Block>(withReplaced(stage.scope, stage.place.holder, withStage(stage.place, nest)));
  const BufferCopy copy{stage.buffer, cache, compact ? stage.region : Array<Ref<Range>>()};
  const auto made = cast<Block>(usingCopy(*scope, copy, users));
  schedule.replace(stage.scope, allocating(*made, cache));
  return schedule.block(name.view());
}

}  // namespace

Result<BlockRef> bare::cacheRead(Schedule& schedule, BlockRef block, size_t bufferIndex, std::string_view scopeName) {
  constexpr std::string_view kName = "cache_read";
  RX_TRY(path, blockPath(schedule, kName, block));
  const Block& reader = *cast<BlockRealize>(path.back())->block;
  const std::string_view name = schedule.name(block);
  if (path.size() < 2) return refuse(kName, name, "it is the block of the kernel itself");
  if (bufferIndex >= reader.reads.size()) return refuse(kName, name, "it reads no buffer of that number");
  RX_CHECK(checkMemory(kName, name, scopeName));
  const BufferRef buffer = reader.reads[bufferIndex]->buffer;
  Stage stage{schedule.get(schedule.scopeOf(path)), buffer, {}, {}};
  const BlockScope scope(*stage.scope);
  std::unordered_set<const Block*> users;
  std::vector<Ref<BlockRealize>> writers;
  for (const auto& realize : scope.blocks()) {
    const bool writes = regionOf(realize->block->writes, *buffer) != nullptr;
    if (writes) writers.push_back(realize);
    if (!writes) users.insert(realize->block.get());
  }
  if (writers.size() > 1) return refuse(kName, name, "several blocks write the buffer");
  if (writers.empty()) {
    const BufferRegion* whole = regionOf(stage.scope->reads, *buffer);
    stage.place = {stage.scope, 0};
    stage.region = whole ? whole->region : lower::wholeRegion(*buffer);
  } else {
    const Path from = schedule.pathTo(schedule.handle(*writers.front()->block));
    stage.place = placeBetween(stage.scope, *writers.front(), readersOf(scope, *buffer));
    if (skipsSteps(from, stage.place.holder)) return refuse(kName, name, kSkips);
    stage.region = writtenUnder(from, *regionOf(writers.front()->block->writes, *buffer), stage.place.holder);
  }
  return staged(schedule, stage, scopeName, true, std::move(users));
}

Result<BlockRef> bare::cacheWrite(Schedule& schedule, BlockRef block, size_t bufferIndex, std::string_view scopeName) {
  constexpr std::string_view kName = "cache_write";
  RX_TRY(path, blockPath(schedule, kName, block));
  const auto realize = cast<BlockRealize>(path.back());
  const std::string_view name = schedule.name(block);
  if (path.size() < 2) return refuse(kName, name, "it is the block of the kernel itself");
  if (bufferIndex >= realize->block->writes.size()) return refuse(kName, name, "it writes no buffer of that number");
  RX_CHECK(checkMemory(kName, name, scopeName));
  const BufferRef buffer = realize->block->writes[bufferIndex]->buffer;
  Stage stage{schedule.get(schedule.scopeOf(path)), buffer, {}, {}};
  const BlockScope scope(*stage.scope);
  if (scope.onlyWriter(*buffer) != realize) return refuse(kName, name, "other blocks write the buffer");
  std::vector<Ref<BlockRealize>> readers = readersOf(scope, *buffer);
  std::erase(readers, realize);
  stage.place = placeBetween(stage.scope, *realize, readers);
  if (skipsSteps(path, stage.place.holder)) return refuse(kName, name, kSkips);
  stage.region = writtenUnder(path, *realize->block->writes[bufferIndex], stage.place.holder);
  return staged(schedule, stage, scopeName, false, {realize->block.get()});
}

}  // namespace rx::schedule
