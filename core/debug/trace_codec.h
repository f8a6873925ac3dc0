// The trace file: `rxtrace3` and then chunks (tag, length, content), appended one write at a time, so that a file that
// ends in the middle of a chunk is read up to it. Numbers are little endian. Every length is checked when read.
#pragma once

#include <cstring>
#include <string>
#include <string_view>

#include "core/debug/history.h"

namespace rx::debug {

inline constexpr std::string_view kTraceMagic = "rxtrace3";
enum class TraceTag : uint32_t {
  Program = 1,  ///< the program and its stages
  Storage = 2,  ///< number, size, initial content
  Begin = 3,    ///< the outermost call and its arguments
  Step = 4,
  End = 5,  ///< how the run ended, with diagnostics and result
};

/// Appends numbers and texts to a string.
class TraceOut {
 public:
  template <class T>
    requires std::is_arithmetic_v<T>
  void number(T value) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    bytes_.append(raw, sizeof(T));
  }
  void text(std::string_view text) {
    number<uint64_t>(text.size());
    bytes_.append(text);
  }
  void value(const Value& value);
  void stats(const TensorStats& stats);
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Reads what TraceOut wrote; after the first wrong or missing byte everything is zero and ok() is false.
class TraceIn {
 public:
  explicit TraceIn(std::string_view bytes) : bytes_(bytes) {}
  bool ok() const { return ok_; }
  bool atEnd() const { return bytes_.empty(); }
  size_t left() const { return bytes_.size(); }
  template <class T>
    requires std::is_arithmetic_v<T>
  T number() {
    T value{};
    std::string_view raw = take(sizeof(T));
    if (ok_) std::memcpy(&value, raw.data(), sizeof(T));
    return value;
  }
  std::string_view text() { return take(number<uint64_t>()); }
  /// A count of things that take at least `size` bytes each: no more than what is left can hold.
  size_t count(size_t size);
  /// Tensors and storages come without memory; `storage` numbers it.
  struct Flat {
    Value value;
    std::vector<int64_t> shape;  ///< of a tensor
    DataType dtype;
    int64_t offset = 0;
    std::vector<Flat> items;
  };
  Flat value(int depth = 0);
  TensorStats stats();

 private:
  std::string_view take(uint64_t size);
  std::string_view bytes_;
  bool ok_ = true;
};

/// The program with its stages as bytes, and back; fails with `trace.program`.
std::string programBytes(const Program& program);
Result<Program> programFrom(std::string_view bytes);

}  // namespace rx::debug
