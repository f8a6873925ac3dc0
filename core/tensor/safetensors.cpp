#include "core/tensor/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <tuple>

#include "core/support/file.h"
#include "core/tensor/safetensors_table.h"

namespace rx {
namespace {

Failure badHeader(const std::string& what) {
  return fail("safetensors.header", "this is not a safetensors file: " + what);
}

/// In the order of their data, which has to lie one after the other, from the first byte to the last of the file.
Result<std::vector<SafetensorsEntry>> entriesOf(std::string_view header, uint64_t dataBytes) {
  RX_TRY(entries, readSafetensorsTable(header));
  std::sort(entries.begin(), entries.end(),
            [](const SafetensorsEntry& a, const SafetensorsEntry& b) { return a.name < b.name; });
  const auto twice =
      std::adjacent_find(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.name == b.name; });
  if (twice != entries.end())
    return badHeader(fmt::format("\"{}\" is the name of two tensors", escapedForDisplay(twice->name)));
  std::sort(entries.begin(), entries.end(), [](const SafetensorsEntry& a, const SafetensorsEntry& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  uint64_t used = 0;
  for (const SafetensorsEntry& entry : entries) {
    const auto bytes = tensorBytes(entry.shape, entry.dtype);
    if (entry.begin != used || entry.end < entry.begin || entry.end > dataBytes || !bytes ||
        static_cast<uint64_t>(*bytes) != entry.end - entry.begin) {
      return fail("safetensors.size",
                  fmt::format("\"{}\" {} of {} takes the bytes {} to {} of {}: they overlap "
                              "another tensor, leave a gap, pass the end, or are not as many as its "
                              "shape needs",
                              escapedForDisplay(entry.name), shapeText(entry.shape), entry.dtype.str(), entry.begin,
                              entry.end, dataBytes));
    }
    used = entry.end;
  }
  if (used != dataBytes)
    return fail("safetensors.size", fmt::format("the tensors end at byte {}, the file goes on to {}", used, dataBytes));
  return entries;
}

}  // namespace

Result<std::vector<NamedTensor>> parseSafetensors(std::string_view bytes, std::shared_ptr<const void> owner) {
  uint64_t length = 0;
  if (bytes.size() < sizeof length) return badHeader("it is too short");
  std::memcpy(&length, bytes.data(), sizeof length);
  const std::string_view rest = bytes.substr(sizeof length);
  if (length > rest.size()) return badHeader("its table is cut off");
  const std::string_view data = rest.substr(length);
  RX_TRY(entries, entriesOf(rest.substr(0, length), data.size()));
  const auto storage = Storage::external(reinterpret_cast<const std::byte*>(data.data()),
                                         static_cast<int64_t>(data.size()), std::move(owner));
  std::vector<NamedTensor> result;
  for (SafetensorsEntry& entry : entries) {
    const char* at = data.data() + entry.begin;
    if (reinterpret_cast<uintptr_t>(at) % static_cast<uintptr_t>(entry.dtype.bytes()) != 0) {
      // Compiled code needs elements at their natural alignment, so this one is copied.
      RX_TRY(copy, HostTensor::fromBytes(std::move(entry.shape), entry.dtype,
                                         std::as_bytes(std::span(at, entry.end - entry.begin))));
      result.emplace_back(std::move(entry.name), std::move(copy));
      continue;
    }
    RX_TRY(tensor, HostTensor::view(storage, static_cast<int64_t>(entry.begin), std::move(entry.shape), entry.dtype));
    result.emplace_back(std::move(entry.name), std::move(tensor));
  }
  return result;
}

Result<std::vector<NamedTensor>> readSafetensors(const std::string& path) {
  RX_TRY(file, MappedFile::open(path));
  auto result = parseSafetensors(file->bytes(), file);
  if (result) return result;
  Diagnostic diagnostic = result.diagnostics()[0];
  diagnostic.message = path + ": " + diagnostic.message;
  return fail(std::move(diagnostic));
}

}  // namespace rx
