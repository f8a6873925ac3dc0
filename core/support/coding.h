// The coding of what is kept small, records of a run and IR as bytes: numbers of seven bits a byte, texts with their
// length. Every length is checked when read. (bytes.h has numbers of their full width.)
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace rx {

/// Appends to a buffer that keeps its room between records.
class ByteOut {
 public:
  void clear() { bytes_.clear(); }
  std::string_view bytes() const { return bytes_; }
  void byte(uint8_t value) { bytes_.push_back(static_cast<char>(value)); }
  void number(uint64_t value) {
    for (; value >= 0x80; value >>= 7) byte(static_cast<uint8_t>(value | 0x80));
    byte(static_cast<uint8_t>(value));
  }
  /// Small ones of either sign take few bytes.
  void signedNumber(int64_t value) { number((static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63)); }
  void real(double value) {
    char raw[sizeof value];
    std::memcpy(raw, &value, sizeof value);
    bytes_.append(raw, sizeof value);
  }
  void text(std::string_view text) {
    number(text.size());
    bytes_.append(text);
  }

 private:
  std::string bytes_;
};

/// Reads what ByteOut wrote; after the first wrong or missing byte everything is zero and ok() is false.
class ByteIn {
 public:
  explicit ByteIn(std::string_view bytes) : bytes_(bytes) {}
  bool ok() const { return ok_; }
  bool atEnd() const { return bytes_.empty(); }
  size_t left() const { return bytes_.size(); }
  uint8_t byte() {
    const std::string_view raw = take(1);
    return ok_ ? static_cast<uint8_t>(raw[0]) : uint8_t{0};
  }
  uint64_t number() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const uint8_t part = byte();
      value |= static_cast<uint64_t>(part & 0x7f) << shift;
      if (!(part & 0x80)) return ok_ ? value : 0;
    }
    return failed();
  }
  int64_t signedNumber() {
    const uint64_t raw = number();
    return static_cast<int64_t>(raw >> 1) ^ -static_cast<int64_t>(raw & 1);
  }
  double real() {
    double value = 0;
    const std::string_view raw = take(sizeof value);
    if (ok_) std::memcpy(&value, raw.data(), sizeof value);
    return value;
  }
  std::string_view text() { return take(number()); }
  /// A count of things that take at least a byte each: no more than what is left can hold.
  size_t count() {
    const uint64_t n = number();
    return n <= bytes_.size() ? n : failed();
  }

 private:
  size_t failed() {
    ok_ = false;
    bytes_ = {};
    return 0;
  }
  std::string_view take(uint64_t size) {
    if (!ok_ || size > bytes_.size()) {
      failed();
      return {};
    }
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }
  std::string_view bytes_;
  bool ok_ = true;
};

}  // namespace rx
