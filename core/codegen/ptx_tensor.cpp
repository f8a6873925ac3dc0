#include "core/codegen/ptx_tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/codegen/ptx_tensor_rows.h"
#include "core/device/run/architecture.h"

namespace rx::codegen {

namespace {

constexpr int64_t kWarp = 32, kWord = 32;

constexpr ElementRow kElements[] = {
    {"fp16", "f16", 16},  {"float16", "f16", 16}, {"bf16", "bf16", 16},   {"bfloat16", "bf16", 16},
    {"tf32", "tf32", 32}, {"fp32", "f32", 32},    {"float32", "f32", 32}, {"int8", "s8", 8},
    {"uint8", "u8", 8},   {"int4", "s4", 4},      {"uint4", "u4", 4},     {"int32", "s32", 32},
};

}  // namespace

const ElementRow* elementNamed(std::string_view name) {
  const auto* row = std::find_if(std::begin(kElements), std::end(kElements),
                                 [&](const ElementRow& each) { return each.name == name; });
  return row == std::end(kElements) ? nullptr : row;
}

std::string_view textOf(const tir::PrimExpr& expr) {
  const auto* text = as<tir::StringImm>(expr);
  return text ? text->value.view() : std::string_view();
}

std::optional<Tile> tileOf(std::string_view text) {
  Tile tile;
  for (const auto& [letter, side] : {std::pair{'m', &tile.m}, {'n', &tile.n}, {'k', &tile.k}}) {
    if (text.empty() || text[0] != letter) return std::nullopt;
    const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), *side);
    if (error != std::errc() || *side <= 0 || *side > 512) return std::nullopt;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
  }
  return text.empty() ? std::optional(tile) : std::nullopt;
}

llvm::Value* PtxTensor::place(PtxEmitter& e, const tir::PrimExpr& pointer, const tir::PrimExpr& offset, int64_t bits) {
  const auto base = e.pointer(pointer);
  llvm::Value* elements = e.indexOf(offset);
  if (!base || !elements) return nullptr;
  llvm::Value* bytes = e.builder_.CreateSDiv(e.builder_.CreateMul(elements, e.i64(bits)), e.i64(8));
  return e.builder_.CreateGEP(e.builder_.getInt8Ty(), base->base, bytes);
}

llvm::Value* PtxTensor::sharedAddress(PtxEmitter& e, llvm::Value* generic) {
  auto* type = llvm::PointerType::get(e.context_, kSharedSpace);
  return e.builder_.CreatePtrToInt(e.builder_.CreateAddrSpaceCast(generic, type), e.builder_.getInt32Ty());
}

llvm::Value* PtxTensor::globalAddress(PtxEmitter& e, llvm::Value* generic) {
  auto* type = llvm::PointerType::get(e.context_, kGlobalSpace);
  return e.builder_.CreatePtrToInt(e.builder_.CreateAddrSpaceCast(generic, type), e.builder_.getInt64Ty());
}

llvm::Value* PtxTensor::word(PtxEmitter& e, llvm::Value* base, int64_t number) {
  return e.builder_.CreateConstGEP1_64(e.builder_.getInt32Ty(), base, static_cast<uint64_t>(number));
}

llvm::Value* PtxTensor::emit(PtxEmitter& e, llvm::Type* result, llvm::ArrayRef<llvm::Value*> args,
                             const std::string& text, const std::string& constraints) {
  std::vector<llvm::Type*> types;
  for (llvm::Value* argument : args) types.push_back(argument->getType());
  auto* type = llvm::FunctionType::get(result, types, false);
  auto* code = llvm::InlineAsm::get(type, text, constraints, /*hasSideEffects=*/true);
  llvm::CallInst* made = e.builder_.CreateCall(type, code, args);
  made->addFnAttr(llvm::Attribute::Convergent);
  return made;
}

