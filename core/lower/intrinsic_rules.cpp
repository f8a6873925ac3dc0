#include "core/lower/intrinsic_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <unordered_map>

#include "core/arith/equal.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/float_conversion.h"
#include "core/lower/intrinsic_math.h"
#include "core/lower/intrinsics.h"

namespace rx::lower {

using namespace tir;

namespace {

/// "exp" of a call of tirx.exp.
std::string_view nameOf(const tir::Call& call) { return calledIntrinsic(&call)->name; }

PrimExpr withFirst(const tir::Call& call, std::string_view op, PrimExpr first, std::span<const PrimExpr> args) {
  std::vector<PrimExpr> all{std::move(first)};
  all.insert(all.end(), args.begin(), args.end());
  return intrinsic(call.dtype, op, Array<PrimExpr>(std::move(all)));
}

/// A call of a C function; null for an empty name.
PrimExpr callExtern(const tir::Call& call, std::string_view name) {
  if (name.empty()) return nullptr;
  return withFirst(call, "call_pure_extern", make<StringImm>(Str(name)), call.args);
}

PrimExpr externNamed(const tir::Call& call, std::string_view detail) { return callExtern(call, detail); }

/// The functions of C: expf for float32, exp for float64, none for others.
PrimExpr cMath(const tir::Call& call, std::string_view) {
  if (call.dtype == DataType::Float(32)) return callExtern(call, fmt::format("{}f", nameOf(call)));
  return call.dtype == DataType::Float(64) ? callExtern(call, nameOf(call)) : nullptr;
}

PrimExpr llvmPure(const tir::Call& call, std::string_view detail) {
  return withFirst(call, "call_llvm_pure_intrin", make<StringImm>(Str(detail)), call.args);
}
PrimExpr llvmEffect(const tir::Call& call, std::string_view detail) {
  return withFirst(call, "call_llvm_intrin", make<StringImm>(Str(detail)), call.args);
}
/// Leading zeros have the type of the argument there; those of 0 are not asked for.
PrimExpr llvmLeadingZeros(const tir::Call& call, std::string_view) {
  const DataType type = call.args[0]->dtype;
  PrimExpr zeros = intrinsic(type, "call_llvm_intrin",
                             {make<StringImm>(Str("llvm.ctlz")), call.args[0], intImm(1, DataType::Int(1))});
  return arith::cast(call.dtype, std::move(zeros));
}

/// Names of CUDA's functions for a type; empty where it has none. Rounding is to nearest, ties to even.
std::string cudaName(DataType type, std::string_view name) {
  const bool half = (type.code == TypeCode::Float || type.code == TypeCode::BFloat) && type.bits == 16;
  if (half) return name == "fabs" ? "__habs" : name == "round" ? "hrint" : fmt::format("h{}", name);
  if (type.code == TypeCode::Float && (type.bits == 32 || type.bits == 64)) {
    const std::string_view base = name == "round" ? "nearbyint" : name;
    return type.bits == 32 ? fmt::format("{}f", base) : std::string(base);
  }
  if ((type.isInt() || type.isUInt()) && type.bits == 32) return fmt::format("__{}", name);
  if ((type.isInt() || type.isUInt()) && type.bits == 64) return fmt::format("__{}ll", name);
  return {};
}
PrimExpr cudaMath(const tir::Call& call, std::string_view) {
  return callExtern(call, cudaName(call.dtype, nameOf(call)));
}
PrimExpr cudaMathOfArgument(const tir::Call& call, std::string_view) {
  return callExtern(call, cudaName(call.args[0]->dtype, nameOf(call)));
}
PrimExpr cudaFastMath(const tir::Call& call, std::string_view detail) {
  if (call.dtype.code != TypeCode::Float || call.dtype.bits != 32) return cudaMath(call, detail);
  return callExtern(call, fmt::format("__{}f", nameOf(call)));
}
PrimExpr cudaFastTan(const tir::Call& call, std::string_view detail) {
  return call.dtype.code == TypeCode::Float ? cudaMath(call, detail) : nullptr;
}
PrimExpr cudaPopcount(const tir::Call& call, std::string_view) {
  if (!call.dtype.isUInt()) return nullptr;
  return callExtern(call, call.dtype.bits == 32 ? "__popc" : call.dtype.bits == 64 ? "__popcll" : "");
}
PrimExpr nvLibrary(const tir::Call& call, std::string_view detail) {
  if (call.dtype.bits != 32 && call.dtype.bits != 64) return nullptr;
  return callExtern(call, fmt::format("__nv_{}{}", detail, call.dtype.bits == 32 ? "f" : ""));
}

PrimExpr renamed(const tir::Call& call, std::string_view detail) { return intrinsic(call.dtype, detail, call.args); }

/// A shuffle has five arguments: mask, value, lane (or distance), width, size of the warp.
constexpr size_t kShuffleArgs = 5;
PrimExpr shuffleOfFour(const tir::Call& call, std::string_view detail) {
  if (call.args.size() != kShuffleArgs) return nullptr;
  return intrinsic(call.dtype, detail, {call.args[0], call.args[1], call.args[2], call.args[3]});
}
PrimExpr shuffleOfTwo(const tir::Call& call, std::string_view detail) {
  return call.args.size() == kShuffleArgs ? intrinsic(call.dtype, detail, {call.args[1], call.args[2]}) : nullptr;
}
PrimExpr shuffleOfUnsigned(const tir::Call& call, std::string_view detail) {
  if (call.args.size() != kShuffleArgs) return nullptr;
  const PrimExpr& lane = call.args[2];
  return intrinsic(call.dtype, detail, {call.args[1], make<tir::Cast>(DataType::UInt(32, lane->dtype.lanes), lane)});
}
/// OpenCL itself has no shuffle; Intel's has the width of the sub-group.
PrimExpr intelShuffle(const tir::Call& call, std::string_view) {
  if (call.args.size() != kShuffleArgs || !arith::sameExpr(call.args[3], call.args[4])) return nullptr;
  return intrinsic(call.dtype, "call_pure_extern",
                   {make<StringImm>(Str("intel_sub_group_shuffle")), call.args[1], call.args[2]});
}

PrimExpr glslCall(DataType type, std::string_view number, PrimExpr arg) {
  int64_t id = 0;
  std::from_chars(number.data(), number.data() + number.size(), id);
  return intrinsic(type, "call_spirv_pure_glsl450", {intImm(id, DataType::UInt(32)), std::move(arg)});
}
PrimExpr glsl(const tir::Call& call, std::string_view detail) {
  int64_t id = 0;
  std::from_chars(detail.data(), detail.data() + detail.size(), id);
  return withFirst(call, "call_spirv_pure_glsl450", intImm(id, DataType::UInt(32)), call.args);
}
/// By the place of the highest bit, which is known for 32 bits only.
PrimExpr glslLeadingZeros(const tir::Call& call, std::string_view) {
  constexpr std::string_view kHighestBit = "75";
  const PrimExpr& arg = call.args[0];
  const DataType word = DataType::Int(32);
  if (arg->dtype.bits == 32) return arith::sub(intImm(31, word), glslCall(call.dtype, kHighestBit, arg));
  if (arg->dtype.bits != 64) return nullptr;
  const PrimExpr shift = arith::constantInt(arg->dtype, 32);
  const PrimExpr high = make<tir::Cast>(word, intrinsic(arg->dtype, "shift_right", {arg, shift}));
  const PrimExpr low = make<tir::Cast>(word, arg);
  const PrimExpr inHigh = arith::add(glslCall(call.dtype, kHighestBit, high), intImm(32, word));
  const PrimExpr place = intrinsic(call.dtype, "if_then_else",
                                   {arith::eq(high, intImm(0, word)), glslCall(call.dtype, kHighestBit, low), inHigh});
  return arith::sub(intImm(63, word), place);
}

struct Row {
  std::string_view column, intrinsic;
  IntrinsicRule rule;
  std::string_view detail;
};
constexpr Row kRows[] = {
#define RX_LOWER(column, intrinsic, rule, detail) {column, intrinsic, rule, detail},
#include "core/lower/intrinsic_rules.def"
};

/// The rows by intrinsic; a name that is no intrinsic is a fault of the table.
const std::unordered_map<const op::TirIntrinsic*, std::vector<const Row*>>& rowsByIntrinsic() {
  static const auto kByIntrinsic = [] {
    std::unordered_map<const op::TirIntrinsic*, std::vector<const Row*>> map;
    for (const Row& row : kRows) {
      const op::TirIntrinsic* known = op::findTirIntrinsic(row.intrinsic);
      RX_ASSERT(known, "intrinsic_rules.def names {}, which is no intrinsic", row.intrinsic);
      map[known].push_back(&row);
    }
    return map;
  }();  // made once, never changed
  return kByIntrinsic;
}

/// The columns of the table that a kind of target looks in, as they are spelt there.
std::string_view columnNamed(std::string_view kind, std::string_view suffix) {
  for (const Row& row : kRows) {
    if (row.column.starts_with(kind) && row.column.substr(kind.size()) == suffix) return row.column;
  }
  return {};
}

}  // namespace

IntrinsicRules::IntrinsicRules(std::string_view targetKind, bool fastMath) {
  const std::string_view columns[] = {fastMath ? columnNamed(targetKind, ".fastmath") : std::string_view(),
                                      columnNamed(targetKind, ""), "default"};
  for (std::string_view column : columns) {
    if (!column.empty()) columns_.push_back(column);
  }
}

PrimExpr IntrinsicRules::lowered(const tir::Call& call) const {
  const op::TirIntrinsic* called = calledIntrinsic(&call);
  auto rows = rowsByIntrinsic().find(called);
  if (!called || rows == rowsByIntrinsic().end()) return nullptr;
  for (std::string_view column : columns_) {
    for (const Row* row : rows->second) {
      if (row->column != column) continue;
      if (PrimExpr made = row->rule(call, row->detail)) return made;
    }
  }
  return nullptr;
}

PrimExpr IntrinsicRules::fusedMultiplyAdd(const PrimExpr& a, const PrimExpr& b, const PrimExpr& c) const {
  auto call = intrinsic(a->dtype, "fma", {a, b, c});
  return lowered(*as<tir::Call>(call));
}

}  // namespace rx::lower
