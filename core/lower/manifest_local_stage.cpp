// ManifestSharedMemoryLocalStage: a block that is marked so copies to shared memory by way of registers: all that it
// reads is read first, into a local buffer, and stored afterwards.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/checked_rewriter.h"
#include "core/lower/new_buffer.h"
#include "core/lower/scope.h"
#include "core/lower/statements.h"
#include "core/lower/thread_scope.h"

namespace rx::lower {

using namespace tir;

namespace {

constexpr std::string_view kMark = "tirx.manifest_shared_memory_local_stage";

/// The stage of one shared buffer.
struct Stage {
  BufferRef shared, local;
  Stmt fill;
};

class Inserter : public CheckedRewriter {
 protected:
  bool changesExpressions() const override { return false; }
  Stmt visit(const Stmt& statement) override {
    if (isa<For>(statement) || isa<BlockRealize>(statement)) {
      around_.push_back(statement);
      Stmt made = parts(statement);
      around_.pop_back();
      return made;
    }
    auto block = refAs<Block>(statement);
    if (!block) return parts(statement);
    return ir::attrOf(block->annotations, kMark) ? staged(block) : holding(block);
  }

 private:
  /// A block around marked ones: stages of the buffers that it allocates go before the statements that hold them.
  Stmt holding(const Ref<Block>& block) {
    std::vector<Stmt> old{block->body}, made;
    if (const auto* list = as<SeqStmt>(block->body)) old = list->seq.vector();
    std::vector<BufferRef> allocated = block->allocBuffers.vector();
    bool changed = false;
    for (const Stmt& part : old) {
      const size_t before = stages_.size();
      const Stmt fresh = rewrite(part);
      for (size_t i = before; i < stages_.size(); ++i) {
        const Stage& stage = stages_[i];
        if (std::find(block->allocBuffers.begin(), block->allocBuffers.end(), stage.shared) ==
            block->allocBuffers.end())
          continue;
        made.push_back(stage.fill);
        allocated.push_back(stage.local);
      }
      made.push_back(fresh);
      changed |= fresh != part;
    }
    if (!changed) return block;
    auto* copy = new Block(*block);
    copy->allocBuffers = Array<BufferRef>(std::move(allocated));
    copy->body = inOrder(made);
    return Stmt(copy);
  }

  Stmt staged(const Ref<Block>& block) {
    const auto* store = as<BufferStore>(block->body);
    if (!store || storageRank(store->buffer->scope()) != StorageRank::Shared || store->predicate) {
      refuse("lower.local-stage", "a block with a local stage is a single store to shared memory", block->span);
      return block;
    }
    const auto loops = loopsAround(*block, store->buffer);
    if (!loops) return block;
    std::vector<PrimExpr> indices, shape;
    for (const Ref<For>& loop : *loops) {
      indices.push_back(arith::add(loop->min, loop->loopVar));
      shape.push_back(loop->extent);
    }
    const BufferRef buffer = bufferLike(*store->buffer, store->buffer->name, Array<PrimExpr>(shape), "local");
    const Array<PrimExpr> place(std::move(indices));
    stages_.push_back({store->buffer, buffer, fill(*block, *store, *loops, buffer, place)});
    auto* made = new Block(*block);
    auto* out = new BufferStore(*store);
    out->value = make<BufferLoad>(buffer, place, buffer->dtype);
    made->body = Stmt(out);
    made->annotations = ir::withoutAttr(block->annotations, kMark);
    return Stmt(made);
  }

  /// The loops between the block and the one that allocates the buffer, from the outermost; nothing where they are not
  /// a nest of plain loops.
  std::optional<std::vector<Ref<For>>> loopsAround(const Block& block, const BufferRef& buffer) {
    std::vector<Ref<For>> loops;
    const StmtNode* inner = around_.back().get();
    for (size_t i = around_.size() - 1; i-- > 0;) {
      if (const auto* realize = as<BlockRealize>(around_[i])) {
        const auto& allocated = realize->block->allocBuffers;
        if (std::find(allocated.begin(), allocated.end(), buffer) != allocated.end()) break;
        refuse("lower.local-stage", "the block around a local stage does not allocate its buffer", block.span);
        return std::nullopt;
      }
      auto loop = refAs<For>(around_[i]);
      const bool plain = loop->forKind == ForKind::Serial || loop->forKind == ForKind::Vectorized;
      if (!plain || loop->body.get() != inner) {
        refuse("lower.local-stage", "the loops around a local stage are serial or vectorized and hold nothing else",
               loop->span);
        return std::nullopt;
      }
      inner = loop.get();
      loops.push_back(loop);
    }
    std::reverse(loops.begin(), loops.end());
    return loops;
  }

  /// The nest that reads into the local buffer, over variables of its own.
  Stmt fill(const Block& block, const BufferStore& store, const std::vector<Ref<For>>& loops, const BufferRef& buffer,
            const Array<PrimExpr>& place) const {
    std::vector<Ref<Range>> written;
    for (const PrimExpr& index : place) written.push_back(make<Range>(index, arith::constantInt(index->dtype, 1)));
    auto* inner = new Block();
    const Ref<Block> stage(inner);
    inner->reads = block.reads;
    inner->writes = {make<BufferRegion>(buffer, Array<Ref<Range>>(std::move(written)))};
    inner->body = make<BufferStore>(buffer, store.value, place);
    Stmt made = make<BlockRealize>(Array<PrimExpr>(), as<BlockRealize>(around_.back())->predicate, stage);
    arith::VarMap own;
    for (size_t i = loops.size(); i-- > 0;) {
      auto* loop = new For(*loops[i]);
      loop->loopVar = make<Var>(loops[i]->loopVar->name, loops[i]->loopVar->dtype);
      loop->body = made;
      own[loops[i]->loopVar.get()] = loop->loopVar;
      made = Stmt(loop);
    }
    return substitute(made, own);
  }

  std::vector<Stmt> around_;  ///< loops and blocks
  std::vector<Stage> stages_;
};

}  // namespace

Result<PrimFuncRef> manifestLocalStage(const PrimFuncRef& func, Scope&) {
  RX_TRY(body, Inserter().run(func->body));
  return withBody(func, body);
}

}  // namespace rx::lower