llvm::Value* PtxTensor::copyAhead(PtxEmitter& e, const tir::Call& call) {
  const auto bytes = tir::asInt(call.args[4]);
  if (!bytes || (*bytes != 4 && *bytes != 8 && *bytes != 16))
    return e.refuse(call.span, "a copy that nobody waits for is one of 4, 8 or 16 bytes");
  const int64_t bits = PtxEmitter::elementBytes(call.dtype) * 8;
  llvm::Value* to = place(e, call.args[0], call.args[1], bits);
  llvm::Value* from = place(e, call.args[2], call.args[3], bits);
  if (!to || !from) return nullptr;
  from = globalAddress(e, from);
  // What is larger than the first cache's lines are good for goes past it.
  const std::string way = fmt::format("cp.async.{}.shared.global [$0], [$1], {}", *bytes == 16 ? "cg" : "ca", *bytes);
  if (call.args.size() == 5) {
    emit(e, e.builder_.getVoidTy(), {sharedAddress(e, to), from}, way + ";", "r,l,~{memory}");
    return nothing(e);
  }
  llvm::Value* whether = e.expr(call.args[5]);
  if (!whether) return nullptr;
  // Of no bytes, the rest is zeros.
  llvm::Value* some = e.convert(whether, call.args[5]->dtype, DataType::Bool());
  llvm::Value* count = e.builder_.CreateSelect(some, e.builder_.getInt32(static_cast<uint32_t>(*bytes)), nothing(e));
  emit(e, e.builder_.getVoidTy(), {sharedAddress(e, to), from, count}, way + ", $2;", "r,l,r,~{memory}");
  return nothing(e);
}

llvm::Value* PtxTensor::endGroup(PtxEmitter& e, const tir::Call&) {
  emit(e, e.builder_.getVoidTy(), {}, "cp.async.commit_group;", "~{memory}");
  return nothing(e);
}

llvm::Value* PtxTensor::awaitGroups(PtxEmitter& e, const tir::Call& call) {
  const auto left = tir::asInt(call.args[0]);
  if (!left || *left < 0) return e.refuse(call.span, "how many groups of copies may go on is a number");
  emit(e, e.builder_.getVoidTy(), {}, fmt::format("cp.async.wait_group {};", *left), "~{memory}");
  return nothing(e);
}

llvm::Value* PtxTensor::loadMatrices(PtxEmitter& e, const tir::Call& call) {
  const auto transposed = tir::asInt(call.args[0]), count = tir::asInt(call.args[1]);
  if (!transposed || !count || (*count != 1 && *count != 2 && *count != 4) || textOf(call.args[2]) != ".b16")
    return e.refuse(call.span, "a load of matrices is one of 1, 2 or 4 of them, of 16 bits an element");
  llvm::Value* to = place(e, call.args[3], call.args[4], 16);
  llvm::Value* from = place(e, call.args[5], call.args[6], 16);
  if (!to || !from) return nullptr;
  std::string words, constraints;
  for (int64_t i = 0; i < *count; ++i) {
    words += fmt::format("{}${}", i ? ", " : "", i);
    constraints += "=r,";
  }
  llvm::Type* one = e.builder_.getInt32Ty();
  llvm::Type* all = one;
  if (*count > 1) all = llvm::StructType::get(e.context_, std::vector(static_cast<size_t>(*count), one));
  llvm::Value* loaded = emit(e, all, {sharedAddress(e, from)},
                             fmt::format("ldmatrix.sync.aligned.m8n8.x{}{}.shared.b16 {{{}}}, [${}];", *count,
                                         *transposed ? ".trans" : "", words, *count),
                             constraints + "r,~{memory}");
  for (int64_t i = 0; i < *count; ++i) {
    llvm::Value* value = *count > 1 ? e.builder_.CreateExtractValue(loaded, static_cast<unsigned>(i)) : loaded;
    e.builder_.CreateAlignedStore(value, word(e, to, i), llvm::Align(4));
  }
  return nothing(e);
}

