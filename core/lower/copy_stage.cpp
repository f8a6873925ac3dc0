#include <fmt/format.h>

#include <algorithm>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/copy_rules.h"
#include "core/lower/loop_nest.h"
#include "core/lower/new_buffer.h"
#include "core/lower/rank_promotion.h"
#include "core/lower/rewriter.h"
#include "core/lower/thread_scope.h"

namespace rx::lower {

using namespace tir;

namespace {

/// Loads of a buffer as another load.
class LoadReplacer : public Rewriter {
 public:
  LoadReplacer(const BufferRef& buffer, NodeRef load) : buffer_(buffer), load_(std::move(load)) {}

 protected:
  NodeRef enter(const NodeRef& node) override {
    const auto* load = as<BufferLoad>(node);
    return load && load->buffer == buffer_ ? load_ : nullptr;
  }

 private:
  const BufferRef& buffer_;
  const NodeRef load_;
};

/// The nest of a copy and which of its loops a stage runs through.
struct StageFrame {
  std::vector<Ref<For>> outer, within, threads;  ///< threads: loops around that share the buffer
  PrimExpr predicate;                            ///< null: none
  Ref<BufferStore> store;
};

Result<StageFrame> frameOf(const Stmt& body, std::string_view scope, const For* inside,
                           std::span<const Ref<For>> around, bool warpStores) {
  StageFrame frame;
  LoopNest nest = loopNest(body);
  bool within = inside == nullptr;
  for (const Ref<For>& loop : nest.loops) {
    (within ? frame.within : frame.outer).push_back(loop);
    within = within || loop.get() == inside;
  }
  if (const auto* branch = as<IfThenElse>(nest.body)) {
    frame.predicate = branch->condition;
    nest.body = branch->thenCase;
  }
  RX_TRY(store, storeOf(nest.body));
  frame.store = store;
  for (const Ref<For>& loop : around) {
    if (loop->forKind != ForKind::ThreadBinding) continue;
    const std::string_view tag = loop->threadBinding->threadTag.view();
    // All lanes of a warp store what they hold at once.
    if (sharedByThreads(scope, tag) && !(warpStores && tag.ends_with(".x"))) frame.threads.push_back(loop);
  }
  return frame;
}

BufferRef stageBuffer(const Buffer& like, std::string_view scope, Array<PrimExpr> shape) {
  std::string name = fmt::format("{}_{}", like.name.view(), scope);
  std::replace(name.begin(), name.end(), '.', '_');
  return bufferLike(like, Str(name), std::move(shape), scope);
}

std::vector<Ref<For>> allLoops(const StageFrame& frame) {
  std::vector<Ref<For>> loops = frame.threads;
  loops.insert(loops.end(), frame.within.begin(), frame.within.end());
  return loops;
}

Stmt guarded(const StageFrame& frame, Stmt body) {
  return frame.predicate ? Stmt(make<IfThenElse>(frame.predicate, std::move(body))) : body;
}

/// The statement in all loops, over variables of its own; those of threads become plain ones.
Stmt inOwnLoops(const StageFrame& frame, const Stmt& body) {
  const std::vector<Ref<For>> loops = allLoops(frame);
  arith::VarMap map;
  for (const Ref<For>& loop : loops) map[loop->loopVar.get()] = renamed(*loop->loopVar, "_cache");
  Stmt made = substitute(body, map);
  for (size_t i = loops.size(); i-- > 0;) {
    auto* loop = new For(*loops[i]);
    loop->loopVar = refAs<Var>(map[loops[i]->loopVar.get()]);
    loop->body = std::move(made);
    made = Stmt(loop);
    if (i >= frame.threads.size()) continue;
    loop->forKind = ForKind::Serial;
    loop->threadBinding = nullptr;
    loop->annotations = nullptr;
  }
  return made;
}

/// A dimension for each loop.
CompactPlaces byLoops(const StageFrame& frame) {
  CompactPlaces made;
  for (const Ref<For>& loop : allLoops(frame)) {
    made.shape.push_back(loop->extent);
    made.places.push_back(loop->loopVar);
  }
  return made;
}

LoopExtents extentsOf(const StageFrame& frame) {
  LoopExtents extents;
  for (const Ref<For>& loop : allLoops(frame)) {
    if (const auto extent = asInt(loop->extent)) extents[loop->loopVar.get()] = *extent;
  }
  return extents;
}

/// The load of what tensor cores hold; null where there is none, or several that differ.
Ref<BufferLoad> tileLoad(const Stmt& body) {
  Ref<BufferLoad> found;
  bool differs = false;
  walk(*body, Into::Parts, [&](const Node& node) {
    const auto* load = as<BufferLoad>(&node);
    if (!load) return !isa<Buffer>(&node);
    const std::string_view scope = load->buffer->scope();
    if (scope != "wmma.accumulator" && scope != "m16n8k8.matrixC") return true;
    differs =
        differs ||
        (found && (found->buffer != load->buffer || !arith::sameExprs(found->indices.span(), load->indices.span())));
    if (!found) found = Ref<BufferLoad>(load);
    return true;
  });
  return differs ? nullptr : found;
}

}  // namespace

Result<CopyStages> stagedRead(const Stmt& body, std::string_view scope, const For* inside,
                              std::span<const Ref<For>> around) {
  RX_TRY(frame, frameOf(body, scope, inside, around, false));
  const BufferStore& store = *frame.store;
  const auto* load = as<BufferLoad>(store.value);
  auto compact = load ? compactPlaces(load->indices.span(), extentsOf(frame)) : std::nullopt;
  if (!compact || compact->shape.empty()) compact = byLoops(frame);
  const BufferRef buffer = stageBuffer(*store.buffer, scope, Array<PrimExpr>(compact->shape));
  const Array<PrimExpr> places(compact->places);
  const Stmt read = guarded(frame, make<BufferStore>(buffer, store.value, places));
  const PrimExpr value = make<BufferLoad>(buffer, places, buffer->dtype);
  const Stmt write = guarded(frame, make<BufferStore>(store.buffer, value, store.indices));
  return CopyStages{frame.outer, inOwnLoops(frame, read), inLoops(frame.within, write), buffer};
}

Result<CopyStages> stagedWrite(const Stmt& body, std::string_view scope, const For* inside,
                               std::span<const Ref<For>> around) {
  RX_TRY(frame, frameOf(body, scope, inside, around, true));
  const Ref<BufferLoad> load = tileLoad(body);
  if (!load) {
    return otherForm(body->span, "the copy reads one place of one buffer of a tensor core");
  }
  const CompactPlaces dims = byLoops(frame);
  // What is stored may be converted: the buffer between has the type of the tiles.
  const BufferRef buffer = stageBuffer(*load->buffer, scope, Array<PrimExpr>(dims.shape));
  const Array<PrimExpr> places(dims.places);
  const Stmt first = guarded(frame, make<BufferStore>(buffer, load, places));
  const PrimExpr value = make<BufferLoad>(buffer, places, buffer->dtype);
  const Stmt second = guarded(frame, LoadReplacer(load->buffer, value).rewrite(Stmt(frame.store)));
  return CopyStages{frame.outer, inLoops(frame.within, first), inOwnLoops(frame, second), buffer};
}

Result<Stmt> throughRegisters(const Stmt& body, const CopyBlock& copy, CopyBuffers& buffers) {
  // Loops of threads go outside: what a thread reads is its own.
  const LoopNest nest = loopNest(body);
  std::vector<Ref<For>> threads, others;
  for (const Ref<For>& loop : nest.loops) (loop->forKind == ForKind::ThreadBinding ? threads : others).push_back(loop);
  Stmt lifted = inLoops(others, nest.body);
  const For* inside = nullptr;
  for (size_t i = threads.size(); i-- > 0;) {
    const Ref<For> loop = withLoopBody(*threads[i], lifted);
    if (!inside) inside = loop.get();
    lifted = loop;
  }
  RX_TRY(stages, stagedRead(lifted, "local", inside, copy.around));
  buffers.allocated.push_back(stages.buffer);
  const Stmt both[] = {stages.first, stages.second};
  return inLoops(stages.outer, seq(both));
}

}  // namespace rx::lower
