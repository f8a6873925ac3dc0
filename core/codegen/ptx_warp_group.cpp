// What groups of four warps do together: sums of products of tiles that lie in shared memory.
#include <fmt/format.h>

#include <algorithm>

#include "core/codegen/ptx_tensor_rows.h"

namespace rx::codegen {

namespace {

constexpr int64_t kGroup = 128, kRows = 64, kSums = 16, kMostColumns = 256;
constexpr std::string_view kShape = "a product of a group of warps is one of 64 by up to 256 by 16, of 16-bit floats";

/// How descriptors number the patterns of lines, by the bytes of a line.
struct PatternRow {
  int64_t bytes;
  uint64_t number;
};
constexpr PatternRow kPatterns[] = {{128, 1}, {64, 2}, {32, 3}};

}  // namespace

llvm::Value* PtxTensor::beginProducts(PtxEmitter& e, const tir::Call&) {
  emit(e, e.builder_.getVoidTy(), {}, "wgmma.fence.sync.aligned;", "~{memory}");
  return nothing(e);
}

llvm::Value* PtxTensor::endProducts(PtxEmitter& e, const tir::Call&) {
  emit(e, e.builder_.getVoidTy(), {}, "wgmma.commit_group.sync.aligned;", "~{memory}");
  return nothing(e);
}

llvm::Value* PtxTensor::awaitProducts(PtxEmitter& e, const tir::Call& call) {
  const auto left = tir::asInt(call.args[0]);
  if (!left || *left < 0 || *left > 7)
    return e.refuse(call.span, "how many groups of products may go on is a number up to 7");
  emit(e, e.builder_.getVoidTy(), {}, fmt::format("wgmma.wait_group.sync.aligned {};", *left), "~{memory}");
  return nothing(e);
}

llvm::Value* PtxTensor::showShared(PtxEmitter& e, const tir::Call&) {
  emit(e, e.builder_.getVoidTy(), {}, "fence.proxy.async.shared::cta;", "~{memory}");
  return nothing(e);
}

/// Where a tile lies in shared memory: all in units of 16 bytes.
llvm::Value* PtxTensor::descriptor(PtxEmitter& e, const tir::Call& call, size_t first) {
  constexpr int64_t kUnit = 16, kMost = 0x3fff * kUnit;
  const auto blocks = tir::asInt(call.args[first + 2]), patterns = tir::asInt(call.args[first + 3]);
  const auto line = tir::asInt(call.args[12]);
  const auto* pattern = std::find_if(std::begin(kPatterns), std::end(kPatterns),
                                     [&](const PatternRow& row) { return row.bytes == line; });
  const auto wrong = [](std::optional<int64_t> bytes) {
    return !bytes || *bytes < 0 || *bytes > kMost || *bytes % kUnit != 0;
  };
  if (pattern == std::end(kPatterns) || wrong(blocks) || wrong(patterns))
    return e.refuse(call.span,
                    "tiles of products lie in lines of 32, 64 or 128 bytes, with multiples of 16 between them");
  llvm::Value* start = place(e, call.args[first], call.args[first + 1], 16);
  if (!start) return nullptr;
  llvm::Value* units = e.builder_.CreateLShr(e.builder_.CreateAnd(sharedAddress(e, start), kMost), 4);
  const uint64_t rest = static_cast<uint64_t>(*blocks / kUnit) << 16 | static_cast<uint64_t>(*patterns / kUnit) << 32 |
                        pattern->number << 62;
  return e.builder_.CreateOr(e.builder_.CreateZExt(units, e.builder_.getInt64Ty()), e.builder_.getInt64(rest));
}

llvm::Value* PtxTensor::multiplyShared(PtxEmitter& e, const tir::Call& call) {
  const auto tile = tileOf(textOf(call.args[0]));
  const ElementRow* element = elementNamed(textOf(call.args[1]));
  const auto leftTurned = tir::asInt(call.args[2]), rightTurned = tir::asInt(call.args[3]);
  if (!tile || tile->m != kRows || tile->k != kSums || tile->n % 8 != 0 || tile->n > kMostColumns || !element ||
      element->bits != 16 || !leftTurned || !rightTurned)
    return e.refuse(call.span, std::string(kShape));
  llvm::Value *left = descriptor(e, call, 4), *right = descriptor(e, call, 8);
  llvm::Value* sums = place(e, call.args[13], call.args[14], 32);
  if (!left || !right || !sums) return nullptr;
  const auto count = static_cast<size_t>(tile->m * tile->n / kGroup);
  std::vector<llvm::Value*> given;
  std::string list, results, same;
  for (size_t i = 0; i < count; ++i) {
    given.push_back(
        e.builder_.CreateAlignedLoad(e.builder_.getFloatTy(), word(e, sums, static_cast<int64_t>(i)), llvm::Align(4)));
    list += fmt::format("{}${}", i ? ", " : "", i);
    results += "=f,";
    same += fmt::format("{},", i);
  }
  given.insert(given.end(), {left, right});
  llvm::Type* all = llvm::StructType::get(e.context_, std::vector<llvm::Type*>(count, e.builder_.getFloatTy()));
  llvm::Value* made = emit(
      e, all, given,
      fmt::format("{{ .reg .pred p; setp.eq.u32 p, 0, 0; wgmma.mma_async.sync.aligned.m{}n{}k{}.f32.{}.{} {{{}}}, ${}, "
                  "${}, p, 1, 1, {}, {}; }}",
                  tile->m, tile->n, tile->k, element->ptx, element->ptx, list, 2 * count, 2 * count + 1,
                  *leftTurned != 0 ? 1 : 0, *rightTurned != 0 ? 1 : 0),
      results + same + "l,l,~{memory}");
  for (size_t i = 0; i < count; ++i)
    e.builder_.CreateAlignedStore(e.builder_.CreateExtractValue(made, static_cast<unsigned>(i)),
                                  word(e, sums, static_cast<int64_t>(i)), llvm::Align(4));
  return nothing(e);
}

}  // namespace rx::codegen
