#include "core/store/storage_log.h"

#include <algorithm>
#include <cstring>

#include "core/store/stats_coding.h"

namespace rx::store {
namespace {

uint64_t pieceCount(uint64_t bytes) { return (bytes + kPieceBytes - 1) / kPieceBytes; }

uint64_t pieceSize(const StorageRow& row, uint32_t number) {
  return std::min<uint64_t>(kPieceBytes, row.bytes - uint64_t{number} * kPieceBytes);
}

}  // namespace

bool StorageLog::declare(StorageRow row) {
  StorageRow* place = table_.next();
  if (!place) return false;
  *place = row;
  table_.push();
  alive_[row.number] = {place, nullptr};
  return true;
}

bool StorageLog::refer(uint32_t number, const FileReference& reference, uint32_t state) {
  record_.clear();
  encodeReference(record_, reference);
  const uint64_t record = heap_.counted(record_.bytes());
  return record != 0 && declare({number, state, kNone, 0, reference.bytes, 0, record, 0, 0});
}

bool StorageLog::content(uint32_t number, std::span<const std::byte> bytes, std::optional<Absence> absent,
                         uint32_t state) {
  bool changed = false;
  return pieces(alive_.at(number), 0, bytes, absent, state, changed);
}

void StorageLog::release(uint32_t number, uint32_t state) {
  const Alive* storage = find(number);
  RX_ASSERT(storage, "storage {} is released, which is not alive", number);
  storeRelease(storage->row->releasedState, state);
  recent_[number % recent_.size()] = nullptr;
  alive_.erase(number);
}

StorageLog::Alive* StorageLog::find(uint32_t number) {
  Alive*& recent = recent_[number % recent_.size()];
  if (recent && recent->row->number == number) return recent;
  const auto at = alive_.find(number);
  if (at == alive_.end()) return nullptr;
  return recent = &at->second;
}

bool StorageLog::write(const StorageWrite& write, bool kept, uint32_t state) {
  Alive* const found = find(write.storage);
  RX_ASSERT(found, "storage {} is written, which is not alive", write.storage);
  Alive& storage = *found;
  StorageRow& row = *storage.row;
  RX_ASSERT(write.offset <= row.bytes && write.bytes.size() <= row.bytes - write.offset,
            "{} bytes from {} on are written to storage {} of {}", write.bytes.size(), write.offset, write.storage,
            row.bytes);
  kept = kept || row.bytes <= static_cast<uint64_t>(kAlwaysKept);
  bool changed = false;
  const std::optional<Absence> absent = kept ? std::nullopt : std::optional(Absence::Policy);
  if (!pieces(storage, write.offset, write.bytes, absent, state, changed)) return false;
  const uint64_t flags = (changed ? kChanged : 0) | (kept ? kKept : 0) | (write.statistics ? kStatistics : 0) |
                         (write.output ? kOutput : 0);
  VersionKind kind = VersionKind::WriteWhole;
  uint64_t payload = flags;
  const bool whole = write.bytes.size() == row.bytes;
  if (!whole && !write.statistics && fitsShort(write.offset, write.bytes.size())) {
    kind = VersionKind::WriteShort;
    payload = shortWrite({flags, write.offset, write.bytes.size()});
  } else if (!whole || write.statistics) {
    record_.clear();
    for (uint64_t number : {flags, write.offset, static_cast<uint64_t>(write.bytes.size())}) record_.number(number);
    if (write.statistics) encodeStats(record_, *write.statistics);
    kind = VersionKind::WritePart;
    payload = heap_.counted(record_.bytes());
    if (payload == 0) return false;
  }
  const uint32_t head = versions_.append(row.writes, kind, state, write.storage, 0, payload);
  if (head != 0) storeRelease(row.writes, head);
  return head != 0;
}

bool StorageLog::openHeads(Alive& storage) {
  if (storage.heads) return true;
  const uint64_t count = pieceCount(storage.row->bytes);
  // A version counts pieces in 32 bits.
  if (count >= kNone) space_.stop("a storage has more pieces than a recording can count");
  const uint64_t heads = heap_.allocate(count * sizeof(PieceHead));
  if (heads == 0) return false;
  storeRelease(storage.row->heads, heads);
  storage.heads = &space_.as<PieceHead>(heads);
  return true;
}

bool StorageLog::pieces(Alive& storage, uint64_t offset, std::span<const std::byte> bytes,
                        std::optional<Absence> absent, uint32_t state, bool& changed) {
  if (bytes.empty()) return true;
  if (!openHeads(storage)) return false;
  while (!bytes.empty()) {
    const uint64_t inside = offset % kPieceBytes;
    const size_t size = std::min<size_t>(bytes.size(), kPieceBytes - inside);
    const Part part{static_cast<uint32_t>(offset / kPieceBytes), inside, bytes.first(size)};
    if (!piece(storage, part, absent, state, changed)) return false;
    offset += size;
    bytes = bytes.subspan(size);
  }
  return pool_.flush();
}

bool StorageLog::piece(Alive& storage, const Part& part, std::optional<Absence> absent, uint32_t state, bool& changed) {
  const uint64_t size = pieceSize(*storage.row, part.number);
  const bool whole = part.bytes.size() == size;
  std::optional<std::span<const std::byte>> now = part.bytes;
  if (!absent && !whole) now = merged(storage, part, size);
  const PieceHead head = storage.heads[part.number];
  if (absent || !now) {
    changed = true;
    const auto why = static_cast<uint64_t>(absent.value_or(Absence::Partial));
    return put(storage, part.number, VersionKind::PieceAbsent, why, 0, state);
  }
  const Version* const last = head.version ? &versions_[head.version] : nullptr;
  const auto holds = [&](VersionKind kind, uint64_t payload) {
    return last && kindOf(*last) == kind && last->payload == payload;
  };
  VersionKind kind = VersionKind::PieceData;
  uint64_t payload = 0;
  uint32_t hash = 0;
  if (const auto fill = uniformByte(*now)) {
    kind = VersionKind::PieceFill;
    payload = static_cast<uint64_t>(*fill);
    if (last ? holds(kind, payload) : storage.row->reference == 0 && storage.row->fill == payload) return true;
  } else if (size <= sizeof payload) {
    kind = VersionKind::PieceInline;
    for (size_t i = 0; i < size; ++i) payload |= static_cast<uint64_t>((*now)[i]) << 8 * i;
    if (holds(kind, payload)) return true;
  } else {
    hash = PiecePool::hashOf(*now);
    if (last && kindOf(*last) == kind && head.hash == hash) {
      const std::byte* before = pool_.read(last->payload);
      if (!before) return false;
      if (std::memcmp(before, now->data(), size) == 0) return true;
    }
    payload = pool_.keep(*now, hash);
    // A merged piece lies in scratch memory, which the next one needs.
    if (payload == 0 || (!whole && !pool_.flush())) return false;
  }
  changed = true;
  return put(storage, part.number, kind, payload, hash, state);
}

bool StorageLog::put(Alive& storage, uint32_t number, VersionKind kind, uint64_t payload, uint32_t hash,
                     uint32_t state) {
  PieceHead& head = storage.heads[number];
  const uint32_t version = versions_.append(head.version, kind, state, storage.row->number, number, payload);
  if (version == 0) return false;
  head.hash = hash;
  storeRelease(head.version, version);
  return true;
}

std::optional<std::span<const std::byte>> StorageLog::merged(const Alive& storage, const Part& part, uint64_t size) {
  const std::span<std::byte> piece(scratch_.data(), size);
  if (!before(storage, part.number, piece)) return {};
  std::memcpy(piece.data() + part.offset, part.bytes.data(), part.bytes.size());
  return piece;
}

bool StorageLog::before(const Alive& storage, uint32_t number, std::span<std::byte> to) {
  const uint32_t head = storage.heads[number].version;
  if (head == 0) {
    std::memset(to.data(), static_cast<int>(storage.row->fill), to.size());
    if (storage.row->reference == 0) return true;
    FileReference reference;
    ByteIn in(heap_.countedAt(storage.row->reference));
    if (!decodeReference(in, reference)) return false;
    auto bytes = files_.read(reference);
    if (!bytes) return false;
    std::memcpy(to.data(), bytes->data() + uint64_t{number} * kPieceBytes, to.size());
    return true;
  }
  const Version& version = versions_[head];
  switch (kindOf(version)) {
    case VersionKind::PieceFill:
      std::memset(to.data(), static_cast<int>(version.payload), to.size());
      return true;
    case VersionKind::PieceInline:
      std::memcpy(to.data(), &version.payload, to.size());
      return true;
    case VersionKind::PieceData: {
      const std::byte* bytes = pool_.read(version.payload);
      if (bytes) std::memcpy(to.data(), bytes, to.size());
      return bytes != nullptr;
    }
    default:
      return false;
  }
}

bool StorageLog::carry(const StorageLog& old) {
  std::vector<uint32_t> numbers;
  for (const auto& [number, storage] : old.alive_) numbers.push_back(number);
  std::sort(numbers.begin(), numbers.end());
  for (uint32_t number : numbers) {
    const Alive& from = old.alive_.at(number);
    StorageRow row = *from.row;
    row.writes = 0;
    row.heads = 0;
    if (row.reference) row.reference = heap_.counted(old.heap_.countedAt(row.reference));
    if (!declare(row)) return false;
    Alive& to = alive_.at(number);
    if (from.row->writes != 0) {
      Version last = old.versions_[from.row->writes];
      const VersionKind kind = kindOf(last);
      if (kind == VersionKind::WritePart) last.payload = heap_.counted(old.heap_.countedAt(last.payload));
      if (!space_.stopped().empty()) return false;
      to.row->writes = versions_.append(0, kind, last.state, last.owner, last.part, last.payload);
    }
    if (from.heads && (!openHeads(to) || !carryPieces(from, to, old))) return false;
  }
  return pool_.flush() && space_.stopped().empty();
}

bool StorageLog::carryPieces(const Alive& from, Alive& to, const StorageLog& old) {
  const uint64_t count = pieceCount(from.row->bytes);
  for (uint64_t i = 0; i < count; ++i) {
    const PieceHead head = from.heads[i];
    if (head.version == 0) continue;
    const auto number = static_cast<uint32_t>(i);
    const Version& version = old.versions_[head.version];
    uint64_t payload = version.payload;
    if (kindOf(version) == VersionKind::PieceData) {
      const std::span<const std::byte> bytes(space_.at(payload), pieceSize(*from.row, number));
      payload = pool_.keep(bytes, PiecePool::hashOf(bytes));
      if (payload == 0) return false;
    }
    if (!put(to, number, kindOf(version), payload, head.hash, version.state)) return false;
  }
  return true;
}

}  // namespace rx::store
