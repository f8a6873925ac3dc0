// core/store: the values of a run in one memory-mapped file. A step appends a row and a version of every cell
// (register, storage, piece of a storage) that it touched; versions of a cell are chained backwards with jump pointers,
// so that any state is found in a logarithm of its versions, forwards and backwards, without an index in memory.
//
// This header: the layout of the file. Numbers are little endian, offsets are bytes from the start of the file. The
// file is a header page and generations; a generation is a run's stretch of steps that needs nothing of the ones before
// it: it begins with what was alive then. Dropping the past is freeing the file's blocks of a whole generation.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace rx::store {

static_assert(std::endian::native == std::endian::little, "the file is mapped as it is");

inline constexpr std::string_view kMagicFamily = "rxtrace";  ///< of all recordings, whatever their version
inline constexpr std::string_view kMagic = "rxtrace4";
inline constexpr uint32_t kFormat = 5;       ///< layout behind the magic; a reader refuses larger ones
inline constexpr uint32_t kFirstSealed = 2;  ///< the layout from which on what is complete is sealed
inline constexpr uint32_t kFirstEdits = 3;   ///< and from which on states that were edited are listed; in the fourth
                                             ///< an allocation names the call that writes it,
                                             ///< in the fifth values of algebraic data say their constructor
inline constexpr int64_t kPieceBytes = 4096;
inline constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();
/// Values up to this size are kept under every policy: the record of their absence would be as large.
inline constexpr int64_t kAlwaysKept = 256;

/// A growing array of rows: segment k holds kFirstRows << k of them, so a row is found by its index alone.
inline constexpr uint64_t kFirstRows = 256;
inline constexpr size_t kSegments = 25;
struct TableRoot {
  uint64_t count;
  uint64_t segments[kSegments];  ///< offsets, 0 where there is none yet
};
/// Where a row lies.
struct RowPlace {
  size_t segment;
  uint64_t index;
};
constexpr RowPlace rowPlace(uint64_t row) {
  const uint64_t shifted = row + kFirstRows;
  const auto segment = static_cast<size_t>(std::bit_width(shifted) - std::bit_width(kFirstRows));
  return {segment, shifted - (kFirstRows << segment)};
}

/// One executed instruction; row i of a generation is step GenerationRoot::firstStep + i.
struct StepRow {
  uint32_t instruction;
  uint32_t activation;    ///< the frame it ran in
  uint32_t versionsEnd;   ///< its versions are those from the row before up to this index that are of the state behind
                          ///< it; those of the state before it are edits: nobody's step made them
  uint32_t pushed;        ///< activation that it called, kNone without
  uint64_t timeAndMarks;  ///< nanoseconds, and StepMark bits above kTimeBits
  uint32_t next;          ///< instruction that follows, kNone at the end of the run
  uint32_t compileMicroseconds;
};
static_assert(sizeof(StepRow) == 32);
inline constexpr unsigned kTimeBits = 48;
enum StepMark : uint16_t { kReturned = 1, kNonFinite = 2, kResult = 4, kGivenNonFinite = 8 };

/// The call of a function; rows are in the order of `number`.
struct ActivationRow {
  uint32_t number;
  uint32_t function;
  uint32_t parent;      ///< kNone of the outermost
  uint32_t firstState;  ///< the state behind the call
  uint32_t returnStep;  ///< kNone while it is alive
  uint32_t depth;       ///< 1 for the outermost
  uint32_t callInstruction;
  uint32_t registers;
  uint64_t heads;  ///< offset of the newest version (uint32_t) of each register, 0 for none
};
static_assert(sizeof(ActivationRow) == 40);

/// Memory of the run; rows are in the order of `number`.
struct StorageRow {
  uint32_t number;
  uint32_t bornState;
  uint32_t releasedState;  ///< kNone while it is alive
  uint32_t writes;         ///< newest version of the storage as a whole: its last write
  uint64_t bytes;
  uint64_t heads;      ///< offset of a PieceHead for each piece; 0 before the first write
  uint64_t reference;  ///< offset of the record of the file that its first content is in; 0: every byte is `fill`
  uint32_t fill;
  uint32_t device;  ///< where it lies, as the program numbers the devices from 1 on; 0: host memory
};
static_assert(sizeof(StorageRow) == 48);

/// The newest version of a piece. The hash only says what certainly differs.
struct PieceHead {
  uint32_t version;
  uint32_t hash;
};

enum class VersionKind : uint8_t {
  None,
  RegisterInline,     ///< payload: length in the lowest byte, then the encoded value
  RegisterDescribed,  ///< payload: offset of a counted record with the encoded value
  WriteWhole,         ///< payload: WriteFlag bits; every byte of the storage
  WritePart,          ///< payload: offset of a counted record: WriteFlag bits, offset, length, statistics
  PieceFill,          ///< payload: the value of every byte
  PieceInline,        ///< payload: up to eight bytes
  PieceData,          ///< payload: offset of the bytes
  PieceAbsent,        ///< payload: Absence
  WriteShort,         ///< payload: WriteFlag bits, offset and length, as shortWrite() packs them
  kCount
};
/// What kind of cell a version is of.
enum class CellKind : uint8_t { None, Register, Storage, Piece };
inline constexpr CellKind kCellOf[] = {CellKind::None,    CellKind::Register, CellKind::Register, CellKind::Storage,
                                       CellKind::Storage, CellKind::Piece,    CellKind::Piece,    CellKind::Piece,
                                       CellKind::Piece,   CellKind::Storage};
