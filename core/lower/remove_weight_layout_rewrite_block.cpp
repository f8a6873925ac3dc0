// RemoveWeightLayoutRewriteBlock: weights come in their new layout already; the blocks that copied them there go.
#include <unordered_map>

#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/pass_functions.h"

namespace rx::lower {

using namespace tir;

namespace {

constexpr std::string_view kMark = "meta_schedule.layout_rewrite_preproc";

class LayoutRemover {
 public:
  Result<PrimFuncRef> run(const PrimFuncRef& function) {
    NodeRef body = rewriteNodes(function->body, Into::Parts, nullptr, [this](const NodeRef& node) -> NodeRef {
      const auto* block = as<Block>(node);
      return block ? NodeRef(rewritten(Ref<Block>(block))) : node;
    });
    if (!errors_.empty()) return fail(std::move(errors_));
    if (becomes_.empty()) return function;
    std::vector<BufferRef> buffers = function->buffers.vector();
    for (BufferRef& buffer : buffers) {
      const auto found = becomes_.find(buffer.get());
      if (found != becomes_.end()) buffer = found->second;
    }
    auto* copy = new PrimFunc(*function);
    copy->body = cast<StmtNode>(body);
    copy->buffers = std::move(buffers);
    return PrimFuncRef(copy);
  }

 private:
  /// Blocks come after the blocks in them, so what those rewrote is no allocation of theirs any more.
  Ref<Block> rewritten(const Ref<Block>& block) {
    if (ir::intAttrOf(block->annotations, kMark, 0) == 1) return withoutCopy(block);
    std::vector<BufferRef> kept;
    for (const BufferRef& buffer : block->allocBuffers) {
      if (!given_.contains(buffer.get())) kept.push_back(buffer);
    }
    if (kept.size() == block->allocBuffers.size()) return block;
    auto* copy = new Block(*block);
    copy->allocBuffers = std::move(kept);
    return Ref<Block>(copy);
  }

  Ref<Block> withoutCopy(const Ref<Block>& block) {
    const auto* store = as<BufferStore>(block->body);
    const auto* load = store ? as<BufferLoad>(store->value) : nullptr;
    if (!load || !block->allocBuffers.empty() || !block->matchBuffers.empty()) {
      errors_.push_back(errorAt(block->span, "lower.layout", "a block that rewrites a layout copies one element"));
      return block;
    }
    becomes_[load->buffer.get()] = store->buffer;
    given_[store->buffer.get()] = store->buffer;
    auto* copy = new Block(*block);
    copy->body = seq({});
    copy->reads = {};
    copy->writes = {};
    return Ref<Block>(copy);
  }

  std::unordered_map<const Node*, BufferRef> becomes_, given_;
  std::vector<Diagnostic> errors_;
};

}  // namespace

Result<PrimFuncRef> removeWeightLayoutRewriteBlock(const PrimFuncRef& func, Scope&) {
  return LayoutRemover().run(func);
}

}  // namespace rx::lower
