// Base64, the form of binary data in JSON.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rx {

std::string base64Of(std::span<const std::byte> bytes);
std::string base64Of(std::string_view bytes);
/// Nothing when the text is not base64; line breaks and blanks are skipped.
std::optional<std::vector<std::byte>> bytesOfBase64(std::string_view text);

}  // namespace rx