llvm::Value* PtxTensor::multiply(PtxEmitter& e, const tir::Call& call) {
  const auto tile = tileOf(textOf(call.args[0]));
  const ElementRow* rows[3];
  for (size_t i = 0; i < 3; ++i) rows[i] = elementNamed(textOf(call.args[3 + i]));
  const auto saturates = tir::asInt(call.args[12]);
  if (!tile || !rows[0] || !rows[1] || !rows[2] || !saturates || call.args.size() > 13 ||
      textOf(call.args[1]) != "row" || textOf(call.args[2]) != "col")
    return e.refuse(call.span, "a product of tiles is one of rows by columns, of types that PTX has");
  const int64_t words[] = {tile->m * tile->k * rows[0]->bits / kWarp / kWord,
                           tile->k * tile->n * rows[1]->bits / kWarp / kWord,
                           tile->m * tile->n * rows[2]->bits / kWarp / kWord};
  const bool reals = rows[2]->ptx == "f32";
  llvm::Type* sum = reals ? e.builder_.getFloatTy() : static_cast<llvm::Type*>(e.builder_.getInt32Ty());
  std::vector<llvm::Value*> given;
  std::string lists[4], constraints;
  int64_t number = 0;
  const auto listed = [&](int64_t count) {
    std::string list;
    for (int64_t i = 0; i < count; ++i) list += fmt::format("{}${}", i ? ", " : "", number++);
    return "{" + list + "}";
  };
  lists[3] = listed(words[2]);
  for (int64_t i = 0; i < words[2]; ++i) constraints += reals ? "=f," : "=r,";
  llvm::Value* places[3];
  for (size_t i = 0; i < 3; ++i) {
    places[i] = place(e, call.args[6 + 2 * i], call.args[7 + 2 * i], rows[i]->bits);
    if (!places[i]) return nullptr;
    llvm::Type* type = i == 2 ? sum : e.builder_.getInt32Ty();
    for (int64_t part = 0; part < words[i]; ++part) {
      given.push_back(e.builder_.CreateAlignedLoad(type, word(e, places[i], part), llvm::Align(4)));
      constraints += i == 2 && reals ? "f," : "r,";
    }
    lists[i] = listed(words[i]);
  }
  constraints.pop_back();
  llvm::Type* all = llvm::StructType::get(e.context_, std::vector(static_cast<size_t>(words[2]), sum));
  llvm::Value* made = emit(e, all, given,
                           fmt::format("mma.sync.aligned.{}.row.col{}.{}.{}.{}.{} {}, {}, {}, {};",
                                       textOf(call.args[0]), *saturates ? ".satfinite" : "", rows[2]->ptx, rows[0]->ptx,
                                       rows[1]->ptx, rows[2]->ptx, lists[3], lists[0], lists[1], lists[2]),
                           constraints);
  for (int64_t i = 0; i < words[2]; ++i) {
    e.builder_.CreateAlignedStore(e.builder_.CreateExtractValue(made, static_cast<unsigned>(i)), word(e, places[2], i),
                                  llvm::Align(4));
  }
  return nothing(e);
}

const PtxTensor::Row* PtxTensor::find(std::string_view name) {
  static constexpr Row kRows[] = {
      {"ptx_cp_async", copyAhead, 5, 6, "sm_80"},
      {"ptx_cp_async_commit_group", endGroup, 0, 0, "sm_80"},
      {"ptx_commit_group", endGroup, 0, 0, "sm_80"},
      {"ptx_cp_async_wait_group", awaitGroups, 1, 1, "sm_80"},
      {"ptx_wait_group", awaitGroups, 1, 1, "sm_80"},
      {"ptx_ldmatrix_legacy", loadMatrices, 7, 7, "sm_75"},
      {"ptx_mma_legacy", multiply, 13, 13, "sm_80"},
      {"ptx_wgmma_fence", beginProducts, 0, 0, "sm_90a"},
      {"ptx_wgmma_commit_group", endProducts, 0, 0, "sm_90a"},
      {"ptx_wgmma_wait_group", awaitProducts, 1, 1, "sm_90a"},
      {"rx_fence_async", showShared, 0, 0, "sm_90a"},
      {"rx_wgmma", multiplyShared, 15, 15, "sm_90a"},
      {"create_barriers", createBarriers, 1, 1, "sm_80"},
      {"ptx_init_barrier_thread_count", beginBarrier, 2, 2, "sm_80"},
      {"ptx_arrive_barrier", arrive, 1, 1, "sm_80"},
      {"ptx_cp_async_barrier", arriveWithCopies, 1, 1, "sm_80"},
      {"ptx_arrive_barrier_expect_tx", arriveAndExpect, 2, 2, "sm_90a"},
      {"ptx_wait_barrier", awaitPhase, 1, 2, "sm_90"},
      {"ptx_cp_async_bulk", copyBlock, 6, 6, "sm_90a"},
      {"rx_copy_tile", copyTile, 8, 24, "sm_90a"},
  };
  const auto* row =
      std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& each) { return each.name == name; });
  return row == std::end(kRows) ? nullptr : row;
}

std::optional<llvm::Value*> tensorCall(PtxEmitter& emitter, std::string_view name, const tir::Call& call) {
  const PtxTensor::Row* row = PtxTensor::find(name);
  if (!row) return std::nullopt;
  if (!device::runsOn(row->architecture, PtxTensor::architecture(emitter)))
    return PtxTensor::refuse(emitter, call.span,
                             fmt::format("{} needs a device of {}{}", name, row->architecture,
                                         device::architectureIn(row->architecture).only.empty() ? " or later" : ""));
  if (call.args.size() < row->least || call.args.size() > row->most)
    return PtxTensor::refuse(emitter, call.span, fmt::format("{} takes {} arguments here", name, row->least));
  return row->emit(emitter, call);
}

}  // namespace rx::codegen
