// Calls of `T.`: a table of the names that are not plain intrinsics, then the intrinsics by their rows.
#include <cmath>
#include <map>

#include "core/arith/analyzer.h"
#include "core/arith/equal.h"
#include "core/arith/fold.h"
#include "core/script/reader.h"
#include "core/script/target_form.h"

namespace rx::script {

using tir::PrimExpr;

struct Tables {
  struct Row {
    std::string_view name;
    Handler handler;
    uint32_t arg = 0;
  };
  static const Row* find(std::string_view name);
};

namespace {
constexpr uint32_t kindArg(Kind kind) { return static_cast<uint32_t>(kind); }
enum Rounding : uint32_t { kFloor, kCeil, kRound, kNearbyint, kTrunc };
enum Imm : uint32_t { kIntImm, kFloatImm };
enum Scope : uint32_t { kGlobalScope, kLocalScope, kSharedScope };
enum LoopRow : uint32_t { kLoopOutsideFor };

/// Names that belong to TileLang, a third dialect with the same prefix.
constexpr std::string_view kTileLang[] = {"Kernel",    "Tensor", "copy",     "alloc_fragment",
                                          "Pipelined", "gemm",   "Parallel", "use_swizzle"};
}  // namespace

const Tables::Row* Tables::find(std::string_view name) {
  static const std::map<std::string_view, Row> kRows = [] {
    std::map<std::string_view, Row> rows;
    const Row list[] = {
        {"handle", &Reader::tHandle},
        {"Ptr", &Reader::tHandle},
        {"Var", &Reader::tVar},
        {"var", &Reader::tVar, 1},
        {"SizeVar", &Reader::tVar, 2},
        {"Add", &Reader::tBinaryNode, kindArg(Kind::tir_Add)},
        {"Sub", &Reader::tBinaryNode, kindArg(Kind::tir_Sub)},
        {"Mul", &Reader::tBinaryNode, kindArg(Kind::tir_Mul)},
        {"Div", &Reader::tBinaryNode, kindArg(Kind::tir_Div)},
        {"Mod", &Reader::tBinaryNode, kindArg(Kind::tir_Mod)},
        {"FloorDiv", &Reader::tBinaryNode, kindArg(Kind::tir_FloorDiv)},
        {"FloorMod", &Reader::tBinaryNode, kindArg(Kind::tir_FloorMod)},
        {"Min", &Reader::tBinaryNode, kindArg(Kind::tir_Min)},
        {"Max", &Reader::tBinaryNode, kindArg(Kind::tir_Max)},
        {"EQ", &Reader::tBinaryNode, kindArg(Kind::tir_EQ)},
        {"NE", &Reader::tBinaryNode, kindArg(Kind::tir_NE)},
        {"LT", &Reader::tBinaryNode, kindArg(Kind::tir_LT)},
        {"LE", &Reader::tBinaryNode, kindArg(Kind::tir_LE)},
        {"GT", &Reader::tBinaryNode, kindArg(Kind::tir_GT)},
        {"GE", &Reader::tBinaryNode, kindArg(Kind::tir_GE)},
        {"And", &Reader::tBinaryNode, kindArg(Kind::tir_And)},
        {"Or", &Reader::tBinaryNode, kindArg(Kind::tir_Or)},
        {"all", &Reader::tBinaryMaker, kindArg(Kind::tir_And)},
        {"any", &Reader::tBinaryMaker, kindArg(Kind::tir_Or)},
        {"Not", &Reader::tNot},
        {"add", &Reader::tBinaryMaker, kindArg(Kind::tir_Add)},
        {"subtract", &Reader::tBinaryMaker, kindArg(Kind::tir_Sub)},
        {"multiply", &Reader::tBinaryMaker, kindArg(Kind::tir_Mul)},
        {"div", &Reader::tBinaryMaker, kindArg(Kind::tir_Div)},
        {"truncdiv", &Reader::tBinaryMaker, kindArg(Kind::tir_Div)},
        {"truncmod", &Reader::tBinaryMaker, kindArg(Kind::tir_Mod)},
        {"indexdiv", &Reader::tBinaryMaker, kindArg(Kind::tir_FloorDiv)},
        {"indexmod", &Reader::tBinaryMaker, kindArg(Kind::tir_FloorMod)},
        {"floordiv", &Reader::tBinaryMaker, kindArg(Kind::tir_FloorDiv)},
        {"floormod", &Reader::tBinaryMaker, kindArg(Kind::tir_FloorMod)},
        {"min", &Reader::tMinMax, kindArg(Kind::tir_Min)},
        {"max", &Reader::tMinMax, kindArg(Kind::tir_Max)},
        {"ceildiv", &Reader::tCeilDiv},
        {"Select", &Reader::tSelect},
        {"if_then_else", &Reader::tIfThenElse},
        {"Cast", &Reader::tCastNode},
        {"cast", &Reader::tCast},
        {"Ramp", &Reader::tRamp},
        {"ramp", &Reader::tRamp},
        {"Broadcast", &Reader::tBroadcast},
        {"broadcast", &Reader::tBroadcast},
        {"Shuffle", &Reader::tShuffle},
        {"min_value", &Reader::tLimit, 0},
        {"max_value", &Reader::tLimit, 1},
        {"infinity", &Reader::tLimit, 2},
        {"inf", &Reader::tLimit, 2},
        {"nan", &Reader::tLimit, 3},
        {"const", &Reader::tConst},
        {"IntImm", &Reader::tImm, kIntImm},
        {"FloatImm", &Reader::tImm, kFloatImm},
        {"StringImm", &Reader::tString},
        {"Let", &Reader::tLet},
        {"meta_var", &Reader::tIdentity},
        {"StringLiteral", &Reader::tString},
        {"abs", &Reader::tAbs},
        {"floor", &Reader::tRounding, kFloor},
        {"ceil", &Reader::tRounding, kCeil},
        {"round", &Reader::tRounding, kRound},
        {"nearbyint", &Reader::tRounding, kNearbyint},
        {"trunc", &Reader::tRounding, kTrunc},
        {"shift_left", &Reader::tBits, static_cast<uint32_t>(Tok::LShift)},
        {"shift_right", &Reader::tBits, static_cast<uint32_t>(Tok::RShift)},
        {"bitwise_and", &Reader::tBits, static_cast<uint32_t>(Tok::Amp)},
        {"bitwise_or", &Reader::tBits, static_cast<uint32_t>(Tok::Pipe)},
        {"bitwise_xor", &Reader::tBits, static_cast<uint32_t>(Tok::Caret)},
        {"pow", &Reader::tPow},
        {"power", &Reader::tPow},
        {"isnan", &Reader::tIsNan},
        {"address_of", &Reader::tAddressOf},
        {"type_annotation", &Reader::tTypeAnnotation},
        {"llvm_lookup_intrinsic_id", &Reader::tString},
        {"target", &Reader::tTarget},
        {"index_map", &Reader::tIndexMap},
        {"comm_reducer", &Reader::tCommReducer},
        {"Range", &Reader::tRange},
        {"Buffer", &Reader::tBuffer},
        {"buffer", &Reader::tBuffer},
        {"buffer_decl", &Reader::tBuffer},
        {"match_buffer", &Reader::tMatchBuffer},
        {"sblock_alloc_buffer", &Reader::tBlockAllocBuffer},
        {"alloc_buffer", &Reader::tAllocBuffer, kGlobalScope},
        {"alloc_local", &Reader::tAllocBuffer, kLocalScope},
        {"alloc_shared", &Reader::tAllocBuffer, kSharedScope},
        {"decl_buffer", &Reader::tDeclBuffer},
        {"allocate", &Reader::tAllocate},
        {"allocate_const", &Reader::tAllocateConst},
        {"env_thread", &Reader::tEnvThread},
        {"launch_thread", &Reader::tLaunchThread},
        {"attr", &Reader::tAttr},
        {"realize", &Reader::tRealize},
        {"LetStmt", &Reader::tLetStmt},
        {"let", &Reader::tLetStmt},
        {"bind", &Reader::tBind},
        {"Assert", &Reader::tAssert},
        {"evaluate", &Reader::tEvaluate},
        {"buffer_store", &Reader::tBufferStore},
        {"func_attr", &Reader::tFuncAttr},
        {"reads", &Reader::tReads},
        {"writes", &Reader::tWrites},
        {"where", &Reader::tWhere},
        {"sblock_attr", &Reader::tBlockAttr},
        {"block_attr", &Reader::tBlockAttr},
        {"axis.spatial", &Reader::tAxis, static_cast<uint32_t>(tir::IterType::DataPar)},
        {"axis.S", &Reader::tAxis, static_cast<uint32_t>(tir::IterType::DataPar)},
        {"axis.reduce", &Reader::tAxis, static_cast<uint32_t>(tir::IterType::CommReduce)},
        {"axis.R", &Reader::tAxis, static_cast<uint32_t>(tir::IterType::CommReduce)},
        {"axis.scan", &Reader::tAxis, static_cast<uint32_t>(tir::IterType::Ordered)},
        {"axis.opaque", &Reader::tAxis, static_cast<uint32_t>(tir::IterType::Opaque)},
        {"axis.remap", &Reader::tRemap},
        {"ret", &Reader::tReturn},
        {"Return", &Reader::tReturn},
    };
    for (const Row& row : list) rows.emplace(row.name, row);
    return rows;
  }();
  auto found = kRows.find(name);
  return found == kRows.end() ? nullptr : &found->second;
}

NodeRef Reader::callT(NodeId id, const std::string& path, NodeId callee) {
  if (!id) {  // T.int32 without a call: a type, or an operator as a value
    if (auto type = DataType::parse(path)) return ir::typeAttr(*type);
    return error(callee, "tir.unknown-name", "T." + path + " can not stand without a call here");
  }
  Args args;
  if (const Tables::Row* row = Tables::find(path)) {
    bool lambdas = path == "index_map" || path == "comm_reducer" || path == "Let";
    if (!lambdas && !readArgs(id, args)) return nullptr;
    args.call = id;
    return (this->*row->handler)(args, row->arg);
  }
  if (path != "void") {
    if (auto type = DataType::parse(path)) return readArgs(id, args) ? tDtype(args, *type) : nullptr;
  }
  std::string_view name = path;
  for (const op::TirIntrinsic& row : op::tirIntrinsics()) {
    if (row.text == name || row.name == name) return readArgs(id, args) ? intrinsic(row, args) : nullptr;
  }
  for (std::string_view tile : kTileLang) {
    if (name == tile) {
      return error(callee, "script.tilelang",
                   "T." + path + " belongs to TileLang, another language with the same prefix",
                   "lower it with TileLang and open the TVMScript that it prints");
    }
  }
  if (size_t dot = path.find('.'); dot != std::string::npos) {  // T.ptx.ldmatrix: moved out of the root in v0.25
    std::string flat = path;
    for (char& c : flat) c = c == '.' ? '_' : c;
    if (const op::TirIntrinsic* row = op::findTirIntrinsic(flat))
      return readArgs(id, args) ? intrinsic(*row, args) : nullptr;
  }
  return error(callee, "tir.unknown-name", "T." + path + " is not a name of TVMScript");
}

// Values --------------------------------------------------------------------------------------------------------------

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
    double value = t == "inf" ? INFINITY : t == "-inf" ? -INFINITY : NAN;
    if ((t != "inf" && t != "-inf" && t != "nan") || !dtype.isFloat()) {
      return error(args.call, "script.argument", "this text is no number of " + dtype.str());
    }
    return make<tir::FloatImm>(dtype, value);
  }
  if (const auto* i = as<ir::IntAttr>(v[0])) return arith::constantInt(dtype, i->value);
  if (const auto* f = as<ir::FloatAttr>(v[0]); f && dtype.isFloat()) {
    return dtype.isScalar() ? PrimExpr(make<tir::FloatImm>(dtype, f->value)) : arith::constant(dtype, f->value);
  }
  PrimExpr p = toPrim(v[0], args.call);
  return p ? NodeRef(arith::cast(dtype, p)) : nullptr;
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
  return a ? make<tir::Not>(a) : nullptr;
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
  return type && x ? NodeRef(arith::cast(*type, x)) : nullptr;
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
  return type && x ? NodeRef(arith::cast(*type, x)) : nullptr;
}

