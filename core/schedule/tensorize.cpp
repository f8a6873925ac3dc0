// tensorize: a step of a block computed by an intrinsic that does the same.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/loop_nest.h"
#include "core/lower/rewriter.h"
#include "core/lower/statements.h"
#include "core/schedule/block_facts.h"
#include "core/schedule/intrinsics.h"
#include "core/schedule/loop_checks.h"
#include "core/schedule/new_buffers.h"
#include "core/schedule/primitives.h"

namespace rx::schedule {

using namespace tir;

namespace {

constexpr std::string_view kName = "tensorize";

/// A nest of loops around one block that stores one element.
struct Step {
  std::vector<Ref<For>> loops;
  Ref<BlockRealize> realize;
  Ref<BufferStore> store;
};
std::optional<Step> stepOf(const Stmt& body) {
  const lower::LoopNest nest = lower::loopNest(body);
  const auto realize = refAs<BlockRealize>(nest.body);
  if (!realize || !arith::isOne(realize->predicate)) return std::nullopt;
  const Block& block = *realize->block;
  const auto store = refAs<BufferStore>(block.body);
  if (!store || store->predicate || block.init || !block.matchBuffers.empty() || !block.allocBuffers.empty())
    return std::nullopt;
  return Step{nest.loops, realize, store};
}

/// Where a tile of the intrinsic lies: in this buffer, from here on.
struct Tile {
  BufferRef buffer;
  std::vector<PrimExpr> begin;
};

/// A place of a buffer, loaded from or stored to.
struct Use {
  const Node* node;
  BufferRef buffer;
  Array<PrimExpr> indices;
};
std::vector<Use> accessesOf(const BufferStore& store) {
  std::vector<Use> found{{&store, store.buffer, store.indices}};
  walk(*store.value, Into::Parts, [&](const Node& node) {
    if (const auto* load = as<BufferLoad>(&node)) found.push_back({load, load->buffer, load->indices});
    return true;
  });
  return found;
}

/// Lays a description over a step of a block.
class Match {
 public:
  std::unordered_map<const Buffer*, Tile> tiles;  ///< by buffers of the description

  /// Why they do not do the same; empty where they do.
  std::string between(const Step& wanted, const Step& found) {
    if (const auto why = ofLoops(wanted, found); !why.empty()) return std::string(why);
    const auto described = cast<BufferStore>(lower::substitute(wanted.store, axes_));
    const std::vector<Use> theirs = accessesOf(*described), ours = accessesOf(*found.store);
    if (theirs.size() != ours.size()) return "its step loads other elements than the intrinsic";
    std::unordered_map<const Node*, NodeRef> places;
    for (size_t i = 0; i < ours.size(); ++i) {
      if (std::string why = ofAccess(theirs[i], ours[i], found); !why.empty()) return why;
      places.emplace(theirs[i].node, NodeRef(ours[i].node));
    }
    for (const auto& [buffer, tile] : tiles) {
      const bool shared = tile.buffer == found.store->buffer && buffer != described->buffer.get();
      if (shared) return fmt::format("it reads {} beside what it adds to", tile.buffer->name.view());
    }
    const NodeRef value = rewriteNodes(
        described->value, Into::Parts,
        [&](const NodeRef& node) {
          const auto place = places.find(node.get());
          return place == places.end() ? nullptr : place->second;
        },
        nullptr);
    return arith::sameExpr(cast<ExprNode>(value), found.store->value) ? "" : "its step computes something else";
  }

 private:
  std::string_view ofLoops(const Step& wanted, const Step& found) {
    const auto &theirs = wanted.realize->block->iterVars, &ours = found.realize->block->iterVars;
    if (wanted.loops.size() != found.loops.size() || theirs.size() != ours.size())
      return "it has not as many loops and axes as the intrinsic";
    for (size_t i = 0; i < wanted.loops.size(); ++i) {
      const For &their = *wanted.loops[i], &our = *found.loops[i];
      if (our.forKind != ForKind::Serial || our.step || !arith::isZero(our.min))
        return "a loop of its step does not simply count from 0";
      if (!asInt(our.extent) || asInt(our.extent) != asInt(their.extent))
        return "a loop of its step is not as long as that of the intrinsic";
      loops_[their.loopVar.get()] = our.loopVar;
    }
    for (size_t i = 0; i < theirs.size(); ++i) {
      const PrimExpr value = arith::substitute(wanted.realize->iterValues[i], loops_);
      if (!arith::sameExpr(value, found.realize->iterValues[i]) || theirs[i]->iterType != ours[i]->iterType)
        return "an axis of its step is another than that of the intrinsic";
      axes_[theirs[i]->var.get()] = ours[i]->var;
      analyzer_.bind(ours[i]->var, *ours[i]->dom);
    }
    return {};
  }

