#include "core/schedule/new_buffers.h"

#include <fmt/format.h>

#include "core/ir/all_nodes.h"
#include "core/lower/new_buffer.h"
#include "core/lower/rewriter.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// One buffer in the place of another, where it is defined too.
class BufferReplacer : public lower::Rewriter {
 public:
  BufferReplacer(const BufferRef& from, const BufferRef& to) : from_(from), to_(to) { replace(from, to); }

 protected:
  BufferRef define(const BufferRef& buffer) override { return buffer == from_ ? to_ : Rewriter::define(buffer); }

 private:
  const BufferRef& from_;
  const BufferRef& to_;
};

}  // namespace

BufferRef reshaped(const Buffer& buffer, Array<PrimExpr> shape, std::string_view suffix) {
  return lower::bufferLike(buffer, Str(fmt::format("{}{}", buffer.name.view(), suffix)), std::move(shape),
                           buffer.scope());
}

BufferRef inScope(const Buffer& buffer, std::string_view scope) {
  return lower::bufferLike(buffer, Str(fmt::format("{}_{}", buffer.name.view(), scope)), buffer.shape, scope);
}

Ref<BufferRegion> pointRegion(const BufferRef& buffer, std::span<const PrimExpr> indices) {
  std::vector<Ref<Range>> ranges;
  for (const PrimExpr& index : indices) ranges.push_back(make<Range>(index, intImm(1, index->dtype)));
  return make<BufferRegion>(buffer, Array<Ref<Range>>(std::move(ranges)));
}

Stmt withBuffer(const Stmt& statement, const BufferRef& from, const BufferRef& to) {
  return BufferReplacer(from, to).rewrite(statement);
}

Ref<Block> allocating(const Block& block, BufferRef buffer) {
  auto* copy = new Block(block);
  const Ref<Block> made(copy);
  std::vector<BufferRef> all = block.allocBuffers.vector();
  all.push_back(std::move(buffer));
  copy->allocBuffers = Array<BufferRef>(std::move(all));
  return made;
}

}  // namespace rx::schedule
