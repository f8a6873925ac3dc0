#include "core/store/writer.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <filesystem>

#include "core/support/chunk_hash.h"
#include "core/support/thread_pool.h"

namespace rx::store {
namespace {

/// Generations that are kept beside the present one.
constexpr size_t kPastGenerations = 1;
static_assert(kPastGenerations + 1 < kGenerations);
/// Of a budget on disk: for the end of the run and the hashes, and at least for its beginning.
constexpr uint64_t kEndBytes = 64 << 10, kBeginBytes = 64 << 10;
/// Chunks that are hashed sooner than threads are begun for them.
constexpr uint64_t kFewChunks = 4;

/// The budget where none is named. A file system that does not tell what it has is a small one.
uint64_t halfOfWhatIsFree(const std::string& path) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::absolute(path, error).parent_path();
  const std::filesystem::space_info space = std::filesystem::space(folder, error);
  return error ? uint64_t{1} << 30 : space.available / 2;
}

}  // namespace

Result<std::unique_ptr<Writer>> Writer::create(const std::string& path, std::string_view program,
                                               const Policy& policy) {
  RX_TRY(space, FileSpace::create(path));
  std::unique_ptr<Writer> writer(new Writer(std::move(space), policy));
  if (!policy.diskBudget) writer->policy_.diskBudget = halfOfWhatIsFree(path);
  if (!writer->writeHeader(program)) return fail("store.file", writer->stopped());
  writer->generation_ = Generation::begin(*writer->space_, 0, kNone, nullptr);
  if (!writer->generation_) return fail("store.file", writer->stopped());
  const uint64_t least = writer->bytesOnDisk() + kBeginBytes + kEndBytes;
  uint64_t& budget = *writer->policy_.diskBudget;
  if (!policy.diskBudget) budget = std::max(budget, least);
  if (budget != 0 && budget < least)
    return fail("store.budget", fmt::format("a recording of this program takes at least {} bytes on disk, its budget "
                                            "is {}",
                                            least, budget));
  writer->setPolicy(writer->policy_);
  writer->publish();
  return writer;
}

Writer::~Writer() {
  if (generation_ && !stopped().empty()) announceStop();
}

bool Writer::writeHeader(std::string_view program) {
  if (space_->take(kPieceBytes, kPieceBytes) != 0 || !space_->back(0, kPieceBytes)) return false;
  const uint64_t at = space_->take(program.size(), kPieceBytes);
  if (at == 0 || !space_->write(at, std::as_bytes(std::span(program)))) return false;
  FileHeader& h = header();
  h.format = kFormat;
  h.program = at;
  h.programBytes = program.size();
  h.programHash = XXH3_64bits(program.data(), program.size());
  std::copy(kMagic.begin(), kMagic.end(), h.magic);
  h.checksum = XXH3_64bits(&h, offsetof(FileHeader, checksum));
  setPolicy(policy_);
  return true;
}

void Writer::setPolicy(const Policy& policy) {
  const uint64_t budget = policy.diskBudget.value_or(policy_.diskBudget.value_or(0));
  policy_ = policy;
  policy_.diskBudget = budget;
  FileHeader& h = header();
  storeRelease(h.keep, static_cast<uint32_t>(policy.keep));
  storeRelease(h.policySteps, policy.steps);
  storeRelease(h.diskBudget, budget);
  storeRelease(h.memoryBudget, policy.memoryBudget);
  space_->limitMemory(policy.memoryBudget);
  fullAt_ = budget != 0 ? budget / 2 : UINT64_MAX;
  enoughAt_ = policy.keep == Keep::LastSteps ? std::max<uint64_t>(policy.steps, 1) : UINT64_MAX;
  // The beginning is not limited yet: create() says what a budget has to hold.
  if (!generation_) return;
  const auto makeRoom = [this] { return !kept_.empty() && dropOldest(DropReason::DiskBudget); };
  space_->limitDisk(budget - std::min(budget, kEndBytes), makeRoom);
}

void Writer::publish() {
  FileHeader& h = header();
  storeRelease(h.generations[h.generationsEnd % kGenerations], generation_->root());
  storeRelease(h.generationsEnd, h.generationsEnd + 1);
}

void Writer::announceStop() {
  space_->settle();
  FileHeader& h = header();
  if (h.state != static_cast<uint32_t>(FileState::Open)) return;
  const std::string& reason = stopped();
  std::copy_n(reason.begin(), std::min(reason.size(), kReasonBytes - 1), h.reason);
  storeRelease(h.state, static_cast<uint32_t>(FileState::Stopped));
}

