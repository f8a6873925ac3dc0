// Reader: questions to a recording: while it is written, in the same process or another, after the writer's death, or a
// week later. State s is what holds after s steps; step s leads from state s to s + 1. Nothing is ever executed, and
// nothing is kept in memory for a step. One thread uses a reader at a time; any number of readers may be open.
//
// Questions fail with `store.place` (no such step, frame, register or storage), `store.not-kept` (the policy or a
// budget dropped it), `store.reference` (it is in a file that is gone or has changed) or `store.damaged`.
#pragma once

#include <functional>
#include <map>

#include "core/store/generation_view.h"
#include "core/store/policy.h"
#include "core/store/reference.h"
#include "core/store/run_end.h"
#include "core/tensor/stats.h"

namespace rx::store {

enum class RunState : uint8_t {
  Running,   ///< a writer goes on
  Finished,  ///< end() says with what
  Failed,    ///< end() says why
  Stopped,   ///< the recording ended before the run: stopReason()
  Cut,       ///< the writer died, or the file was cut
};

struct Next {
  uint32_t instruction = kNone;
  uint32_t activation = kNone;
};

struct Step {
  uint32_t instruction = 0;
  uint32_t activation = 0;
  uint32_t pushed = kNone;  ///< the activation that it called
  bool returned = false;
  bool nonFinite = false;  ///< as StepInput has it, like the next two
  bool givenNonFinite = false;
  bool result = false;
  uint64_t nanoseconds = 0;
  uint64_t compileNanoseconds = 0;  ///< to the microsecond
};

struct Activation {
  uint32_t function = 0;
  uint32_t parent = kNone;
  uint32_t firstState = 0;  ///< behind the call
  uint32_t lastState = 0;   ///< before its return, or the last of the run so far
  bool returned = false;
  uint32_t depth = 1;
  uint32_t registers = 0;
  uint32_t callInstruction = kNone;
  int64_t callStep() const { return int64_t{firstState} - 1; }
};

struct StorageInfo {
  uint32_t number = 0;
  uint64_t bytes = 0;
  uint32_t bornState = 0;
  uint32_t releasedState = kNone;  ///< kNone while it is alive
  uint32_t device = 0;             ///< where it lies, as the program numbers the devices from 1 on; 0: host memory
  std::optional<FileReference> reference;
};

/// What a step set and wrote.
struct Changes {
  struct Register {
    uint32_t activation, reg;
  };
  struct Write {
    uint32_t storage = 0;
    uint64_t offset = 0, bytes = 0;
    bool changed = false;  ///< some byte is another than before
    bool kept = false;     ///< the bytes are in the file
    bool output = false;   ///< it is what the step was to make
    std::optional<TensorStats> statistics;
  };
  std::vector<Register> registers;
  std::vector<Write> writes;
};

/// The steps around a state that touched something; an edit counts to the step before it.
struct Touches {
  std::optional<uint32_t> last;  ///< the last before the state, nothing where none is kept
  std::optional<uint32_t> next;  ///< the first from the state on
};

/// Bytes of a storage: of the mapped file where they lie together, else copied.
class Bytes {
 public:
  explicit Bytes(std::span<const std::byte> mapped) : view_(mapped) {}
  Bytes(std::unique_ptr<std::byte[]> copy, size_t size) : copy_(std::move(copy)), view_(copy_.get(), size) {}
  std::span<const std::byte> span() const { return view_; }
  bool copied() const { return copy_ != nullptr; }

 private:
  std::unique_ptr<std::byte[]> copy_;
  std::span<const std::byte> view_;
};

class Reader {
 public:
  /// Fails with `store.file` (missing, no recording), `store.version` (made by another version of the format) or
  /// `store.damaged`.
  static Result<std::unique_ptr<Reader>> open(const std::string& path);
  /// Looks at what was written since; answers stay as they were until then.
  void refresh();

  std::string_view program() const { return program_; }
  uint32_t recorded() const { return recorded_; }
  /// The first state that is kept, and why the ones before are not.
  uint32_t oldest() const { return generations_.front().firstStep(); }
  DropReason dropped() const { return dropped_; }
  RunState state() const { return state_; }
  const std::string& stopReason() const { return stopReason_; }
  const std::optional<RunEnd>& end() const { return end_; }
  Policy policy() const;
  uint64_t peakBytes() const;

