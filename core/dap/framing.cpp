#include "core/dap/framing.h"

#include <algorithm>
#include <charconv>

#include "core/support/json_text.h"

namespace rx::dap {

namespace {

constexpr std::string_view kLength = "content-length:";
constexpr std::string_view kEnd = "\r\n\r\n";

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool startsWithLength(std::string_view text) {
  return text.size() >= kLength.size() &&
         std::equal(kLength.begin(), kLength.end(), text.begin(), [](char a, char b) { return a == lower(b); });
}

/// Where the next `Content-Length:` starts, or npos.
size_t findLength(std::string_view text) {
  auto it = std::search(text.begin(), text.end(), kLength.begin(), kLength.end(),
                        [](char a, char b) { return lower(a) == b; });
  return it == text.end() ? std::string_view::npos : static_cast<size_t>(it - text.begin());
}

/// The length of a header block without its final blank line; other header fields are allowed and ignored.
std::optional<size_t> lengthOf(std::string_view header) {
  std::optional<size_t> found;
  while (!header.empty()) {
    size_t end = std::min(header.find("\r\n"), header.size());
    std::string_view line = header.substr(0, end);
    header.remove_prefix(std::min(end + 2, header.size()));
    if (line.find(':') == std::string_view::npos) return {};
    if (!startsWithLength(line)) continue;
    line.remove_prefix(kLength.size());
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
    while (!line.empty() && (line.back() == ' ' || line.back() == '\t')) line.remove_suffix(1);
    size_t value = 0;
    auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), value);
    if (error != std::errc() || rest != line.data() + line.size() || line.empty() || found) return {};
    found = value;
  }
  return found;
}

/// True when no bracket of the text nests deeper than the limit; brackets inside strings do not count.
bool shallow(std::string_view text) {
  int depth = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (inString) {
      if (c == '\\') ++i;
      inString = c != '"';
    } else if (c == '"') {
      inString = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kMaxJsonDepth) return false;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return true;
}

Result<Json> parseBody(std::string_view text) {
  if (!shallow(text))
    return fail("dap.too-deep", "a message nests deeper than " + std::to_string(kMaxJsonDepth) + " levels");
  Json json = parsedJson<Json>(text);
  if (json.is_discarded()) return fail("dap.json", "the body of a message is not JSON in UTF-8");
  return json;
}

}  // namespace

std::string frame(const Json& body) {
  std::string text = dumpJson(body);
  return "Content-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text;
}

void FrameReader::feed(std::string_view bytes) {
  size_t skipped = std::min(skip_, bytes.size());
  skip_ -= skipped;
  buffer_.append(bytes.substr(skipped));
}

void FrameReader::drop(size_t count) {
  begin_ += count;
  // Moving the tail only when most of the buffer is consumed keeps many small frames linear.
  if (begin_ == buffer_.size() || begin_ > buffer_.size() / 2 + 65536) {
    buffer_.erase(0, begin_);
    begin_ = 0;
  }
}

Result<Json> FrameReader::wrongHeader(std::string why) {
  resync_ = true;
  return fail("dap.header", std::move(why));
}

std::optional<Result<Json>> FrameReader::body() {
  size_t available = buffer_.size() - begin_;
  if (*length_ > kMaxBodyBytes) {
    size_t length = *length_;
    length_.reset();
    size_t here = std::min(available, length);
    skip_ = length - here;
    drop(here);
    return fail("dap.too-large", "a message of " + std::to_string(length) + " bytes exceeds the limit of " +
                                     std::to_string(kMaxBodyBytes));
  }
  if (available < *length_) return {};
  Result<Json> json = parseBody(std::string_view(buffer_).substr(begin_, *length_));
  size_t used = *length_;
  length_.reset();
  drop(used);
  return json;
}

std::optional<Result<Json>> FrameReader::next() {
  if (length_) return body();
  std::string_view text = std::string_view(buffer_).substr(begin_);
  if (resync_) {
    size_t at = findLength(text);
    if (at == std::string_view::npos) {
      drop(text.size() - std::min(text.size(), kLength.size() - 1));
      return {};
    }
    drop(at);
    resync_ = false;
    text = std::string_view(buffer_).substr(begin_);
  }
  size_t end = text.find(kEnd);
  if (end == std::string_view::npos) {
    if (text.size() <= kMaxHeaderBytes) return {};
    drop(kLength.size());
    return wrongHeader("no header of a message within " + std::to_string(kMaxHeaderBytes) + " bytes");
  }
  length_ = lengthOf(text.substr(0, end));
  if (!length_) {
    // Behind stray bytes a good header may stand in the same block; a header that is itself wrong is dropped whole.
    drop(startsWithLength(text) ? end + kEnd.size() : 1);
    return wrongHeader("the header of a message is not `Content-Length: N`");
  }
  drop(end + kEnd.size());
  return body();
}

}  // namespace rx::dap
