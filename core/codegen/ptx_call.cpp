// Intrinsics that are other on a device than on the processor, by one table.
#include <fmt/format.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include <algorithm>

#include "core/codegen/ptx_tensor.h"

namespace rx::codegen {

/// The handlers that the rows of the table name.
struct PtxIntrinsics {
  struct Row {
    std::string_view name;
    llvm::Value* (*emit)(PtxEmitter& e, const tir::Call& call, const Row& row);
    unsigned id = 0;   ///< LLVM's intrinsic
    int clamp = 0x1f;  ///< of a shuffle: the last lane of a part of a warp
  };
  static const Row* find(std::string_view name);

  static llvm::Value* wait(PtxEmitter& e, const tir::Call& call, const Row&) {
    const auto* scope = as<tir::StringImm>(call.args[0]);
    const std::string_view which = scope ? scope->value.view() : std::string_view();
    if (which == "shared" || which == "shared.dyn") {
      e.builder_.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier0, {}, {});
    } else if (which == "warp") {
      e.builder_.CreateIntrinsic(llvm::Intrinsic::nvvm_bar_warp_sync, {}, {e.builder_.getInt32(~0U)});
    } else {
      return e.refuse(call.span, fmt::format("threads of one launch can not wait for the memory \"{}\"", which));
    }
    return e.builder_.getInt32(0);
  }

  /// (mask, value, lane or distance, threads of a part, threads of a warp)
  static llvm::Value* shuffle(PtxEmitter& e, const tir::Call& call, const Row& row) {
    llvm::Value *mask = e.expr(call.args[0]), *value = e.expr(call.args[1]), *lane = e.expr(call.args[2]);
    const auto part = tir::asInt(call.args[3]);
    if (!mask || !value || !lane) return nullptr;
    if (!part || *part < 1 || *part > 32 || call.dtype.lanes != 1)
      return e.refuse(call.span, "a shuffle is one of a scalar, within parts of a warp whose size is known");
    const auto clamp = static_cast<uint32_t>((32 - *part) << 8 | row.clamp);
    llvm::Type* word = e.builder_.getInt32Ty();
    mask = e.convert(mask, call.args[0]->dtype, DataType::Int(32));
    lane = e.convert(lane, call.args[2]->dtype, DataType::Int(32));
    const auto moved = [&](llvm::Value* bits) {
      return e.builder_.CreateIntrinsic(static_cast<llvm::Intrinsic::ID>(row.id), {},
                                        {mask, bits, lane, e.builder_.getInt32(clamp)});
    };
    llvm::Type* type = value->getType();
    const unsigned size = static_cast<unsigned>(type->getPrimitiveSizeInBits());
    llvm::Value* bits = e.builder_.CreateBitCast(value, e.builder_.getIntNTy(size));
    if (size <= 32) {
      bits = e.builder_.CreateTrunc(moved(e.builder_.CreateZExt(bits, word)), e.builder_.getIntNTy(size));
    } else {
      llvm::Value* low = moved(e.builder_.CreateTrunc(bits, word));
      llvm::Value* high = moved(e.builder_.CreateTrunc(e.builder_.CreateLShr(bits, e.i64(32)), word));
      llvm::Type* wide = e.builder_.getInt64Ty();
      bits = e.builder_.CreateOr(e.builder_.CreateZExt(low, wide),
                                 e.builder_.CreateShl(e.builder_.CreateZExt(high, wide), e.i64(32)));
    }
    return e.builder_.CreateBitCast(bits, type);
  }

  static llvm::Value* activeMask(PtxEmitter& e, const tir::Call&, const Row&) {
    auto* type = llvm::FunctionType::get(e.builder_.getInt32Ty(), false);
    auto* read = llvm::InlineAsm::get(type, "activemask.b32 $0;", "=r", /*hasSideEffects=*/true);
    llvm::CallInst* call = e.builder_.CreateCall(type, read);
    call->addFnAttr(llvm::Attribute::Convergent);
    return call;
  }

