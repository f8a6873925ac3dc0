#include "core/lower/proven_accesses.h"

#include <algorithm>
#include <unordered_set>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/scoped_rewriter.h"

namespace rx::lower {

using namespace tir;

namespace {

/// Walks with the knowledge of a rewriter and changes nothing.
class Prover : public ScopedRewriter {
 public:
  explicit Prover(const PrimFunc& function) : ScopedRewriter(function) {
    for (const BufferRef& buffer : function.buffers) {
      if (buffer) own_.push_back(buffer);
    }
  }

  AccessProof proof() const {
    std::vector<VarRef> found;
    for (const BufferRef& buffer : own_) {
      if (!doubtful_.contains(buffer->data.get())) found.push_back(buffer->data);
    }
    std::sort(found.begin(), found.end(), [](const VarRef& a, const VarRef& b) { return a.get() < b.get(); });
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return {std::move(found), doubtful_.empty()};
  }

 protected:
  Stmt visit(const Stmt& statement) override {
    if (const auto* allocation = as<AllocBuffer>(statement)) own_.push_back(allocation->buffer);
    if (const auto* store = as<BufferStore>(statement)) look(store->buffer, store->indices);
    return ScopedRewriter::visit(statement);
  }
  NodeRef enter(const NodeRef& node) override {
    if (const auto* load = as<BufferLoad>(node)) look(load->buffer, load->indices);
    return ScopedRewriter::enter(node);
  }

 private:
  void look(const BufferRef& buffer, const Array<PrimExpr>& indices) {
    if (!doubtful_.contains(buffer->data.get()) && !inside(buffer, indices)) doubtful_.insert(buffer->data.get());
  }

  bool inside(const BufferRef& buffer, const Array<PrimExpr>& indices) {
    // A view may say more of its memory than there is.
    if (std::find(own_.begin(), own_.end(), buffer) == own_.end()) return false;
    const bool offset = buffer->elemOffset && !arith::isZero(buffer->elemOffset);
    if (offset || !buffer->strides.empty() || indices.size() != buffer->shape.size()) return false;
    for (size_t i = 0; i < indices.size(); ++i) {
      const PrimExpr& index = indices[i];
      if (index->dtype.lanes != 1 || !analyzer.canProveGreaterEqual(index, 0)) return false;
      PrimExpr extent = buffer->shape[i];
      if (extent->dtype != index->dtype) extent = arith::cast(index->dtype, extent);
      if (!analyzer.canProve(arith::lt(index, extent))) return false;
    }
    return true;
  }

  std::vector<BufferRef> own_;
  std::unordered_set<const Var*> doubtful_;
};

}  // namespace

AccessProof provenAccesses(const PrimFunc& function) {
  Prover prover(function);
  (void)prover.run(function.body);
  return prover.proof();
}

}  // namespace rx::lower
