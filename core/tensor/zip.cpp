#include "core/tensor/zip.h"

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>

#include "core/support/memory_limit.h"

namespace rx {
namespace {

constexpr uint32_t kLocalHeader = 0x04034b50;
constexpr uint32_t kCentralHeader = 0x02014b50;
constexpr uint32_t kEnd = 0x06054b50;
constexpr uint32_t kEnd64 = 0x06064b50;
constexpr uint32_t kEndLocator64 = 0x07064b50;
constexpr uint16_t kStored = 0;
constexpr uint16_t kDeflated = 8;
constexpr uint16_t kZip64Field = 1;
// Deflate can not expand by more than this, so a larger declared size is a lie.
constexpr uint64_t kMaxDeflateRatio = 1040;

template <class T>
T little(std::string_view bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

template <class T>
void append(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

Failure damaged(const std::string& what) { return fail("npz.zip", "the archive is damaged: " + what); }

struct Directory {
  uint64_t entries = 0;
  uint64_t offset = 0;
  uint64_t end = 0;  ///< where the records behind it begin
};

Result<Directory> findDirectory(std::string_view archive) {
  constexpr size_t kEndSize = 22;
  if (archive.size() < kEndSize) return fail("npz.zip", "this is not a zip archive");
  const size_t lowest = archive.size() - std::min(archive.size(), kEndSize + 0xffff);
  for (size_t at = archive.size() - kEndSize + 1; at-- > lowest;) {
    if (little<uint32_t>(archive, at) != kEnd) continue;
    if (at + kEndSize + little<uint16_t>(archive, at + 20) != archive.size()) continue;
    Directory found{little<uint16_t>(archive, at + 10), little<uint32_t>(archive, at + 16), at};
    const bool needs64 = found.entries == 0xffff || found.offset == 0xffffffff;
    if (needs64 && at >= 20 && little<uint32_t>(archive, at - 20) == kEndLocator64) {
      const auto record = little<uint64_t>(archive, at - 12);
      if (record > archive.size() || archive.size() - record < 56 || little<uint32_t>(archive, record) != kEnd64) {
        return damaged("its zip64 end record is missing");
      }
      found = {little<uint64_t>(archive, record + 32), little<uint64_t>(archive, record + 48), record};
    }
    return found;
  }
  return fail("npz.zip", "this is not a zip archive, or it is cut off");
}

struct Central {
  std::string name;
  uint16_t flags = 0;
  uint16_t method = 0;
  uint32_t crc = 0;
  uint64_t packed = 0;
  uint64_t size = 0;
  uint64_t local = 0;
  size_t next = 0;
};

/// Takes the 64-bit values out of the zip64 extra field for those 32-bit fields that are all ones.
void applyZip64(std::string_view extra, Central& entry) {
  while (extra.size() >= 4) {
    const auto id = little<uint16_t>(extra, 0);
    const auto length = little<uint16_t>(extra, 2);
    extra.remove_prefix(4);
    if (length > extra.size()) return;
    std::string_view field = extra.substr(0, length);
    extra.remove_prefix(length);
    if (id != kZip64Field) continue;
    for (uint64_t* value : {&entry.size, &entry.packed, &entry.local}) {
      if (*value != 0xffffffff || field.size() < 8) continue;
      *value = little<uint64_t>(field, 0);
      field.remove_prefix(8);
    }
  }
}

Result<Central> readCentral(std::string_view archive, size_t at) {
  if (at > archive.size() || archive.size() - at < 46 || little<uint32_t>(archive, at) != kCentralHeader) {
    return damaged("a directory entry is missing");
  }
  const auto flags = little<uint16_t>(archive, at + 8);
  Central entry;
  entry.flags = flags;
  entry.method = little<uint16_t>(archive, at + 10);
  entry.crc = little<uint32_t>(archive, at + 16);
  entry.packed = little<uint32_t>(archive, at + 20);
  entry.size = little<uint32_t>(archive, at + 24);
  entry.local = little<uint32_t>(archive, at + 42);
  const size_t nameLength = little<uint16_t>(archive, at + 28);
  const size_t extraLength = little<uint16_t>(archive, at + 30);
  const size_t commentLength = little<uint16_t>(archive, at + 32);
  if (archive.size() - at - 46 < nameLength + extraLength + commentLength)
    return damaged("a directory entry is cut off");
  entry.name = archive.substr(at + 46, nameLength);
  applyZip64(archive.substr(at + 46 + nameLength, extraLength), entry);
  entry.next = at + 46 + nameLength + extraLength + commentLength;
  if (flags & 1) return fail("npz.zip", fmt::format("entry \"{}\" is encrypted", escapedForDisplay(entry.name)));
  return entry;
}

/// The first `most` bytes of an entry of `size` bytes.
Result<std::string> inflateBytes(std::string_view packed, uint64_t size, uint64_t most, const std::string& name) {
  if (size / kMaxDeflateRatio > packed.size()) {
    return fail("npz.size",
                fmt::format("entry \"{}\" claims {} bytes out of {}", escapedForDisplay(name), size, packed.size()));
  }
  const bool cut = most < size;
  std::string out(std::min(size, most), '\0');
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return fail("npz.zip", "zlib can not start");
  constexpr uint64_t kChunk = 1U << 30;
  uint64_t consumed = 0;
  uint64_t produced = 0;
  int status = Z_OK;
  while (status == Z_OK) {
    const uint64_t in = std::min(kChunk, packed.size() - consumed);
    const uint64_t room = std::min(kChunk, out.size() - produced);
    if (cut && room == 0) break;
    char spare = 0;
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + consumed));
    stream.avail_in = static_cast<uInt>(in);
    stream.next_out = reinterpret_cast<Bytef*>(room ? out.data() + produced : &spare);
    stream.avail_out = static_cast<uInt>(room ? room : 1);
    status = inflate(&stream, Z_NO_FLUSH);
    consumed += in - stream.avail_in;
    if (room == 0 && stream.avail_out == 0) {
      status = Z_DATA_ERROR;  // more data than declared
      break;
    }
    produced += room ? room - stream.avail_out : 0;
    if (status == Z_OK && stream.avail_in == 0 && consumed == packed.size()) status = Z_BUF_ERROR;
  }
  inflateEnd(&stream);
  if (cut ? produced != most : status != Z_STREAM_END || produced != size) {
    return damaged(
        fmt::format("entry \"{}\" does not inflate to its declared {} bytes", escapedForDisplay(name), size));
  }
  return out;
}

uint32_t checksum(std::string_view bytes) {
  return static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

/// Where the bytes of an entry begin, behind its own header.
Result<uint64_t> contentOf(std::string_view archive, const Central& entry) {
  const std::string shown = escapedForDisplay(entry.name);
  if (entry.local > archive.size() || archive.size() - entry.local < 30 ||
      little<uint32_t>(archive, entry.local) != kLocalHeader) {
    return damaged(fmt::format("entry \"{}\" has no header", shown));
  }
  const size_t nameLength = little<uint16_t>(archive, entry.local + 26);
  const size_t headerEnd = entry.local + 30 + nameLength + little<uint16_t>(archive, entry.local + 28);
  if (headerEnd > archive.size() || entry.packed > archive.size() - headerEnd) {
    return fail("npz.size", fmt::format("entry \"{}\" claims {} bytes, the archive is shorter", shown, entry.packed));
  }
  if (archive.substr(entry.local + 30, nameLength) != entry.name)
    return damaged(fmt::format("entry \"{}\" has another name in its own header", shown));
  return headerEnd;
}

/// Entries have to lie one after the other: what two of them share, or none of them has, could be anything.
Result<Unit> checkPlaces(std::vector<std::pair<Central, uint64_t>> entries, uint64_t directory) {
  constexpr uint16_t kDescribedBehind = 8;
  constexpr uint64_t kLongestDescription = 24;
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.first.local < b.first.local; });
  uint64_t used = 0, mayLack = 0;
  for (const auto& [entry, content] : entries) {
    if (entry.local < used || entry.local - used > mayLack)
      return damaged(fmt::format("entry \"{}\" begins at byte {}, where the one before it ends at {}",
                                 escapedForDisplay(entry.name), entry.local, used));
    used = content + entry.packed;
    mayLack = entry.flags & kDescribedBehind ? kLongestDescription : 0;
  }
  if (directory < used || directory - used > mayLack)
    return damaged(fmt::format("its entries end at byte {}, its directory begins at {}", used, directory));
  return Unit{};
}

Result<ZipPart> readEntry(std::string_view archive, const Central& entry, uint64_t content, uint64_t most) {
  const std::string shown = escapedForDisplay(entry.name);
  const std::string_view packed = archive.substr(content, entry.packed);
  ZipPart result{entry.name, entry.size, {}, nullptr};
  if (entry.method == kStored) {
    if (entry.size != entry.packed) return damaged(fmt::format("entry \"{}\" has two different sizes", shown));
    result.bytes = packed.substr(0, most);
  } else if (entry.method == kDeflated) {
    RX_TRY(bytes, inflateBytes(packed, entry.size, most, entry.name));
    result.owner = std::make_shared<const std::string>(std::move(bytes));
    result.bytes = *result.owner;
  } else {
    return fail("npz.zip",
                fmt::format("entry \"{}\" uses compression method {}; stored (0) and deflate (8) can be read", shown,
                            entry.method));
  }
  if (result.bytes.size() == entry.size && checksum(result.bytes) != entry.crc)
    return damaged(fmt::format("entry \"{}\" fails its checksum", shown));
  return result;
}

Result<std::string> deflateBytes(std::string_view bytes) {
  z_stream stream = {};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    return fail("npz.zip", "zlib can not start");
  }
  std::string out;
  std::string buffer(1 << 18, '\0');
  constexpr size_t kChunk = 1U << 30;
  int status = Z_OK;
  do {
    if (stream.avail_in == 0) {
      const size_t take = std::min(kChunk, bytes.size());
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
      stream.avail_in = static_cast<uInt>(take);
      bytes.remove_prefix(take);
    }
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    status = deflate(&stream, bytes.empty() ? Z_FINISH : Z_NO_FLUSH);
    out.append(buffer, 0, buffer.size() - stream.avail_out);
  } while (status == Z_OK || status == Z_BUF_ERROR);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) return fail("npz.zip", "zlib can not compress");
  return out;
}

