#include "core/tensor/safetensors_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/tensor/safetensors_types.h"

namespace rx {
namespace {

Failure badHeader(const std::string& what) {
  return fail("safetensors.header", "this is not a safetensors file: " + what);
}

void appendUtf8(std::string& out, uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | code >> 18);
    out += static_cast<char>(0x80 | (code >> 12 & 0x3f));
    out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  }
}

/// JSON, token by token. After the first wrong one nothing more is taken.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}
  bool failed() const { return failed_; }
  bool atEnd() {
    space();
    return at_ == text_.size();
  }
  bool next(char c) {
    space();
    return !failed_ && at_ < text_.size() && text_[at_] == c;
  }
  bool take(char c) {
    const bool there = next(c);
    at_ += there;
    return there;
  }
  bool expect(char c) {
    if (!take(c)) failed_ = true;
    return !failed_;
  }

  std::string string() {
    std::string out;
    expect('"');
    while (!failed_ && at_ < text_.size() && text_[at_] != '"') {
      const char c = text_[at_++];
      if (c == '\\') {
        escape(out);
      } else if (static_cast<unsigned char>(c) < 0x20) {
        failed_ = true;
      } else {
        out += c;
      }
    }
    expect('"');
    return out;
  }

  /// A whole number without a sign; nothing for any other, or one beyond 64 bits.
  std::optional<uint64_t> number() {
    space();
    const size_t begin = at_;
    uint64_t value = 0;
    bool fits = true;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      fits = fits && !__builtin_mul_overflow(value, 10, &value) &&
             !__builtin_add_overflow(value, static_cast<uint64_t>(text_[at_] - '0'), &value);
    }
    const bool more = at_ < text_.size() && (text_[at_] == '.' || text_[at_] == 'e' || text_[at_] == 'E');
    return fits && at_ > begin && !more ? std::optional(value) : std::nullopt;
  }

  /// Passes one value of any kind, however deep.
  void skip() {
    size_t depth = 0;
    do {
      space();
      if (failed_ || at_ == text_.size()) {
        failed_ = true;
        return;
      }
      const char c = text_[at_];
      if (c == '"') {
        string();
        continue;
      }
      ++at_;
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') {
        if (depth == 0) failed_ = true;
        depth -= depth > 0;
      }
      if (depth == 0 && !failed_ && c != '}' && c != ']') skipWord();
    } while (depth > 0 && !failed_);
  }

 private:
  void space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
      ++at_;
  }
  void skipWord() {
    while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '}' && text_[at_] != ']') ++at_;
  }

  uint32_t hex() {
    uint32_t code = 0;
    for (int i = 0; i < 4; ++i) {
      const char c = at_ < text_.size() ? text_[at_++] : '\0';
      const int digit = c >= '0' && c <= '9'   ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
      if (digit < 0) failed_ = true;
      code = code * 16 + static_cast<uint32_t>(std::max(digit, 0));
    }
    return code;
  }

  void escape(std::string& out) {
    static constexpr std::string_view kLetters = "\"\\/bfnrt";
    static constexpr std::string_view kMeant = "\"\\/\b\f\n\r\t";
    const char c = at_ < text_.size() ? text_[at_++] : '\0';
    const size_t row = kLetters.find(c);
    if (c != '\0' && row != std::string_view::npos) {
      out += kMeant[row];
    } else if (c == 'u') {
      uint32_t code = hex();
      if (code >= 0xd800 && code < 0xdc00 && text_.substr(at_, 2) == "\\u") {
        at_ += 2;
        code = 0x10000 + ((code - 0xd800) << 10) + (hex() - 0xdc00);
      }
      if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) failed_ = true;
      if (!failed_) appendUtf8(out, code);
    } else {
      failed_ = true;
    }
  }

  std::string_view text_;
  size_t at_ = 0;
  bool failed_ = false;
};

class TableReader {
 public:
  explicit TableReader(std::string_view json) : in_(json) {}

  Result<std::vector<SafetensorsEntry>> run() {
    if (!in_.take('{')) return badHeader("its table is no JSON object");
    std::vector<SafetensorsEntry> entries;
    while (!in_.failed() && !in_.next('}')) {
      std::string name = in_.string();
      in_.expect(':');
      if (name == "__metadata__") {
        in_.skip();
      } else {
        RX_TRY(entry, entryOf(std::move(name)));
        entries.push_back(std::move(entry));
      }
      if (!in_.take(',')) break;
    }
    in_.expect('}');
    if (in_.failed() || !in_.atEnd()) return badHeader("its table is no JSON object");
    return entries;
  }

 private:
  Result<SafetensorsEntry> entryOf(std::string name) {
    const std::string shown = escapedForDisplay(name);
    SafetensorsEntry entry;
    entry.name = std::move(name);
    bool type = false, shape = false, range = false;
    in_.expect('{');
    while (!in_.failed() && !in_.next('}')) {
      const std::string field = in_.string();
      in_.expect(':');
      if (field == "dtype") {
        RX_TRY(dtype, typeOf(shown));
        entry.dtype = dtype;
        type = true;
      } else if (field == "shape") {
        RX_CHECK(shapeOf(shown, entry.shape));
        shape = true;
      } else if (field == "data_offsets") {
        RX_CHECK(rangeOf(shown, entry));
        range = true;
      } else {
        in_.skip();
      }
      if (!in_.take(',')) break;
    }
    in_.expect('}');
    if (in_.failed()) return badHeader("its table is no JSON object");
    if (!type || !shape || !range)
      return badHeader(fmt::format("the entry of \"{}\" lacks dtype, shape or data_offsets", shown));
    return entry;
  }

  Result<DataType> typeOf(const std::string& shown) {
    const std::string type = in_.string();
    const auto* row = std::find_if(std::begin(kSafetensorsTypes), std::end(kSafetensorsTypes),
                                   [&](const SafetensorsType& r) { return type == r.name; });
    if (row != std::end(kSafetensorsTypes)) return row->dtype;
    return fail("safetensors.header", fmt::format("\"{}\" has the element type {}, for which there is no tensor type",
                                                  shown, escapedForDisplay(type)));
  }

  Result<Unit> shapeOf(const std::string& shown, std::vector<int64_t>& shape) {
    bool right = in_.take('[');
    while (right && !in_.next(']')) {
      const auto dim = in_.number();
      right = dim && *dim <= INT64_MAX;
      if (right) shape.push_back(static_cast<int64_t>(*dim));
      if (!in_.take(',')) break;
    }
    if (!right || !in_.take(']')) return badHeader(fmt::format("the shape of \"{}\" is no list of sizes", shown));
    return Unit{};
  }

  Result<Unit> rangeOf(const std::string& shown, SafetensorsEntry& entry) {
    std::optional<uint64_t> begin, end;
    if (in_.take('[')) begin = in_.number();
    if (in_.take(',')) end = in_.number();
    if (!begin || !end || !in_.take(']'))
      return badHeader(fmt::format("the range of \"{}\" is no pair of offsets", shown));
    entry.begin = *begin;
    entry.end = *end;
    return Unit{};
  }

  Scanner in_;
};

}  // namespace

Result<std::vector<SafetensorsEntry>> readSafetensorsTable(std::string_view json) { return TableReader(json).run(); }

}  // namespace rx