bool Writer::keeps(bool result) const {
  switch (policy_.keep) {
    case Keep::Everything:
    case Keep::LastSteps:
      return true;
    case Keep::Bindings:
      return result;
    case Keep::Statistics:
      return false;
  }
  return true;
}

uint32_t Writer::declareFresh(uint64_t bytes, std::byte fill, uint32_t device) {
  if (stopped().empty())
    generation_->storages().declare(
        {nextStorage_, state(), kNone, 0, bytes, 0, 0, static_cast<uint32_t>(fill), device});
  return nextStorage_++;
}

uint32_t Writer::declareContent(std::span<const std::byte> bytes, uint32_t device) {
  const uint32_t number = declareFresh(bytes.size(), std::byte{0}, device);
  // What a run starts from is its user's; under the policy of statistics alone only what is small is kept of it too.
  const bool wanted = policy_.keep != Keep::Statistics || bytes.size() <= static_cast<size_t>(kAlwaysKept);
  const bool fits = generation_->used() + bytes.size() <= fullAt_;
  const std::optional<Absence> absent = !wanted ? std::optional(Absence::Policy)
                                        : !fits ? std::optional(Absence::Budget)
                                                : std::nullopt;
  if (stopped().empty()) generation_->storages().content(number, bytes, absent, state());
  return number;
}

uint32_t Writer::declareReference(const FileReference& reference) {
  if (stopped().empty()) generation_->storages().refer(nextStorage_, reference, state());
  return nextStorage_++;
}

void Writer::release(uint32_t storage) {
  if (stopped().empty()) generation_->storages().release(storage, state());
}

void Writer::beginRun(const Call& call, std::span<const RegisterWrite> arguments, uint32_t next) {
  FrameLog& frames = generation_->frames();
  bool done = stopped().empty() && frames.push(nextActivation_++, call.function, call.registers, 0, kNone);
  for (const RegisterWrite& argument : arguments)
    done = done && frames.set(argument.activation, argument.reg, argument.value, 0);
  if (!done) return announceStop();
  generation_->sealFirst(next);
  carried_ = generation_->used();
  storeRelease(header().begun, uint32_t{1});
  if (!space_->appear()) announceStop();
}

uint32_t Writer::call(const Call& call, uint32_t instruction) {
  if (stopped().empty())
    generation_->frames().push(nextActivation_, call.function, call.registers, state() + 1, instruction);
  return nextActivation_++;
}

void Writer::set(const RegisterWrite& write) {
  if (stopped().empty()) generation_->frames().set(write.activation, write.reg, write.value, state() + 1);
}

void Writer::set(uint32_t activation, uint32_t reg, const TensorPlace& tensor) {
  if (stopped().empty()) generation_->frames().set(activation, reg, tensor, state() + 1);
}

void Writer::write(const StorageWrite& write, bool kept) {
  if (stopped().empty()) generation_->storages().write(write, kept, state() + 1);
}

void Writer::step(const StepInput& input) {
  if (recorded_ + 2 >= kNone) space_->stop("the recording has as many steps as a file can count");
  StepRow* const row = stopped().empty() ? generation_->beginStep() : nullptr;
  if (!row) return announceStop();
  const uint64_t marks = (input.returned ? kReturned : 0) | (input.nonFinite ? kNonFinite : 0) |
                         (input.result ? kResult : 0) | (input.givenNonFinite ? kGivenNonFinite : 0);
  row->instruction = input.instruction;
  row->activation = input.pushed == kNone ? generation_->frames().running() : generation_->frames().caller();
  row->pushed = input.pushed;
  row->timeAndMarks = std::min(input.nanoseconds, (uint64_t{1} << kTimeBits) - 1) | marks << kTimeBits;
  row->next = input.next;
  row->compileMicroseconds = static_cast<uint32_t>(std::min<uint64_t>(input.compileNanoseconds / 1000, kNone));
  if (input.returned) generation_->frames().pop(state());
  generation_->endStep(*row);
  space_->publish(header().recorded, ++recorded_);
  const bool isFull = generation_->used() >= fullAt_;
  if (isFull || (generation_->steps() >= enoughAt_ && isWorthCarrying()))
    turn(input.next, isFull ? DropReason::DiskBudget : DropReason::LastSteps);
}