static_assert(std::size(kCellOf) == static_cast<size_t>(VersionKind::kCount));

enum WriteFlag : uint8_t { kChanged = 1, kKept = 2, kStatistics = 4, kOutput = 8 };
/// What of a write a payload holds, where it fits.
struct ShortWrite {
  uint64_t flags, offset, bytes;
};
inline constexpr unsigned kShortBits = 28;
constexpr bool fitsShort(uint64_t offset, uint64_t bytes) {
  return offset >> kShortBits == 0 && bytes >> kShortBits == 0;
}
constexpr uint64_t shortWrite(const ShortWrite& write) {
  return write.flags | write.offset << 8 | write.bytes << (8 + kShortBits);
}
constexpr ShortWrite shortWrite(uint64_t payload) {
  constexpr uint64_t mask = (uint64_t{1} << kShortBits) - 1;
  return {payload & 0xff, payload >> 8 & mask, payload >> (8 + kShortBits)};
}
/// Why bytes are not in the file.
enum class Absence : uint8_t { Policy = 1, Partial = 2, Budget = 3 };

/// What a cell holds from a state on. Index 0 of the table is no version.
struct Version {
  uint32_t state;
  uint32_t previous;      ///< of the same cell; 0 for none
  uint32_t jump;          ///< an older one, chosen so that any is reached in a logarithm of hops
  uint32_t depthAndKind;  ///< number of versions up to this one, and VersionKind above kDepthBits
  uint32_t owner;         ///< activation or storage
  uint32_t part;          ///< register or piece
  uint64_t payload;
};
static_assert(sizeof(Version) == 32);
inline constexpr unsigned kDepthBits = 28;
constexpr uint32_t depthOf(const Version& version) { return version.depthAndKind & ((1u << kDepthBits) - 1); }
constexpr VersionKind kindOf(const Version& version) {
  const uint32_t kind = version.depthAndKind >> kDepthBits;
  return kind < static_cast<uint32_t>(VersionKind::kCount) ? static_cast<VersionKind>(kind) : VersionKind::None;
}
constexpr CellKind cellOf(const Version& version) { return kCellOf[static_cast<size_t>(kindOf(version))]; }

/// A page of its own at the start of each generation.
struct GenerationRoot {
  uint32_t firstStep;      ///< also the first state that it knows
  uint32_t firstVersions;  ///< versions before this index are what held at the first state
  uint32_t next;           ///< instruction that follows the first state
  uint32_t nextActivation;
  TableRoot steps, activations, storages, versions;
  TableRoot edits;  ///< states (uint32_t) that somebody other than the program changed, in their order
};
static_assert(sizeof(GenerationRoot) <= 4096);

inline constexpr size_t kGenerations = 4;  ///< places for generations that are kept at a time
inline constexpr size_t kReasonBytes = 256;
enum class FileState : uint32_t {
  Open,      ///< being written, or its writer died
  Finished,  ///< with the run's end
  Stopped    ///< the writer gave up: `reason`
};

/// The first page. What `checksum` covers never changes.
struct FileHeader {
  char magic[8];
  uint32_t format;
  uint32_t unused;
  uint64_t program;  ///< offset of its bytes
  uint64_t programBytes;
  uint64_t programHash;  ///< XXH3 of them
  uint64_t checksum;     ///< XXH3 of the header before it
  // From here on the writer changes it while readers look, each field with release order.
  uint64_t recorded;  ///< steps that are whole: the commit mark
  uint64_t peakBytes;
  uint32_t begun;            ///< 1 behind the outermost call
  uint32_t firstGeneration;  ///< the oldest that is kept, counted from the first of the run
  uint32_t generationsEnd;
  uint32_t dropped;                    ///< DropReason of the oldest generations
  uint64_t generations[kGenerations];  ///< offset of number n at n % kGenerations
  uint64_t end;                        ///< offset of the counted record of the run's end, 0 without
  uint32_t state;                      ///< FileState
  uint32_t keep;                       ///< Keep, and the numbers of Policy
  uint64_t policySteps, diskBudget, memoryBudget;
  char reason[kReasonBytes];  ///< of Stopped, ending with a zero
  uint64_t seal;              ///< offset of the Seal of a complete file, 0 without
};
static_assert(sizeof(FileHeader) <= 4096);

/// Behind all else of a complete file: how many chunks (kHashedChunk) are before it, the hash of each, and the hash of
/// this record up to there, in 64 bits each. The hash of a chunk that lies in what was dropped is 0: nobody reads it.
constexpr uint64_t sealBytes(uint64_t chunks) { return (chunks + 2) * sizeof(uint64_t); }

/// Between the writer and readers of the mapped file.
template <class T>
T loadAcquire(const T& place) {
  return __atomic_load_n(&place, __ATOMIC_ACQUIRE);
}
template <class T>
void storeRelease(T& place, T value) {
  __atomic_store_n(&place, value, __ATOMIC_RELEASE);
}

}  // namespace rx::store
