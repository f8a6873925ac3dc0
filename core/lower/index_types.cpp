#include "core/lower/index_types.h"

#include <algorithm>

#include "core/arith/fold.h"
#include "core/ir/node_fields.h"
#include "core/lower/intrinsics.h"
#include "core/lower/with_parts.h"

namespace rx::lower {

using namespace tir;

namespace {

/// Sets a flag for a scope.
class Flag {
 public:
  Flag(bool& flag, bool value) : flag_(flag), before_(flag) { flag = value; }
  ~Flag() { flag_ = before_; }
  Flag(const Flag&) = delete;
  Flag& operator=(const Flag&) = delete;

 private:
  bool& flag_;
  bool before_;
};

DataType wider(DataType a, DataType b) {
  a.bits = std::max(a.bits, b.bits);
  return a;
}

}  // namespace

VarRef IndexTypes::typed(const VarRef& var, DataType type) { return make<Var>(var->name, type); }

VarRef IndexTypes::remapped(const VarRef& var) const {
  const auto found = vars_.find(var.get());
  return found == vars_.end() ? var : found->second.second;
}

VarRef IndexTypes::use(const VarRef& var) {
  if (!isRemapped(var)) {
    if (VarRef to = variable(var)) remap(var, std::move(to));
  }
  return remapped(var);
}

PrimExpr IndexTypes::indexOf(const PrimExpr& expr) {
  const Flag indexed(indexed_, true);
  return rewrite(expr);
}
PrimExpr IndexTypes::conditionOf(const PrimExpr& expr) {
  const Flag condition(condition_, true);
  return rewrite(expr);
}
Array<PrimExpr> IndexTypes::indicesOf(const Array<PrimExpr>& exprs) {
  const Flag indexed(indexed_, true);
  return rewrite(exprs);
}

Ref<Range> IndexTypes::rangeOf(const Ref<Range>& range) {
  const PrimExpr min = indexOf(range->min), extent = indexOf(range->extent);
  return min == range->min && extent == range->extent ? range : make<Range>(min, extent);
}

Ref<BufferRegion> IndexTypes::regionOf(const Ref<BufferRegion>& region) {
  std::vector<Ref<Range>> ranges;
  bool same = true;
  for (const Ref<Range>& range : region->region) {
    ranges.push_back(rangeOf(range));
    same = same && ranges.back() == range;
  }
  const BufferRef buffer = use(region->buffer);
  return same && buffer == region->buffer ? region : make<BufferRegion>(buffer, std::move(ranges));
}

BufferRef IndexTypes::define(const BufferRef& buffer) {
  const Flag indexed(indexed_, true);
  const BufferRef made = CheckedRewriter::define(buffer);
  // An offset of zero is not written out where its type is that of the shape.
  const bool zero = !made->elemOffset || asInt(made->elemOffset) == 0;
  const DataType type = buffer->elemOffset ? made->elemOffset->dtype : offsetType(indexType(buffer->shape));
  const bool written = type != indexType(made->shape);
  if (!zero || written == (made->elemOffset != nullptr)) return made;
  auto* copy = new Buffer(*made);
  copy->elemOffset = written ? intImm(0, type) : nullptr;
  BufferRef changed(copy);
  replace(buffer, changed);
  return changed;
}

PrimExpr IndexTypes::mixed(const Ref<BinaryNode>& given, const PrimExpr& a, const PrimExpr& b) {
  return arith::makeBinary(given->kind(), a, b);
}

NodeRef IndexTypes::enter(const NodeRef& node) {
  if (isa<Var>(node)) return use(refTo<Var>(node));
  if (isa<IntImm>(node)) return constant(refTo<IntImm>(node));
  if (auto node_ = refAs<Cast>(node)) return conversion(node_, rewrite(node_->value));
  if (const auto* load = as<BufferLoad>(node)) {
    const BufferRef buffer = use(load->buffer);
    const auto indices = indicesOf(load->indices);
    if (buffer == load->buffer && indices.same(load->indices)) return node;
    auto* copy = new BufferLoad(*load);
    copy->buffer = buffer;
    copy->indices = indices;
    return NodeRef(copy);
  }
  const bool compares = node->kind() >= Kind::tir_EQ && node->kind() <= Kind::tir_GE;
  if (const auto* compare = as<BinaryNode>(node); compares && comparesIndices()) {
    const Flag indexed(indexed_, condition_ && compare->a->dtype.isInt() && compare->b->dtype.isInt());
    const PrimExpr a = rewrite(compare->a), b = rewrite(compare->b);
    if (a == compare->a && b == compare->b) return node;
    return a->dtype == b->dtype ? arith::makeBinary(node->kind(), a, b) : mixed(cast<BinaryNode>(node), a, b);
  }
  if (isa<Select>(node) || asCallOf(node, "if_then_else")) return choice(cast<ExprNode>(node));
  if (const auto* let = as<Let>(node)) {
    const PrimExpr value = rewrite(let->value);
    if (value->dtype != let->var->dtype) remap(let->var, typed(let->var, value->dtype));
    const PrimExpr body = rewrite(let->body);
    return value == let->value && body == let->body ? node : NodeRef(make<Let>(remapped(let->var), value, body));
  }
  open_.push_back(node);
  return nullptr;
}

NodeRef IndexTypes::choice(const Ref<ExprNode>& node) {
  const auto* select = as<Select>(node);
  const auto* call = as<tir::Call>(node);
  const PrimExpr given[] = {select ? select->condition : call->args[0], select ? select->trueValue : call->args[1],
                            select ? select->falseValue : call->args[2]};
  const PrimExpr condition = conditionOf(given[0]);
  PrimExpr yes = rewrite(given[1]), no = rewrite(given[2]);
  if (condition == given[0] && yes == given[1] && no == given[2] && yes->dtype == no->dtype) return node;
  if (call) return make<tir::Call>(call->dtype, call->op, Array<PrimExpr>{condition, yes, no}, call->annotations);
  const DataType type = wider(yes->dtype, no->dtype);
  return make<Select>(condition, arith::cast(type, yes), arith::cast(type, no));
}

NodeRef IndexTypes::leave(const NodeRef& node) {
  const NodeRef given = std::move(open_.back());
  open_.pop_back();
  if (given == node) return node;
  if (const auto* binary = as<BinaryNode>(node)) {
    if (binary->a->dtype != binary->b->dtype) return mixed(cast<BinaryNode>(given), binary->a, binary->b);
    return arith::makeBinary(node->kind(), binary->a, binary->b);
  }
  if (const auto* ramp = as<Ramp>(node)) {
    const DataType type = wider(ramp->base->dtype, ramp->stride->dtype);
    return make<Ramp>(arith::cast(type, ramp->base), arith::cast(type, ramp->stride), ramp->lanes,
                      type.withLanes(ramp->dtype.lanes));
  }
  if (const auto* spread = as<Broadcast>(node)) {
    return make<Broadcast>(spread->value, spread->lanes, spread->value->dtype.withLanes(spread->dtype.lanes));
  }
  if (const auto* called = as<tir::Call>(node)) return call(*called, node);
  return node;
}

/// Calls whose type is that of their operands.
NodeRef IndexTypes::call(const tir::Call& call, const NodeRef& same) {
  const op::TirIntrinsic* row = calledIntrinsic(&call);
  if (!row) return same;
  constexpr std::string_view kSameTypes[] = {"shift_left", "shift_right", "bitwise_and",
                                             "bitwise_or", "bitwise_xor", "pow"};
  if (std::ranges::find(kSameTypes, row->name) != std::end(kSameTypes)) {
    PrimExpr a = call.args[0], b = call.args[1];
    if (!arith::matchTypes(a, b)) return same;
    return make<tir::Call>(a->dtype, call.op, Array<PrimExpr>{a, b}, call.annotations);
  }
  return same;
}

Stmt IndexTypes::visit(const Stmt& statement) {
  switch (statement->kind()) {
    case Kind::tir_For:
      return loop(cast<For>(statement));
    case Kind::tir_Bind:
      return bind(cast<Bind>(statement));
    case Kind::tir_AttrStmt:
      return launch(cast<AttrStmt>(statement));
    case Kind::tir_BufferStore:
      return store(cast<BufferStore>(statement));
    case Kind::tir_BlockRealize:
      return realize(cast<BlockRealize>(statement));
    case Kind::tir_Block:
      return block(cast<Block>(statement));
    case Kind::tir_IfThenElse: {
      const auto* branch = as<IfThenElse>(statement);
      const PrimExpr condition = conditionOf(branch->condition);
      const Stmt yes = CheckedRewriter::rewrite(branch->thenCase), no = CheckedRewriter::rewrite(branch->elseCase);
      return withParts(*branch, condition, yes, no);
    }
    default:
      return parts(statement);
  }
}

Stmt IndexTypes::loop(const Ref<For>& loop) {
  VarRef var;
  PrimExpr min, extent, step;
  {
    const Flag indexed(indexed_, true);
    var = use(loop->loopVar);
    min = rewrite(loop->min);
    extent = rewrite(loop->extent);
    step = rewrite(loop->step);
  }
  const Stmt body = CheckedRewriter::rewrite(loop->body);
  if (var == loop->loopVar && min == loop->min && extent == loop->extent && step == loop->step && body == loop->body) {
    return loop;
  }
  auto* copy = new For(*loop);
  copy->loopVar = var;
  copy->min = arith::cast(var->dtype, min);
  copy->extent = arith::cast(var->dtype, extent);
  if (step) copy->step = arith::cast(var->dtype, step);
  if (const auto& thread = loop->threadBinding) {
    auto* axis = new IterVar(*thread);
    axis->var = typed(thread->var, var->dtype);
    copy->threadBinding = Ref<IterVar>(axis);
  }
  copy->body = body;
  return Stmt(copy);
}

Stmt IndexTypes::bind(const Ref<Bind>& bind) {
  PrimExpr value = rewrite(bind->value);
  if (value->dtype != bind->var->dtype) {
    remap(bind->var, typed(bind->var, value->dtype));
  } else if (const VarRef wanted = use(bind->var); wanted != bind->var) {
    value = indexOf(bind->value);
    if (value->dtype != wanted->dtype) value = arith::cast(wanted->dtype, value);
  }
  const VarRef var = remapped(bind->var);
  return var == bind->var && value == bind->value ? Stmt(bind) : make<Bind>(var, value);
}

Stmt IndexTypes::launch(const Ref<AttrStmt>& attribute) {
  const auto* axis = as<IterVar>(attribute->node);
  const bool threads = attribute->key == "thread_extent" || attribute->key == "virtual_thread";
  if (!axis || !threads) return parts(attribute);
  const Flag indexed(indexed_, true);
  const VarRef var = use(axis->var);
  const PrimExpr value = arith::cast(var->dtype, rewrite(attribute->value));
  const Stmt body = CheckedRewriter::rewrite(attribute->body);
  if (var == axis->var && value == attribute->value && body == attribute->body) return attribute;
  auto* copy = new IterVar(*axis);
  copy->var = var;
  if (axis->dom) {
    copy->dom = make<Range>(arith::cast(var->dtype, axis->dom->min), arith::cast(var->dtype, axis->dom->extent));
  }
  return make<AttrStmt>(Ref<IterVar>(copy), attribute->key, value, body);
}

Stmt IndexTypes::store(const Ref<BufferStore>& store) {
  const BufferRef buffer = use(store->buffer);
  PrimExpr value = rewrite(store->value);
  if (value->dtype != buffer->dtype && value->dtype.isScalar()) value = arith::cast(buffer->dtype, value);
  const auto indices = indicesOf(store->indices);
  if (buffer == store->buffer && value == store->value && indices.same(store->indices)) return store;
  auto* copy = new BufferStore(*store);
  copy->buffer = buffer;
  copy->value = value;
  copy->indices = indices;
  return Stmt(copy);
}

Stmt IndexTypes::realize(const Ref<BlockRealize>& realize) {
  const PrimExpr predicate = conditionOf(realize->predicate);
  const auto values = indicesOf(realize->iterValues);
  const auto made = CheckedRewriter::rewrite(Stmt(realize->block));
  if (predicate == realize->predicate && values.same(realize->iterValues) && made == realize->block) return realize;
  return make<BlockRealize>(values, predicate, cast<Block>(made));
}

Stmt IndexTypes::block(const Ref<Block>& block) {
  auto* copy = new Block(*block);
  const Ref<Block> made(copy);
  std::vector<BufferRef> buffers;
  for (const BufferRef& buffer : block->allocBuffers) buffers.push_back(define(buffer));
  copy->allocBuffers = std::move(buffers);
  std::vector<Ref<MatchBufferRegion>> matches;
  for (const auto& match : block->matchBuffers) {
    const BufferRef buffer = define(match->buffer);
    matches.push_back(make<MatchBufferRegion>(buffer, regionOf(match->source)));
  }
  copy->matchBuffers = std::move(matches);
  const auto regions = [&](const Array<Ref<BufferRegion>>& list) {
    std::vector<Ref<BufferRegion>> result;
    for (const auto& region : list) result.push_back(regionOf(region));
    return Array<Ref<BufferRegion>>(std::move(result));
  };
  copy->reads = regions(block->reads);
  copy->writes = regions(block->writes);
  std::vector<Ref<IterVar>> axes;
  for (const auto& axis : block->iterVars) {
    const Flag indexed(indexed_, true);
    auto* fresh = new IterVar(*axis);
    fresh->var = use(axis->var);
    fresh->dom = rangeOf(axis->dom);
    axes.push_back(Ref<IterVar>(fresh));
  }
  copy->iterVars = std::move(axes);
  copy->init = CheckedRewriter::rewrite(block->init);
  copy->body = CheckedRewriter::rewrite(block->body);
  return made;
}

}  // namespace rx::lower