struct Written {
  uint64_t size;
  uint64_t packed;
  uint64_t offset;
  uint32_t crc;
};

/// The fields that the local and the central header share; sizes are always in the zip64 field.
void appendCommon(std::string& out, const ZipEntry& entry, const Written& written, uint16_t method, uint16_t extra) {
  constexpr uint16_t kVersionZip64 = 45;
  constexpr uint16_t kFirstDosDate = 0x21;  // 1980-01-01: the same input always gives the same archive
  append<uint16_t>(out, kVersionZip64);
  append<uint16_t>(out, 0x0800);  // the name is UTF-8
  append<uint16_t>(out, method);
  append<uint16_t>(out, 0);
  append<uint16_t>(out, kFirstDosDate);
  append<uint32_t>(out, written.crc);
  append<uint32_t>(out, 0xffffffff);
  append<uint32_t>(out, 0xffffffff);
  append<uint16_t>(out, static_cast<uint16_t>(entry.name.size()));
  append<uint16_t>(out, extra);
}

void appendSizes(std::string& out, const Written& written, uint16_t length) {
  append<uint16_t>(out, kZip64Field);
  append<uint16_t>(out, length);
  append<uint64_t>(out, written.size);
  append<uint64_t>(out, written.packed);
  if (length == 24) append<uint64_t>(out, written.offset);
}

