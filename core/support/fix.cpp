#include "core/support/fix.h"

#include <algorithm>
#include <utility>

namespace rx {
namespace {

constexpr std::string_view kMeant = "did you mean '";
constexpr std::string_view kMeantEnd = "'?";
constexpr std::string_view kWrite = "write ";

bool isNameByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (c & 0x80);
}

/// A name, or names with full stops between; an "@" may stand before it.
bool isDotted(std::string_view text) {
  if (text.starts_with('@')) text.remove_prefix(1);
  return !text.empty() && text.front() != '.' && text.back() != '.' &&
         std::all_of(text.begin(), text.end(), [](char c) { return isNameByte(c) || c == '.'; });
}

/// What a fix says to write; empty for other sentences.
std::string_view wordOf(std::string_view fix) {
  std::string_view word;
  if (fix.starts_with(kMeant) && fix.ends_with(kMeantEnd) && fix.size() > kMeant.size() + kMeantEnd.size())
    word = fix.substr(kMeant.size(), fix.size() - kMeant.size() - kMeantEnd.size());
  if (fix.starts_with(kWrite)) word = fix.substr(kWrite.size());
  return isDotted(word) ? word : std::string_view();
}

/// The name that a message quotes first.
std::string_view quotedName(std::string_view message) {
  for (size_t open = message.find('\''); open != std::string_view::npos;) {
    const size_t close = message.find('\'', open + 1);
    if (close == std::string_view::npos) return {};
    if (const auto name = message.substr(open + 1, close - open - 1); isDotted(name)) return name;
    open = message.find('\'', close + 1);
  }
  return {};
}

/// Where a name stands in a text as a whole word; npos where it does not, or more than once.
size_t onlyPlaceOf(std::string_view name, std::string_view text) {
  size_t found = std::string_view::npos;
  for (size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const size_t end = at + name.size();
    if ((at > 0 && isNameByte(text[at - 1])) || (end < text.size() && isNameByte(text[end]))) continue;
    if (found != std::string_view::npos) return std::string_view::npos;
    found = at;
  }
  return found;
}

}  // namespace

std::string didYouMean(std::string_view name) { return std::string(kMeant).append(name).append(kMeantEnd); }

std::string writeInstead(std::string_view text) { return std::string(kWrite).append(text); }

std::optional<Edit> editOf(const Diagnostic& diagnostic, const SourceFile& source) {
  const std::string_view word = wordOf(diagnostic.fix);
  Span span = diagnostic.span;
  if (word.empty() || !span.known() || span.end > source.text().size() || span.begin >= span.end) return std::nullopt;
  std::string_view written = source.text().substr(span.begin, span.end - span.begin);
  if (word.front() == '@') {
    // A decorator begins what it stands before.
    if (written.front() != '@') return std::nullopt;
    const auto end =
        std::find_if(written.begin() + 1, written.end(), [](char c) { return !isNameByte(c) && c != '.'; });
    written = written.substr(0, static_cast<size_t>(end - written.begin()));
    span.end = span.begin + static_cast<uint32_t>(written.size());
  } else if (!isDotted(written)) {
    const std::string_view name = quotedName(diagnostic.message);
    const size_t at = name.empty() ? std::string_view::npos : onlyPlaceOf(name, written);
    if (at == std::string_view::npos) return std::nullopt;
    span.begin += static_cast<uint32_t>(at);
    span.end = span.begin + static_cast<uint32_t>(name.size());
    written = name;
  }
  // A member is meant by its own name: what stands before it stays.
  const size_t dot = written.rfind('.');
  if (dot != std::string_view::npos && word.find('.') == std::string_view::npos)
    span.begin += static_cast<uint32_t>(dot + 1);
  if (source.text().substr(span.begin, span.end - span.begin) == word) return std::nullopt;
  return Edit{span, std::string(word)};
}

std::string applyEdits(std::string_view text, std::vector<Edit> edits) {
  std::sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) {
    return std::pair(a.span.begin, a.span.end) < std::pair(b.span.begin, b.span.end);
  });
  std::string out;
  size_t at = 0;
  for (const Edit& edit : edits) {
    if (edit.span.begin < at || edit.span.end > text.size() || edit.span.end < edit.span.begin) continue;
    out.append(text.substr(at, edit.span.begin - at)).append(edit.text);
    at = edit.span.end;
  }
  return out.append(text.substr(at));
}

}  // namespace rx
