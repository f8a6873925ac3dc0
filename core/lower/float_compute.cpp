// Compute in a wider format: what is promoted, where it is converted back.
#include <algorithm>
#include <unordered_set>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/float_conversion.h"
#include "core/lower/float_legalizer.h"
#include "core/lower/intrinsics.h"
#include "core/lower/rewriter.h"

namespace rx::lower {

using namespace tir;

bool isBFloat16(DataType dtype) { return dtype.code == TypeCode::BFloat && dtype.bits == 16; }
bool isFloat8(DataType dtype) { return dtype.code >= TypeCode::Float8E3M4 && dtype.code <= TypeCode::Float8E8M0FNU; }

namespace {

/// Pointers of allocated buffers of the family that only loads and stores use, with the pointers of the wide buffers.
std::unordered_map<const Node*, VarRef> widePointers(const Stmt& body, FloatFamily family, DataType wide) {
  std::unordered_map<const Node*, VarRef> pointers;
  std::unordered_set<const Node*> taken;
  const Node* subject = nullptr;
  walk(*body, Into::Parts, [&](const Node& node) {
    if (isa<Buffer>(&node)) return false;
    if (const auto* attribute = as<AttrStmt>(&node)) subject = attribute->node.get();
    if (const auto* declared = as<DeclBuffer>(&node)) taken.insert(declared->buffer->data.get());
    if (const auto* allocation = as<AllocBuffer>(&node); allocation && family(allocation->buffer->dtype)) {
      const Buffer& buffer = *allocation->buffer;
      const DataType type = wide.withLanes(buffer.dtype.lanes);
      pointers[buffer.data.get()] = bufferPointer(type, buffer.data->name, Str(buffer.scope()));
    }
    if (&node == subject) {
      subject = nullptr;
    } else if (isa<Var>(&node) && as<Var>(&node)->dtype.isHandle()) {
      taken.insert(&node);
    }
    return true;
  });
  std::erase_if(pointers, [&](const auto& entry) { return taken.contains(entry.first); });
  return pointers;
}

class ComputeLegalizer : public Rewriter {
 public:
  ComputeLegalizer(FloatFamily family, DataType wide, std::unordered_map<const Node*, VarRef> pointers)
      : family_(family), wide_(wide), variables_(std::move(pointers)) {}

 protected:
  Stmt visit(const Stmt& statement) override;
  NodeRef enter(const NodeRef& node) override;
  NodeRef rebuilt(const NodeRef& old, const NodeRef& node) override;
  BufferRef define(const BufferRef& buffer) override { return use(buffer); }
  BufferRef use(const BufferRef& buffer) override;

 private:
  DataType widened(DataType dtype) const { return family_(dtype) ? wide_.withLanes(dtype.lanes) : dtype; }
  PrimExpr promoted(const PrimExpr& value) const;
  VarRef widenedVar(const VarRef& var, DataType dtype);
  Stmt binding(const Bind& bind);
  Stmt store(const Ref<BufferStore>& store);
  NodeRef reducer(const Ref<CommReducer>& reducer);
  NodeRef operands(const NodeRef& old, const NodeRef& node);
  NodeRef called(const tir::Call& call);

