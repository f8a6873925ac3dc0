// Calls of `T.` that compute: limits, constants, let, rounding, and the values that are data (targets, index maps).
#include <cmath>
#include <cstdlib>
#include <limits>

#include "core/arith/analyzer.h"
#include "core/arith/equal.h"
#include "core/arith/fold.h"
#include "core/script/reader.h"
#include "core/script/tir_rows.h"
#include "core/target/target.h"

namespace rx::script {

using tir::PrimExpr;

NodeRef Reader::tLimit(const Args& args, uint32_t row) {
  NodeRef v[1];
  static constexpr std::string_view kNames[] = {"dtype"};
  if (!bind(args, kNames, row < 2 ? 1 : 0, v)) return nullptr;
  auto type = v[0] ? toType(v[0], args.call) : std::optional<DataType>(DataType::Float(32));
  if (!type) return nullptr;
  if (row == 2 && type->isFloat()) return make<tir::FloatImm>(*type, INFINITY);
  if (row == 3 && type->isFloat()) return make<tir::FloatImm>(*type, NAN);
  if (!type->isFloat() && !type->isIntegral())
    return error(args.call, "script.dtype", type->str() + " has no such value");
  return row == 1 || row == 2 ? arith::maxValue(*type) : arith::minValue(*type);
}

NodeRef Reader::tConst(const Args& args, uint32_t) {
  NodeRef v[2];
  static constexpr std::string_view kNames[] = {"value", "dtype"};
  if (!bind(args, kNames, 1, v)) return nullptr;
  if (isNone(v[1])) return toPrim(v[0], args.call);
  auto type = toType(v[1], args.call);
  PrimExpr x = toPrim(v[0], args.call);
  return type && x ? NodeRef(castTo(*type, x, args.call)) : nullptr;
}

NodeRef Reader::tImm(const Args& args, uint32_t row) {
  NodeRef v[2];
  static constexpr std::string_view kNames[] = {"dtype", "value"};
  if (!bind(args, kNames, 2, v)) return nullptr;
  auto type = toType(v[0], args.call);
  PrimExpr x = toPrim(v[1], args.call);
  if (!type || !x) return nullptr;
  if (!type->isScalar() || (row == kFloatImm ? !type->isFloat() : !type->isIntegral())) {
    return error(args.call, "script.argument",
                 type->str() + (row == kFloatImm ? " is no type of floating point" : " is no type of integers"));
  }
  if (const auto* i = as<tir::IntImm>(x)) {
    if (row == kFloatImm) return make<tir::FloatImm>(*type, static_cast<double>(i->value));
    return tir::intImm(i->value, *type);
  }
  const auto* f = as<tir::FloatImm>(x);
  if (!f || row == kIntImm) return error(args.call, "script.argument", "a constant is needed here");
  return make<tir::FloatImm>(*type, f->value);
}

NodeRef Reader::tString(const Args& args, uint32_t) {
  if (args.values.size() != 1) return error(args.call, "script.argument", "one text is needed here");
  auto text = toText(args.values[0], args.call);
  return text ? make<tir::StringImm>(*text) : nullptr;
}

namespace {
/// A type in the name of an overloaded LLVM intrinsic: i32, v4f32, nxv16i8, p0.
bool isTypeSuffix(std::string_view part) {
  auto digits = [&] {
    size_t n = 0;
    while (n < part.size() && part[n] >= '0' && part[n] <= '9') ++n;
    part.remove_prefix(n);
    return n > 0;
  };
  if (part.starts_with("nxv")) part.remove_prefix(2);
  if (part.starts_with("v")) {
    part.remove_prefix(1);
    if (!digits()) return false;
  }
  for (std::string_view kind : {"bf", "i", "f", "p"}) {
    if (!part.starts_with(kind)) continue;
    part.remove_prefix(kind.size());
    return digits() && part.empty();
  }
  return false;
}
}  // namespace

/// The name of an LLVM intrinsic is looked up there: types behind an overloaded name do not belong to it. Those of
/// x86, NVVM and Hexagon are not overloaded.
NodeRef Reader::tLlvmName(const Args& args, uint32_t row) {
  NodeRef value = tString(args, row);
  const auto* text = as<tir::StringImm>(value);
  if (!text) return value;
  std::string_view name = text->value.view();
  for (std::string_view target : {"llvm.x86.", "llvm.nvvm.", "llvm.hexagon."}) {
    if (name.starts_with(target)) return value;
  }
  while (true) {
    const size_t dot = name.rfind('.');
    if (dot == std::string_view::npos || dot <= 4 || !isTypeSuffix(name.substr(dot + 1))) break;
    name = name.substr(0, dot);
  }
  return name.size() == text->value.view().size() ? value : NodeRef(make<tir::StringImm>(Str(name)));
}

NodeRef Reader::tIdentity(const Args& args, uint32_t) {
  if (args.values.size() != 1) return error(args.call, "script.argument", "one value is needed here");
  return args.values[0];
}

NodeRef Reader::tLet(const Args& args, uint32_t) {
  // T.Let(body, where={var: value, ...})
  const SynNode node = at(args.call);
  std::vector<NodeId> kids(syntax_->kids(node).begin(), syntax_->kids(node).end());
  NodeId body = kNoNode, where = kNoNode;
  for (NodeId kid : kids) {
    if (at(kid).kind == Syn::Keyword && names_.text(at(kid).b) == "where") {
      where = at(kid).a;
    } else if (!body) {
      body = kid;
    } else {
      where = kid;
    }
  }
  if (!body || !where || at(where).kind != Syn::Dict) {
    return error(args.call, "script.argument", "T.Let needs an expression and where={variable: value}");
  }
  std::vector<NodeId> pairs(syntax_->kids(at(where)).begin(), syntax_->kids(at(where)).end());
  NodeRef value = eval(body);
  PrimExpr result = value ? toPrim(value, body) : nullptr;
  for (size_t i = pairs.size(); result && i >= 2; i -= 2) {
    NodeRef var = eval(pairs[i - 2]);
    NodeRef bound = eval(pairs[i - 1]);
    if (!var || !bound) return nullptr;
    if (!isa<tir::Var>(var)) return error(pairs[i - 2], "script.argument", "a variable is needed here");
    PrimExpr e = toPrim(bound, pairs[i - 1]);
    if (!e) return nullptr;
    e = castTo(as<tir::Var>(var)->dtype, e, pairs[i - 1]);
    if (!e) return nullptr;
    result = make<tir::Let>(refAs<tir::Var>(var), e, result);
  }
  return result;
}

NodeRef Reader::tAbs(const Args& args, uint32_t) {
  if (args.values.size() != 1) return error(args.call, "script.argument", "one value is needed here");
  PrimExpr x = toPrim(args.values[0], args.call);
  if (!x) return nullptr;
  // The smallest number has no other: it stays an expression, which wraps.
  const int64_t least =
      x->dtype.bits >= 64 ? std::numeric_limits<int64_t>::min() : -(int64_t{1} << (x->dtype.bits - 1));
  const auto* number = as<tir::IntImm>(x);
  if (number && number->value > least) return arith::constantInt(x->dtype, std::abs(number->value));
  if (const auto* f = as<tir::FloatImm>(x)) return make<tir::FloatImm>(x->dtype, std::fabs(f->value));
  if (x->dtype.isUInt() || x->dtype.isBool()) return x;
  if (x->dtype.isInt()) return make<tir::Select>(arith::ge(x, arith::constantInt(x->dtype, 0)), x, arith::neg(x));
  return make<tir::Call>(x->dtype, op::tirOp("fabs"), Array<PrimExpr>{x});
}

NodeRef Reader::tRounding(const Args& args, uint32_t row) {
  if (args.values.size() != 1) return error(args.call, "script.argument", "one value is needed here");
  PrimExpr x = toPrim(args.values[0], args.call);
  if (!x) return nullptr;
  if (x->dtype.isIntegral()) return x;
  if (const auto* f = as<tir::FloatImm>(x)) {
    double v = f->value;
    v = row == kFloor ? std::floor(v) : row == kCeil ? std::ceil(v) : row == kTrunc ? std::trunc(v) : std::nearbyint(v);
    return make<tir::FloatImm>(x->dtype, v);
  }
  static constexpr std::string_view kNames[] = {"floor", "ceil", "round", "nearbyint", "trunc"};
  return make<tir::Call>(x->dtype, op::tirOp(kNames[row]), Array<PrimExpr>{x});
}

NodeRef Reader::tBits(const Args& args, uint32_t row) {
  if (args.values.size() != 2) return error(args.call, "script.argument", "two values are needed here");
  PrimExpr a = toPrim(args.values[0], args.call), b = toPrim(args.values[1], args.call);
  return a && b ? binary(static_cast<Tok>(row), a, b, args.call) : nullptr;
}

NodeRef Reader::tPow(const Args& args, uint32_t) {
  if (args.values.size() != 2) return error(args.call, "script.argument", "two values are needed here");
  PrimExpr a = toPrim(args.values[0], args.call), b = toPrim(args.values[1], args.call);
  return a && b ? binary(Tok::DoubleStar, a, b, args.call) : nullptr;
}

NodeRef Reader::tIsNan(const Args& args, uint32_t) {
  if (args.values.size() != 1) return error(args.call, "script.argument", "one value is needed here");
  PrimExpr x = toPrim(args.values[0], args.call);
  if (!x) return nullptr;
  DataType type = DataType::Bool(x->dtype.lanes);
  if (x->dtype.isIntegral()) return arith::constantInt(type, 0);
  if (x->dtype.bits == 16) x = arith::cast(DataType::Float(32, x->dtype.lanes), x);
  return make<tir::Call>(type, op::tirOp("isnan"), Array<PrimExpr>{x});
}

NodeRef Reader::tAddressOf(const Args& args, uint32_t) {
  if (args.values.size() != 1) return error(args.call, "script.argument", "one buffer element is needed here");
  PrimExpr x;
  if (isa<tir::Buffer>(args.values[0])) {
    auto buffer = refAs<tir::Buffer>(args.values[0]);
    std::vector<NodeRef> zeros(buffer->shape.size(), ir::intAttr(0));
    x = tryPrim(loadOf(buffer, std::move(zeros), args.call, nullptr));
  } else {
    x = toPrim(args.values[0], args.call);
  }
  return x ? make<tir::Call>(DataType::Handle(), op::tirOp("address_of"), Array<PrimExpr>{x}) : nullptr;
}

NodeRef Reader::tTypeAnnotation(const Args& args, uint32_t) {
  NodeRef v[1];
  static constexpr std::string_view kNames[] = {"dtype"};
  if (!bind(args, kNames, 1, v)) return nullptr;
  auto type = toType(v[0], args.call);
  return type ? make<tir::Call>(*type, op::tirOp("type_annotation"), Array<PrimExpr>()) : nullptr;
}

NodeRef Reader::tTarget(const Args& args, uint32_t) {
  if (args.values.empty()) return error(args.call, "script.argument", "a target is needed here");
  NodeRef host = args.keywords.empty() ? NodeRef() : args.keywords[0].second;
  if (args.values.size() > 1) host = args.values[1];
  NodeRef target = target::targetForm(attrValue(args.values[0]));
  if (isNone(host)) return target;
  if (const auto* text = as<ir::StrAttr>(target)) {
    target = make<ir::DictAttrs>(std::vector<std::pair<Str, NodeRef>>{{Str("kind"), ir::strAttr(text->value)}});
  }
  return ir::withAttr(refAs<ir::DictAttrs>(target), Str("host"), target::targetForm(attrValue(host)));
}

NodeRef Reader::tIndexMap(const Args& args, uint32_t) {
  const SynNode node = at(args.call);
  std::vector<NodeId> kids(syntax_->kids(node).begin(), syntax_->kids(node).end());
  NodeRef map;
  Ref<tir::IndexMap> inverse;
  for (NodeId kid : kids) {
    bool keyword = at(kid).kind == Syn::Keyword;
    NodeId value = keyword ? at(kid).a : kid;
    std::string_view name = keyword ? names_.text(at(kid).b) : std::string_view("mapping");
    if (name == "inverse_index_map" || (!keyword && map)) {
      if (at(value).kind == Syn::Lambda) {
        inverse = refAs<tir::IndexMap>(evalLambda(value));
      } else {
        inverse = refAs<tir::IndexMap>(eval(value));
      }
    } else if (name == "mapping") {
      map = at(value).kind == Syn::Lambda ? evalLambda(value) : eval(value);
    }
  }
  const auto* result = as<tir::IndexMap>(map);
  if (!result) return map ? error(args.call, "script.argument", "an index map is written as a lambda") : nullptr;
  if (!inverse) return map;
  return make<tir::IndexMap>(result->initialIndices, result->finalIndices, inverse);
}

/// A lambda over indices, as an index map of 32-bit integers.
NodeRef Reader::evalLambda(NodeId id) {
  std::vector<NodeId> kids(syntax_->kids(at(id)).begin(), syntax_->kids(at(id)).end());
  NodeId body = kids.back();
  kids.pop_back();
  std::vector<tir::VarRef> vars;
  std::vector<PrimExpr> results;
  scope_.push();
  for (NodeId kid : kids) {
    if (at(kid).kind != Syn::Name) {
      scope_.pop();
      return error(kid, "script.python", "an index map of any number of indices needs Python to be run",
                   "name each index");
    }
    vars.push_back(make<tir::Var>(names_.str(at(kid).a), DataType::Int(32)));
    scope_.define(at(kid).a, vars.back());
  }
  NodeRef value = eval(body);
  scope_.pop();
  if (!value) return nullptr;
  bool ok = true;
  std::vector<PrimExpr> flat;
  auto add = [&](const NodeRef& item) {
    PrimExpr p = toPrim(item, body);
    ok &= p != nullptr;
    if (p) flat.push_back(p);
  };
  if (const auto* array = as<ir::ArrayAttr>(value)) {
    for (const NodeRef& item : array->items) add(item);
  } else {
    add(value);
  }
  return ok ? NodeRef(make<tir::IndexMap>(Array<tir::VarRef>(std::move(vars)), Array<PrimExpr>(std::move(flat))))
            : nullptr;
}

NodeRef Reader::tCommReducer(const Args& args, uint32_t) {
  const SynNode node = at(args.call);
  std::vector<NodeId> kids(syntax_->kids(node).begin(), syntax_->kids(node).end());
  if (kids.size() != 2)
    return error(args.call, "script.argument", "T.comm_reducer needs a lambda and a list of identities");
  NodeId lambda = at(kids[0]).kind == Syn::Keyword ? at(kids[0]).a : kids[0];
  NodeId identities = at(kids[1]).kind == Syn::Keyword ? at(kids[1]).a : kids[1];
  if (at(lambda).kind != Syn::Lambda) return error(lambda, "script.argument", "a lambda is needed here");
  NodeRef values = eval(identities);
  bool ok = values != nullptr;
  Array<PrimExpr> identity = toPrims(values, identities, ok);
  std::vector<NodeId> params(syntax_->kids(at(lambda)).begin(), syntax_->kids(at(lambda)).end());
  NodeId body = params.back();
  params.pop_back();
  if (!ok) return nullptr;
  if (params.size() != 2 * identity.size()) {
    return error(lambda, "script.argument", "the lambda needs two parameters for each identity");
  }
  std::vector<tir::VarRef> lhs, rhs;
  scope_.push();
  for (size_t i = 0; i < params.size(); ++i) {
    auto var = make<tir::Var>(names_.str(at(params[i]).a), identity[i % identity.size()]->dtype);
    (i < identity.size() ? lhs : rhs).push_back(var);
    scope_.define(at(params[i]).a, var);
  }
  NodeRef value = eval(body);
  scope_.pop();
  ok = value != nullptr;
  Array<PrimExpr> result = toPrims(value, body, ok);
  if (!ok) return nullptr;
  return make<tir::CommReducer>(Array<tir::VarRef>(std::move(lhs)), Array<tir::VarRef>(std::move(rhs)), result,
                                identity);
}

NodeRef Reader::tRange(const Args& args, uint32_t) {
  NodeRef v[2];
  static constexpr std::string_view kNames[] = {"begin", "end"};
  if (!bind(args, kNames, 1, v)) return nullptr;
  PrimExpr begin = toPrim(v[0], args.call);
  if (!begin) return nullptr;
  if (isNone(v[1])) return make<tir::Range>(arith::constantInt(begin->dtype, 0), begin);
  PrimExpr end = toPrim(v[1], args.call);
  if (!end || !arith::matchTypes(begin, end)) return nullptr;
  arith::Analyzer analyzer;
  return make<tir::Range>(begin, analyzer.simplify(arith::sub(end, begin)));
}

}  // namespace rx::script
