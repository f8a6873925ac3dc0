// FrameLog: activations and their registers, as the writer of a generation sees them.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "core/store/heap.h"
#include "core/store/value.h"
#include "core/store/version_log.h"

namespace rx::store {

class FrameLog {
 public:
  FrameLog(FileSpace& space, Heap& heap, VersionLog& versions, uint64_t root)
      : space_(space), heap_(heap), versions_(versions), table_(space, root) {}

  /// The frame that runs, kNone behind the last return.
  uint32_t running() const { return alive_.empty() ? kNone : alive_.back().number; }
  /// The one that called it.
  uint32_t caller() const { return alive_.size() < 2 ? kNone : alive_[alive_.size() - 2].number; }
  /// A call from the running frame; the registers hold nothing. False when the recording has ended, here and below.
  bool push(uint32_t number, uint32_t function, uint32_t registers, uint32_t state, uint32_t callInstruction);
  /// The return of the running frame.
  void pop(uint32_t step);
  /// What a register of a frame that is alive holds from `state` on; `encoded` by ValueEncoder.
  bool set(uint32_t activation, uint32_t reg, std::string_view encoded, uint32_t state);
  bool set(uint32_t activation, uint32_t reg, const TensorPlace& tensor, uint32_t state);
  void trim() { table_.trim(); }
  /// Takes over the frames that are alive in `old`, with what their registers hold.
  bool carry(const FrameLog& old);

 private:
  struct Alive {
    uint32_t number;
    ActivationRow* row;
    uint32_t* heads;
  };
  const Alive* find(uint32_t activation) const;
  bool add(ActivationRow row);
  uint64_t payloadOf(std::string_view encoded, VersionKind& kind);
  uint64_t payloadOf(const TensorPlace& tensor, VersionKind& kind);
  bool put(uint32_t activation, uint32_t reg, VersionKind kind, uint64_t payload, uint32_t state);
  /// A tensor that was written lately.
  struct KnownTensor {
    static constexpr size_t kMostRank = 6;
    uint32_t storage = 0;
    DataType dtype = {};
    int64_t offset = 0;
    size_t rank = 0;
    std::array<int64_t, kMostRank> shape = {};
    VersionKind kind = VersionKind::None;
    uint64_t payload = 0;  ///< 0 where there is none

    bool is(const TensorPlace& tensor) const {
      return payload != 0 && storage == tensor.storage && offset == tensor.offset && dtype == tensor.dtype &&
             std::equal(shape.begin(), shape.begin() + rank, tensor.shape.begin(), tensor.shape.end());
    }
  };

  FileSpace& space_;
  Heap& heap_;
  VersionLog& versions_;
  Table<ActivationRow> table_;
  std::vector<Alive> alive_;
  ValueEncoder encoder_;
  std::array<KnownTensor, 64> tensors_ = {};
  std::array<uint64_t, 64> known_ = {};  ///< offsets of values that were written lately, by their hash
};

}  // namespace rx::store
