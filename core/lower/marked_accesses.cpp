#include "core/lower/marked_accesses.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "core/arith/equal.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/checked_rewriter.h"
#include "core/lower/intrinsics.h"
#include "core/lower/scope.h"

namespace rx::lower {

using namespace tir;

namespace {

/// Bytes of a buffer of constant extents; -1 for others.
int64_t constantBytes(const Buffer& buffer) {
  int64_t bytes = std::max<int64_t>(buffer.dtype.bytes(), 1);
  for (const PrimExpr& extent : buffer.shape) {
    const auto size = asInt(extent);
    if (!size || __builtin_mul_overflow(bytes, *size, &bytes)) return -1;
  }
  return bytes;
}

class AccessMarker : public CheckedRewriter {
 public:
  AccessMarker(const PrimFunc& function, const AccessProof& proof) : proven_(proof.proven) {
    for (const BufferRef& buffer : function.buffers) {
      if (buffer) holds(buffer);
    }
  }

 protected:
  Stmt visit(const Stmt& statement) override {
    if (const auto* allocation = as<AllocBuffer>(statement)) {
      holds(allocation->buffer);
    }
    if (const auto* view = as<DeclBuffer>(statement)) return declared(*view, statement);
    Stmt made = parts(statement);
    const auto* store = as<BufferStore>(made);
    if (!store || isProven(*store->buffer)) return made;
    auto* marked = new BufferStore(*store);
    marked->indices = looked(*store->buffer, store->indices);
    return Stmt(marked);
  }

  NodeRef leave(const NodeRef& node) override {
    const auto* load = as<BufferLoad>(node);
    if (!load || isProven(*load->buffer)) return nullptr;
    auto* marked = new BufferLoad(*load);
    marked->indices = looked(*load->buffer, load->indices);
    return NodeRef(marked);
  }

 private:
  bool isProven(const Buffer& buffer) const {
    return std::any_of(proven_.begin(), proven_.end(), [&](const VarRef& data) { return data == buffer.data; });
  }

  void holds(const BufferRef& buffer) {
    bytes_[buffer->data.get()] = constantBytes(*buffer);
    whole_[buffer->data.get()] = buffer;
  }
  /// Whether the view has the shape of the buffer that it is of, whatever that is.
  bool isWhole(const Buffer& view) const {
    const auto found = whole_.find(view.data.get());
    if (found == whole_.end()) return false;
    const Buffer& buffer = *found->second;
    const bool plain = buffer.strides.empty() && view.strides.empty() &&
                       (!view.elemOffset || asInt(view.elemOffset) == 0) && buffer.dtype == view.dtype;
    return plain && arith::sameExprs(buffer.shape, view.shape);
  }

  Stmt declared(const DeclBuffer& view, const Stmt& statement) {
    const Buffer& buffer = *view.buffer;
    const auto found = bytes_.find(buffer.data.get());
    const int64_t offset = buffer.elemOffset ? asInt(buffer.elemOffset).value_or(-1) : 0;
    const int64_t size = constantBytes(buffer);
    const bool fits = buffer.strides.empty() && found != bytes_.end() && size >= 0 && offset >= 0 &&
                      size + offset * buffer.dtype.bytes() <= found->second;
    if (!isProven(buffer) && !fits && !isWhole(buffer)) {
      refuse("codegen.unsupported",
             fmt::format("a device can not check accesses to {}, a view of memory whose size is not known",
                         buffer.name.view()),
             buffer.span);
    }
    return statement;
  }

  Array<PrimExpr> looked(const Buffer& buffer, const Array<PrimExpr>& indices) {
    if (indices.size() != buffer.shape.size()) {
      refuse("codegen.unsupported",
             fmt::format("{} is accessed by another number of indices than dimensions", buffer.name.view()),
             buffer.span);
      return indices;
    }
    std::vector<PrimExpr> made;
    for (size_t axis = 0; axis < indices.size(); ++axis) {
      const PrimExpr& index = indices[axis];
      const PrimExpr extent = arith::cast(DataType::Int(64), buffer.shape[axis]);
      const auto at = asInt(index), end = asInt(extent);
      const bool known = at && end && *at >= 0 && *at < *end;
      made.push_back(known
                         ? index
                         : intrinsic(index->dtype, "rx_index",
                                     {index, extent, make<StringImm>(buffer.name), int32(static_cast<int64_t>(axis))}));
    }
    return made;
  }

  const std::vector<VarRef>& proven_;
  std::unordered_map<const Var*, BufferRef> whole_;
  std::unordered_map<const Var*, int64_t> bytes_;  ///< behind the pointers of parameters and allocations
};

}  // namespace

Result<PrimFuncRef> withAccessesMarked(const PrimFuncRef& function, const AccessProof& proof) {
  if (proof.all) return function;
  RX_TRY(body, AccessMarker(*function, proof).run(function->body));
  return withBody(function, body);
}

}  // namespace rx::lower
