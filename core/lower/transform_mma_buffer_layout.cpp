// TransformMmaBufferLayout: matrices of the m16n8k8 tensor core instructions
// become registers, of which each thread of a warp holds its share.
#include <fmt/format.h>

#include "core/arith/analyzer.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/checked_rewriter.h"
#include "core/lower/intrinsics.h"
#include "core/lower/pass_functions.h"

namespace rx::lower {

using namespace tir;

namespace {

/// A matrix is made of tiles; of each, a thread holds `held` elements. Operands
/// are accessed by instructions only, so their indices stay; the result is
/// stored by plain statements as well.
struct MatrixRow {
  std::string_view scope;
  int64_t tile[2];
  int64_t held[2];
  bool mapsIndices;
};
constexpr MatrixRow kMatrices[] = {
    {"m16n8k8.matrixA", {32, 8}, {4, 2}, false},
    {"m16n8k8.matrixB", {8, 32}, {1, 8}, false},
    {"m16n8k8.matrixC", {16, 8}, {2, 2}, true},
};

const MatrixRow* matrixOf(std::string_view scope) {
  for (const MatrixRow& row : kMatrices) {
    if (row.scope == scope) return &row;
  }
  return nullptr;
}

class Registers : public CheckedRewriter {
 protected:
  Stmt visit(const Stmt& statement) override {
    if (const auto* block = as<Block>(statement)) return allocating(*block);
    const auto* store = as<BufferStore>(statement);
    const BufferRef* local = store ? localOf(store->buffer) : nullptr;
    if (!local) return parts(statement);
    auto* made = new BufferStore(*store);
    Stmt result(made);
    made->value = rewrite(store->value);
    made->indices = places(*store->buffer, rewrite(store->indices), store->span);
    made->buffer = *local;
    return result;
  }

  NodeRef enter(const NodeRef& node) override {
    if (const auto* var = as<Var>(node)) {
      const auto found = pointers_.find(var);
      return found == pointers_.end() ? node : NodeRef(found->second);
    }
    const auto* load = as<BufferLoad>(node);
    const BufferRef* local = load ? localOf(load->buffer) : nullptr;
    if (!local) return nullptr;
    auto* made = new BufferLoad(*load);
    NodeRef result(made);
    made->indices = places(*load->buffer, rewrite(load->indices), load->span);
    made->buffer = *local;
    return result;
  }

 private:
  const BufferRef* localOf(const BufferRef& buffer) const {
    const auto found = locals_.find(buffer);
    return found == locals_.end() ? nullptr : &found->second;
  }

  /// What the block says of its accesses stays: blocks are about to go.
  Stmt allocating(const Block& block) {
    std::vector<BufferRef> buffers;
    for (const BufferRef& buffer : block.allocBuffers) {
      const MatrixRow* row = matrixOf(buffer->scope());
      buffers.push_back(row ? registers(buffer, *row, block.span) : buffer);
    }
    const Stmt body = rewrite(block.body);
    if (body == block.body && std::equal(buffers.begin(), buffers.end(), block.allocBuffers.begin())) {
      return Stmt(&block);
    }
    auto* made = new Block(block);
    made->allocBuffers = Array<BufferRef>(std::move(buffers));
    made->body = body;
    return Stmt(made);
  }

  BufferRef registers(const BufferRef& buffer, const MatrixRow& row, Span span) {
    const size_t rank = buffer->shape.size();
    std::vector<PrimExpr> shape;
    for (size_t i = 0; i < rank; ++i) {
      if (i + 2 < rank) {
        shape.push_back(buffer->shape[i]);
        continue;
      }
      const int64_t tile = row.tile[i + 2 - rank];
      const int64_t size = asInt(buffer->shape[i]).value_or(-1);
      if (size < 0 || size % tile != 0 || rank < 2) {
        refuse("lower.mma-layout",
               fmt::format("the last sizes of {} are constant multiples of {} and {}", buffer->name.view(), row.tile[0],
                           row.tile[1]),
               span);
        return buffer;
      }
      shape.push_back(int32(size / tile));
    }
    for (const int64_t held : row.held) shape.push_back(int32(held));
    auto* made = new Buffer();
    const BufferRef local(made);
    made->name = buffer->name;
    made->dtype = buffer->dtype;
    made->data = bufferPointer(buffer->dtype, buffer->name, Str("local"));
    made->shape = Array<PrimExpr>(std::move(shape));
    made->axisSeparators = buffer->axisSeparators;
    locals_[buffer] = local;
    pointers_[buffer->data.get()] = local->data;
    return local;
  }

  /// Where a thread holds an element of the result.
  Array<PrimExpr> places(const Buffer& buffer, const Array<PrimExpr>& indices, Span span) {
    if (!matrixOf(buffer.scope())->mapsIndices) return indices;
    if (indices.size() != 2) {
      refuse("lower.mma-layout", fmt::format("the result {} has two dimensions", buffer.name.view()), span);
      return indices;
    }
    const PrimExpr &row = indices[0], &column = indices[1];
    const PrimExpr part = arith::floorDiv(row, int32(8));
    const PrimExpr places[] = {
        arith::floorDiv(part, int32(2)),
        arith::floorDiv(column, int32(8)),
        arith::floorMod(part, int32(2)),
        arith::floorMod(arith::floorMod(column, int32(8)), int32(2)),
    };
    std::vector<PrimExpr> made;
    for (const PrimExpr& place : places) made.push_back(analyzer_.simplify(place));
    return Array<PrimExpr>(std::move(made));
  }

  std::unordered_map<BufferRef, BufferRef> locals_;
  arith::VarMap pointers_;
  arith::Analyzer analyzer_;
};

}  // namespace

Result<PrimFuncRef> transformMmaBufferLayout(const PrimFuncRef& func, Scope&) {
  RX_TRY(body, Registers().run(func->body));
  return withBody(func, body);
}

}  // namespace rx::lower
