// JSON that others wrote.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace rx {

/// The document, whole; a discarded one where the text is none. nlohmann takes a zero byte, which no JSON has, for the
/// end of the text, and what stands behind it for nothing.
template <class Json>
Json parsedJson(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return Json(Json::value_t::discarded);
  return Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
}

}  // namespace rx