void appendEnd(std::string& out, uint64_t entries, uint64_t start) {
  const uint64_t end = out.size();
  append<uint32_t>(out, kEnd64);
  append<uint64_t>(out, 44);
  append<uint16_t>(out, 45);
  append<uint16_t>(out, 45);
  append<uint64_t>(out, 0);
  append<uint64_t>(out, entries);
  append<uint64_t>(out, entries);
  append<uint64_t>(out, end - start);
  append<uint64_t>(out, start);
  append<uint32_t>(out, kEndLocator64);
  append<uint32_t>(out, 0);
  append<uint64_t>(out, end);
  append<uint32_t>(out, 1);
  append<uint32_t>(out, kEnd);
  append<uint32_t>(out, 0);
  append<uint32_t>(out, 0xffffffff);
  append<uint32_t>(out, 0xffffffff);
  append<uint32_t>(out, 0xffffffff);
  append<uint16_t>(out, 0);
}

}  // namespace

Result<std::vector<ZipPart>> readZip(std::string_view archive, uint64_t most) {
  RX_TRY(directory, findDirectory(archive));
  std::vector<std::pair<Central, uint64_t>> found;
  uint64_t at = directory.offset, packed = 0, inflated = 0;
  for (uint64_t i = 0; i < directory.entries; ++i) {
    RX_TRY(central, readCentral(archive, at));
    RX_TRY(content, contentOf(archive, central));
    at = central.next;
    // Entries may not overlap, so together they can not expand to more than the whole archive could.
    packed += central.packed;
    if (packed > archive.size()) return fail("npz.size", "the entries claim more bytes than the archive has");
    if (central.method == kDeflated) inflated += std::min(central.size, most);
    found.emplace_back(std::move(central), content);
  }
  if (at != directory.end) return damaged("its directory does not end where the records behind it begin");
  RX_CHECK(checkPlaces(found, directory.offset));
  if (const MemoryLimit limit = memoryLimit(); inflated > limit.bytes)
    return fail("npz.size", fmt::format("the entries inflate to {} bytes, more than the {} that there are: {}",
                                        inflated, limit.bytes, limit.why));
  std::vector<ZipPart> entries;
  for (const auto& [central, content] : found) {
    RX_TRY(entry, readEntry(archive, central, content, most));
    entries.push_back(std::move(entry));
  }
  return entries;
}

Result<std::string> zipBytes(const std::vector<ZipEntry>& entries, bool compress) {
  std::string out;
  std::string central;
  const uint16_t method = compress ? kDeflated : kStored;
  for (const ZipEntry& entry : entries) {
    std::string packed;
    if (compress) {
      RX_TRY(deflated, deflateBytes(entry.bytes));
      packed = std::move(deflated);
    }
    const std::string& body = compress ? packed : entry.bytes;
    const Written written{entry.bytes.size(), body.size(), out.size(), checksum(entry.bytes)};
    append<uint32_t>(out, kLocalHeader);
    appendCommon(out, entry, written, method, 20);
    out += entry.name;
    appendSizes(out, written, 16);
    out += body;
    append<uint32_t>(central, kCentralHeader);
    append<uint16_t>(central, 45);
    appendCommon(central, entry, written, method, 28);
    append<uint16_t>(central, 0);
    append<uint16_t>(central, 0);
    append<uint16_t>(central, 0);
    append<uint32_t>(central, 0);
    append<uint32_t>(central, 0xffffffff);
    central += entry.name;
    appendSizes(central, written, 24);
  }
  const uint64_t start = out.size();
  out += central;
  appendEnd(out, entries.size(), start);
  return out;
}

}  // namespace rx
