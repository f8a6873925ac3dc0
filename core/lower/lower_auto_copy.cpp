// LowerAutoCopy: blocks that are marked as copies between two kinds of memory become code for all threads of a block:
// coalesced, in vectors, by tensor core instructions where they have a part in it, with shared memory padded.
#include <fmt/format.h>

#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/bank_padding.h"
#include "core/lower/checked_rewriter.h"
#include "core/lower/copy_rules.h"
#include "core/lower/pass_functions.h"
#include "core/lower/thread_scope.h"

namespace rx::lower {

using namespace tir;

namespace {

constexpr std::string_view kMark = "auto_copy";

/// The rules by what they copy between, in the order in which they apply.
struct RuleRow {
  std::string_view from, to;
  CopyRule rule;
  bool staged = false;  ///< only where the block asks for a local stage
};
constexpr RuleRow kRules[] = {
    {"shared", "global", invertMapping},
    {"global", "shared", coalesce},
    {"shared", "global", coalesce},
    {"global", "shared", throughRegisters, true},
    {"shared", "wmma.matrix_a", loadTiles},
    {"shared", "wmma.matrix_b", loadTiles},
    {"wmma.accumulator", "global", storeTilesToGlobal},
    {"wmma.accumulator", "shared", storeTiles},
    {"m16n8k8.matrixC", "global", storeMmaToGlobal},
};

std::string_view memoryOf(const Buffer& buffer) {
  const StorageRank rank = storageRank(buffer.scope());
  return rank == StorageRank::Global ? "global" : rank == StorageRank::Shared ? "shared" : buffer.scope();
}

ThreadExtents threadExtents(const Stmt& body) {
  ThreadExtents found;
  walk(*body, Into::Parts, [&](const Node& node) {
    if (const auto* block = as<Block>(&node); block && ir::intAttrOf(block->annotations, "warp_execution", 0) != 0) {
      found["threadIdx.x"] = 32;
    } else if (const auto* loop = as<For>(&node); loop && loop->threadBinding) {
      if (const auto extent = asInt(loop->extent)) found[loop->threadBinding->threadTag.string()] = *extent;
    }
    return isa<StmtNode>(&node);
  });
  return found;
}

using Padded = std::unordered_map<const Buffer*, std::pair<BufferRef, BufferRef>>;

class CopyLowering : public CheckedRewriter {
 public:
  explicit CopyLowering(ThreadExtents threads) : threads_(std::move(threads)) {}
  Padded padded;  ///< buffers that got strides: old and new

 protected:
  bool changesExpressions() const override { return false; }
  Stmt visit(const Stmt& statement) override {
    if (auto loop = refAs<For>(statement)) {
      around_.push_back(loop);
      Stmt made = parts(statement);
      around_.pop_back();
      return made;
    }
    if (!isa<Block>(statement)) return parts(statement);
    const Stmt made = parts(statement);
    auto block = refAs<Block>(made);
    if (ir::boolAttrOf(block->annotations, kMark, false)) block = copied(block);
    for (const BufferRef& buffer : block->allocBuffers) pad(buffer);
    return block;
  }

 private:
  void pad(const BufferRef& buffer) {
    if (storageRank(buffer->scope()) != StorageRank::Shared) return;
    BufferRef fresh = padding_.padded(buffer);
    if (fresh != buffer) padded[buffer.get()] = {buffer, std::move(fresh)};
  }

  /// The region that counts as the source: the only one, or what tensor cores hold.
  Ref<BufferRegion> sourceOf(const Block& block) const {
    if (block.reads.size() == 1) return block.reads[0];
    Ref<BufferRegion> found;
    for (const Ref<BufferRegion>& region : block.reads) {
      if (region->buffer->scope() == "wmma.accumulator") found = region;
    }
    return found;
  }

  Ref<Block> copied(const Ref<Block>& block) {
    const Ref<BufferRegion> source = sourceOf(*block);
    if (!source || block->writes.size() != 1) {
      refuse("lower.auto-copy", "a block that copies reads one buffer and writes one", block->span);
      return block;
    }
    const CopyBlock copy{threads_, around_, source, block->writes[0],
                         ir::intAttrOf(block->annotations, "vector_bytes", 1)};
    const bool staged = ir::intAttrOf(block->annotations, "local_stage", 0) == 1;
    const std::string_view from = memoryOf(*copy.read->buffer), to = memoryOf(*copy.write->buffer);
    CopyBuffers buffers;
    Stmt body = block->body;
    for (const RuleRow& row : kRules) {
      if (row.from != from || row.to != to || (row.staged && !staged)) continue;
      Result<Stmt> made = row.rule(body, copy, buffers);
      if (!made) {
        for (const Diagnostic& error : made.diagnostics()) refuse(error.rule, error.message, error.span);
        return block;
      }
      body = *made;
    }
    for (const auto& [buffer, elements] : buffers.leastPadding) padding_.atLeast(buffer, elements);
    padding_.take(body, around_, threads_);
    auto* changed = new Block(*block);
    std::vector<BufferRef> allocated = block->allocBuffers.vector();
    allocated.insert(allocated.end(), buffers.allocated.begin(), buffers.allocated.end());
    changed->allocBuffers = Array<BufferRef>(std::move(allocated));
    changed->body = std::move(body);
    return Ref<Block>(changed);
  }

  const ThreadExtents threads_;
  std::vector<Ref<For>> around_;
  BankPadding padding_;
};

/// Every use of a buffer by what it was padded to.
class PaddedBuffers : public Rewriter {
 public:
  explicit PaddedBuffers(const Padded& padded) {
    for (const auto& [key, both] : padded) replace(both.first, both.second);
  }
};

}  // namespace

Result<PrimFuncRef> lowerAutoCopy(const PrimFuncRef& func, Scope&) {
  CopyLowering lowering(threadExtents(func->body));
  RX_TRY(body, lowering.run(func->body));
  return withBody(func, lowering.padded.empty() ? body : PaddedBuffers(lowering.padded).rewrite(body));
}

}  // namespace rx::lower
