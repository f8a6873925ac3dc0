#include "core/support/text_names.h"

#include <algorithm>
#include <filesystem>

namespace rx {

bool isTextName(std::string_view name) {
  return std::any_of(kTextEndings.begin(), kTextEndings.end(),
                     [&](std::string_view ending) { return name.ends_with(ending); });
}

std::optional<std::string> moduleIn(const std::string& folder) {
  for (const std::string_view ending : kTextEndings) {
    const std::filesystem::path file = std::filesystem::path(folder) / ("module" + std::string(ending));
    std::error_code error;
    if (std::filesystem::exists(file, error)) return file.string();
  }
  return std::nullopt;
}

std::optional<std::string> arraysIn(const std::string& folder, const std::string& stem) {
  for (const char* ending : {".npz", ".safetensors"}) {
    const std::filesystem::path file = std::filesystem::path(folder) / (stem + ending);
    std::error_code error;
    if (std::filesystem::is_regular_file(file, error)) return file.string();
  }
  return std::nullopt;
}

}  // namespace rx
