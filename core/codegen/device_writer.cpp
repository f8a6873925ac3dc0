#include "core/codegen/device_writer.h"

#include <algorithm>
#include <cctype>

#include "core/codegen/opencl.h"
#include "core/codegen/ptx.h"

namespace rx::codegen {

std::span<const DeviceLanguage> deviceLanguages() {
  static constexpr DeviceLanguage kRows[] = {{"opencl", "opencl", openClWriter}, {"ptx", "cuda", ptxWriter}};
  return kRows;
}

const DeviceLanguage* languageOf(std::string_view targetKind) {
  const auto rows = deviceLanguages();
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const DeviceLanguage& row) { return row.target == targetKind; });
  return found == rows.end() ? nullptr : &*found;
}

bool isDeviceName(std::string_view text) {
  const auto part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text[0])) &&
         std::all_of(text.begin(), text.end(), part);
}

}  // namespace rx::codegen
