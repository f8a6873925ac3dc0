#include "core/codegen/device_writer.h"

#include <algorithm>
#include <cctype>

#include "core/codegen/opencl.h"
#include "core/codegen/ptx.h"
#include "core/device/run/architecture.h"

namespace rx::codegen {

std::span<const DeviceLanguage> deviceLanguages() {
  static constexpr DeviceLanguage kRows[] = {
      {"opencl", "opencl", openClWriter, "", "", [] { return std::vector<std::string_view>(); }, nullptr},
      {"ptx", "cuda", ptxWriter, "arch", "sm_50", ptxArchitectures, assembled}};
  return kRows;
}

const DeviceLanguage* languageOf(std::string_view targetKind) {
  const auto rows = deviceLanguages();
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const DeviceLanguage& row) { return row.target == targetKind; });
  return found == rows.end() ? nullptr : &*found;
}

std::string architectureOf(const target::Target& target) {
  const DeviceLanguage* language = languageOf(target.kind());
  if (!language || language->attribute.empty()) return {};
  const std::string_view said = target.text(language->attribute);
  return std::string(said.empty() ? language->least : said);
}

std::string_view architectureFor(const DeviceLanguage& language, std::string_view device) {
  const std::vector<std::string_view> all = language.architectures();
  const auto best = std::ranges::max_element(all, {}, [&](auto each) { return device::nearness(each, device); });
  return best != all.end() && device::runsOn(*best, device) ? *best : std::string_view();
}

bool isDeviceName(std::string_view text) {
  const auto part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text[0])) &&
         std::all_of(text.begin(), text.end(), part);
}

}  // namespace rx::codegen
