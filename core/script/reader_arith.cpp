// Operators of expressions: on Python numbers, on TIR, on Relax values.
#include <algorithm>
#include <cmath>

#include "core/arith/fold.h"
#include "core/op/op_table.h"
#include "core/script/reader.h"

namespace rx::script {

using tir::PrimExpr;

namespace {
bool isPython(const NodeRef& v) {
  return isa<ir::IntAttr>(v) || isa<ir::FloatAttr>(v) || isa<ir::BoolAttr>(v) || isa<ir::StrAttr>(v) ||
         isa<ir::ArrayAttr>(v) || isa<ir::NullAttr>(v);
}
}  // namespace

/// The value of a Python number, a truth value included; false for anything else.
bool Reader::pythonNumber(const NodeRef& v, double& real, int64_t& integer, bool& isInt) {
  if (const auto* i = as<ir::IntAttr>(v)) {
    integer = i->value;
    real = static_cast<double>(integer);
    return isInt = true;
  }
  if (const auto* b = as<ir::BoolAttr>(v)) {
    integer = b->value;
    real = static_cast<double>(integer);
    return isInt = true;
  }
  if (const auto* f = as<ir::FloatAttr>(v)) {
    real = f->value;
    isInt = false;
    return true;
  }
  return false;
}

namespace {
/// A plain integer beside an integer of a type has that type.
void adoptType(const NodeRef& value, PrimExpr& made, const PrimExpr& other) {
  const auto* i = as<ir::IntAttr>(value);
  if (!i || !other->dtype.isUInt() || i->value < 0) return;
  if (other->dtype.bits < 63 && i->value >> other->dtype.bits) return;
  made = arith::constantInt(other->dtype, i->value);
}
}  // namespace

/// Lists and texts joined, lists repeated; null for operands that are none.
NodeRef Reader::pythonSequence(Tok op, const NodeRef& a, const NodeRef& b, NodeId at) {
  const auto* list = as<ir::ArrayAttr>(a);
  if (op == Tok::Plus && list && isa<ir::ArrayAttr>(b)) {
    auto items = list->items.vector();
    const auto& more = as<ir::ArrayAttr>(b)->items;
    items.insert(items.end(), more.begin(), more.end());
    return ir::arrayAttr(std::move(items));
  }
  if (op == Tok::Plus && isa<ir::StrAttr>(a) && isa<ir::StrAttr>(b))
    return ir::strAttr(Str(as<ir::StrAttr>(a)->value.string() + as<ir::StrAttr>(b)->value.string()));
  if (op == Tok::Star && list && isa<ir::IntAttr>(b)) {
    std::vector<NodeRef> items;
    const auto& piece = list->items;
    const int64_t times = as<ir::IntAttr>(b)->value;
    if (times * static_cast<int64_t>(piece.size()) > 100000) return error(at, "script.limit", "this list is too long");
    for (int64_t k = 0; k < times; ++k) items.insert(items.end(), piece.begin(), piece.end());
    return ir::arrayAttr(std::move(items));
  }
  return error(at, "script.operator", "this operator does not apply to these values");
}

namespace {

/// The result of an operator that floats have.
std::optional<double> floatResult(Tok op, double x, double y) {
  switch (op) {
    case Tok::Plus:
      return x + y;
    case Tok::Minus:
      return x - y;
    case Tok::Star:
      return x * y;
    case Tok::Slash:
      return x / y;
    case Tok::DoubleSlash:
      return std::floor(x / y);
    case Tok::Percent:
      return x - std::floor(x / y) * y;
    case Tok::DoubleStar:
      return std::pow(x, y);
    default:
      return std::nullopt;
  }
}

/// base ** exponent; true where it does not fit.
bool powerOverflows(int64_t base, int64_t exponent, int64_t* result) {
  *result = 1;
  bool overflow = exponent >= 64 && base != 0 && base != 1;
  for (int64_t k = 0; k < exponent && !overflow && k < 64; ++k)
    overflow = __builtin_mul_overflow(*result, base, result);
  return overflow;
}

/// The result of an operator on integers; true where it does not fit. Divisors are not zero, shifts in range.
bool integerOverflows(Tok op, int64_t i, int64_t j, int64_t* result) {
  switch (op) {
    case Tok::Plus:
      return __builtin_add_overflow(i, j, result);
    case Tok::Minus:
      return __builtin_sub_overflow(i, j, result);
    case Tok::Star:
      return __builtin_mul_overflow(i, j, result);
    case Tok::DoubleSlash:
      if (j == -1) return __builtin_sub_overflow(int64_t{0}, i, result);
      *result = arith::floorDivInt(i, j);
      return false;
    case Tok::Percent:
      *result = j == -1 ? 0 : arith::floorModInt(i, j);
      return false;
    case Tok::DoubleStar:
      return powerOverflows(i, j, result);
    case Tok::LShift:
      return __builtin_mul_overflow(i, int64_t{1} << j, result);
    case Tok::RShift:
      *result = i >> j;
      return false;
    case Tok::Amp:
      *result = i & j;
      return false;
    case Tok::Pipe:
      *result = i | j;
      return false;
    default:
      *result = i ^ j;
      return false;
  }
}

bool isShift(Tok op) { return op == Tok::LShift || op == Tok::RShift; }
bool isBitwise(Tok op) { return isShift(op) || op == Tok::Amp || op == Tok::Pipe || op == Tok::Caret; }
bool isDivision(Tok op) { return op == Tok::Slash || op == Tok::DoubleSlash || op == Tok::Percent; }

}  // namespace

NodeRef Reader::pythonArithmetic(Tok op, const NodeRef& a, const NodeRef& b, NodeId at) {
  double x = 0, y = 0;
  int64_t i = 0, j = 0;
  bool xInt = false, yInt = false;
  if (!pythonNumber(a, x, i, xInt) || !pythonNumber(b, y, j, yInt)) return pythonSequence(op, a, b, at);
  const bool integers = xInt && yInt;
  if (integers && isDivision(op) && j == 0) return error(at, "script.number", "division by zero");
  if (isShift(op) && (!integers || j < 0 || j > (op == Tok::LShift ? 62 : 63)))
    return error(at, "script.number", "this shift is out of range");
  const std::optional<double> real = floatResult(op, x, y);
  if (!real && !(integers && isBitwise(op))) return error(at, "script.operator", "this operator is not understood");
  if (real && (!integers || op == Tok::Slash || (op == Tok::DoubleStar && j < 0))) return ir::floatAttr(*real);
  int64_t result = 0;
  if (integerOverflows(op, i, j, &result)) return error(at, "script.number", "the result does not fit 64 bits");
  return ir::intAttr(result);
}

NodeRef Reader::binary(Tok op, NodeRef a, NodeRef b, NodeId at) {
  if (isPython(a) && isPython(b)) return pythonArithmetic(op, a, b, at);
  // Parts of buffers were values before v0.25, whose functions say s_tir=True and whose reader refuses them. What it
  // prints has them all the same, for loads of vectors.
  if (isa<tir::BufferRegion>(a) && isa<tir::BufferRegion>(b) && hints_.saysSTir && !hints_.printed) {
    return error(at, "tir.region", "two parts of buffers are no operands since v0.25",
                 "write their steps, as in A[0:4:1], to load vectors");
  }
  if (isa<relax::ExprNode>(a) || isa<relax::ExprNode>(b)) return relaxBinary(op, a, b, at);
  PrimExpr x = toPrim(a, at), y = toPrim(b, at);
  if (!x || !y) return nullptr;
  adoptType(a, x, y);
  adoptType(b, y, x);
  if (!arith::matchTypes(x, y)) {
    return error(at, "tir.type", "operands of " + x->dtype.str() + " and " + y->dtype.str() + " have no common type");
  }
  if (isBitwise(op)) {
    if (!x->dtype.isIntegral()) return error(at, "tir.type", "bit operations need integers");
    static constexpr std::pair<Tok, std::string_view> kBits[] = {{Tok::LShift, "shift_left"},
                                                                 {Tok::RShift, "shift_right"},
                                                                 {Tok::Amp, "bitwise_and"},
                                                                 {Tok::Pipe, "bitwise_or"},
                                                                 {Tok::Caret, "bitwise_xor"}};
    auto i = tir::asInt(x), j = tir::asInt(y);
    if (i && j && *j >= 0 && *j < 63) {
      NodeRef folded = pythonArithmetic(op, ir::intAttr(*i), ir::intAttr(*j), at);
      if (!folded) return nullptr;
      return arith::constantInt(x->dtype, as<ir::IntAttr>(folded)->value);
    }
    for (const auto& [tok, name] : kBits) {
      if (tok == op) return make<tir::Call>(x->dtype, op::tirOp(name), Array<PrimExpr>{x, y});
    }
  }
  bool division = op == Tok::Slash || op == Tok::DoubleSlash || op == Tok::Percent;
  if (division && x->dtype.isIntegral() && tir::asInt(y) == 0) return error(at, "tir.division", "division by zero");
  switch (op) {
    case Tok::Plus:
      return arith::add(x, y);
    case Tok::Minus:
      return arith::sub(x, y);
    case Tok::Star:
      return arith::mul(x, y);
    case Tok::Slash:
      if (x->dtype.isIntegral()) {
        return error(at, "tir.division", "'/' of integers is ambiguous", "write '//' or T.truncdiv");
      }
      return arith::div(x, y);
    case Tok::DoubleSlash:
      return arith::floorDiv(x, y);
    case Tok::Percent:
      return arith::floorMod(x, y);
    case Tok::DoubleStar:
      return make<tir::Call>(x->dtype, op::tirOp("pow"), Array<PrimExpr>{x, y});
    default:
      return error(at, "script.operator", "this operator is not understood here");
  }
}

NodeRef Reader::compare(Tok op, NodeRef a, NodeRef b, NodeId at) {
  double x = 0, y = 0;
  int64_t i = 0, j = 0;
  bool xi = false, yi = false;
  if (pythonNumber(a, x, i, xi) && pythonNumber(b, y, j, yi)) {
    if (xi && yi) x = i < j ? -1 : i > j, y = 0;
    bool r = op == Tok::Lt     ? x < y
             : op == Tok::Gt   ? x > y
             : op == Tok::Le   ? x <= y
             : op == Tok::Ge   ? x >= y
             : op == Tok::EqEq ? x == y
                               : x != y;
    return ir::boolAttr(r);
  }
  if (isa<relax::ExprNode>(a) || isa<relax::ExprNode>(b)) return relaxBinary(op, a, b, at);
  PrimExpr p = toPrim(a, at), q = toPrim(b, at);
  if (!p || !q) return nullptr;
  adoptType(a, p, q);
  adoptType(b, q, p);
  if (!arith::matchTypes(p, q)) {
    return error(at, "tir.type", "values of " + p->dtype.str() + " and " + q->dtype.str() + " can not be compared");
  }
  switch (op) {
    case Tok::Lt:
      return arith::lt(p, q);
    case Tok::Gt:
      return arith::gt(p, q);
    case Tok::Le:
      return arith::le(p, q);
    case Tok::Ge:
      return arith::ge(p, q);
    case Tok::EqEq:
      return arith::eq(p, q);
    default:
      return arith::ne(p, q);
  }
}

NodeRef Reader::evalBinary(NodeId id) {
  // The left spine of a chain is walked down and folded up again.
  std::vector<NodeId> spine;
  NodeId left = id;
  while (at(left).kind == Syn::Binary) {
    spine.push_back(left);
    left = at(left).a;
  }
  NodeRef value = eval(left);
  for (size_t i = spine.size(); i-- > 0;) {
    NodeId pair = spine[i];
    NodeRef right = eval(at(pair).b);
    if (!value || !right) {
      value = nullptr;
      continue;
    }
    value = binary(at(pair).op, std::move(value), std::move(right), pair);
  }
  return value;
}

NodeRef Reader::evalUnary(NodeId id) {
  const SynNode node = at(id);
  if (node.op == Tok::Minus && at(node.a).kind == Syn::Int) {
    uint64_t magnitude = 0;
    if (syntax_->intValue(node.a, magnitude) && magnitude <= uint64_t{1} << 63) {
      return ir::intAttr(static_cast<int64_t>(0 - magnitude));
    }
  }
  NodeRef value = eval(node.a);
  if (!value || node.op == Tok::Plus) return value;
  if (const auto* i = as<ir::IntAttr>(value)) {
    return ir::intAttr(node.op == Tok::Minus ? static_cast<int64_t>(0 - static_cast<uint64_t>(i->value)) : ~i->value);
  }
  if (const auto* f = as<ir::FloatAttr>(value); f && node.op == Tok::Minus) return ir::floatAttr(-f->value);
  if (isa<relax::ExprNode>(value)) return relaxBinary(node.op, value, nullptr, id);
  PrimExpr x = toPrim(value, id);
  if (!x) return nullptr;
  if (node.op == Tok::Tilde) return make<tir::Call>(x->dtype, op::tirOp("bitwise_not"), Array<PrimExpr>{x});
  if (const auto* f = as<tir::FloatImm>(x)) return make<tir::FloatImm>(x->dtype, -f->value);
  if (x->dtype.isFloat()) return arith::mul(x, arith::constant(x->dtype, -1.0));
  return arith::neg(x);
}

NodeRef Reader::evalLogic(NodeId id) {
  const SynNode node = at(id);
  if (node.kind == Syn::Compare) {
    NodeRef a = eval(node.a), b = eval(node.b);
    return a && b ? compare(node.op, a, b, id) : nullptr;
  }
  if (node.kind == Syn::IfExp) {
    NodeRef c = eval(node.b);
    if (!c) return nullptr;
    if (const auto* b = as<ir::BoolAttr>(c)) return eval(b->value ? node.a : node.c);
    PrimExpr condition = toPrim(c, node.b);
    NodeRef a = eval(node.a), b = eval(node.c);
    if (!condition || !a || !b) return nullptr;
    PrimExpr x = toPrim(a, node.a), y = toPrim(b, node.c);
    if (!x || !y || !arith::matchTypes(x, y)) return error(id, "tir.type", "both values must have one type");
    return make<tir::Call>(x->dtype, op::tirOp("if_then_else"), Array<PrimExpr>{condition, x, y});
  }
  auto truth = [&](NodeId at) -> PrimExpr {
    NodeRef value = eval(at);
    if (!value) return nullptr;
    PrimExpr p = toPrim(value, at);
    if (p && !p->dtype.isBool()) {
      if (auto i = tir::asInt(p)) return tir::boolImm(*i != 0);
      if (p->dtype.isIntegral()) return arith::ne(p, arith::constantInt(p->dtype, 0));
      error(at, "tir.type", "a truth value is needed here, not " + p->dtype.str());
      return nullptr;
    }
    return p;
  };
  if (node.kind == Syn::Not) {
    NodeRef value = eval(node.a);
    if (!value) return nullptr;
    if (const auto* b = as<ir::BoolAttr>(value)) return ir::boolAttr(!b->value);
    if (isa<relax::ExprNode>(value))
      return error(id, "relax.operator", "'not' does not apply to a Relax value", "write R.logical_not(x)");
    PrimExpr p = toPrim(value, node.a);
    if (!p) return nullptr;
    if (!p->dtype.isBool()) return error(id, "tir.type", "a truth value is needed here, not " + p->dtype.str());
    return arith::logicalNot(p);
  }
  std::vector<NodeId> kids(syntax_->kids(node).begin(), syntax_->kids(node).end());
  PrimExpr result;
  bool ok = true;
  for (NodeId kid : kids) {
    PrimExpr next = truth(kid);
    ok &= next != nullptr;
    if (!ok) continue;
    if (!result) {
      result = next;
    } else if (result->dtype.lanes != 1 || next->dtype.lanes != 1) {  // element by element
      NodeRef both = binary(node.kind == Syn::And ? Tok::Amp : Tok::Pipe, result, next, id);
      result = both ? toPrim(both, id) : nullptr;
      if (!result) return nullptr;
    } else {
      result = node.kind == Syn::And ? arith::logicalAnd(result, next) : arith::logicalOr(result, next);
    }
  }
  return ok ? NodeRef(result) : nullptr;
}

}  // namespace rx::script
