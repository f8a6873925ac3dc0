// Expressions: names, operators, literals, calls. Chains of operators are folded in loops; real nesting continues on a
// larger stack when the present one runs low (its depth is bounded by the syntax).
#include <algorithm>
#include <cmath>

#include "core/arith/fold.h"
#include "core/op/op_table.h"
#include "core/script/reader.h"
#include "core/support/stack.h"

namespace rx::script {

using tir::PrimExpr;

NodeRef Reader::error(Span span, std::string rule, std::string message, std::string fix) {
  failed_ = true;
  if (diagnostics_.size() < options_.maxErrors) {
    Diagnostic d = errorAt(span, std::move(rule), std::move(message));
    d.fix = std::move(fix);
    diagnostics_.push_back(std::move(d));
  }
  return nullptr;
}

void Reader::warning(Span span, std::string rule, std::string message) {
  if (diagnostics_.size() < options_.maxErrors) {
    diagnostics_.push_back(warningAt(span, std::move(rule), std::move(message)));
  }
}

void Reader::takeSyntaxErrors() {
  auto& found = syntax_->diagnostics();
  for (Diagnostic& d : found) {
    failed_ = true;
    if (diagnostics_.size() < options_.maxErrors) diagnostics_.push_back(std::move(d));
  }
  found.clear();
}

NodeRef Reader::eval(NodeId id) {
  if (!id) return nullptr;
  const SynNode node = at(id);
  switch (node.kind) {
    case Syn::Name:
      return evalName(id);
    case Syn::Int: {
      uint64_t value = 0;
      if (!syntax_->intValue(id, value)) return error(id, "script.number", "this number does not fit 64 bits");
      return ir::intAttr(static_cast<int64_t>(value));
    }
    case Syn::Float:
      return ir::floatAttr(syntax_->floatValue(id));
    case Syn::Text: {
      std::string_view plain;
      return syntax_->plainText(id, plain) ? ir::strAttr(Str(plain)) : ir::strAttr(Str(syntax_->textValue(id)));
    }
    case Syn::True:
      return ir::boolAttr(true);
    case Syn::False:
      return ir::boolAttr(false);
    case Syn::NoneLit:
    case Syn::Ellipsis:
      return ir::nullAttr();
    case Syn::Attr:
      return withStack([&] { return evalAttr(id); });
    case Syn::Call:
      return withStack([&] { return evalCall(id); });
    case Syn::Index:
      return withStack([&] { return evalIndex(id); });
    case Syn::Tuple:
    case Syn::List:
      return withStack([&] { return evalList(node); });
    case Syn::Dict:
      return withStack([&] { return evalDict(node); });
    case Syn::Binary:
      return withStack([&] { return evalBinary(id); });
    case Syn::Unary:
      return withStack([&] { return evalUnary(id); });
    case Syn::Compare:
    case Syn::And:
    case Syn::Or:
    case Syn::Not:
    case Syn::IfExp:
      return withStack([&] { return evalLogic(id); });
    case Syn::Lambda:
      return error(id, "script.unsupported", "a lambda is only understood as an index map or a reducer");
    case Syn::Python:
      return error(id, "script.python", nameText(node.a) + " needs Python to be run, which this reader never does",
                   "print the module from Python and open the printed text");
    default:
      return error(id, "script.syntax", "this can not stand here");
  }
}

NodeRef Reader::evalName(NodeId id) {
  NameId name = at(id).a;
  const NodeRef& value = scope_.lookup(name);
  if (const auto* var = as<relax::Var>(value)) {  // a void value is the empty tuple
    const auto* tuple = as<relax::TupleStructInfo>(var->sinfo);
    if (tuple && tuple->items.empty()) return make<relax::Tuple>(Array<relax::Expr>());
  }
  if (value) return value;
  std::string text = nameText(name);
  if (hints_.era == Era::Rfc2022 && newSymbols_) {
    // The first text let a new name in a shape define a dimension; `_` is one that is not known.
    NodeRef symbol = make<tir::Var>(names_.str(name), DataType::Int(64));
    if (text != "_") scope_.define(name, symbol);
    return symbol;
  }
  if (name == kT_ || name == kR_ || name == kI_) {
    return error(id, "script.syntax", "'" + text + "' is the dialect itself, not a value");
  }
  return error(id, inTir_ ? "tir.undefined-var" : "relax.undefined-var", "'" + text + "' is not defined here",
               "define it before, or write its value: values captured from Python are not available");
}

bool Reader::dottedPath(NodeId callee, NameId& base, std::string& path) const {
  NameId parts[8];
  int count = 0;
  NodeId id = callee;
  while (at(id).kind == Syn::Attr) {
    if (count == 8) return false;
    parts[count++] = at(id).b;
    id = at(id).a;
  }
  if (at(id).kind != Syn::Name) return false;
  base = at(id).a;
  path.clear();
  while (count--) {
    if (!path.empty()) path += '.';
    path += names_.text(parts[count]);
  }
  return true;
}

NodeRef Reader::evalAttr(NodeId id) {
  const SynNode node = at(id);
  NameId base;
  std::string path;
  if (dottedPath(id, base, path) && !scope_.lookup(base)) {
    if (base == kT_) return callT(kNoNode, path, id);
    if (base == kR_) return callR(kNoNode, path, id);
    if (base == kI_) return callI(kNoNode, path, id);
  }
  NodeRef value = eval(node.a);
  if (!value) return nullptr;
  if (value == moduleMarker_ && moduleMarker_) return moduleMember(node.b, id);
  std::string_view name = names_.text(node.b);
  if (const auto* buffer = as<tir::Buffer>(value)) {
    if (name == "data") return buffer->data;
    if (name == "shape") return ir::arrayAttr(Array<NodeRef>(buffer->shape));
    if (name == "strides") return ir::arrayAttr(Array<NodeRef>(buffer->strides));
    if (name == "dtype") return ir::strAttr(Str(buffer->dtype.str()));
    if (name == "elem_offset")
      return buffer->elemOffset ? NodeRef(buffer->elemOffset) : NodeRef(tir::intImm(0, DataType::Int(32)));
    return error(id, "tir.attribute", "a buffer has no attribute '" + std::string(name) + "' here");
  }
  if (const auto* expr = as<tir::ExprNode>(value)) {
    if (name == "dtype") return ir::strAttr(Str(expr->dtype.str()));
    if (name == "ty" || name == "var" || name == "value") return value;
  }
  if (const auto* iter = as<tir::IterVar>(value); iter && name == "var") return iter->var;
  if (isa<relax::ExprNode>(value)) return relaxAttr(value, node.b, id);
  if (const auto* part = as<ir::DictAttrs>(value); part && part->get("relax.dtype")) {
    std::string op = "relax.inspect.tensor_dtype_" + std::string(name == "type_code" ? "code" : name);
    Args args;
    args.call = id;
    args.values = {part->get("relax.dtype")};
    args.nodes = {kNoNode};
    if (const op::OpRow* row = op::findOp(op)) return callOp(*row, args);
  }
  return error(id, "script.attribute", "'" + std::string(name) + "' is not an attribute of this value");
}

NodeRef Reader::evalList(const SynNode& node) {
  std::vector<NodeRef> items;
  bool ok = true;
  std::vector<NodeId> kids(syntax_->kids(node).begin(), syntax_->kids(node).end());
  items.reserve(kids.size());
  for (NodeId kid : kids) {
    bool star = at(kid).kind == Syn::Star;
    NodeRef value = eval(star ? at(kid).a : kid);
    if (!value) {
      ok = false;
    } else if (star) {
      const auto* array = as<ir::ArrayAttr>(value);
      if (!array) {
        error(kid, "script.argument", "'*' needs a list or tuple that is known here");
        ok = false;
      } else {
        items.insert(items.end(), array->items.begin(), array->items.end());
      }
    } else {
      items.push_back(std::move(value));
    }
  }
  if (!ok) return nullptr;
  return ir::arrayAttr(std::move(items));
}

NodeRef Reader::evalDict(const SynNode& node) {
  std::vector<std::pair<Str, NodeRef>> entries;
  bool ok = true;
  std::vector<NodeId> kids(syntax_->kids(node).begin(), syntax_->kids(node).end());
  for (size_t i = 0; i + 1 < kids.size(); i += 2) {
    NodeRef key = eval(kids[i]);
    NodeRef value = eval(kids[i + 1]);
    if (!key || !value) {
      ok = false;
      continue;
    }
    const auto* text = as<ir::StrAttr>(key);
    if (!text) {
      error(kids[i], "script.argument", "the keys of a dictionary must be texts");
      ok = false;
      continue;
    }
    entries.emplace_back(text->value, std::move(value));
  }
  if (!ok) return nullptr;
  return make<ir::DictAttrs>(entries);
}

namespace {
bool isPython(const NodeRef& v) {
  return isa<ir::IntAttr>(v) || isa<ir::FloatAttr>(v) || isa<ir::BoolAttr>(v) || isa<ir::StrAttr>(v) ||
         isa<ir::ArrayAttr>(v) || isa<ir::NullAttr>(v);
}
bool pythonNumber(const NodeRef& v, double& real, int64_t& integer, bool& isInt) {
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
}  // namespace

namespace {
/// A plain integer beside an integer of a type has that type.
void adoptType(const NodeRef& value, PrimExpr& made, const PrimExpr& other) {
  const auto* i = as<ir::IntAttr>(value);
  if (!i || !other->dtype.isUInt() || i->value < 0) return;
  if (other->dtype.bits < 63 && i->value >> other->dtype.bits) return;
  made = arith::constantInt(other->dtype, i->value);
}
}  // namespace

NodeRef Reader::pythonArithmetic(Tok op, const NodeRef& a, const NodeRef& b, NodeId at) {
  double x = 0, y = 0;
  int64_t i = 0, j = 0;
  bool xInt = false, yInt = false;
  if (op == Tok::Plus && isa<ir::ArrayAttr>(a) && isa<ir::ArrayAttr>(b)) {
    auto items = as<ir::ArrayAttr>(a)->items.vector();
    const auto& more = as<ir::ArrayAttr>(b)->items;
    items.insert(items.end(), more.begin(), more.end());
    return ir::arrayAttr(std::move(items));
  }
  if (op == Tok::Plus && isa<ir::StrAttr>(a) && isa<ir::StrAttr>(b)) {
    return ir::strAttr(Str(as<ir::StrAttr>(a)->value.string() + as<ir::StrAttr>(b)->value.string()));
  }
  if (op == Tok::Star && isa<ir::ArrayAttr>(a) && isa<ir::IntAttr>(b)) {
    std::vector<NodeRef> items;
    const auto& piece = as<ir::ArrayAttr>(a)->items;
    int64_t times = as<ir::IntAttr>(b)->value;
    if (times * static_cast<int64_t>(piece.size()) > 100000) return error(at, "script.limit", "this list is too long");
    for (int64_t k = 0; k < times; ++k) items.insert(items.end(), piece.begin(), piece.end());
    return ir::arrayAttr(std::move(items));
  }
  if (!pythonNumber(a, x, i, xInt) || !pythonNumber(b, y, j, yInt)) {
    return error(at, "script.operator", "this operator does not apply to these values");
  }
  bool integers = xInt && yInt;
  int64_t r = 0;
  bool overflow = false;
  if (integers && (op == Tok::Slash || op == Tok::DoubleSlash || op == Tok::Percent) && j == 0) {
    return error(at, "script.number", "division by zero");
  }
  switch (op) {
    case Tok::Plus:
      if (!integers) return ir::floatAttr(x + y);
      overflow = __builtin_add_overflow(i, j, &r);
      break;
    case Tok::Minus:
      if (!integers) return ir::floatAttr(x - y);
      overflow = __builtin_sub_overflow(i, j, &r);
      break;
    case Tok::Star:
      if (!integers) return ir::floatAttr(x * y);
      overflow = __builtin_mul_overflow(i, j, &r);
      break;
    case Tok::Slash:
      return ir::floatAttr(x / y);
    case Tok::DoubleSlash:
      if (!integers) return ir::floatAttr(std::floor(x / y));
      if (j == -1) {
        overflow = __builtin_sub_overflow(int64_t{0}, i, &r);
        break;
      }
      r = arith::floorDivInt(i, j);
      break;
    case Tok::Percent:
      if (!integers) return ir::floatAttr(x - std::floor(x / y) * y);
      r = j == -1 ? 0 : arith::floorModInt(i, j);
      break;
    case Tok::DoubleStar: {
      if (!integers || j < 0) return ir::floatAttr(std::pow(x, y));
      r = 1;
      for (int64_t k = 0; k < j && !overflow && k < 64; ++k) overflow = __builtin_mul_overflow(r, i, &r);
      if (j >= 64 && i != 0 && i != 1) overflow = true;
      break;
    }
    case Tok::LShift:
      if (!integers || j < 0 || j > 62) return error(at, "script.number", "this shift is out of range");
      overflow = __builtin_mul_overflow(i, int64_t{1} << j, &r);
      break;
    case Tok::RShift:
      if (!integers || j < 0 || j > 63) return error(at, "script.number", "this shift is out of range");
      r = i >> j;
      break;
    case Tok::Amp:
      r = i & j;
      break;
    case Tok::Pipe:
      r = i | j;
      break;
    case Tok::Caret:
      r = i ^ j;
      break;
    default:
      return error(at, "script.operator", "this operator is not understood");
  }
  if (overflow) return error(at, "script.number", "the result does not fit 64 bits");
  return ir::intAttr(r);
}

NodeRef Reader::binary(Tok op, NodeRef a, NodeRef b, NodeId at) {
  if (isPython(a) && isPython(b)) return pythonArithmetic(op, a, b, at);
  if (isa<relax::ExprNode>(a) || isa<relax::ExprNode>(b)) return relaxBinary(op, a, b, at);
  PrimExpr x = toPrim(a, at), y = toPrim(b, at);
  if (!x || !y) return nullptr;
  adoptType(a, x, y);
  adoptType(b, y, x);
  bool shift = op == Tok::LShift || op == Tok::RShift || op == Tok::Amp || op == Tok::Pipe || op == Tok::Caret;
  if (!arith::matchTypes(x, y)) {
    return error(at, "tir.type", "operands of " + x->dtype.str() + " and " + y->dtype.str() + " have no common type");
  }
  if (shift) {
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
    } else {
      result = node.kind == Syn::And ? arith::logicalAnd(result, next) : arith::logicalOr(result, next);
    }
  }
  return ok ? NodeRef(result) : nullptr;
}

bool Reader::readArgs(NodeId call, Args& args) {
  args.call = call;
  const SynNode node = at(call);
  std::vector<NodeId> kids(syntax_->kids(node).begin(), syntax_->kids(node).end());
  args.values.reserve(kids.size());
  for (NodeId kid : kids) {
    const SynNode item = at(kid);
    if (item.kind == Syn::Keyword) {
      NodeRef value = at(item.a).kind == Syn::Lambda ? ir::nullAttr() : eval(item.a);
      args.failed |= !value;
      args.keywords.emplace_back(item.b, std::move(value));
      args.keywordNodes.push_back(item.a);
    } else if (item.kind == Syn::Star) {
      NodeRef value = eval(item.a);
      const auto* array = as<ir::ArrayAttr>(value);
      if (value && !array) error(kid, "script.argument", "'*' needs a list or tuple that is known here");
      args.failed |= !array;
      for (size_t i = 0; array && i < array->items.size(); ++i) {
        args.values.push_back(array->items[i]);
        args.nodes.push_back(kNoNode);
      }
    } else if (item.kind == Syn::DoubleStar) {
      error(kid, "script.python", "'**' needs Python to be run, which this reader never does");
      args.failed = true;
    } else {
      NodeRef value = item.kind == Syn::Lambda ? ir::nullAttr() : eval(kid);
      args.failed |= !value;
      args.values.push_back(std::move(value));
      args.nodes.push_back(kid);
    }
  }
  return !args.failed;
}

bool Reader::bind(const Args& args, std::span<const std::string_view> params, size_t required, NodeRef* out) {
  if (args.values.size() > params.size()) {
    error(args.call, "script.argument",
          "at most " + std::to_string(params.size()) + " arguments are understood, " +
              std::to_string(args.values.size()) + " are given");
    return false;
  }
  for (size_t i = 0; i < args.values.size(); ++i) out[i] = args.values[i];
  for (const auto& [name, value] : args.keywords) {
    std::string_view text = names_.text(name);
    size_t at = 0;
    while (at < params.size() && params[at] != text) ++at;
    if (at == params.size()) {
      error(args.call, "script.argument", "there is no argument named '" + std::string(text) + "'");
      return false;
    }
    if (out[at]) {
      error(args.call, "script.argument", "the argument '" + std::string(text) + "' is given twice");
      return false;
    }
    out[at] = value;
  }
  for (size_t i = 0; i < required; ++i) {
    if (out[i]) continue;
    error(args.call, "script.argument", "the argument '" + std::string(params[i]) + "' is missing");
    return false;
  }
  return true;
}

NodeRef Reader::evalCall(NodeId id) {
  const SynNode node = at(id);
  NodeId callee = node.a;
  NameId base;
  std::string path;
  if (at(callee).kind == Syn::Attr) {
    if (dottedPath(callee, base, path) && !scope_.lookup(base)) {
      if (base == kT_) return callT(id, path, callee);
      if (base == kR_) return callR(id, path, callee);
      if (base == kI_) return callI(id, path, callee);
      std::string_view root = names_.text(base);
      if (root == "tvm" || root == "tir" || root == "tirx" || root == "relax" || root == "np" || root == "topi" ||
          root == "te" || root == "torch" || root == "math" || root == "relay" || root == "os") {
        static constexpr std::pair<std::string_view, int64_t> kDevices[] = {{"cpu", 1},    {"cuda", 2},  {"opencl", 4},
                                                                            {"vulkan", 7}, {"metal", 8}, {"rocm", 10}};
        for (const auto& [device, type] : kDevices) {
          if (root != "tvm" || path != device) continue;
          Args args;
          if (!readArgs(id, args)) return nullptr;
          NodeRef index = args.values.empty() ? ir::intAttr(0) : args.values[0];
          return make<ir::DictAttrs>(
              std::vector<std::pair<Str, NodeRef>>{{Str("device_type"), ir::intAttr(type)}, {Str("index"), index}});
        }
        if (root == "relax") return callR(id, path, callee);
        if (root == "tir" || root == "tirx") return callT(id, path, callee);
        return error(id, "script.python",
                     "'" + std::string(root) + "." + path + "' is a call of Python code, which this reader never runs",
                     "print the module from Python and open the printed text");
      }
    }
    const SynNode member = at(callee);
    // Methods of values; a member of the module is a function.
    NodeRef object = eval(member.a);
    if (!object) return nullptr;
    if (object == moduleMarker_ && moduleMarker_) {
      NodeRef function = moduleMember(member.b, callee);
      return function ? callValue(id, function) : nullptr;
    }
    std::string_view method = names_.text(member.b);
    if (isa<tir::Buffer>(object)) {
      Args args;
      if (!readArgs(id, args)) return nullptr;
      return bufferMethod(refAs<tir::Buffer>(object), method, args);
    }
    if (isa<tir::ExprNode>(object)) {
      Args args;
      if (!readArgs(id, args)) return nullptr;
      return exprMethod(refAs<tir::ExprNode>(object), method, args);
    }
    if (isa<relax::ExprNode>(object)) return relaxMethod(object, member.b, id);
    return error(id, "script.attribute", "this value has no method '" + std::string(method) + "'");
  }
  if (at(callee).kind == Syn::Name) {
    NameId name = at(callee).a;
    const NodeRef& value = scope_.lookup(name);
    if (value) return callValue(id, NodeRef(value));
    std::string_view text = names_.text(name);
    if (text == "range" && inTir_) return callT(id, "serial", callee);
    if (text == "max" || text == "min") return callT(id, std::string(text), callee);
    if (text == "float" || text == "int" || text == "bool") {
      Args args;
      if (!readArgs(id, args)) return nullptr;
      double real = 0;
      int64_t integer = 0;
      bool isInt = false;
      if (args.values.size() == 1 && pythonNumber(args.values[0], real, integer, isInt)) {
        if (text == "float") return ir::floatAttr(real);
        if (text == "bool") return ir::boolAttr(real != 0);
        return ir::intAttr(isInt ? integer : static_cast<int64_t>(std::clamp(real, -9.2e18, 9.2e18)));
      }
      if (const auto* word = args.values.size() == 1 ? as<ir::StrAttr>(args.values[0]) : nullptr;
          word && text == "float") {
        std::string_view w = word->value.view();
        if (w == "inf" || w == "+inf") return ir::floatAttr(INFINITY);
        if (w == "-inf") return ir::floatAttr(-INFINITY);
        if (w == "nan") return ir::floatAttr(NAN);
      }
      return error(id, "script.argument", "this conversion is not understood");
    }
    if (text == "len") {
      Args args;
      if (!readArgs(id, args)) return nullptr;
      const auto* array = args.values.size() == 1 ? as<ir::ArrayAttr>(args.values[0]) : nullptr;
      if (array) return ir::intAttr(static_cast<int64_t>(array->items.size()));
    }
    // Before 2023 the names of the dialect stood alone: Tensor(...), Shape(...), DTensor(...).
    return callR(id, std::string(text), callee);
  }
  NodeRef value = eval(callee);
  return value ? callValue(id, value) : nullptr;
}

// Conversions ---------------------------------------------------------------------------------------------------------

PrimExpr Reader::tryPrim(const NodeRef& v) {
  if (!v) return nullptr;
  if (isa<tir::ExprNode>(v)) return refAs<tir::ExprNode>(v);
  if (const auto* i = as<ir::IntAttr>(v)) {
    bool small = i->value >= INT32_MIN && i->value <= INT32_MAX;
    return tir::intImm(i->value, small ? DataType::Int(32) : DataType::Int(64));
  }
  if (const auto* f = as<ir::FloatAttr>(v)) return make<tir::FloatImm>(DataType::Float(32), f->value);
  if (const auto* b = as<ir::BoolAttr>(v)) return tir::boolImm(b->value);
  if (const auto* s = as<ir::StrAttr>(v)) return make<tir::StringImm>(s->value);
  if (const auto* x = as<tir::IterVar>(v)) return x->var;
  if (const auto* p = as<relax::PrimValue>(v)) return p->value;
  if (const auto* x = as<relax::Var>(v)) {  // a symbolic parameter stands for its value
    const auto* prim = as<relax::PrimStructInfo>(x->sinfo);
    if (prim && prim->value) return prim->value;
  }
  if (const auto* region = as<tir::BufferRegion>(v)) {
    std::vector<PrimExpr> indices;
    int16_t lanes = 1;
    for (const auto& range : region->region) {
      auto extent = tir::asInt(range->extent);
      if (extent == 1) {
        indices.push_back(range->min);
        continue;
      }
      DataType type = range->min->dtype;
      if (extent && *extent > 1 && *extent <= INT16_MAX) {
        lanes = static_cast<int16_t>(*extent);
        indices.push_back(make<tir::Ramp>(range->min, arith::constantInt(type, 1),
                                          tir::intImm(*extent, DataType::Int(32)), type.withLanes(lanes)));
        continue;
      }
      auto scalable = vectorLanes(range->extent);
      if (!scalable) return nullptr;
      lanes = *scalable;
      indices.push_back(make<tir::Ramp>(range->min, arith::constantInt(type, 1), range->extent, type.withLanes(lanes)));
    }
    return make<tir::BufferLoad>(region->buffer, Array<PrimExpr>(std::move(indices)),
                                 region->buffer->dtype.withLanes(lanes));
  }
  return nullptr;
}

PrimExpr Reader::toPrim(const NodeRef& v, NodeId at) {
  PrimExpr p = tryPrim(v);
  if (!p && v) error(at, "tir.type", "an expression of TIR is needed here");
  return p;
}

Array<PrimExpr> Reader::toPrims(const NodeRef& v, NodeId at, bool& ok) {
  std::vector<PrimExpr> out;
  if (const auto* array = as<ir::ArrayAttr>(v)) {
    for (const NodeRef& item : array->items) {
      out.push_back(toPrim(item, at));
      ok &= out.back() != nullptr;
    }
  } else if (v) {
    out.push_back(toPrim(v, at));
    ok &= out.back() != nullptr;
  }
  return ok ? Array<PrimExpr>(std::move(out)) : Array<PrimExpr>();
}

std::optional<int64_t> Reader::toInt(const NodeRef& v, NodeId at) {
  if (const auto* i = as<ir::IntAttr>(v)) return i->value;
  if (const auto* b = as<ir::BoolAttr>(v)) return b->value;
  if (const auto* i = as<tir::IntImm>(v)) return i->value;
  if (v) error(at, "script.argument", "an integer is needed here");
  return std::nullopt;
}

std::optional<Str> Reader::toText(const NodeRef& v, NodeId at) {
  if (const auto* s = as<ir::StrAttr>(v)) return s->value;
  if (const auto* s = as<tir::StringImm>(v)) return s->value;
  if (const auto* s = as<relax::StringImm>(v)) return s->value;
  if (v) error(at, "script.argument", "a text is needed here");
  return std::nullopt;
}

std::optional<DataType> Reader::toType(const NodeRef& v, NodeId at) {
  if (const auto* t = as<ir::TypeAttr>(v)) return t->value;
  if (const auto* t = as<relax::DataTypeImm>(v)) return t->value;
  if (const auto* e = as<tir::ExprNode>(v); e && !isa<tir::StringImm>(v)) return e->dtype;
  if (isNone(v)) return DataType::Void();
  auto text = toText(v, at);
  if (!text) return std::nullopt;
  auto type = DataType::parse(text->view());
  if (!type) error(at, "script.dtype", "'" + text->string() + "' is not the name of an element type");
  return type;
}

NodeRef Reader::attrValue(const NodeRef& v) {
  if (const auto* i = as<tir::IntImm>(v)) {
    if (i->dtype.isBool()) return ir::boolAttr(i->value != 0);
    if (i->dtype == DataType::Int(32)) return ir::intAttr(i->value);
    return v;
  }
  if (const auto* s = as<tir::StringImm>(v)) return ir::strAttr(s->value);
  if (const auto* array = as<ir::ArrayAttr>(v)) {
    std::vector<NodeRef> items;
    for (const NodeRef& item : array->items) items.push_back(attrValue(item));
    return ir::arrayAttr(std::move(items));
  }
  if (const auto* dict = as<ir::DictAttrs>(v)) {
    std::vector<std::pair<Str, NodeRef>> entries;
    for (size_t i = 0; i < dict->size(); ++i) entries.emplace_back(dict->keys[i], attrValue(dict->values[i]));
    return make<ir::DictAttrs>(entries);
  }
  return v;
}

ir::Attrs Reader::attrDict(const NodeRef& v, NodeId at) {
  if (isNone(v)) return nullptr;
  if (!isa<ir::DictAttrs>(v)) {
    error(at, "script.argument", "a dictionary is needed here");
    return nullptr;
  }
  return refAs<ir::DictAttrs>(attrValue(v));
}

}  // namespace rx::script