  /// A wrong index becomes the first one, and is told.
  static llvm::Value* index(PtxEmitter& e, const tir::Call& call, const Row&) {
    llvm::Value* value = e.expr(call.args[0]);
    if (!value || !e.looks_) return value;
    const auto* buffer = as<tir::StringImm>(call.args[2]);
    const int site =
        e.site(vm::KernelFault::Bounds, buffer ? buffer->value.string() : "", tir::asInt(call.args[3]).value_or(0));
    llvm::Value* extent = e.expr(call.args[1]);
    if (!extent) return nullptr;
    const DataType type = call.args[0]->dtype;
    extent = e.index(extent, call.args[1]->dtype);
    llvm::Value* end = e.builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, extent, e.i64(0));
    llvm::Value* safe = type.lanes > 1 ? static_cast<llvm::Value*>(llvm::PoisonValue::get(value->getType())) : nullptr;
    for (int lane = 0; lane < type.lanes; ++lane) {
      llvm::Value* one = e.laneOf(value, lane);
      llvm::Value* at = e.index(one, type.element());
      llvm::Value* outside = e.builder_.CreateICmpUGE(at, end);
      e.tell(outside, site, at, extent);
      one = e.builder_.CreateSelect(outside, llvm::Constant::getNullValue(one->getType()), one);
      if (!safe) return one;
      safe = e.builder_.CreateInsertElement(safe, one, static_cast<uint64_t>(lane));
    }
    return safe;
  }

  static llvm::Value* ldexp(PtxEmitter& e, const tir::Call& call, const Row&) {
    llvm::Value *value = e.expr(call.args[0]), *power = e.expr(call.args[1]);
    if (!value || !power) return nullptr;
    const DataType dtype = call.dtype, of = call.args[1]->dtype;
    const bool wide = dtype.code == TypeCode::Float && dtype.bits == 64;
    llvm::Function* function = e.functions_.ldexp(wide);
    llvm::Value* made = nullptr;
    for (int lane = 0; lane < dtype.lanes; ++lane) {
      llvm::Value* x = e.builder_.CreateFPCast(e.laneOf(value, lane), function->getReturnType());
      llvm::Value* n = e.convert(e.laneOf(power, lane), of.element(), DataType::Int(32));
      llvm::Value* one =
          e.builder_.CreateFPCast(e.builder_.CreateCall(function, {x, n}), e.registerType(dtype.element()));
      one = e.rounded(one, dtype.element());
      if (dtype.lanes == 1) return one;
      if (!made) made = llvm::PoisonValue::get(e.registerType(dtype));
      made = e.builder_.CreateInsertElement(made, one, static_cast<uint64_t>(lane));
    }
    return made;
  }

  static llvm::Value* leave(PtxEmitter& e, const tir::Call& call, const Row&) {
    if (!call.args.empty()) return e.refuse(call.span, "a thread of a device has nobody to give a value to");
    if (e.waits_) return e.refuse(call.span, "a thread can not leave where others wait for it");
    e.returnCode(e.builder_.getInt32(0));
    return e.builder_.getInt32(0);
  }
  /// Threads fetch nothing ahead for others.
  static llvm::Value* nothing(PtxEmitter& e, const tir::Call&, const Row&) { return e.builder_.getInt32(0); }
  static llvm::Value* ofTheHost(PtxEmitter& e, const tir::Call& call, const Row& row) {
    return e.refuse(call.span, fmt::format("the intrinsic {} is none of a device", row.name));
  }
};

const PtxIntrinsics::Row* PtxIntrinsics::find(std::string_view name) {
  namespace I = llvm::Intrinsic;
  static const Row kRows[] = {
      {"tvm_storage_sync", wait},
      {"tvm_warp_shuffle", shuffle, I::nvvm_shfl_sync_idx_i32},
      {"tvm_warp_shuffle_up", shuffle, I::nvvm_shfl_sync_up_i32, 0},
      {"tvm_warp_shuffle_down", shuffle, I::nvvm_shfl_sync_down_i32},
      {"tvm_warp_shuffle_xor", shuffle, I::nvvm_shfl_sync_bfly_i32},
      {"tvm_warp_activemask", activeMask},
      {"rx_index", index},
      {"ldexp", ldexp},
      {"thread_return", leave},
      {"ret", leave},
      {"prefetch", nothing},
      {"tvm_call_packed", ofTheHost},
      {"call_packed", ofTheHost},
      {"tvm_call_cpacked", ofTheHost},
      {"tvm_stack_make_shape", ofTheHost},
  };
  for (const Row& row : kRows) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

std::optional<llvm::Value*> PtxEmitter::ownCall(std::string_view name, const tir::Call& node) {
  const PtxIntrinsics::Row* row = PtxIntrinsics::find(name);
  return row ? std::optional(row->emit(*this, node, *row)) : tensorCall(*this, name, node);
}

llvm::FunctionCallee PtxEmitter::mathFunction(const std::string& name, llvm::Type*, size_t) {
  if (llvm::Function* made = functions_.math(name)) return made;
  refuse({}, fmt::format("a device has no function {}", name));
  return {};
}

llvm::FunctionCallee PtxEmitter::host(const char* name, llvm::Type* result, std::initializer_list<llvm::Type*> params) {
  if (std::string_view(name) == "rx_power") return functions_.power();
  refuse({}, fmt::format("a device can not call {}", name));
  return Emitter::host(name, result, params);
}

llvm::Value* PtxEmitter::decoded(llvm::Value* bits, DataType dtype) {
  if (dtype.code == TypeCode::BFloat) return Emitter::decoded(bits, dtype);
  return builder_.CreateCall(functions_.decode(dtype), {bits});
}

llvm::Value* PtxEmitter::encoded(llvm::Value* value, DataType dtype) {
  if (dtype.code == TypeCode::BFloat) return Emitter::encoded(value, dtype);
  return builder_.CreateCall(functions_.encode(dtype), {value});
}

llvm::Value* PtxEmitter::nearest(llvm::Value* value, DataType dtype) { return decoded(encoded(value, dtype), dtype); }

}  // namespace rx::codegen