void Writer::edit(std::span<const RegisterWrite> registers, std::span<const StorageWrite> writes) {
  bool done = stopped().empty() && generation_->edited(state());
  for (const RegisterWrite& write : registers)
    done = done && generation_->frames().set(write.activation, write.reg, write.value, state());
  for (const StorageWrite& write : writes) done = done && generation_->storages().write(write, true, state());
  if (!done) announceStop();
}

bool Writer::isWorthCarrying() const {
  constexpr uint64_t kLittle = 8 << 20;  // most of it what every generation makes ahead of its use
  return carried_ <= kLittle || generation_->used() >= 2 * carried_;
}

void Writer::turn(uint32_t next, DropReason why) {
  // What is carried over is read from the file, and may be dropped from there.
  if (!space_->settle() || (kept_.size() == kPastGenerations && !dropOldest(why))) return announceStop();
  const Kept full = {generation_->root(), generation_->used()};
  auto turned = Generation::begin(*space_, state(), next, generation_.get());
  space_->settle();
  if (turned && turned->used() >= fullAt_)
    space_->stop("what is alive in the program is more than half of the recording's budget on disk");
  if (!turned || !stopped().empty()) return announceStop();
  kept_.push_back(full);
  generation_ = std::move(turned);
  carried_ = generation_->used();
  publish();
}

bool Writer::dropOldest(DropReason why) {
  FileHeader& h = header();
  const Kept oldest = kept_.front();
  const uint64_t end = kept_.size() > 1 ? kept_[1].root : generation_->root();
  storeRelease(h.dropped, static_cast<uint32_t>(why));
  storeRelease(h.firstGeneration, h.firstGeneration + 1);
  kept_.erase(kept_.begin());
  if (dropped_ == 0) firstRoot_ = oldest.root;
  dropped_ = end;
  if (space_->free(oldest.root, end - oldest.root, oldest.used)) return true;
  space_->stop("the file system can not give room back, so no older steps can be dropped");
  return false;
}

void Writer::peak(uint64_t bytes) {
  FileHeader& h = header();
  if (bytes > h.peakBytes) storeRelease(h.peakBytes, bytes);
}

void Writer::finish(const RunEnd& end) {
  space_->settle();
  ByteOut out;
  encodeRunEnd(out, end);
  // What was kept free for the end is there for it.
  if (*policy_.diskBudget != 0) space_->limitDisk(*policy_.diskBudget, {});
  const uint64_t record = stopped().empty() ? generation_->heap().counted(out.bytes()) : 0;
  if (record == 0) return announceStop();
  generation_->trim();
  FileHeader& h = header();
  storeRelease(h.end, record);
  storeRelease(h.state, static_cast<uint32_t>(FileState::Finished));
  if (seal()) return;
  storeRelease(h.seal, uint64_t{0});
  storeRelease(h.state, static_cast<uint32_t>(FileState::Open));
  announceStop();
}

bool Writer::seal() {
  const uint64_t begin = (space_->end() + kPieceBytes - 1) / kPieceBytes * kPieceBytes;
  const uint64_t chunks = (begin + kHashedChunk - 1) / kHashedChunk;
  const uint64_t at = space_->take(sealBytes(chunks), kPieceBytes);
  if (at != begin || !space_->complete()) return false;
  storeRelease(header().seal, at);
  const auto bytesAt = [&](uint64_t offset, uint64_t bytes) {
    return std::string_view(reinterpret_cast<const char*>(space_->at(offset)), bytes);
  };
  std::vector<uint64_t> words(chunks + 1, chunks);
  const auto hash = [&](size_t chunk) {
    const uint64_t from = chunk * kHashedChunk, to = std::min(from + kHashedChunk, at);
    const bool gone = from >= firstRoot_ && to <= dropped_;
    words[chunk + 1] = gone ? 0 : chunkHash(bytesAt(from, to - from));
  };
  if (chunks < kFewChunks) {
    for (uint64_t chunk = 0; chunk < chunks; ++chunk) hash(chunk);
  } else {
    ThreadPool pool;
    parallelFor(pool, chunks, {}, hash);
  }
  std::string record(reinterpret_cast<const char*>(words.data()), words.size() * sizeof(uint64_t));
  const uint64_t own = chunkHash(record);
  record.append(reinterpret_cast<const char*>(&own), sizeof own);
  return space_->write(at, std::as_bytes(std::span(record)));
}

}  // namespace rx::store