  std::string ofAccess(const Use& theirs, const Use& ours, const Step& found) {
    const Buffer &tile = *theirs.buffer, &whole = *ours.buffer;
    const std::string_view name = whole.name.view();
    if (tile.dtype != whole.dtype)
      return fmt::format("{} is {}, and the intrinsic takes {}", name, whole.dtype.str(), tile.dtype.str());
    if (tile.scope() != whole.scope())
      return fmt::format("{} lies in the memory {}, and the intrinsic takes {}", name, whole.scope(), tile.scope());
    if (!whole.strides.empty()) return fmt::format("the rows of {} do not lie side by side", name);
    if (ours.indices.size() < theirs.indices.size())
      return fmt::format("{} has fewer dimensions than the tile of the intrinsic", name);
    const size_t first = ours.indices.size() - theirs.indices.size();
    std::vector<PrimExpr> begin;
    for (size_t i = 0; i < ours.indices.size(); ++i) {
      const PrimExpr& index = ours.indices[i];
      begin.push_back(i < first ? index : analyzer_.simplify(arith::sub(index, theirs.indices[i - first])));
      for (const auto& axis : found.realize->block->iterVars) {
        if (lower::uses(begin.back(), axis->var.get()))
          return fmt::format("the step walks through {} otherwise than the intrinsic", name);
      }
    }
    const auto [known, added] = tiles.try_emplace(&tile, Tile{ours.buffer, begin});
    const auto same = [&](const PrimExpr& a, const PrimExpr& b) { return analyzer_.canProveEqual(a, b); };
    if (known->second.buffer == ours.buffer &&
        std::equal(begin.begin(), begin.end(), known->second.begin.begin(), same))
      return {};
    return fmt::format("one tile of the intrinsic would lie at two places of {}", name);
  }

  arith::VarMap loops_, axes_;
  arith::Analyzer analyzer_;
};

/// A buffer of the implementation as a view of a tile: with the offset and the strides that the tile has.
BufferRef viewOf(const Buffer& buffer, const Buffer& whole) {
  const DataType type = indexType(whole.shape);
  return changed(buffer, [&](Buffer& copy) {
    copy.elemOffset = make<Var>(Str(fmt::format("{}_offset", buffer.name.view())), type);
    std::vector<PrimExpr> strides;
    for (size_t i = 0; i + 1 < buffer.shape.size(); ++i)
      strides.push_back(make<Var>(Str(fmt::format("{}_stride{}", buffer.name.view(), i)), type));
    strides.push_back(arith::constantInt(type, 1));
    copy.strides = Array<PrimExpr>(std::move(strides));
  });
}

/// The block with its step computed by the implementation.
Ref<Block> computedBy(const Intrinsic& intrinsic, const Match& match, const Block& block) {
  const PrimFunc& implementation = *intrinsic.implementation;
  Stmt body = cast<BlockRealize>(implementation.body)->block->body;
  std::vector<Ref<MatchBufferRegion>> views = block.matchBuffers.vector();
  for (size_t i = 0; i < implementation.buffers.size(); ++i) {
    const BufferRef& from = implementation.buffers[i];
    const Tile& tile = match.tiles.at(intrinsic.description->buffers[i].get());
    const BufferRef view = viewOf(*from, *tile.buffer);
    const size_t first = tile.begin.size() - from->shape.size();
    std::vector<Ref<Range>> ranges;
    for (size_t d = 0; d < tile.begin.size(); ++d) {
      const DataType type = tile.begin[d]->dtype;
      ranges.push_back(make<Range>(
          tile.begin[d], d < first ? arith::constantInt(type, 1) : arith::cast(type, from->shape[d - first])));
    }
    views.push_back(
        make<MatchBufferRegion>(view, make<BufferRegion>(tile.buffer, Array<Ref<Range>>(std::move(ranges)))));
    body = withBuffer(body, from, view);
  }
  return changed(block, [&](Block& copy) {
    copy.matchBuffers = Array<Ref<MatchBufferRegion>>(std::move(views));
    copy.body = body;
  });
}

/// The block by itself, or the loop as a block.
Result<BlockRef> blockOf(Schedule& schedule, const Place& place) {
  if (const auto* block = std::get_if<BlockRef>(&place)) return *block;
  auto made = bare::blockize(schedule, std::get<LoopRef>(place));
  if (made) return made;
  return refuse(kName, std::get<LoopRef>(place)->name.view(),
                fmt::format("it is no block: {}", made.failure().diagnostics.front().message));
}

}  // namespace

Result<Unit> bare::tensorize(Schedule& schedule, const Place& place, std::string_view name) {
  RX_TRY(intrinsic, intrinsicNamed(name));
  Schedule tried = schedule;
  RX_TRY(block, blockOf(tried, place));
  RX_TRY(path, blockPath(tried, kName, block));
  const Ref<BlockRealize> realize = cast<BlockRealize>(path.back());
  const auto no = [&](std::string_view why) {
    return refuse(kName, tried.name(block), fmt::format("{} does not fit: {}", name, why));
  };
  if (realize->block->init) return no("sums begin in it, and decompose_reduction has to take that out first");
  const auto wanted = stepOf(cast<BlockRealize>(intrinsic.description->body)->block->body);
  const auto found = stepOf(realize->block->body);
  if (!wanted || !found) return no("it is not one nest of loops around a block that stores one element");
  Match match;
  if (const std::string why = match.between(*wanted, *found); !why.empty()) return no(why);
  tried.replace(realize, make<BlockRealize>(realize->iterValues, realize->predicate,
                                            computedBy(intrinsic, match, *realize->block)));
  schedule = std::move(tried);
  return Unit{};
}

}  // namespace rx::schedule
