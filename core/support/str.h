// Str: an immutable shared string of 8 bytes, the text of every name in the IR.
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "core/support/ref.h"

namespace rx {

class Str {
 public:
  Str() = default;
  Str(std::string_view text);
  Str(const char* text) : Str(std::string_view(text)) {}
  Str(const std::string& text) : Str(std::string_view(text)) {}

  std::string_view view() const { return data_ ? std::string_view(data_->text) : std::string_view(); }
  operator std::string_view() const { return view(); }
  std::string string() const { return std::string(view()); }
  bool empty() const { return !data_; }

  /// Compares the text.
  bool operator==(const Str& other) const { return data_ == other.data_ || view() == other.view(); }
  bool operator==(std::string_view other) const { return view() == other; }
  bool operator==(const char* other) const { return view() == other; }
  std::strong_ordering operator<=>(const Str& other) const { return view() <=> other.view(); }

 private:
  struct Data : Object {
    explicit Data(std::string_view s) : text(s) {}
    std::string text;
  };
  Ref<Data> data_;
};

}  // namespace rx

template <>
struct std::hash<rx::Str> {
  size_t operator()(const rx::Str& s) const { return std::hash<std::string_view>()(s.view()); }
};