  FloatFamily family_;
  DataType wide_;
  std::unordered_map<const Node*, VarRef> variables_;
  std::unordered_map<const Node*, BufferRef> buffers_;
};

BufferRef ComputeLegalizer::use(const BufferRef& buffer) {
  auto pointer = variables_.find(buffer->data.get());
  if (pointer == variables_.end()) return buffer;
  BufferRef& known = buffers_[buffer.get()];
  if (!known) {
    auto* copy = new Buffer(*buffer);
    copy->data = pointer->second;
    copy->dtype = widened(buffer->dtype);
    known = BufferRef(copy);
  }
  return known;
}

/// A value of the family in the wide type; other values stay.
PrimExpr ComputeLegalizer::promoted(const PrimExpr& value) const {
  if (!value || !family_(value->dtype)) return value;
  const DataType type = widened(value->dtype);
  if (const auto* narrowed = as<tir::Cast>(value); narrowed && narrowed->value->dtype == type) return narrowed->value;
  return convertedFloat(value, type);
}

VarRef ComputeLegalizer::widenedVar(const VarRef& var, DataType dtype) {
  if (var->dtype == dtype) return var;
  auto fresh = make<Var>(var->name, dtype);
  variables_[var.get()] = fresh;
  return fresh;
}

NodeRef ComputeLegalizer::enter(const NodeRef& node) {
  if (isa<Var>(node)) {
    auto found = variables_.find(node.get());
    return found == variables_.end() ? nullptr : NodeRef(found->second);
  }
  if (const auto* let = as<Let>(node)) {
    PrimExpr value = promoted(rewrite(let->value));
    VarRef var = widenedVar(let->var, value->dtype);
    PrimExpr body = rewrite(let->body);
    if (value == let->value && var == let->var && body == let->body) return node;
    return make<Let>(var, value, body);
  }
  auto combiner = refAs<CommReducer>(node);
  return combiner ? reducer(combiner) : nullptr;
}

NodeRef ComputeLegalizer::reducer(const Ref<CommReducer>& reducer) {
  std::vector<VarRef> left, right;
  const Array<PrimExpr> identity = rewrite(reducer->identity);
  for (size_t i = 0; i < identity.size(); ++i) {
    left.push_back(widenedVar(reducer->lhs[i], identity[i]->dtype));
    right.push_back(widenedVar(reducer->rhs[i], identity[i]->dtype));
  }
  const Array<PrimExpr> result = rewrite(reducer->result);
  if (identity.same(reducer->identity) && result.same(reducer->result)) return reducer;
  return make<CommReducer>(Array<VarRef>(std::move(left)), Array<VarRef>(std::move(right)), result, identity);
}

NodeRef ComputeLegalizer::called(const tir::Call& call) {
  const op::TirIntrinsic* row = calledIntrinsic(&call);
  if (row && (row->name == "reinterpret" || row->name == "address_of")) return NodeRef(&call);
  std::vector<PrimExpr> args;
  bool same = !family_(call.dtype);
  for (const PrimExpr& arg : call.args) {
    args.push_back(promoted(arg));
    same = same && args.back() == arg;
  }
  if (same) return NodeRef(&call);
  auto* copy = new tir::Call(call);
  copy->dtype = widened(call.dtype);
  copy->args = Array<PrimExpr>(std::move(args));
  return NodeRef(copy);
}

/// An operator over promoted operands; the rebuilt node where none is of the family and none was changed before.
NodeRef ComputeLegalizer::operands(const NodeRef& old, const NodeRef& node) {
  if (const auto* binary = as<BinaryNode>(node)) {
    PrimExpr a = promoted(binary->a), b = promoted(binary->b);
    if (node == old && a == binary->a && b == binary->b) return node;
    return arith::makeBinary(node->kind(), a, b);
  }
  if (const auto* select = as<Select>(node)) {
    PrimExpr yes = promoted(select->trueValue), no = promoted(select->falseValue);
    if (yes == select->trueValue && no == select->falseValue && yes->dtype == select->dtype) return node;
    return make<Select>(select->condition, yes, no);
  }
  if (const auto* broadcast = as<Broadcast>(node)) {
    PrimExpr value = promoted(broadcast->value);
    return node == old && value == broadcast->value
               ? node
               : make<Broadcast>(value, broadcast->lanes, value->dtype.withLanes(broadcast->dtype.lanes));
  }
  const auto* shuffle = as<Shuffle>(node);
  std::vector<PrimExpr> vectors;
  for (const PrimExpr& vector : shuffle->vectors) vectors.push_back(promoted(vector));
  if (node == old && std::equal(vectors.begin(), vectors.end(), shuffle->vectors.begin())) return node;
  return make<Shuffle>(Array<PrimExpr>(std::move(vectors)), shuffle->indices, widened(shuffle->dtype));
}

/// Operators that compute with their operands' values, and so in the wide type.
bool computesInOperands(Kind kind) {
  switch (kind) {
    case Kind::tir_Add:
    case Kind::tir_Sub:
    case Kind::tir_Mul:
    case Kind::tir_Div:
    case Kind::tir_Min:
    case Kind::tir_Max:
    case Kind::tir_LT:
    case Kind::tir_LE:
    case Kind::tir_GT:
    case Kind::tir_GE:
    case Kind::tir_EQ:
    case Kind::tir_NE:
    case Kind::tir_Select:
    case Kind::tir_Broadcast:
    case Kind::tir_Shuffle:
      return true;
    default:
      return false;
  }
}

NodeRef ComputeLegalizer::rebuilt(const NodeRef& old, const NodeRef& node) {
  if (const auto* imm = as<FloatImm>(node)) {
    return family_(imm->dtype) ? NodeRef(make<FloatImm>(wide_, imm->value)) : nullptr;
  }
  if (const auto* convert = as<tir::Cast>(node)) {
    const PrimExpr value = promoted(convert->value);
    if (node == old && value == convert->value && !family_(convert->dtype)) return nullptr;
    return arith::cast(widened(convert->dtype), value);
  }
  if (const auto* load = as<BufferLoad>(node)) {
    const auto lanes = load->dtype.lanes;
    if (load->dtype == load->buffer->dtype.withLanes(lanes)) return nullptr;
    return make<BufferLoad>(load->buffer, load->indices, load->buffer->dtype.withLanes(lanes), load->predicate);
  }
  if (const auto* call = as<tir::Call>(node)) return called(*call);
  return computesInOperands(node->kind()) ? operands(old, node) : nullptr;
}

Stmt ComputeLegalizer::binding(const Bind& bind) {
  PrimExpr value = promoted(rewrite(bind.value));
  VarRef var = bind.var->dtype.isHandle() ? bind.var : widenedVar(bind.var, value->dtype);
  if (value == bind.value && var == bind.var) return Stmt(&bind);
  auto* copy = new Bind(bind);
  copy->value = std::move(value);
  copy->var = std::move(var);
  return Stmt(copy);
}

Stmt ComputeLegalizer::store(const Ref<BufferStore>& old) {
  Stmt changed = parts(old);
  const auto* store = as<BufferStore>(changed);
  const DataType held = store->buffer->dtype.withLanes(store->value->dtype.lanes);
  if (changed == old || store->value->dtype == held) return changed;
  auto* copy = new BufferStore(*store);
  copy->value = convertedFloat(store->value, held);
  return Stmt(copy);
}

Stmt ComputeLegalizer::visit(const Stmt& statement) {
  if (const auto* bind = as<Bind>(statement)) return binding(*bind);
  auto stored = refAs<BufferStore>(statement);
  return stored ? store(stored) : parts(statement);
}

}  // namespace

PrimFuncRef legalizeFloatCompute(const PrimFuncRef& function, FloatFamily family, DataType wide) {
  ComputeLegalizer legalizer(family, wide, widePointers(function->body, family, wide));
  return withBody(function, legalizer.rewrite(function->body));
}

}  // namespace rx::lower
