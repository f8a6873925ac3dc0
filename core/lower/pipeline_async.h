// Asynchronous stages of a software pipeline: what they start is committed in groups, and who uses it waits until few
// enough groups are on their way.
#pragma once

#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/arith/canon.h"
#include "core/lower/access_regions.h"
#include "core/support/result.h"

namespace rx::lower {

/// An asynchronous stage in all of a pipeline.
struct AsyncStage {
  std::unordered_set<const tir::Buffer*> written;
  /// The last step that it has started so far; null where that is not known.
  tir::PrimExpr head = tir::intImm(-1, DataType::Int(32));
};
using AsyncStages = std::map<int64_t, AsyncStage>;

/// A statement of the prologue, the loop or the epilogue.
struct PartBlock {
  int64_t stage;
  tir::PrimExpr predicate;
  Ref<tir::Block> block;
  tir::PrimExpr step;  ///< of the original loop
  bool async;
};

/// The prologue, the loop or the epilogue.
class PipelinePart {
 public:
  PipelinePart(AsyncStages& stages, arith::Canon& canon) : stages_(stages), canon_(canon) {}

  /// What is known of the part's own variable.
  arith::Canon own;

  /// In the order in which they run.
  void add(PartBlock block);
  bool empty() const { return blocks_.empty(); }
  /// The statements, with commits and waits. Fails with lower.pipeline.
  Result<std::vector<tir::Stmt>> statements(const BufferByPointer& known);
  /// The part has so many steps.
  void finish(const tir::PrimExpr& extent);

 private:
  /// A stage in this part.
  struct State {
    tir::PrimExpr head;       ///< the last step that it started in a round; null: none
    tir::PrimExpr predicate;  ///< under which it does
    std::vector<std::vector<size_t>> groups;
    bool consumed = false;  ///< since its last group began
    std::unordered_set<const tir::Buffer*> seen;
    std::optional<size_t> waitBefore;  ///< a block
    tir::PrimExpr waitCount;
  };
  void produce(const PartBlock& block);
  Result<Unit> placeWaits();
  tir::PrimExpr inFlight(const PartBlock& consumer, int64_t producer);
  std::optional<int64_t> producerOf(const PartBlock& consumer, bool& several) const;
  void attachWaits();

  AsyncStages& stages_;
  arith::Canon& canon_;
  std::vector<PartBlock> blocks_;
  std::map<int64_t, State> states_;
  std::unordered_map<const tir::Buffer*, size_t> groups_;  ///< of the stage that writes the buffer
};

}  // namespace rx::lower