NodeRef Reader::tImm(const Args& args, uint32_t row) {
  NodeRef v[2];
  static constexpr std::string_view kNames[] = {"dtype", "value"};
  if (!bind(args, kNames, 2, v)) return nullptr;
  auto type = toType(v[0], args.call);
  PrimExpr x = toPrim(v[1], args.call);
  if (!type || !x) return nullptr;
  if (const auto* i = as<tir::IntImm>(x)) {
    if (row == kFloatImm) return make<tir::FloatImm>(*type, static_cast<double>(i->value));
    return make<tir::IntImm>(*type, i->value);
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
    if (e->dtype != as<tir::Var>(var)->dtype) e = arith::cast(as<tir::Var>(var)->dtype, e);
    result = make<tir::Let>(refAs<tir::Var>(var), e, result);
  }
  return result;
}

NodeRef Reader::tAbs(const Args& args, uint32_t) {
  if (args.values.size() != 1) return error(args.call, "script.argument", "one value is needed here");
  PrimExpr x = toPrim(args.values[0], args.call);
  if (!x) return nullptr;
  if (const auto* i = as<tir::IntImm>(x))
    return arith::constantInt(x->dtype,
                              i->value < 0 ? static_cast<int64_t>(0 - static_cast<uint64_t>(i->value)) : i->value);
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
  NodeRef target = targetForm(attrValue(args.values[0]));
  if (isNone(host)) return target;
  if (const auto* text = as<ir::StrAttr>(target)) {
    target = make<ir::DictAttrs>(std::vector<std::pair<Str, NodeRef>>{{Str("kind"), ir::strAttr(text->value)}});
  }
  return ir::withAttr(refAs<ir::DictAttrs>(target), Str("host"), targetForm(attrValue(host)));
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

// Intrinsics ----------------------------------------------------------------------------------------------------------

NodeRef Reader::intrinsic(const op::TirIntrinsic& row, const Args& args) {
  std::vector<NodeRef> values = args.values;
  DataType type = DataType::Void();
  NodeRef given;
  // What else may be named: in the order of the makers of Python.
  static constexpr std::string_view kParams[] = {"x", "value", "arr", "index", "field", "args", "cond"};
  for (const auto& [name, value] : args.keywords) {
    std::string_view text = names_.text(name);
    if (text == "dtype") {
      given = value;
    } else if (std::find(std::begin(kParams), std::end(kParams), text) != std::end(kParams)) {
      values.push_back(value);
    } else {
      return error(args.call, "script.argument",
                   "T." + std::string(row.text) + " has no argument '" + std::string(text) + "'");
    }
  }
  auto takeType = [&](size_t at) {
    given = values[at];
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(at));
  };
  if (!given && row.typePlace == op::TirTypePlace::First && !values.empty()) {
    // T.reinterpret(value, "float32") of older eras has the type last.
    bool first = isa<ir::StrAttr>(values.front()) || isa<ir::TypeAttr>(values.front());
    takeType(first || values.size() < 2 ? 0 : values.size() - 1);
  }
  if (!given && row.typePlace == op::TirTypePlace::Last && values.size() > static_cast<size_t>(row.minArgs))
    takeType(values.size() - 1);
  if (values.size() < static_cast<size_t>(row.minArgs) ||
      (row.maxArgs >= 0 && values.size() > static_cast<size_t>(row.maxArgs))) {
    return error(
        args.call, "script.argument",
        "T." + std::string(row.text) + " can not be called with " + std::to_string(values.size()) + " arguments");
  }
  std::vector<PrimExpr> prims;
  for (const NodeRef& value : values) {
    if (const auto* buffer = as<tir::Buffer>(value)) {  // a buffer stands for its data pointer
      prims.push_back(buffer->data);
      continue;
    }
    prims.push_back(toPrim(value, args.call));
    if (!prims.back()) return nullptr;
  }
  switch (row.type) {
    case op::TirType::Arg0:
      type = prims.empty() ? DataType::Void() : prims[0]->dtype;
      break;
    case op::TirType::Arg1:
      type = prims[1]->dtype;
      break;
    case op::TirType::Given: {
      if (!given)
        return error(args.call, "script.argument", "T." + std::string(row.text) + " needs the type of its result");
      auto parsed = toType(given, args.call);
      if (!parsed) return nullptr;
      type = *parsed;
      break;
    }
    case op::TirType::Bool:
      type = DataType::Bool(prims.empty() ? int16_t{1} : prims[0]->dtype.lanes);
      break;
    case op::TirType::Int32:
      type = DataType::Int(32);
      break;
    case op::TirType::UInt32:
      type = DataType::UInt(32);
      break;
    case op::TirType::Handle:
      type = DataType::Handle();
      break;
    case op::TirType::Void:
      break;
  }
  if (given && row.type != op::TirType::Given) {
    auto parsed = toType(given, args.call);
    if (!parsed) return nullptr;
    type = *parsed;
  }
  return withSpan(make<tir::Call>(type, row.op, Array<PrimExpr>(std::move(prims))), spanOf(args.call));
}

NodeRef Reader::exprMethod(const PrimExpr& value, std::string_view method, const Args& args) {
  if (method == "astype" && args.values.size() == 1) {
    auto type = toType(args.values[0], args.call);
    return type ? NodeRef(arith::cast(*type, value)) : nullptr;
  }
  if (method == "equal" && args.values.size() == 1) return compare(Tok::EqEq, value, args.values[0], args.call);
  return error(args.call, "script.attribute", "an expression of TIR has no method '" + std::string(method) + "'");
}

}  // namespace rx::script
