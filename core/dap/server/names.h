// How instructions and memory are named in the protocol.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <optional>
#include <string>

namespace rx::dap {

/// "0x0000000c": the index of an instruction in the whole program, as DAP's address.
inline std::string instructionReference(int64_t index) { return fmt::format("0x{:08x}", index); }

/// The reverse; a decimal number is understood too.
inline std::optional<int64_t> instructionIndex(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x")) {
    base = 16;
    text.remove_prefix(2);
  }
  int64_t index = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index, base);
  if (error != std::errc() || end != text.data() + text.size() || index < 0) return {};
  return index;
}

/// A path as the file system knows the file, links followed, whether or not it is there.
inline std::filesystem::path realPath(const std::string& path) {
  std::error_code error;
  return std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
}

/// "memory:7": the bytes of the tensor with this reference.
inline constexpr std::string_view kMemoryPrefix = "memory:";

}  // namespace rx::dap
