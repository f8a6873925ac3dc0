// Numbers and texts as bytes, little endian: what the files of programs are written and read with.
//
// A record says its parts once, for writing and for reading:
//   static void parts(auto& io, auto& self) { io(self.name, self.sizes); }
// A part is a number, a text, a record, a pair or a list of such, or what writePart and readPart are there for.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace rx {

template <class T>
concept ByteNumber = std::is_arithmetic_v<T> || std::is_enum_v<T>;

/// Appends to a string.
class ByteWriter {
 public:
  template <class... Parts>
  void operator()(const Parts&... parts) {
    (part(parts), ...);
  }
  /// Who reads asks whether what he has read fits together.
  template <class Holds>
  void check(const Holds&) {}

  template <ByteNumber T>
  void put(T value) {
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
  void part(const std::string& s) { text(s); }
  template <ByteNumber T>
  void part(const T& number) {
    put(number);
  }
  template <class A, class B>
  void part(const std::pair<A, B>& pair) {
    (*this)(pair.first, pair.second);
  }
  template <class T>
  void part(const std::vector<T>& list) {
    put<uint64_t>(list.size());
    for (const T& each : list) part(each);
  }
  template <class T, size_t kCount>
  void part(const std::array<T, kCount>& list) {
    for (const T& each : list) part(each);
  }
  template <class T>
  void part(const T& record) {
    if constexpr (requires { T::parts(*this, record); }) {
      T::parts(*this, record);
    } else {
      writePart(*this, record);
    }
  }

  std::string out_;
};

/// Reads what ByteWriter wrote, and anything else: after the first wrong or missing byte all that it gives is zero, and
/// failed() is true. Every length is checked against what is left before anything is made of it.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}
  explicit ByteReader(std::span<const std::byte> bytes)
      : rest_(reinterpret_cast<const char*>(bytes.data()), bytes.size()) {}
  template <class... Parts>
  void operator()(Parts&... parts) {
    (part(parts), ...);
  }
  /// Fails where what was read up to here does not fit together.
  template <class Holds>
  void check(const Holds& holds) {
    failed_ = failed_ || !holds();
  }

  template <ByteNumber T>
  T get() {
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
  void part(std::string& s) { s = text(); }
  void part(bool& flag) {
    const auto byte = get<uint8_t>();
    if (byte > 1) failed_ = true;
    flag = byte == 1;
  }
  template <ByteNumber T>
  void part(T& number) {
    number = get<T>();
  }
  template <class A, class B>
  void part(std::pair<A, B>& pair) {
    (*this)(pair.first, pair.second);
  }
  template <class T>
  void part(std::vector<T>& list) {
    list.clear();
    for (uint64_t left = count(1); left > 0 && !failed_; --left) part(list.emplace_back());
  }
  template <class T, size_t kCount>
  void part(std::array<T, kCount>& list) {
    for (T& each : list) part(each);
  }
  template <class T>
  void part(T& record) {
    if constexpr (requires { T::parts(*this, record); }) {
      T::parts(*this, record);
    } else {
      readPart(*this, record);
    }
  }

  std::string_view rest_;
  bool failed_ = false;
};

}  // namespace rx
