// InstrumentBoundCheckers: a store happens only where it and the loads of its value are inside of their buffers; else
// an assertion fails.
#include <optional>
#include <unordered_map>

#include "core/arith/analyzer.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/intrinsics.h"
#include "core/lower/pass_functions.h"
#include "core/lower/rewriter.h"

namespace rx::lower {

using namespace tir;

namespace {

/// Extents of the memory that pointers point to, as the attribute "buffer_bound" says them.
using Bounds = std::unordered_map<const Node*, std::vector<PrimExpr>>;

Bounds boundsOf(const Stmt& body) {
  Bounds bounds;
  walk(*body, Into::Parts, [&](const Node& node) {
    const auto* attribute = as<AttrStmt>(&node);
    if (attribute && attribute->key == "buffer_bound") {
      const auto* shape = as<Call>(attribute->value);
      if (isa<Var>(attribute->node) && shape) bounds[attribute->node.get()] = shape->args.vector();
    }
    return isa<StmtNode>(&node);
  });
  return bounds;
}

bool isScalarValue(const PrimExpr& expr) { return expr && expr->dtype.isScalar(); }

class BoundWriter : public Rewriter {
 public:
  explicit BoundWriter(Bounds bounds) : bounds_(std::move(bounds)) {}

 protected:
  Stmt visit(const Stmt& statement) override {
    if (const auto* allocation = as<AllocBuffer>(statement)) resize(*allocation->buffer);
    const auto* store = as<BufferStore>(statement);
    return store ? guarded(*store, statement) : parts(statement);
  }

 private:
  /// An allocation says the extents anew, in elements without lanes.
  void resize(const Buffer& buffer) {
    const auto found = bounds_.find(buffer.data.get());
    if (found == bounds_.end()) return;
    std::vector<PrimExpr> shape;
    for (const PrimExpr& extent : buffer.shape) {
      if (!isScalarValue(extent) || asInt(extent).value_or(0) < 0) return;
      shape.push_back(arith::mul(intImm(buffer.dtype.lanes, DataType::UInt(64)), extent));
    }
    found->second = std::move(shape);
  }

  Stmt guarded(const BufferStore& store, const Stmt& statement) {
    PrimExpr condition;
    bool conditional = false;
    auto look = [&](const PrimExpr& root) {
      walk(*root, Into::Parts, [&](const Node& node) {
        // Behind a condition of its own a load may be outside: it does not happen.
        conditional = conditional || asCallOf(NodeRef(&node), "if_then_else");
        if (const auto* load = as<BufferLoad>(&node); load && !conditional)
          add(*load->buffer, load->indices, condition);
        return !isa<Buffer>(&node);
      });
    };
    look(store.value);
    for (const PrimExpr& index : store.indices) look(index);
    if (!conditional) add(*store.buffer, store.indices, condition);
    if (!condition) return statement;
    return make<IfThenElse>(condition, statement,
                            make<AssertStmt>(condition, make<StringImm>("RuntimeError"),
                                             Array<PrimExpr>{make<StringImm>("OUT OF THE BOUNDS")}));
  }

  void add(const Buffer& buffer, const Array<PrimExpr>& indices, PrimExpr& condition) {
    const auto found = bounds_.find(buffer.data.get());
    if (found == bounds_.end() || found->second.size() != indices.size()) return;
    for (size_t d = 0; d < indices.size(); ++d) {
      const std::optional<PrimExpr> index = furthest(indices[d]);
      if (!index) return;
      const DataType type = DataType::Int(64);
      const PrimExpr at = make<Cast>(type, analyzer_.simplify(*index));
      const PrimExpr end = make<Cast>(type, analyzer_.simplify(found->second[d]));
      const PrimExpr inside = make<And>(make<GE>(at, intImm(0)), make<LT>(at, end));
      condition = condition ? PrimExpr(make<And>(condition, inside)) : inside;
    }
  }

  /// One past the last place of a vector, the index itself otherwise; nothing where that is not known.
  static std::optional<PrimExpr> furthest(const PrimExpr& index) {
    const auto* ramp = as<Ramp>(index);
    if (!ramp) return index;
    if (!isScalarValue(ramp->base) || !isScalarValue(ramp->stride) || asInt(ramp->lanes).value_or(0) <= 0) {
      return std::nullopt;
    }
    return arith::add(ramp->base, arith::mul(ramp->stride, ramp->lanes));
  }

  Bounds bounds_;
  arith::Analyzer analyzer_;
};

}  // namespace

Result<PrimFuncRef> instrumentBoundCheckers(const PrimFuncRef& func, Scope&) {
  Bounds bounds = boundsOf(func->body);
  if (bounds.empty()) return func;
  return withBody(func, BoundWriter(std::move(bounds)).rewrite(func->body));
}

}  // namespace rx::lower
