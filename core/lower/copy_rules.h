// How a block that copies between two kinds of memory is rewritten for the threads that run it.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "core/ir/stmt.h"
#include "core/support/result.h"

namespace rx::lower {

/// Extents of thread axes by their tags.
using ThreadExtents = std::map<std::string, int64_t, std::less<>>;

/// A block that copies, and what its code may count on.
struct CopyBlock {
  const ThreadExtents& threads;
  std::span<const Ref<tir::For>> around;  ///< loops around the block
  Ref<tir::BufferRegion> read, write;
  int64_t vectorBytes = 1;  ///< that a thread moves at once
};

/// What a rule makes beside the code.
struct CopyBuffers {
  std::vector<tir::BufferRef> allocated;
  /// Buffers whose padding is a multiple of so many elements.
  std::vector<std::pair<tir::BufferRef, int64_t>> leastPadding;
};

/// The body of the block, rewritten. Fails (lower.auto-copy) where it has another form than the rule takes.
using CopyRule = Result<tir::Stmt> (*)(const tir::Stmt& body, const CopyBlock& copy, CopyBuffers& buffers);

/// What a rule fails with.
inline Failure otherForm(Span span, std::string_view what) {
  return fail(errorAt(span, "lower.auto-copy", std::string(what)));
}

/// Loops over the places that are written, in their order, instead of over those that are read.
Result<tir::Stmt> invertMapping(const tir::Stmt& body, const CopyBlock& copy, CopyBuffers& buffers);
/// Dealt out to threads so that neighbours access neighbouring places, vectors each.
Result<tir::Stmt> coalesce(const tir::Stmt& body, const CopyBlock& copy, CopyBuffers& buffers);
/// By way of registers: all is read before anything is written.
Result<tir::Stmt> throughRegisters(const tir::Stmt& body, const CopyBlock& copy, CopyBuffers& buffers);
/// By the instructions that move tiles of matrices between shared memory and the registers of a warp.
Result<tir::Stmt> loadTiles(const tir::Stmt& body, const CopyBlock& copy, CopyBuffers& buffers);
Result<tir::Stmt> storeTiles(const tir::Stmt& body, const CopyBlock& copy, CopyBuffers& buffers);
/// From the registers of a warp to global memory by way of shared memory.
Result<tir::Stmt> storeTilesToGlobal(const tir::Stmt& body, const CopyBlock& copy, CopyBuffers& buffers);
Result<tir::Stmt> storeMmaToGlobal(const tir::Stmt& body, const CopyBlock& copy, CopyBuffers& buffers);

/// The store that a copy is made of; fails where the statement is none.
Result<Ref<tir::BufferStore>> storeOf(const tir::Stmt& body);

/// A copy in two, with a buffer between them.
struct CopyStages {
  std::vector<Ref<tir::For>> outer;  ///< loops around both
  tir::Stmt first, second;
  tir::BufferRef buffer;  ///< to be allocated
};
/// What is read goes to a buffer of that scope first. `inside`: the loop in whose rounds both stages run, null for the
/// outermost place.
Result<CopyStages> stagedRead(const tir::Stmt& body, std::string_view scope, const tir::For* inside,
                              std::span<const Ref<tir::For>> around);
/// What tensor cores hold goes to a buffer of that scope first, and from there to where it belongs.
Result<CopyStages> stagedWrite(const tir::Stmt& body, std::string_view scope, const tir::For* inside,
                               std::span<const Ref<tir::For>> around);

}  // namespace rx::lower
