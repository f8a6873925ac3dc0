#include "core/script/encoding.h"

#include <charconv>
#include <cstring>

#include "core/script/lexer.h"

namespace rx::script {

namespace {
/// Length of the sequence at `at`, 0 when it is malformed.
size_t sequenceLength(std::string_view text, size_t at) {
  auto byte = [&](size_t i) { return i < text.size() ? static_cast<uint8_t>(text[i]) : 0u; };
  uint32_t c = byte(at);
  auto continues = [&](size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
  if (c >= 0xC2 && c <= 0xDF) return continues(at + 1) ? 2 : 0;
  if (c >= 0xE0 && c <= 0xEF) {
    uint32_t second = byte(at + 1);
    bool valid =
        continues(at + 1) && continues(at + 2) && !(c == 0xE0 && second < 0xA0) && !(c == 0xED && second > 0x9F);
    return valid ? 3 : 0;
  }
  if (c >= 0xF0 && c <= 0xF4) {
    uint32_t second = byte(at + 1);
    bool valid = continues(at + 1) && continues(at + 2) && continues(at + 3) && !(c == 0xF0 && second < 0x90) &&
                 !(c == 0xF4 && second > 0x8F);
    return valid ? 4 : 0;
  }
  return 0;
}
}  // namespace

size_t firstBadByte(std::string_view text) {
  if (const void* nul = std::memchr(text.data(), 0, text.size())) {
    size_t at = static_cast<size_t>(static_cast<const char*>(nul) - text.data());
    size_t earlier = firstBadByte(text.substr(0, at));
    return earlier == std::string_view::npos ? at : earlier;
  }
  size_t at = 0;
  while (at < text.size()) {
    uint64_t word;
    if (at + 8 <= text.size()) {
      std::memcpy(&word, text.data() + at, 8);
      if (!(word & 0x8080808080808080ULL)) {
        at += 8;
        continue;
      }
    }
    if (static_cast<uint8_t>(text[at]) < 0x80) {
      ++at;
      continue;
    }
    size_t length = sequenceLength(text, at);
    if (!length) return at;
    at += length;
  }
  return std::string_view::npos;
}

void appendUtf8(std::string& out, uint32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | (c >> 6));
    out += static_cast<char>(0x80 | (c & 63));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | (c >> 12));
    out += static_cast<char>(0x80 | ((c >> 6) & 63));
    out += static_cast<char>(0x80 | (c & 63));
  } else {
    out += static_cast<char>(0xF0 | (c >> 18));
    out += static_cast<char>(0x80 | ((c >> 12) & 63));
    out += static_cast<char>(0x80 | ((c >> 6) & 63));
    out += static_cast<char>(0x80 | (c & 63));
  }
}

std::vector<Diagnostic> checkEncoding(std::string_view text, uint32_t file) {
  size_t bad = firstBadByte(text);
  if (bad == std::string_view::npos) return {};
  uint32_t at = static_cast<uint32_t>(bad);
  bool nul = text[bad] == '\0';
  Diagnostic d =
      errorAt({at, at + 1, file}, "script.encoding",
              nul ? "the text holds a NUL byte; this is not a text file" : "the text is not UTF-8 from here");
  if (!nul) d.fix = "save the file as UTF-8";
  return {d};
}

std::string decodeString(std::string_view literal) {
  bool raw = false;
  size_t at = 0;
  while (at < literal.size() && literal[at] != '"' && literal[at] != '\'') raw |= (literal[at++] | 0x20) == 'r';
  std::string_view body = literal.substr(at);
  size_t quotes = body.size() >= 6 && body[0] == body[1] && body[1] == body[2] ? 3 : 1;
  body = body.size() >= 2 * quotes ? body.substr(quotes, body.size() - 2 * quotes) : std::string_view();
  if (raw || body.find_first_of("\\\r") == std::string_view::npos) return std::string(body);
  std::string out;
  auto code = [&](size_t& i, size_t digits, int base) {
    uint32_t value = 0;
    size_t length = std::min(digits, body.size() - i);
    auto [end, error] = std::from_chars(body.data() + i, body.data() + i + length, value, base);
    i = static_cast<size_t>(end - body.data());
    bool valid = error == std::errc() && value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF);
    appendUtf8(out, valid ? value : 0xFFFD);
  };
  for (size_t i = 0; i < body.size();) {
    char c = body[i++];
    if (c == '\r' && i < body.size() && body[i] == '\n') continue;  // a line break in a text is one '\n'
    if (c != '\\' || i >= body.size()) {
      out += c;
      continue;
    }
    c = body[i++];
    static constexpr std::string_view kFrom = "abfnrtv\\'\"";
    static constexpr std::string_view kTo = "\a\b\f\n\r\t\v\\'\"";
    if (size_t hit = kFrom.find(c); hit != std::string_view::npos) {
      out += kTo[hit];
    } else if (c == '\n') {
    } else if (c == '\r' && i < body.size() && body[i] == '\n') {
      ++i;
    } else if (c == 'x') {
      code(i, 2, 16);
    } else if (c == 'u') {
      code(i, 4, 16);
    } else if (c == 'U') {
      code(i, 8, 16);
    } else if (c >= '0' && c <= '7') {
      --i;
      code(i, 3, 8);
    } else {
      out += '\\';
      out += c;
    }
  }
  return out;
}

}  // namespace rx::script
