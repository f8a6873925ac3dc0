// How instructions, memory, elements and slots are named in the protocol.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <optional>
#include <string>

#include "core/debug/program.h"
#include "core/support/utf16.h"
#include "core/tensor/host_tensor.h"

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

/// The thread of the program is 1; those of a kernel that was stepped into follow.
inline constexpr int64_t kFirstKernelThread = 2;
/// Frames of threads of a kernel: the number of the thread behind this one.
inline constexpr int64_t kKernelFrames = int64_t{1} << 30;
/// Texts of kernels that were stepped into, by their number.
inline constexpr int64_t kKernelSources = int64_t{1} << 24;

/// A path as the file system knows the file, links followed, whether or not it is there.
inline std::filesystem::path realPath(const std::string& path) {
  std::error_code error;
  return std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
}

/// "memory:7": the bytes of the tensor with this reference.
inline constexpr std::string_view kMemoryPrefix = "memory:";

/// A place in a text as clients count it: in code units of UTF-16.
inline int64_t unitsBefore(std::string_view text, size_t byte) { return utf16Length(text.substr(0, byte)); }

/// An element of a tensor, by its number in row-major order, as a client reads it.
inline std::string elementText(const HostTensor& tensor, int64_t i) {
  return tensor.dtype().isIntegral() ? std::to_string(tensor.intAt(i)) : fmt::format("{}", tensor.at(i));
}

/// The expression of a slot of the shape heap, "slot 3" where it has none.
inline std::string heapSlotName(const debug::VmFunction& function, size_t slot) {
  const std::string& text = function.heap[slot].expression;
  return text.empty() ? fmt::format("slot {}", slot) : text;
}

}  // namespace rx::dap
