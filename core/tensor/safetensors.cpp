#include "core/tensor/safetensors.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "core/support/file.h"

namespace rx {
namespace {

using Json = nlohmann::json;

struct TypeRow {
  const char* name;
  DataType dtype;
};
const TypeRow kTypes[] = {
    {"BOOL", DataType::Bool()},
    {"U8", DataType::UInt(8)},
    {"I8", DataType::Int(8)},
    {"U16", DataType::UInt(16)},
    {"I16", DataType::Int(16)},
    {"U32", DataType::UInt(32)},
    {"I32", DataType::Int(32)},
    {"U64", DataType::UInt(64)},
    {"I64", DataType::Int(64)},
    {"F16", DataType::Float(16)},
    {"BF16", DataType::BFloat16()},
    {"F32", DataType::Float(32)},
    {"F64", DataType::Float(64)},
    {"F8_E4M3", {TypeCode::Float8E4M3FN, 8, 1}},
    {"F8_E5M2", {TypeCode::Float8E5M2, 8, 1}},
    {"F8_E8M0", {TypeCode::Float8E8M0FNU, 8, 1}},
};

struct Entry {
  std::string name;
  DataType dtype;
  std::vector<int64_t> shape;
  uint64_t begin = 0;
  uint64_t end = 0;
};

Failure badHeader(const std::string& what) {
  return fail("safetensors.header", "this is not a safetensors file: " + what);
}

Result<Entry> entryOf(const std::string& name, const Json& json) {
  const std::string shown = escapedForDisplay(name);
  Entry entry;
  entry.name = name;
  try {
    const auto type = json.at("dtype").get<std::string>();
    const auto* row =
        std::find_if(std::begin(kTypes), std::end(kTypes), [&](const TypeRow& r) { return type == r.name; });
    if (row == std::end(kTypes)) {
      return fail("safetensors.header", fmt::format("\"{}\" has the element type {}, for which there is no tensor type",
                                                    shown, escapedForDisplay(type)));
    }
    entry.dtype = row->dtype;
    for (const Json& dim : json.at("shape")) {
      if (!dim.is_number_unsigned() || dim.get<uint64_t>() > INT64_MAX)
        return badHeader(fmt::format("the shape of \"{}\" is no list of sizes", shown));
      entry.shape.push_back(dim.get<int64_t>());
    }
    const Json& range = json.at("data_offsets");
    if (!range.is_array() || range.size() != 2 || !range[0].is_number_unsigned() || !range[1].is_number_unsigned()) {
      return badHeader(fmt::format("the range of \"{}\" is no pair of offsets", shown));
    }
    entry.begin = range[0].get<uint64_t>();
    entry.end = range[1].get<uint64_t>();
  } catch (const Json::exception&) {
    return badHeader(fmt::format("the entry of \"{}\" lacks dtype, shape or data_offsets", shown));
  }
  return entry;
}

Result<std::vector<Entry>> entriesOf(std::string_view header, uint64_t dataBytes) {
  const Json json = Json::parse(header, nullptr, false);
  if (!json.is_object()) return badHeader("its table is no JSON object");
  std::vector<Entry> entries;
  for (const auto& [name, value] : json.items()) {
    if (name == "__metadata__") continue;
    RX_TRY(entry, entryOf(name, value));
    entries.push_back(std::move(entry));
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  uint64_t used = 0;
  for (const Entry& entry : entries) {
    const auto bytes = tensorBytes(entry.shape, entry.dtype);
    if (entry.begin < used || entry.end < entry.begin || entry.end > dataBytes || !bytes ||
        static_cast<uint64_t>(*bytes) != entry.end - entry.begin) {
      return fail("safetensors.size", fmt::format("\"{}\" {} of {} takes the bytes {} to {} of {}: they overlap "
                                                  "another tensor, pass the end, or are not as many as its shape needs",
                                                  escapedForDisplay(entry.name), shapeText(entry.shape),
                                                  entry.dtype.str(), entry.begin, entry.end, dataBytes));
    }
    used = entry.end;
  }
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
  for (Entry& entry : entries) {
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

Result<Unit> writeSafetensors(const std::string& path, const std::vector<NamedTensor>& tensors) {
  constexpr uint64_t kAlign = 64;
  Json header = Json::object();
  std::set<std::string_view> names;
  std::string data;
  // Larger elements first, so that all are at their natural alignment without gaps, which the format does not allow.
  std::vector<const NamedTensor*> order;
  for (const NamedTensor& tensor : tensors) order.push_back(&tensor);
  for (size_t i = 1; i < order.size(); ++i) {
    const auto* moved = order[i];
    const auto at = std::upper_bound(order.begin(), order.begin() + static_cast<int64_t>(i), moved,
                                     [](const NamedTensor* a, const NamedTensor* b) {
                                       return a->second->elementBytes() > b->second->elementBytes();
                                     });
    std::rotate(at, order.begin() + static_cast<int64_t>(i), order.begin() + static_cast<int64_t>(i) + 1);
  }
  for (const NamedTensor* entry : order) {
    const auto& [name, tensor] = *entry;
    if (name.empty() || name == "__metadata__" || !names.insert(name).second) {
      return fail("safetensors.name", fmt::format("\"{}\" is empty, reserved, or used twice", escapedForDisplay(name)));
    }
    const auto* row = std::find_if(std::begin(kTypes), std::end(kTypes),
                                   [&](const TypeRow& r) { return r.dtype == tensor->dtype(); });
    if (row == std::end(kTypes))
      return fail("safetensors.type", fmt::format("the format has no name for \"{}\"", tensor->dtype().str()));
    header[name] = {{"dtype", row->name},
                    {"shape", tensor->shape()},
                    {"data_offsets", {data.size(), data.size() + static_cast<uint64_t>(tensor->bytes())}}};
    data.append(reinterpret_cast<const char*>(tensor->data()), static_cast<size_t>(tensor->bytes()));
  }
  std::string text = header.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.append((kAlign - (text.size() + sizeof(uint64_t)) % kAlign) % kAlign, ' ');
  const uint64_t length = text.size();
  std::string out(reinterpret_cast<const char*>(&length), sizeof length);
  out += text;
  out += data;
  return writeFile(path, out);
}

}  // namespace rx
