#include "core/script/target_form.h"

#include <optional>
#include <string>
#include <vector>

namespace rx::script {

namespace {
struct Default {
  std::string_view kind, key;
  int64_t value;
};
/// Defaults of TVM's target kinds that a printed target spells out.
constexpr Default kDefaults[] = {
    {"cuda", "max_num_threads", 1024},
    {"cuda", "thread_warp_size", 32},
    {"metal", "max_num_threads", 256},
    {"metal", "max_threads_per_block", 256},
    {"metal", "max_shared_memory_per_block", 32768},
    {"metal", "thread_warp_size", 16},
    {"metal", "max_function_args", 31},
    {"vulkan", "max_num_threads", 256},
    {"vulkan", "max_threads_per_block", 256},
    {"vulkan", "thread_warp_size", 1},
    {"vulkan", "supports_float32", 1},
    {"vulkan", "supports_int32", 1},
    {"opencl", "max_num_threads", 256},
    {"opencl", "max_threads_per_block", 256},
    {"opencl", "max_shared_memory_per_block", 16384},
    {"opencl", "thread_warp_size", 1},
    {"opencl", "max_function_args", 128},
    {"opencl", "image_base_address_alignment", 64},
    {"opencl", "texture_spatial_limit", 16384},
    {"opencl", "texture_depth_limit", 2048},
    {"webgpu", "max_num_threads", 256},
    {"webgpu", "supports_subgroups", 0},
    {"webgpu", "thread_warp_size", 1},
};

/// GPUs that a target may name by a tag of TVM; a printed target spells out what the tag says.
struct Tag {
  std::string_view name, arch;
  int64_t l2Bytes = 0;
};
constexpr Tag kTags[] = {
    {"nvidia/geforce-gtx-1080", "sm_61"},
    {"nvidia/geforce-gtx-1080-ti", "sm_61"},
    {"nvidia/geforce-rtx-2060", "sm_75"},
    {"nvidia/geforce-rtx-2070", "sm_75"},
    {"nvidia/geforce-rtx-2080", "sm_75"},
    {"nvidia/geforce-rtx-2080-ti", "sm_75"},
    {"nvidia/geforce-rtx-3060", "sm_86"},
    {"nvidia/geforce-rtx-3070", "sm_86"},
    {"nvidia/geforce-rtx-3070-ti", "sm_86"},
    {"nvidia/geforce-rtx-3080", "sm_86"},
    {"nvidia/geforce-rtx-3080-ti", "sm_86"},
    {"nvidia/geforce-rtx-3090", "sm_86"},
    {"nvidia/geforce-rtx-3090-ti", "sm_86"},
    {"nvidia/geforce-rtx-4090", "sm_89", 75497472},
    {"nvidia/nvidia-a10", "sm_86"},
    {"nvidia/nvidia-a100", "sm_80", 41943040},
    {"nvidia/nvidia-a10g", "sm_86"},
    {"nvidia/nvidia-b100", "sm_100a", 52428800},
    {"nvidia/nvidia-h100", "sm_90a", 52428800},
    {"nvidia/nvidia-t4", "sm_75"},
    {"nvidia/nvidia-v100", "sm_70"},
    {"nvidia/tesla-p100", "sm_60"},
};

NodeRef fromTag(std::string_view name) {
  for (const Tag& tag : kTags) {
    if (tag.name != name) continue;
    std::vector<std::pair<Str, NodeRef>> entries = {{Str("kind"), ir::strAttr(Str("cuda"))},
                                                    {Str("arch"), ir::strAttr(Str(tag.arch))},
                                                    {Str("max_shared_memory_per_block"), ir::intAttr(49152)},
                                                    {Str("max_threads_per_block"), ir::intAttr(1024)},
                                                    {Str("registers_per_block"), ir::intAttr(65536)}};
    if (tag.l2Bytes) entries.emplace_back(Str("l2_cache_size_bytes"), ir::intAttr(tag.l2Bytes));
    return make<ir::DictAttrs>(entries);
  }
  return nullptr;
}

bool isDefault(std::string_view kind, std::string_view key, const NodeRef& value) {
  if (key == "keys") return true;  // they follow from the kind and the device
  if (key == "tag") return isa<ir::StrAttr>(value) && as<ir::StrAttr>(value)->value.empty();
  if (const auto* text = as<ir::StrAttr>(value)) {
    std::string_view t = text->value.view();
    if (key == "mtriple") return t.starts_with("x86_64-") && t.ends_with("linux-gnu");
    if (key == "arch" && kind == "cuda") return t == "sm_50";
    return false;
  }
  std::optional<int64_t> number;
  if (const auto* i = as<ir::IntAttr>(value)) number = i->value;
  if (const auto* b = as<ir::BoolAttr>(value)) number = b->value;
  for (const Default& row : kDefaults) {
    if (row.kind == kind && row.key == key) return number == row.value;
  }
  return false;
}

/// "cuda -arch=sm_80 -libs=cublas" as a dictionary.
NodeRef fromText(std::string_view text) {
  std::vector<std::pair<Str, NodeRef>> entries;
  size_t at = 0;
  while (at < text.size()) {
    size_t end = text.find(' ', at);
    std::string_view word = text.substr(at, end == std::string_view::npos ? end : end - at);
    at = end == std::string_view::npos ? text.size() : end + 1;
    if (word.empty()) continue;
    if (entries.empty()) {
      entries.emplace_back(Str("kind"), ir::strAttr(Str(word)));
      continue;
    }
    while (word.starts_with('-')) word.remove_prefix(1);
    size_t equal = word.find('=');
    std::string_view key = word.substr(0, equal);
    std::string_view value = equal == std::string_view::npos ? std::string_view() : word.substr(equal + 1);
    bool digits =
        !value.empty() && value.size() < 18 && value.find_first_not_of("0123456789") == std::string_view::npos;
    entries.emplace_back(Str(key), equal == std::string_view::npos ? ir::boolAttr(true)
                                   : digits                        ? ir::intAttr(std::stoll(std::string(value)))
                                                                   : ir::strAttr(Str(value)));
  }
  return make<ir::DictAttrs>(entries);
}
}  // namespace

NodeRef targetForm(const NodeRef& target) {
  NodeRef form = target;
  if (const auto* text = as<ir::StrAttr>(target)) {
    if (NodeRef tagged = fromTag(text->value.view())) return tagged;
    if (text->value.view().find(' ') == std::string_view::npos) return target;
    form = fromText(text->value.view());
  }
  const auto* dict = as<ir::DictAttrs>(form);
  if (!dict) return target;
  NodeRef kind = dict->get("kind");
  const auto* name = as<ir::StrAttr>(kind);
  if (!name) return target;
  std::vector<std::pair<Str, NodeRef>> kept;
  for (size_t i = 0; i < dict->size(); ++i) {
    if (isDefault(name->value.view(), dict->keys[i].view(), dict->values[i])) continue;
    bool host = dict->keys[i] == "host";
    kept.emplace_back(dict->keys[i], host ? targetForm(dict->values[i]) : dict->values[i]);
  }
  if (kept.size() == 1) return kind;
  return make<ir::DictAttrs>(kept);
}

}  // namespace rx::script
