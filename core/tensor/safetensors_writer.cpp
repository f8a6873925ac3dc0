#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/support/file.h"
#include "core/tensor/safetensors.h"
#include "core/tensor/safetensors_types.h"

namespace rx {

namespace {

using Json = nlohmann::json;

/// What is no UTF-8 can not be in the table, and would be read back as another name.
bool isText(const std::string& name) {
  const std::string dumped = Json(name).dump(-1, ' ', false, Json::error_handler_t::replace);
  return Json::parse(dumped) == Json(name);
}

}  // namespace

Result<Unit> writeSafetensors(const std::string& path, const std::vector<NamedTensor>& tensors) {
  constexpr uint64_t kAlign = 64;
  auto header = Json::object();
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
    if (!isText(name))
      return fail("safetensors.name",
                  fmt::format("\"{}\" is no UTF-8, which the format needs", escapedForDisplay(name)));
    const auto* row = std::find_if(std::begin(kSafetensorsTypes), std::end(kSafetensorsTypes),
                                   [&](const SafetensorsType& r) { return r.dtype == tensor->dtype(); });
    if (row == std::end(kSafetensorsTypes))
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
