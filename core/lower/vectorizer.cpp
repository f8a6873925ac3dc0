#include "core/lower/vectorizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/arith/equal.h"
#include "core/arith/fold.h"
#include "core/arith/make_node.h"
#include "core/arith/vector.h"
#include "core/ir/all_nodes.h"
#include "core/lower/intrinsics.h"
#include "core/lower/with_parts.h"

namespace rx::lower {

using namespace tir;

namespace {

constexpr const char* kRule = "lower.vectorize";

/// Intrinsics that compute lane by lane. Source: the operators that TVM v0.25 marks as vectorizable.
constexpr std::string_view kLanewise[] = {
    "likely",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "bitwise_not",
    "shift_left",
    "shift_right",
    "popcount",
    "fma",
    "pow",
    "q_multiply_shift",
    "q_multiply_shift_per_axis",
    "fabs",
    "floor",
    "ceil",
    "round",
    "trunc",
    "exp",
    "exp2",
    "exp10",
    "tanh",
    "sigmoid",
    "sqrt",
    "log",
    "log2",
    "log10",
    "tan",
    "cos",
    "cosh",
    "sin",
    "sinh",
    "call_llvm_pure_intrin",
    "rx_divisor",
    "rx_dot_bytes",
    "rx_dot_halves",
    "rx_scaled",
};

bool isVector(const PrimExpr& e) { return !e->dtype.isScalar(); }
int16_t factor(DataType type) { return static_cast<int16_t>(std::abs(type.lanes)); }
/// The lanes of the wider type; scalable where one of them is.
int16_t widest(DataType a, DataType b) {
  const int16_t lanes = std::max(factor(a), factor(b));
  return static_cast<int16_t>(a.lanes < 0 || b.lanes < 0 ? -lanes : lanes);
}
PrimExpr lanesExpr(int16_t lanes) {
  if (lanes > 0) return intImm(lanes, DataType::Int(32));
  return make<Mul>(intrinsic(DataType::Int(32), "vscale", {}), intImm(-lanes, DataType::Int(32)));
}

}  // namespace

Vectorizer::Vectorizer(const VarRef& var, const PrimExpr& lanes, Predication predication)
    : var_(var),
      lanes_(lanes),
      ramp_(arith::ramp(intImm(0, var->dtype), intImm(1, var->dtype), lanes)),
      predication_(predication) {}

PrimExpr Vectorizer::spread(const PrimExpr& value, int16_t lanes) {
  if (value->dtype.lanes == lanes) return value;
  const auto* known = as<Broadcast>(value);
  const int16_t had = factor(value->dtype);
  const bool sameKind = (value->dtype.lanes < 0) == (lanes < 0);
  if (known && sameKind && std::abs(lanes) % had == 0) return arith::broadcast(known->value, lanesExpr(lanes));
  if (isVector(value)) {
    refuse(kRule, fmt::format("a vector of {} lanes can not become one of {}", value->dtype.lanes, lanes), value->span);
    return value;
  }
  return arith::broadcast(value, lanesExpr(lanes));
}

std::vector<PrimExpr> Vectorizer::aligned(std::span<const PrimExpr> values, int16_t& lanes) {
  const auto counts = [](const PrimExpr& e) { return !e->dtype.isHandle() && !isa<StringImm>(e); };
  DataType most = DataType::Int(32);
  for (const PrimExpr& value : values) {
    if (counts(value)) most.lanes = widest(most, value->dtype);
  }
  lanes = most.lanes;
  std::vector<PrimExpr> made;
  for (const PrimExpr& value : values) made.push_back(counts(value) ? spread(value, lanes) : value);
  return made;
}

NodeRef Vectorizer::enter(const NodeRef& node) {
  if (const auto* var = as<Var>(node)) {
    if (var == var_.get()) return ramp_;
    const auto found = vars_.find(var);
    return found == vars_.end() ? node : NodeRef(found->second.second);
  }
  if (const auto* inner = as<Let>(node)) return let(*inner);
  if (const auto* lanes = as<Shuffle>(node)) return shuffle(*lanes);
  open_.push_back(node);
  return nullptr;
}

NodeRef Vectorizer::let(const Let& node) {
  const PrimExpr value = rewrite(node.value);
  VarRef var = node.var;
  if (value->dtype.lanes != node.value->dtype.lanes) var = make<Var>(node.var->name, value->dtype);
  vars_[node.var.get()] = {node.var, var};
  const PrimExpr body = rewrite(node.body);
  return value == node.value && body == node.body ? NodeRef(&node) : NodeRef(make<Let>(var, value, body));
}

NodeRef Vectorizer::leave(const NodeRef& node) {
  const NodeRef given = std::move(open_.back());
  open_.pop_back();
  if (given == node) return node;
  if (const auto* both = as<BinaryNode>(node)) return binary(*both);
  switch (node->kind()) {
    case Kind::tir_Not:
      return arith::logicalNot(as<Not>(node)->a);
    case Kind::tir_Ramp:
      return ramp(*as<Ramp>(node));
    case Kind::tir_Broadcast:
      scalarize_ = scalarize_ || isVector(as<Broadcast>(node)->value);
      return node;
    case Kind::tir_Select:
      return choice(*as<Select>(node));
    case Kind::tir_Cast: {
      const PrimExpr& value = as<Cast>(node)->value;
      return make<Cast>(as<Cast>(node)->dtype.withLanes(value->dtype.lanes), value);
    }
    case Kind::tir_BufferLoad:
      return load(*as<BufferLoad>(node));
    case Kind::tir_Call:
      return call(*as<tir::Call>(node));
    default:
      return node;
  }
}

NodeRef Vectorizer::binary(const BinaryNode& node) {
  const PrimExpr &a = node.a, &b = node.b;
  const Kind kind = node.kind();
  const int16_t lanes = widest(a->dtype, b->dtype);
  const auto *left = as<Ramp>(a), *right = as<Ramp>(b);
  const auto make2 = [&](const PrimExpr& x, const PrimExpr& y) { return arith::makeBinary(kind, x, y); };
  if (kind == Kind::tir_Add || kind == Kind::tir_Sub) {
    if (right && !isVector(a)) {
      const PrimExpr stride = make2(arith::constantInt(right->stride->dtype, 0), right->stride);
      return arith::ramp(make2(a, right->base), stride, right->lanes);
    }
    if (left && !isVector(b)) return arith::ramp(make2(left->base, b), left->stride, left->lanes);
    return make2(spread(a, lanes), spread(b, lanes));
  }
  if (kind == Kind::tir_Mul) {
    const auto positive = [&](const PrimExpr& e) {
      return canon_.canProve(arith::gt(e, arith::constantInt(e->dtype, 0)));
    };
    if (left && !isVector(b) && positive(b))
      return arith::ramp(make2(left->base, b), make2(left->stride, b), left->lanes);
    if (right && !isVector(a) && positive(a)) {
      return arith::ramp(make2(right->base, a), make2(right->stride, a), right->lanes);
    }
  }
  return arith::makeNode(kind, spread(a, lanes), spread(b, lanes));
}

NodeRef Vectorizer::ramp(const Ramp& node) {
  if (node.base->dtype.lanes < 0 || node.stride->dtype.lanes < 0) {
    refuse(kRule, "a vector of vectors of scalable length is not supported", node.span);
    return NodeRef(&node);
  }
  const auto outer = asInt(node.lanes);
  const auto* base = as<Ramp>(node.base);
  if (base && outer && !isVector(node.stride)) {
    const int64_t inner = *asInt(base->lanes);
    const PrimExpr step = arith::mul(node.stride, arith::constantInt(node.stride->dtype, inner));
    if (canon_.canProveEqual(base->stride, step)) {
      return arith::ramp(base->base, node.stride, intImm(*outer * inner, DataType::Int(32)));
    }
  }
  const int16_t lanes = widest(node.base->dtype, node.stride->dtype);
  const PrimExpr bases = spread(node.base, lanes), strides = spread(node.stride, lanes);
  const auto element = [](const PrimExpr& vector, int64_t i) -> PrimExpr {
    return make<Shuffle>(Array<PrimExpr>{vector}, Array<PrimExpr>{intImm(i, DataType::Int(32))},
                         vector->dtype.element());
  };
  std::vector<PrimExpr> parts, indices;
  for (int16_t i = 0; i < lanes; ++i) parts.push_back(arith::ramp(element(bases, i), element(strides, i), node.lanes));
  const int64_t total = lanes * outer.value_or(1);
  for (int64_t i = 0; i < total; ++i) indices.push_back(intImm(i, DataType::Int(32)));
  return make<Shuffle>(parts, indices, bases->dtype.withLanes(static_cast<int16_t>(total)));
}

NodeRef Vectorizer::choice(const Select& node) {
  int16_t lanes = 1;
  const PrimExpr values[] = {node.condition, node.trueValue, node.falseValue};
  const auto made = aligned(values, lanes);
  return make<Select>(made[0], made[1], made[2]);
}

NodeRef Vectorizer::load(const BufferLoad& node) {
  DataType type = node.buffer->dtype;
  int lanes = type.lanes;
  for (const PrimExpr& index : node.indices) lanes *= index->dtype.lanes;
  if (std::ranges::count_if(node.indices, isVector) > 1) {
    // Lanes that go through several dimensions at once are no product of vectors; what is done with the value, which is
    // dropped, sees as many as the others have.
    scalarize_ = true;
    const auto vector = std::ranges::find_if(node.indices, isVector);
    lanes = type.lanes * (*vector)->dtype.lanes;
  }
  auto* copy = new BufferLoad(node);
  copy->dtype = type.withLanes(static_cast<int16_t>(lanes));
  return NodeRef(copy);
}

NodeRef Vectorizer::call(const tir::Call& call) {
  const op::TirIntrinsic* row = calledIntrinsic(&call);
  const std::string_view name = row ? row->name : std::string_view();
  const auto with = [&](Array<PrimExpr> args, DataType type) {
    return make<tir::Call>(type, call.op, std::move(args), call.annotations);
  };
  if (name == "if_then_else") {
    if (NodeRef chosen = chosenByLane(call)) return chosen;
    int16_t lanes = 1;
    scalarize_ = scalarize_ || isVector(call.args[0]);
    const auto values = aligned(call.args.span().subspan(1), lanes);
    return with({call.args[0], values[0], values[1]}, call.dtype.withLanes(lanes));
  }
  if (name == "reinterpret") {
    const DataType value = call.args[0]->dtype;
    const bool tiny = call.dtype.code == TypeCode::Float4E2M1FN || value.code == TypeCode::Float4E2M1FN;
    const int lanes = value.lanes < 0 || tiny ? value.lanes : value.bits * value.lanes / call.dtype.bits;
    return with(call.args, call.dtype.withLanes(static_cast<int16_t>(lanes)));
  }
  if (name == "texture2d_load" || name == "texture2d_store") return texture(call, name == "texture2d_load");
  if (call.dtype.lanes > 0 && std::ranges::find(kLanewise, name) != std::end(kLanewise)) {
    return lanewise(call, name == "call_llvm_pure_intrin" ? 1 : 0);
  }
  scalarize_ = scalarize_ || std::ranges::any_of(call.args, isVector);
  return NodeRef(&call);
}

NodeRef Vectorizer::chosenByLane(const tir::Call& call) {
  if (predication_ != Predication::EachLane || !isVector(call.args[0])) return nullptr;
  if (!isa<FloatImm>(call.args[2]) && !isa<IntImm>(call.args[2])) return nullptr;
  int16_t lanes = 1;
  const auto made = aligned(call.args.span(), lanes);
  return predicatedLanes(made[1], made[0], made[2]);
}

/// The first arguments stay as they are.
NodeRef Vectorizer::lanewise(const tir::Call& call, size_t first) {
  int16_t lanes = 1;
  const auto values = aligned(call.args.span().subspan(first), lanes);
  std::vector<PrimExpr> args(call.args.begin(), call.args.begin() + static_cast<ptrdiff_t>(first));
  args.insert(args.end(), values.begin(), values.end());
  return make<tir::Call>(call.dtype.withLanes(lanes), call.op, std::move(args), call.annotations);
}

NodeRef Vectorizer::texture(const tir::Call& call, bool loads) {
  const PrimExpr& last = call.args[call.args.size() - 1];
  return make<tir::Call>(loads ? call.dtype.withLanes(last->dtype.lanes) : call.dtype, call.op, call.args,
                         call.annotations);
}

NodeRef Vectorizer::shuffle(const Shuffle& node) {
  if (node.vectors.size() != 1 || node.indices.size() != 1) {
    refuse(kRule, "a shuffle of several vectors or indices can not be vectorized", node.span);
    return NodeRef(&node);
  }
  const PrimExpr vector = rewrite(node.vectors[0]), index = rewrite(node.indices[0]);
  if (vector == node.vectors[0] && index == node.indices[0]) return NodeRef(&node);
  const auto lanes = asInt(lanes_);
  const int64_t width = node.vectors[0]->dtype.lanes;
  const PrimExpr modulo =
      arith::makeNode(Kind::tir_FloorMod, ramp_, arith::broadcast(intImm(width, var_->dtype), lanes_));
  if (!lanes || *lanes % width != 0 || !(arith::sameExpr(index, ramp_) || arith::sameExpr(index, modulo))) {
    refuse(kRule, "only the element of a vector at the loop's own place can be vectorized", node.span);
    return NodeRef(&node);
  }
  // Each vector gives all its elements: the loop goes over vectors.
  if (*lanes == width) return arith::substitute(node.vectors[0], {{var_.get(), intImm(0, var_->dtype)}});
  const PrimExpr wholeRamp = ramp_, wholeLanes = lanes_;
  lanes_ = intImm(*lanes / width, lanes_->dtype);
  ramp_ = arith::ramp(intImm(0, var_->dtype), intImm(2, var_->dtype), lanes_);
  const PrimExpr narrow = rewrite(node.vectors[0]);
  ramp_ = wholeRamp;
  lanes_ = wholeLanes;
  return narrow;
}

Stmt Vectorizer::visit(const Stmt& statement) {
  Stmt result = made(statement);
  if (!std::exchange(scalarize_, false)) return result;
  return scalarized(statement);
}

Stmt Vectorizer::made(const Stmt& statement) {
  switch (statement->kind()) {
    case Kind::tir_For:
      return loop(cast<For>(statement));
    case Kind::tir_IfThenElse:
      return branch(cast<IfThenElse>(statement));
    case Kind::tir_Bind:
      return bind(cast<Bind>(statement));
    case Kind::tir_BufferStore:
      return store(cast<BufferStore>(statement));
    case Kind::tir_While:
      refuse(kRule, "a while loop inside a vectorized loop is not supported", statement->span);
      return statement;
    default:
      return parts(statement);
  }
}

Stmt Vectorizer::scalarized(const Stmt& statement) {
  const auto index = make<Var>(Str(std::string(var_->name.view()) + ".s"), var_->dtype);
  const Stmt body = substitute(statement, {{var_.get(), index}});
  return make<For>(index, intImm(0, var_->dtype), lanes_, ForKind::Serial, body);
}

Stmt Vectorizer::store(const Ref<BufferStore>& store) {
  auto indices = rewrite(store->indices);
  const PrimExpr value = rewrite(store->value);
  if (indices.same(store->indices) && value == store->value) return store;
  if (store->buffer->dtype.lanes < 0) {
    refuse(kRule, "elements of a buffer that are scalable vectors can not be vectorized", store->span);
    return store;
  }
  int others = store->buffer->dtype.lanes;
  for (size_t i = 0; i + 1 < indices.size(); ++i) others *= factor(indices[i]->dtype);
  scalarize_ = scalarize_ || std::ranges::count_if(indices, isVector) > 1;
  if (scalarize_) return store;
  const PrimExpr last = indices[indices.size() - 1];
  const bool scalable = last->dtype.lanes < 0;
  const int total = std::max<int>(others * factor(last->dtype), factor(value->dtype));
  if (total % others != 0) {
    refuse(kRule, fmt::format("{} lanes can not be stored into {}", total, store->buffer->name.view()), store->span);
    return store;
  }
  const auto lanes = [&](int count) { return static_cast<int16_t>(scalable ? -count : count); };
  std::vector<PrimExpr> places(indices.begin(), indices.end());
  places.back() = spread(last, lanes(total / others));
  return make<BufferStore>(store->buffer, spread(value, lanes(total)), std::move(places), store->predicate);
}

Stmt Vectorizer::loop(const Ref<For>& loop) {
  if (!arith::isZero(loop->min)) {
    refuse(kRule, "a loop inside a vectorized loop must begin at 0", loop->span);
    return loop;
  }
  const PrimExpr extent = rewrite(loop->extent);
  if (isVector(extent)) return scalarized(loop);
  const Stmt body = CheckedRewriter::rewrite(loop->body);
  return withParts(*loop, loop->min, extent, loop->step, body);
}

Stmt Vectorizer::branch(const Ref<IfThenElse>& branch) {
  const PrimExpr condition = rewrite(branch->condition);
  const bool scalarize = std::exchange(scalarize_, false);
  const Stmt yes = CheckedRewriter::rewrite(branch->thenCase), no = CheckedRewriter::rewrite(branch->elseCase);
  if (predication_ != Predication::None && isVector(condition) && !no) {
    if (Stmt accesses = predicated(yes, condition, predication_)) return accesses;
  }
  if (scalarize || isVector(condition)) return scalarized(branch);
  return withParts(*branch, condition, yes, no);
}

Stmt Vectorizer::bind(const Ref<Bind>& bind) {
  if (bind->value->dtype.isHandle()) return parts(bind);
  const PrimExpr value = rewrite(bind->value);
  if (scalarize_) return bind;
  VarRef var = bind->var;
  if (value->dtype.lanes != bind->value->dtype.lanes) var = make<Var>(bind->var->name, value->dtype);
  vars_[bind->var.get()] = {bind->var, var};
  return value == bind->value ? Stmt(bind) : make<Bind>(var, value);
}

}  // namespace rx::lower
