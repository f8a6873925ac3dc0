// The handlers of ptx_tensor.h's intrinsics, one a row; private to ptx_*.cpp.
#pragma once

#include <llvm/IR/InlineAsm.h>

#include "core/codegen/ptx_emitter.h"

namespace rx::codegen {

/// What tiles hold, as the intrinsics name it.
struct ElementRow {
  std::string_view name, ptx;
  int64_t bits;
};
/// Null where PTX has no tiles of it.
const ElementRow* elementNamed(std::string_view name);
/// Of a string; empty where it is none.
std::string_view textOf(const tir::PrimExpr& expr);
/// The sides of "m16n8k16".
struct Tile {
  int64_t m = 0, n = 0, k = 0;
};
std::optional<Tile> tileOf(std::string_view text);

struct PtxTensor {
  struct Row {
    std::string_view name;
    llvm::Value* (*emit)(PtxEmitter& e, const tir::Call& call);
    size_t least, most;             ///< arguments
    std::string_view architecture;  ///< the oldest that has it; a name with a letter: the only one
  };
  static const Row* find(std::string_view name);
  static llvm::Value* refuse(PtxEmitter& e, Span span, std::string what) { return e.refuse(span, std::move(what)); }
  static std::string_view architecture(const PtxEmitter& e) { return e.architecture_; }

  /// So many elements behind a pointer.
  static llvm::Value* place(PtxEmitter& e, const tir::PrimExpr& pointer, const tir::PrimExpr& offset, int64_t bits);
  /// The address that shared memory has itself.
  static llvm::Value* sharedAddress(PtxEmitter& e, llvm::Value* generic);
  static llvm::Value* word(PtxEmitter& e, llvm::Value* base, int64_t number);
  /// One instruction that the threads of a warp, or of a group, run together.
  static llvm::Value* emit(PtxEmitter& e, llvm::Type* result, llvm::ArrayRef<llvm::Value*> args,
                           const std::string& text, const std::string& constraints);
  static llvm::Value* nothing(PtxEmitter& e) { return e.builder_.getInt32(0); }

  /// (to, offset, from, offset, bytes[, whether]); offsets count elements.
  static llvm::Value* copyAhead(PtxEmitter& e, const tir::Call& call);
  static llvm::Value* endGroup(PtxEmitter& e, const tir::Call& call);
  /// (how many groups of copies may go on)
  static llvm::Value* awaitGroups(PtxEmitter& e, const tir::Call& call);
  /// (transposed, matrices, ".b16", to, offset, from, offset): matrices of 8 by 8, a word of each to each thread.
  static llvm::Value* loadMatrices(PtxEmitter& e, const tir::Call& call);
  /// (tile, layouts of A and B, types of A, B and C, then pointer and offset of each, whether it saturates): C += A *
  /// B.
  static llvm::Value* multiply(PtxEmitter& e, const tir::Call& call);

  // Of groups of four warps.
  static llvm::Value* beginProducts(PtxEmitter& e, const tir::Call& call);
  static llvm::Value* endProducts(PtxEmitter& e, const tir::Call& call);
  /// (how many groups of products may go on)
  static llvm::Value* awaitProducts(PtxEmitter& e, const tir::Call& call);
  static llvm::Value* showShared(PtxEmitter& e, const tir::Call& call);
  /// (tile, type of A and B, whether A and B lie turned, then of both: pointer, offset, bytes between blocks and
  /// between patterns of lines; bytes of a line, pointer and offset of the sums).
  static llvm::Value* multiplyShared(PtxEmitter& e, const tir::Call& call);

  // Copies of whole blocks, and barriers that count the bytes that came.
  /// (how many): in shared memory, before all else that names one.
  static llvm::Value* createBarriers(PtxEmitter& e, const tir::Call& call);
  /// (barrier, threads that arrive in a phase)
  static llvm::Value* beginBarrier(PtxEmitter& e, const tir::Call& call);
  /// (barrier)
  static llvm::Value* arrive(PtxEmitter& e, const tir::Call& call);
  /// (barrier): this thread's copies of ptx_cp_async, when they are done.
  static llvm::Value* arriveWithCopies(PtxEmitter& e, const tir::Call& call);
  /// (barrier, bytes that the phase waits for, too)
  static llvm::Value* arriveAndExpect(PtxEmitter& e, const tir::Call& call);
  /// (barrier[, parity of the phase]): of the first phase where nothing is said.
  static llvm::Value* awaitPhase(PtxEmitter& e, const tir::Call& call);
  /// (to, offset, from, offset, bytes, barrier); offsets count elements.
  static llvm::Value* copyBlock(PtxEmitter& e, const tir::Call& call);
  /// As TileCopy says.
  static llvm::Value* copyTile(PtxEmitter& e, const tir::Call& call);

 private:
  static llvm::Value* onBarrier(PtxEmitter& e, const tir::Call& call, const std::string& text);
  static llvm::Value* barrierAt(PtxEmitter& e, const tir::PrimExpr& number);
  static llvm::Value* globalAddress(PtxEmitter& e, llvm::Value* generic);
  static llvm::Value* descriptor(PtxEmitter& e, const tir::Call& call, size_t first);
};

}  // namespace rx::codegen
