// Calls of `T.`: a table of the names that are not plain intrinsics, then the intrinsics by their rows.
#include <algorithm>
#include <map>

#include "core/arith/analyzer.h"
#include "core/arith/equal.h"
#include "core/arith/fold.h"
#include "core/script/reader.h"
#include "core/script/tir_rows.h"
#include "core/support/nearest.h"

namespace rx::script {

using tir::PrimExpr;

struct Tables {
  struct Row {
    std::string_view name;
    Handler handler;
    uint32_t arg = 0;
  };
  static const Row kList[];
  static const std::map<std::string_view, Row>& all();
  static const Row* find(std::string_view name) {
    auto found = all().find(name);
    return found == all().end() ? nullptr : &found->second;
  }
};

namespace {
constexpr uint32_t kindArg(Kind kind) { return static_cast<uint32_t>(kind); }

/// What else stands behind `T.`: element types, loops and blocks, for what a misspelled name may mean.
constexpr std::string_view kOtherNames[] = {
    "bool",    "int8",    "int16",    "int32",    "int64",      "uint8",  "uint16",         "uint32", "uint64",
    "float16", "float32", "float64",  "bfloat16", "grid",       "serial", "thread_binding", "sblock", "block",
    "init",    "unroll",  "parallel", "block",    "vectorized", "macro",  "prim_func"};

/// Names of the tile-level dialect that came with v0.25: layouts, the hierarchy of threads, instructions by their
/// assembler names. Functions that are marked s_tir=True, and printed modules, do not hold them.
constexpr std::string_view kTileLevel[] = {"device_entry",
                                           "cta_id",
                                           "cta_id_in_cluster",
                                           "cta_id_in_pair",
                                           "cluster_id",
                                           "thread_id",
                                           "lane_id",
                                           "warp_id",
                                           "warp_id_in_wg",
                                           "warpgroup_id",
                                           "thread_id_in_wg",
                                           "scope_id",
                                           "TileLayout",
                                           "SwizzleLayout",
                                           "ComposeLayout",
                                           "SMEMPool",
                                           "TMEMPool",
                                           "TMEMStages",
                                           "TensorMap",
                                           "decl_scalar",
                                           "hint",
                                           "constexpr",
                                           "jit",
                                           "wg_reg_tile",
                                           "static_assert",
                                           "smem",
                                           "tmem"};
constexpr std::string_view kTileSpaces[] = {"ptx.", "cuda.", "nki.",       "tile.",      "nvshmem.",
                                            "cta.", "warp.", "warpgroup.", "cluster.",   "thread.",
                                            "wg.",  "smem.", "tmem.",      "ptx_legacy."};

/// Names that belong to TileLang, a third dialect with the same prefix.
constexpr std::string_view kTileLang[] = {"Kernel",    "Tensor", "copy",     "alloc_fragment",
                                          "Pipelined", "gemm",   "Parallel", "use_swizzle"};
}  // namespace

constexpr Tables::Row Tables::kList[] = {
    {"handle", &Reader::tHandle},
    {"Ptr", &Reader::tHandle},
    {"ptr", &Reader::tHandle},
    {"iter_var", &Reader::tIterVar},
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
    {"call_intrin", &Reader::tCallIntrin},
    {"Call", &Reader::tCallIntrin, 1},
    {"llvm_lookup_intrinsic_id", &Reader::tLlvmName},
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
    {"alloc_scalar", &Reader::tScalar, kGlobalScope},
    {"local_scalar", &Reader::tScalar, kLocalScope},
    {"shared_scalar", &Reader::tScalar, kSharedScope},
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

const std::map<std::string_view, Tables::Row>& Tables::all() {
  static const std::map<std::string_view, Row> kRows = [] {
    std::map<std::string_view, Row> rows;
    for (const Row& row : kList) rows.emplace(row.name, row);
    return rows;
  }();
  return kRows;
}

bool Reader::knowsT(std::string_view name) {
  return Tables::find(name) || op::findTirIntrinsic(name) || DataType::parse(name);
}

NodeRef Reader::callT(NodeId id, const std::string& path, NodeId callee) {
  if (!id) {  // T.int32 without a call: a type, or an operator as a value
    if (auto type = typeNamed(path)) return ir::typeAttr(*type);
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
    if (auto type = typeNamed(path)) return readArgs(id, args) ? tDtype(args, *type) : nullptr;
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
  const bool tile = std::find(std::begin(kTileLevel), std::end(kTileLevel), path) != std::end(kTileLevel);
  const bool space = std::any_of(std::begin(kTileSpaces), std::end(kTileSpaces),
                                 [&](std::string_view prefix) { return path.starts_with(prefix); });
  if (tile || space) {
    return error(callee, "tir.tile-level",
                 "T." + path + " belongs to the tile-level dialect of v0.25 and later, which is not read here",
                 "lower the function in TVM and open the text that it prints");
  }
  Nearest nearest(path);
  for (const auto& [known, row] : Tables::all()) nearest.offer(known);
  for (const op::TirIntrinsic& row : op::tirIntrinsics()) nearest.offer(row.text);
  for (std::string_view known : kOtherNames) nearest.offer(known);
  return error(callee, "tir.unknown-name", "T." + path + " is not a name of TVMScript", nearest.fix("T."));
}

}  // namespace rx::script
