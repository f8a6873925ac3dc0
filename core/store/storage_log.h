// StorageLog: the memory of a run, as the writer of a generation sees it. A write makes a version of each piece that it
// changed, and one of the storage as a whole that says what was written.
#pragma once

#include <array>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/store/piece_pool.h"
#include "core/store/reference.h"
#include "core/store/version_log.h"
#include "core/tensor/stats.h"

namespace rx::store {

/// Bytes that a step wrote; `bytes` are those of the storage from `offset` on.
struct StorageWrite {
  uint32_t storage = 0;
  uint64_t offset = 0;
  std::span<const std::byte> bytes;
  std::optional<TensorStats> statistics = {};  ///< made by the caller, where the policy keeps no bytes
  bool output = false;                         ///< it is what the step was to make
};

class StorageLog {
 public:
  StorageLog(FileSpace& space, Heap& heap, VersionLog& versions, uint64_t root)
      : space_(space), heap_(heap), versions_(versions), table_(space, root), pool_(space, heap) {}

  /// A storage as its row says. False when the recording has ended, here and below.
  bool declare(StorageRow row);
  /// One whose bytes a file has.
  bool refer(uint32_t number, const FileReference& reference, uint32_t state);
  /// What a storage holds from the start; not a write.
  bool content(uint32_t number, std::span<const std::byte> bytes, std::optional<Absence> absent, uint32_t state);
  bool write(const StorageWrite& write, bool kept, uint32_t state);
  void release(uint32_t number, uint32_t state);
  void trim() { table_.trim(); }
  /// Takes over what is alive in `old`.
  bool carry(const StorageLog& old);

 private:
  struct Alive {
    StorageRow* row;
    PieceHead* heads;  ///< null before the first write
  };
  /// One piece that is written, and where its bytes are: whole, or a part to be laid over what was there.
  struct Part {
    uint32_t number;
    uint64_t offset;  ///< in the piece
    std::span<const std::byte> bytes;
  };

  Alive* find(uint32_t number);
  bool openHeads(Alive& storage);
  /// Writes pieces, or why they are not kept; `changed` becomes true where one differs from before.
  bool pieces(Alive& storage, uint64_t offset, std::span<const std::byte> bytes, std::optional<Absence> absent,
              uint32_t state, bool& changed);
  bool piece(Alive& storage, const Part& part, std::optional<Absence> absent, uint32_t state, bool& changed);
  bool put(Alive& storage, uint32_t number, VersionKind kind, uint64_t payload, uint32_t hash, uint32_t state);
  /// The whole piece after a write of a part of it, in scratch_; nothing where the rest is not known.
  std::optional<std::span<const std::byte>> merged(const Alive& storage, const Part& part, uint64_t size);
  bool before(const Alive& storage, uint32_t number, std::span<std::byte> to);
  bool carryPieces(const Alive& from, Alive& to, const StorageLog& old);

  FileSpace& space_;
  Heap& heap_;
  VersionLog& versions_;
  Table<StorageRow> table_;
  PiecePool pool_;
  ReferenceFiles files_;
  std::unordered_map<uint32_t, Alive> alive_;
  std::array<Alive*, 64> recent_ = {};  ///< that were asked for lately, by the lowest bits of their numbers
  std::vector<std::byte> scratch_ = std::vector<std::byte>(kPieceBytes);
  ByteOut record_;
};

}  // namespace rx::store
