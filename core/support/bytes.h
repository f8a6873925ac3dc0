// Numbers and texts as bytes, little endian: what the files of programs are written and read with.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace rx {

/// Appends to a string.
class ByteWriter {
 public:
  template <class T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) void put(T value) {
    out_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  /// The length in 8 bytes, then the text.
  void text(std::string_view s) {
    put<uint64_t>(s.size());
    out_ += s;
  }
  /// Their number in 8 bytes, then the words.
  void words(const std::vector<int64_t>& values) {
    put<uint64_t>(values.size());
    raw(values.data(), values.size() * sizeof(int64_t));
  }
  void raw(const void* data, size_t bytes) { out_.append(static_cast<const char*>(data), bytes); }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

/// Reads what ByteWriter wrote, and anything else: after the first wrong or missing byte all that it gives is zero, and
/// failed() is true. Every length is checked against what is left before anything is made of it.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}
  explicit ByteReader(std::span<const std::byte> bytes)
      : rest_(reinterpret_cast<const char*>(bytes.data()), bytes.size()) {}
  template <class T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) T get() {
    T value{};
    if (failed_ || rest_.size() < sizeof value) {
      failed_ = true;
      return value;
    }
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return value;
  }
  /// A count of things that take at least `each` bytes.
  uint64_t count(uint64_t each) {
    const auto n = get<uint64_t>();
    if (n > rest_.size() / each) failed_ = true;
    return failed_ ? 0 : n;
  }
  std::string_view raw(uint64_t bytes) {
    if (bytes > rest_.size()) failed_ = true;
    if (failed_) return {};
    const std::string_view result = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return result;
  }
  std::string text() { return std::string(raw(count(1))); }
  std::vector<int64_t> words() {
    std::vector<int64_t> result(count(sizeof(int64_t)));
    for (int64_t& word : result) word = get<int64_t>();
    return result;
  }
  bool failed() const { return failed_; }
  void fail() { failed_ = true; }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

}  // namespace rx
