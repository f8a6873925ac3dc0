#include "core/support/base64.h"

#include <array>
#include <cstdint>

namespace rx {

namespace {
constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<int8_t, 256> valueTable() {
  std::array<int8_t, 256> table{};
  for (auto& v : table) v = -1;
  for (size_t k = 0; k < kDigits.size(); ++k) table[static_cast<unsigned char>(kDigits[k])] = static_cast<int8_t>(k);
  return table;
}
constexpr auto kValues = valueTable();
}  // namespace

std::string base64Of(std::span<const std::byte> bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t k = 0; k < bytes.size(); k += 3) {
    const size_t left = std::min<size_t>(3, bytes.size() - k);
    uint32_t word = 0;
    for (size_t j = 0; j < 3; ++j) word = word << 8 | (j < left ? std::to_integer<uint32_t>(bytes[k + j]) : 0);
    for (size_t j = 0; j < 4; ++j) out += j <= left ? kDigits[word >> (18 - 6 * j) & 63] : '=';
  }
  return out;
}

std::string base64Of(std::string_view bytes) { return base64Of(std::as_bytes(std::span(bytes.data(), bytes.size()))); }

std::optional<std::vector<std::byte>> bytesOfBase64(std::string_view text) {
  std::vector<std::byte> out;
  out.reserve(text.size() / 4 * 3);
  uint32_t word = 0;
  size_t digits = 0, padding = 0;
  for (const char c : text) {
    if (c == '\n' || c == '\r' || c == ' ' || c == '\t') continue;
    const int8_t value = kValues[static_cast<unsigned char>(c)];
    if (c == '=') ++padding;
    if ((value < 0 && c != '=') || (padding > 0 && c != '=') || padding > 2) return std::nullopt;
    word = word << 6 | static_cast<uint32_t>(value < 0 ? 0 : value);
    if (++digits % 4 != 0) continue;
    for (size_t j = 0; j + padding < 3; ++j) out.push_back(static_cast<std::byte>(word >> (16 - 8 * j) & 255));
    word = 0;
  }
  if (digits % 4 != 0) return std::nullopt;
  return out;
}

}  // namespace rx
