// Storages and their bytes.
#include <algorithm>
#include <new>

#include "core/store/reader.h"
#include "core/store/stats_coding.h"

namespace rx::store {
namespace {

/// Bytes that one question may ask for; larger values are read in slices.
constexpr uint64_t kMostBytes = uint64_t{1} << 36;

Failure damagedStorage(uint32_t number) {
  return fail("store.damaged", fmt::format("the recording is damaged: storage {} is not as it was written", number));
}

const char* absenceText(Absence absence) {
  if (absence == Absence::Partial) return "the bytes around a part that was written later are not kept";
  if (absence == Absence::Budget) return "what the run started from is larger than the recording's budget on disk";
  return "the recording's policy keeps no bytes of what this step wrote";
}

uint64_t pieceBegin(uint64_t piece) { return piece * kPieceBytes; }

/// Joined to the last span where it goes on there.
void append(std::vector<std::span<const std::byte>>& spans, std::span<const std::byte> more) {
  if (!spans.empty() && spans.back().data() + spans.back().size() == more.data()) {
    spans.back() = {spans.back().data(), spans.back().size() + more.size()};
  } else {
    spans.push_back(more);
  }
}

}  // namespace

std::optional<StorageInfo> Reader::infoOf(const StorageRow& row) const {
  StorageInfo info{row.number, row.bytes, row.bornState, row.releasedState, row.device, {}};
  if (row.reference == 0) return info;
  const auto record = file_->counted(row.reference);
  FileReference reference;
  ByteIn in(record.value_or(std::string_view()));
  if (!decodeReference(in, reference) || reference.bytes != row.bytes) return {};
  info.reference = std::move(reference);
  return info;
}

Result<StorageInfo> Reader::storage(uint32_t state, uint32_t number) const {
  RX_CHECK(checkState(state));
  const auto row = generationOf(state)->storage(number);
  if (!row && oldest() > 0)
    return fail("store.not-kept",
                fmt::format("its memory was given back before state {}, the oldest that is kept", oldest()));
  if (!row || row->bornState > state)
    return fail("store.place", fmt::format("there is no storage {} at state {}", number, state));
  auto info = infoOf(*row);
  if (!info) return damagedStorage(number);
  return std::move(*info);
}

Result<std::vector<std::span<const std::byte>>> Reader::spansAt(uint32_t state, uint32_t storage, uint64_t offset,
                                                                uint64_t length) const {
  RX_TRY(info, this->storage(state, storage));
  if (offset > info.bytes || length > info.bytes - offset)
    return fail("store.place",
                fmt::format("storage {} has {} bytes, not {} from {} on", storage, info.bytes, length, offset));
  if (length > kMostBytes) return fail("store.place", fmt::format("{} bytes are more than is read at a time", length));
  const GenerationView& generation = *generationOf(state);
  const auto row = generation.storage(storage);
  if (!row) return damagedStorage(storage);
  Spans spans;
  if (row->heads == 0 && row->reference != 0 && length > 0) {
    RX_TRY(whole, firstContent(*row, offset, offset + length));
    return Spans{whole};
  }
  for (uint64_t at = offset; at < offset + length;) {
    const uint64_t to = std::min(offset + length, pieceBegin(at / kPieceBytes + 1));
    RX_CHECK(addPiece(generation, *row, state, at, to, spans));
    at = to;
  }
  // What the writer dropped meanwhile may have been gone before it was looked at.
  const auto first = file_->load<uint32_t>(offsetof(FileHeader, firstGeneration));
  const auto place =
      file_->load<uint64_t>(offsetof(FileHeader, generations) + first.value_or(0) % kGenerations * sizeof(uint64_t));
  const auto kept = place ? file_->read<GenerationRoot>(*place) : std::nullopt;
  if (kept && kept->firstStep > state) return notKept(state);
  return spans;
}

Result<Unit> Reader::addPiece(const GenerationView& generation, const StorageRow& row, uint32_t state, uint64_t from,
                              uint64_t to, Spans& spans) const {
  const auto piece = static_cast<uint32_t>(from / kPieceBytes);
  const auto head = generation.head(row, piece);
  const auto found = head ? generation.around(*head, {CellKind::Piece, row.number, piece}, state) : std::nullopt;
  if (!found) return damagedStorage(row.number);
  const uint64_t begin = from - pieceBegin(piece), size = to - from;
  if (found->at == 0) {
    RX_TRY(first, firstContent(row, from, to));
    append(spans, first);
    return Unit();
  }
  const Version version = *generation.version(found->at);
  const std::byte* bytes = nullptr;
  switch (kindOf(version)) {
    case VersionKind::PieceFill:
      append(spans, filled(static_cast<std::byte>(version.payload), size));
      return Unit();
    case VersionKind::PieceInline:
      // A piece of a few bytes lies in its version, which is found again to have it mapped.
      if (to <= pieceBegin(piece) + sizeof(version.payload)) bytes = generation.payload(found->at);
      break;
    case VersionKind::PieceData:
      bytes = file_->at(version.payload, begin + size);
      break;
    default:
      return fail("store.not-kept", absenceText(static_cast<Absence>(version.payload)));
  }
  if (!bytes) return damagedStorage(row.number);
  append(spans, {bytes + begin, size});
  return Unit();
}

Result<std::span<const std::byte>> Reader::firstContent(const StorageRow& row, uint64_t from, uint64_t to) const {
  if (row.reference == 0) return filled(static_cast<std::byte>(row.fill), to - from);
  const auto info = infoOf(row);
  if (!info) return damagedStorage(row.number);
  RX_TRY(bytes, references_.read(*info->reference));
  return bytes.subspan(from, to - from);
}

std::span<const std::byte> Reader::filled(std::byte value, uint64_t bytes) const {
  std::vector<std::byte>& piece = fills_[value];
  if (piece.empty()) piece.assign(kPieceBytes, value);
  return std::span(piece).first(bytes);
}

Result<Bytes> Reader::bytesAt(uint32_t state, uint32_t storage, uint64_t offset, uint64_t length) const {
  RX_TRY(spans, spansAt(state, storage, offset, length));
  if (spans.size() == 1) return Bytes(spans.front());
  std::unique_ptr<std::byte[]> copy(new (std::nothrow) std::byte[std::max<uint64_t>(length, 1)]);
  if (!copy) return fail("store.place", fmt::format("there is no memory for {} bytes", length));
  std::byte* to = copy.get();
  for (const auto& span : spans) to = std::copy(span.begin(), span.end(), to);
  return Bytes(std::move(copy), length);
}

std::optional<Changes::Write> Reader::writeOf(const Version& version) const {
  Changes::Write write;
  write.storage = version.owner;
  uint64_t flags = version.payload;
  if (kindOf(version) == VersionKind::WriteShort) {
    const ShortWrite small = shortWrite(version.payload);
    flags = small.flags;
    write.offset = small.offset;
    write.bytes = small.bytes;
  } else if (kindOf(version) == VersionKind::WritePart) {
    const auto record = file_->counted(version.payload);
    ByteIn in(record.value_or(std::string_view()));
    flags = in.number();
    write.offset = in.number();
    write.bytes = in.number();
    if (flags & kStatistics) write.statistics = decodeStats(in);
    if (!in.ok()) return {};
  }
  write.changed = (flags & kChanged) != 0;
  write.kept = (flags & kKept) != 0;
  write.output = (flags & kOutput) != 0;
  return write;
}

Touches Reader::writeTouches(uint32_t state, uint32_t storage) const {
  return touches(state, [&](const GenerationView& generation, uint32_t at) {
    const auto row = generation.storage(storage);
    return row ? statesOf(generation, generation.around(row->writes, {CellKind::Storage, storage, 0}, at)) : Around{};
  });
}

std::optional<uint32_t> Reader::nextWrite(uint32_t state) const {
  if (!checkState(state)) return {};
  const GenerationView* const end = generations_.data() + generations_.size();
  for (const GenerationView* at = generationOf(state); at < end; ++at) {
    const auto range = at->versionsFrom(std::max(state, at->firstStep()));
    std::optional<Version> version;
    for (uint32_t i = range ? range->first : kNone; i < kNone && (version = at->version(i)); ++i) {
      if (cellOf(*version) != CellKind::Storage || version->state <= state) continue;
      return version->state <= recorded_ ? std::optional(version->state - 1) : std::nullopt;
    }
  }
  return {};
}

std::optional<uint32_t> Reader::lastWrite(uint32_t state) const {
  if (!checkState(state)) return {};
  for (auto number = generationOf(state) - generations_.data(); number >= 0; --number) {
    const GenerationView& generation = generations_[static_cast<size_t>(number)];
    const auto range = generation.versionsFrom(state);
    std::optional<Version> version;
    for (uint32_t i = range ? range->first : 0; i > generation.firstVersions() && (version = generation.version(i - 1));
         --i)
      if (cellOf(*version) == CellKind::Storage && version->state > 0) return version->state - 1;
    state = generation.firstStep();
  }
  return {};
}

bool Reader::writtenIn(const GenerationView& generation, const StorageRow& row, uint32_t state, uint64_t offset,
                       uint64_t length) const {
  const Cell cell{CellKind::Storage, row.number, 0};
  if (state < row.bornState) return false;
  // What was written before the generation began is not told range by range any more. What a storage held from the
  // start has the state that it was born in, and is no write; an edit may have that state too.
  if (state > row.bornState && state <= generation.firstStep()) return true;
  const auto found = generation.around(row.writes, cell, state);
  for (uint32_t at = found ? found->at : 0; at != 0;) {
    const auto version = generation.version(at);
    if (!version || cellOf(*version) != cell.kind || version->owner != cell.owner || version->state != state)
      return false;
    const auto write = writeOf(*version);
    if (!write) return false;
    if (kindOf(*version) == VersionKind::WriteWhole) return true;
    if (write->offset < offset + length && offset < write->offset + write->bytes) return true;
    if (version->previous >= at) return false;
    at = version->previous;
  }
  return false;
}

Reader::Around Reader::changesAround(const GenerationView& generation, const StorageRow& row, uint64_t offset,
                                     uint64_t length, uint32_t state) const {
  Around around;
  for (uint64_t piece = offset / kPieceBytes; pieceBegin(piece) < offset + length; ++piece) {
    const auto number = static_cast<uint32_t>(piece);
    const auto head = generation.head(row, number);
    if (!head || *head == 0) continue;
    const Around one = statesOf(generation, generation.around(*head, {CellKind::Piece, row.number, number}, state));
    if (one.last) around.last = std::max(around.last.value_or(0), *one.last);
    if (one.next) around.next = std::min(around.next.value_or(kNone), *one.next);
  }
  return around;
}

Touches Reader::changeTouches(uint32_t state, uint32_t storage, uint64_t offset, uint64_t length) const {
  return touches(state, [&](const GenerationView& generation, uint32_t at) {
    const auto row = generation.storage(storage);
    if (!row || row->heads == 0 || offset > row->bytes || length > row->bytes - offset) return Around{};
    // A version of a piece may be of a write beside the range: then the search goes on from there.
    Around found = changesAround(generation, *row, offset, length, at);
    while (found.next && !writtenIn(generation, *row, *found.next, offset, length))
      found.next = changesAround(generation, *row, offset, length, *found.next).next;
    while (found.last && !writtenIn(generation, *row, *found.last, offset, length))
      found.last =
          *found.last > 0 ? changesAround(generation, *row, offset, length, *found.last - 1).last : std::nullopt;
    return found;
  });
}

}  // namespace rx::store
