// Writer: records a run while it goes on, for one thread. A step that was appended is in the file whatever becomes of
// the process. When the file can not be written any more, the recording ends and the run goes on: stopped() says why.
#pragma once

#include "core/store/generation.h"
#include "core/store/policy.h"
#include "core/store/run_end.h"

namespace rx::store {

/// What a register of a frame that is alive gets; `value` by ValueEncoder.
struct RegisterWrite {
  uint32_t activation = 0;
  uint32_t reg = 0;
  std::string_view value;
};

/// A frame that a step pushes.
struct Call {
  uint32_t function = 0;
  uint32_t registers = 0;
};

/// One executed instruction of the running frame.
struct StepInput {
  uint32_t instruction = 0;
  uint32_t next = kNone;        ///< the instruction that follows, kNone at the end of the run
  uint32_t pushed = kNone;      ///< activation that it called
  bool returned = false;        ///< it left the running frame
  bool nonFinite = false;       ///< it made NaN or Inf out of finite inputs, as far as the caller looked
  bool givenNonFinite = false;  ///< a constant that it was given has NaN or Inf
  bool result = false;          ///< it gives the value of a binding
  uint64_t nanoseconds = 0;
  uint64_t compileNanoseconds = 0;
};

class Writer {
 public:
  /// Makes the file, which takes its place at beginRun(): until then an older one stays. `program` is for whoever opens
  /// it. Fails with `store.file`.
  static Result<std::unique_ptr<Writer>> create(const std::string& path, std::string_view program,
                                                const Policy& policy = {});
  ~Writer();

  /// Names memory of the run, from now until release(). The number is its own for the whole run; `device` is where it
  /// lies, as the program numbers the devices from 1 on, and 0 host memory.
  uint32_t declareFresh(uint64_t bytes, std::byte fill, uint32_t device = 0);
  uint32_t declareContent(std::span<const std::byte> bytes, uint32_t device = 0);
  uint32_t declareReference(const FileReference& reference);
  /// Nothing refers to the storage any more; what it held stays readable.
  void release(uint32_t storage);

  /// The outermost call, once, before the first step.
  void beginRun(const Call& call, std::span<const RegisterWrite> arguments, uint32_t next);
  uint32_t nextActivation() const { return nextActivation_; }
  /// Whether the bytes of what a step writes are kept; `result` is what StepInput::result will say.
  bool keeps(bool result) const;
  /// What the step does that step() will complete: the frame that it calls, which gets this number; registers that it
  /// sets; bytes that it writes.
  uint32_t call(const Call& call, uint32_t instruction);
  void set(const RegisterWrite& write);
  void set(uint32_t activation, uint32_t reg, const TensorPlace& tensor);
  /// Of many bytes that are kept, the source stays as it is until settle() or leave().
  void write(const StorageWrite& write, bool kept);
  void step(const StepInput& input);
  /// What somebody other than the program changed at the present state: between the step before and the one to come.
  /// Its bytes are kept under every policy.
  void edit(std::span<const RegisterWrite> registers, std::span<const StorageWrite> writes);
  /// Waits until all steps are in the file, where they are counted when they are there.
  void settle() { space_->settle(); }
  /// Waits until this memory may be changed or freed: what is to be written of it is.
  void leave(const std::byte* from, uint64_t bytes) { space_->leave(from, bytes); }
  /// Bytes that were alive at once; the largest counts.
  void peak(uint64_t bytes);
  /// Ends the recording for a reason of the caller's.
  void stop(std::string why) { space_->stop(std::move(why)); }
  /// The run is over; a recording that is dropped without counts as cut.
  void finish(const RunEnd& end);

  /// Why the recording ended before the run, empty while it goes on.
  const std::string& stopped() const { return space_->stopped(); }
  uint64_t recorded() const { return recorded_; }
  /// Bytes on disk.
  uint64_t bytesOnDisk() const { return space_->used(); }
  const Policy& policy() const { return policy_; }
  /// Counts from the next step on; what was dropped stays so.
  void setPolicy(const Policy& policy);

 private:
  struct Kept {
    uint64_t root;
    uint64_t used;  ///< bytes on disk when it was complete
  };
  Writer(std::unique_ptr<FileSpace> space, Policy policy) : space_(std::move(space)), policy_(policy) {}
  bool writeHeader(std::string_view program);
  FileHeader& header() const { return space_->as<FileHeader>(0); }
  /// Whether a generation has written as much as it began with: what is alive is written again by each, which is not to
  /// cost more than the steps themselves.
  bool isWorthCarrying() const;
  /// Begins a generation, for a reason of the policy's.
  void turn(uint32_t next, DropReason why);
  bool dropOldest(DropReason why);
  void publish();
  /// Hashes what is written, so that a reader knows it from anything else; false when there is no room for that.
  bool seal();
  /// Tells readers that the recording ended.
  void announceStop();
  uint32_t state() const { return static_cast<uint32_t>(recorded_); }

  std::unique_ptr<FileSpace> space_;
  Policy policy_;
  std::unique_ptr<Generation> generation_;
  std::vector<Kept> kept_;                ///< generations before the present one
  uint64_t firstRoot_ = 0, dropped_ = 0;  ///< where what was dropped begins and ends
  /// Bytes, of the budget on disk, and steps at which a generation ends.
  uint64_t fullAt_ = UINT64_MAX, enoughAt_ = UINT64_MAX;
  uint64_t carried_ = 0;  ///< bytes that the present generation began with
  uint64_t recorded_ = 0;
  uint32_t nextActivation_ = 0, nextStorage_ = 0;
};

}  // namespace rx::store
