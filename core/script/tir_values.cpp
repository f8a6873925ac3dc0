// Calls of `T.` that are nodes of their own: types, variables, operators, casts, vectors.
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/arith/analyzer.h"
#include "core/arith/equal.h"
#include "core/arith/fold.h"
#include "core/script/reader.h"

namespace rx::script {

using tir::PrimExpr;

NodeRef Reader::tDtype(const Args& args, DataType dtype) {
  NodeRef v[2];
  static constexpr std::string_view kNames[] = {"expr", "is_size_var"};
  if (!bind(args, kNames, 0, v)) return nullptr;
  if (isNone(v[0])) {
    if (const auto* size = as<ir::BoolAttr>(v[1]); size && size->value) return make<tir::SizeVar>(Str(), dtype);
    return make<tir::Var>(Str(), dtype);
  }
  if (const auto* text = as<ir::StrAttr>(v[0])) {
    std::string_view t = text->value.view();
    double value = t == "inf" ? INFINITY : t == "-inf" ? -INFINITY : t == "-nan" ? -NAN : NAN;
    if ((t != "inf" && t != "-inf" && t != "nan" && t != "-nan") || !dtype.isFloat()) {
      return error(args.call, "script.argument", "this text is no number of " + dtype.str());
    }
    return make<tir::FloatImm>(dtype, value);
  }
  if (const auto* i = as<ir::IntAttr>(v[0])) {
    if (dtype.isBool() && i->value != 0 && i->value != 1)
      return error(args.call, "script.argument", std::to_string(i->value) + " is no truth value");
    return arith::constantInt(dtype, i->value);
  }
  if (const auto* f = as<ir::FloatAttr>(v[0]); f && dtype.isFloat()) {
    return dtype.isScalar() ? PrimExpr(make<tir::FloatImm>(dtype, f->value)) : arith::constant(dtype, f->value);
  }
  PrimExpr p = toPrim(v[0], args.call);
  return p ? NodeRef(castTo(dtype, p, args.call)) : nullptr;
}

NodeRef Reader::tIterVar(const Args& args, uint32_t) {
  NodeRef v[4];
  static constexpr std::string_view kNames[] = {"var", "dom", "iter_type", "thread_tag"};
  if (!bind(args, kNames, 3, v)) return nullptr;
  tir::VarRef var = refAs<tir::Var>(v[0]);
  if (const auto* name = as<ir::StrAttr>(v[0])) var = make<tir::Var>(name->value, DataType::Int(32));
  if (!var) return error(args.call, "script.argument", "a variable or its name is needed here");
  auto dom = isNone(v[1]) ? Ref<tir::Range>() : refAs<tir::Range>(v[1]);
  if (!dom && !isNone(v[1])) return error(args.call, "script.argument", "the domain is None or a T.Range");
  auto type = toText(v[2], args.call);
  auto tag = v[3] ? toText(v[3], args.call) : std::optional(Str());
  if (!type || !tag) return nullptr;
  const auto* row = std::find(std::begin(tir::kIterTypeNames), std::end(tir::kIterTypeNames), type->view());
  if (row == std::end(tir::kIterTypeNames)) {
    return error(args.call, "script.argument", "'" + type->string() + "' is no kind of iteration variable",
                 fmt::format("write one of {}", fmt::join(tir::kIterTypeNames, ", ")));
  }
  return make<tir::IterVar>(dom, var, static_cast<tir::IterType>(row - std::begin(tir::kIterTypeNames)), *tag);
}

NodeRef Reader::tHandle(const Args& args, uint32_t) {
  NodeRef v[4];
  static constexpr std::string_view kNames[] = {"dtype", "storage_scope", "is_size_var", "is_unknown_type"};
  if (!bind(args, kNames, 0, v)) return nullptr;
  if (isNone(v[0])) return make<tir::Var>(Str(), DataType::Handle());
  auto scope = isNone(v[1]) ? std::optional<Str>(Str("global")) : toText(v[1], args.call);
  if (!scope) return nullptr;
  tir::Type element;
  if (const auto* text = as<ir::StrAttr>(v[0]); text && text->value == "handle") {
    element = make<tir::PrimType>(DataType::Handle());
  } else if (const auto* pointer = as<tir::Var>(v[0]); pointer && pointer->annotation) {
    element = pointer->annotation;
  } else {
    auto type = toType(v[0], args.call);
    if (!type) return nullptr;
    element = make<tir::PrimType>(*type);
  }
  return make<tir::Var>(Str(), DataType::Handle(), make<tir::PointerType>(element, *scope));
}

NodeRef Reader::tVar(const Args& args, uint32_t row) {
  NodeRef v[2];
  if (row == 1) {
    static constexpr std::string_view kNames[] = {"dtype", "name"};
    if (!bind(args, kNames, 1, v)) return nullptr;
    auto type = toType(v[0], args.call);
    return type ? make<tir::Var>(Str(), *type) : nullptr;
  }
  static constexpr std::string_view kNames[] = {"name", "dtype"};
  if (!bind(args, kNames, 1, v)) return nullptr;
  auto name = toText(v[0], args.call);
  auto type = v[1] ? toType(v[1], args.call) : std::optional<DataType>(DataType::Int(32));
  if (!name || !type) return nullptr;
  if (row == 2) return make<tir::SizeVar>(*name, *type);
  return make<tir::Var>(*name, *type);
}

NodeRef Reader::tBinaryNode(const Args& args, uint32_t row) {
  NodeRef v[2];
  static constexpr std::string_view kNames[] = {"a", "b"};
  if (!bind(args, kNames, 2, v)) return nullptr;
  PrimExpr a = toPrim(v[0], args.call), b = toPrim(v[1], args.call);
  if (!a || !b) return nullptr;
  if (a->dtype != b->dtype && !arith::matchTypes(a, b)) {
    return error(args.call, "tir.type", "both operands must have one type");
  }
  const bool logic = row == static_cast<uint32_t>(Kind::tir_And) || row == static_cast<uint32_t>(Kind::tir_Or);
  if (logic && !a->dtype.isBool())
    return error(args.call, "tir.type", "a truth value is needed here, not " + a->dtype.str());
  switch (static_cast<Kind>(row)) {
#define RX_CASE(Name)    \
  case Kind::tir_##Name: \
    return make<tir::Name>(a, b);
    RX_CASE(Add)
    RX_CASE(Sub)
    RX_CASE(Mul)
    RX_CASE(Div)
    RX_CASE(Mod)
    RX_CASE(FloorDiv)
    RX_CASE(FloorMod)
    RX_CASE(Min)
    RX_CASE(Max)
    RX_CASE(EQ)
    RX_CASE(NE)
    RX_CASE(LT)
    RX_CASE(LE)
    RX_CASE(GT)
    RX_CASE(GE)
    RX_CASE(And)
    RX_CASE(Or)
#undef RX_CASE
    default:
      return nullptr;
  }
}

NodeRef Reader::tBinaryMaker(const Args& args, uint32_t row) {
  Kind kind = static_cast<Kind>(row);
  if (args.values.size() < 2 || !args.keywords.empty()) {
    NodeRef v[2];
    static constexpr std::string_view kNames[] = {"a", "b"};
    if (!bind(args, kNames, 2, v)) return nullptr;
    Args plain;
    plain.call = args.call;
    plain.values = {v[0], v[1]};
    return tBinaryMaker(plain, row);
  }
  PrimExpr result = toPrim(args.values[0], args.call);
  for (size_t i = 1; result && i < args.values.size(); ++i) {
    PrimExpr next = toPrim(args.values[i], args.call);
    if (!next) return nullptr;
    if (!arith::matchTypes(result, next)) return error(args.call, "tir.type", "the operands have no common type");
    bool division =
        kind == Kind::tir_Div || kind == Kind::tir_Mod || kind == Kind::tir_FloorDiv || kind == Kind::tir_FloorMod;
    if (division && next->dtype.isIntegral() && tir::asInt(next) == 0)
      return error(args.call, "tir.division", "division by zero");
    result = arith::makeBinary(kind, result, next);
  }
  return result;
}

NodeRef Reader::tMinMax(const Args& args, uint32_t row) { return tBinaryMaker(args, row); }

NodeRef Reader::tCeilDiv(const Args& args, uint32_t) {
  NodeRef v[2];
  static constexpr std::string_view kNames[] = {"lhs", "rhs"};
  if (!bind(args, kNames, 2, v)) return nullptr;
  PrimExpr a = toPrim(v[0], args.call), b = toPrim(v[1], args.call);
  if (!a || !b || !arith::matchTypes(a, b)) return nullptr;
  if (tir::asInt(b) == 0) return error(args.call, "tir.division", "division by zero");
  return arith::floorDiv(arith::sub(arith::add(a, b), arith::constantInt(b->dtype, 1)), b);
}

NodeRef Reader::tNot(const Args& args, uint32_t) {
  NodeRef v[1];
  static constexpr std::string_view kNames[] = {"a"};
  if (!bind(args, kNames, 1, v)) return nullptr;
  PrimExpr a = toPrim(v[0], args.call);
  if (!a) return nullptr;
  if (!a->dtype.isBool()) return error(args.call, "tir.type", "a truth value is needed here, not " + a->dtype.str());
  return make<tir::Not>(a);
}

NodeRef Reader::tSelect(const Args& args, uint32_t) {
  NodeRef v[3];
  static constexpr std::string_view kNames[] = {"condition", "true_value", "false_value"};
  if (!bind(args, kNames, 3, v)) return nullptr;
  PrimExpr c = toPrim(v[0], args.call), a = toPrim(v[1], args.call), b = toPrim(v[2], args.call);
  if (!c || !a || !b) return nullptr;
  if (a->dtype != b->dtype && !arith::matchTypes(a, b)) {
    return error(args.call, "tir.type",
                 "both values of T.Select must have one type, not " + a->dtype.str() + " and " + b->dtype.str());
  }
  return make<tir::Select>(c, a, b);
}

NodeRef Reader::tIfThenElse(const Args& args, uint32_t) {
  NodeRef v[4];
  static constexpr std::string_view kNames[] = {"cond", "t", "f", "dtype"};
  if (!bind(args, kNames, 3, v)) return nullptr;
  PrimExpr c = toPrim(v[0], args.call), a = toPrim(v[1], args.call), b = toPrim(v[2], args.call);
  if (!c || !a || !b) return nullptr;
  if (!arith::matchTypes(a, b)) return error(args.call, "tir.type", "both values of T.if_then_else must have one type");
  if (auto known = tir::asInt(c)) return *known ? a : b;
  return withSpan(make<tir::Call>(a->dtype, op::tirOp("if_then_else"), Array<PrimExpr>{c, a, b}), spanOf(args.call));
}

NodeRef Reader::tCastNode(const Args& args, uint32_t) {
  NodeRef v[2];
  static constexpr std::string_view kNames[] = {"dtype", "value"};
  if (!bind(args, kNames, 2, v)) return nullptr;
  auto type = toType(v[0], args.call);
  PrimExpr x = toPrim(v[1], args.call);
  return type && x ? make<tir::Cast>(*type, x) : nullptr;
}

NodeRef Reader::tCast(const Args& args, uint32_t) {
  NodeRef v[2];
  static constexpr std::string_view kNames[] = {"value", "dtype"};
  if (!bind(args, kNames, 2, v)) return nullptr;
  auto type = toType(v[1], args.call);
  PrimExpr x = toPrim(v[0], args.call);
  return type && x ? NodeRef(castTo(*type, x, args.call)) : nullptr;
}

std::optional<int16_t> Reader::vectorLanes(const PrimExpr& e) {
  if (auto n = tir::asInt(e))
    return *n >= 1 && *n <= INT16_MAX ? std::optional<int16_t>(static_cast<int16_t>(*n)) : std::nullopt;
  auto isVscale = [](const PrimExpr& x) {
    const auto* call = as<tir::Call>(x);
    const auto* op = call ? as<relax::Op>(call->op) : nullptr;
    return op && op->name == "tirx.vscale";
  };
  if (isVscale(e)) return static_cast<int16_t>(-1);
  if (const auto* mul = as<tir::Mul>(e)) {
    auto left = tir::asInt(mul->a), right = tir::asInt(mul->b);
    auto factor = left ? left : right;
    if (factor && isVscale(left ? mul->b : mul->a) && *factor > 0 && *factor < INT16_MAX) {
      return static_cast<int16_t>(-*factor);
    }
  }
  return std::nullopt;
}

namespace {
/// Scalable lanes in one order: T.vscale() * factor.
PrimExpr plainLanes(const PrimExpr& lanes, int16_t count) {
  const auto* mul = as<tir::Mul>(lanes);
  if (count >= 0 || !mul || !tir::asInt(mul->a)) return lanes;
  return make<tir::Mul>(mul->b, mul->a);
}
}  // namespace

NodeRef Reader::tRamp(const Args& args, uint32_t) {
  NodeRef v[3];
  static constexpr std::string_view kNames[] = {"base", "stride", "lanes"};
  if (!bind(args, kNames, 3, v)) return nullptr;
  PrimExpr base = toPrim(v[0], args.call), stride = toPrim(v[1], args.call), lanes = toPrim(v[2], args.call);
  if (!base || !stride || !lanes) return nullptr;
  if (stride->dtype != base->dtype) stride = arith::cast(base->dtype, stride);
  auto count = vectorLanes(lanes);
  if (!count)
    return error(args.call, "tir.lanes",
                 "the lanes of a vector must be a positive constant or a multiple of T.vscale()");
  return make<tir::Ramp>(base, stride, plainLanes(lanes, *count), base->dtype.withLanes(*count));
}

NodeRef Reader::tBroadcast(const Args& args, uint32_t) {
  NodeRef v[2];
  static constexpr std::string_view kNames[] = {"value", "lanes"};
  if (!bind(args, kNames, 2, v)) return nullptr;
  PrimExpr value = toPrim(v[0], args.call), lanes = toPrim(v[1], args.call);
  if (!value || !lanes) return nullptr;
  auto count = vectorLanes(lanes);
  if (!count)
    return error(args.call, "tir.lanes",
                 "the lanes of a vector must be a positive constant or a multiple of T.vscale()");
  return make<tir::Broadcast>(value, plainLanes(lanes, *count), value->dtype.withLanes(*count));
}

NodeRef Reader::tShuffle(const Args& args, uint32_t) {
  NodeRef v[2];
  static constexpr std::string_view kNames[] = {"vectors", "indices"};
  if (!bind(args, kNames, 2, v)) return nullptr;
  bool ok = true;
  auto vectors = toPrims(v[0], args.call, ok), indices = toPrims(v[1], args.call, ok);
  if (!ok || vectors.empty()) return error(args.call, "script.argument", "T.Shuffle needs vectors and indices");
  return make<tir::Shuffle>(vectors, indices, vectors[0]->dtype.withLanes(static_cast<int16_t>(indices.size())));
}

}  // namespace rx::script