  Result<Step> step(uint32_t step) const;
  Result<Changes> changes(uint32_t step) const;
  /// What somebody other than the program changed at a state, before the step that follows.
  Result<Changes> edits(uint32_t state) const;
  /// The states that edits() has something of, in their order.
  Result<std::vector<uint32_t>> edited() const;
  /// What comes next at a state; nothing of it behind the end of the run.
  Result<Next> next(uint32_t state) const;
  /// The frames at a state, innermost first: each with its next, or its calling, instruction.
  Result<std::vector<Next>> frames(uint32_t state) const;
  /// Activations are numbered in the order of their calls, from 0 on, to one less than this.
  uint32_t activations() const { return activationsEnd_; }
  Result<Activation> activation(uint32_t number) const;

  /// A register of a frame at a state; of a frame that has returned, as it was at its end.
  Result<Value> registerAt(uint32_t state, uint32_t activation, uint32_t reg) const;
  Touches registerTouches(uint32_t state, uint32_t activation, uint32_t reg) const;

  Result<StorageInfo> storage(uint32_t state, uint32_t number) const;
  /// The storages that registers of the frames at a state refer to, by number.
  Result<std::vector<StorageInfo>> liveAt(uint32_t state) const;
  /// Bytes [offset, offset + length) of a storage at a state: valid while the reader lives and the state is kept.
  Result<Bytes> bytesAt(uint32_t state, uint32_t storage, uint64_t offset, uint64_t length) const;
  /// The same as the pieces that they lie in, neighbours joined; nothing is copied.
  Result<std::vector<std::span<const std::byte>>> spansAt(uint32_t state, uint32_t storage, uint64_t offset,
                                                          uint64_t length) const;
  /// Steps that wrote to a storage, the same bytes as before included.
  Touches writeTouches(uint32_t state, uint32_t storage) const;
  /// The first step from a state on that wrote to any storage, and the last before it; an edit as in Touches.
  std::optional<uint32_t> nextWrite(uint32_t state) const;
  std::optional<uint32_t> lastWrite(uint32_t state) const;
  /// Steps that wrote other bytes than before to a storage, and wrote in this range; of a step that is not kept, in the
  /// pieces around it.
  Touches changeTouches(uint32_t state, uint32_t storage, uint64_t offset, uint64_t length) const;

 private:
  using Spans = std::vector<std::span<const std::byte>>;
  explicit Reader(std::unique_ptr<FileView> file) : file_(std::move(file)) {}
  Result<Unit> readHeader();
  Result<Unit> load();
  uint32_t readable(const GenerationView& last, uint32_t recorded) const;
  const GenerationView* generationOf(uint32_t state) const;
  Failure notKept(uint32_t state) const;
  Result<Unit> checkState(uint32_t state) const;
  std::optional<ActivationRow> findActivation(uint32_t number) const;
  Result<Value> valueOf(const Version& version) const;
  std::optional<Changes::Write> writeOf(const Version& version) const;
  /// What versions of a range gave to a state.
  Result<Changes> changesTo(uint32_t state, const GenerationView& generation,
                            std::pair<uint32_t, uint32_t> versions) const;
  bool writtenIn(const GenerationView& generation, const StorageRow& row, uint32_t state, uint64_t offset,
                 uint64_t length) const;
  Result<Unit> addPiece(const GenerationView& generation, const StorageRow& row, uint32_t state, uint64_t from,
                        uint64_t to, Spans& spans) const;
  Result<std::span<const std::byte>> firstContent(const StorageRow& row, uint64_t from, uint64_t to) const;
  std::span<const std::byte> filled(std::byte value, uint64_t bytes) const;
  std::optional<StorageInfo> infoOf(const StorageRow& row) const;
  /// The states of the versions at and behind a state.
  struct Around {
    std::optional<uint32_t> last, next;
  };
  static Around statesOf(const GenerationView& generation, const std::optional<Found>& found);
  /// The touches of one cell or several, over all generations that are kept; `around` asks one of them.
  Touches touches(uint32_t state, const std::function<Around(const GenerationView&, uint32_t)>& around) const;
  Around changesAround(const GenerationView& generation, const StorageRow& row, uint64_t offset, uint64_t length,
                       uint32_t state) const;

  std::unique_ptr<FileView> file_;
  std::string_view program_;
  uint32_t recorded_ = 0;
  uint32_t activationsEnd_ = 0;
  std::vector<GenerationView> generations_;  ///< oldest first, never empty
  DropReason dropped_ = DropReason::None;
  RunState state_ = RunState::Cut;
  std::string stopReason_;
  std::optional<RunEnd> end_;
  mutable ReferenceFiles references_;
  mutable std::map<std::byte, std::vector<std::byte>> fills_;  ///< a piece of each fill that was asked for
};

}  // namespace rx::store
