#include "views/text/text_search.h"

#include <QStringView>
#include <algorithm>

#include "views/text/word.h"
#include "views/theme/qt_text.h"

namespace rx {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

}  // namespace

TextSearch::TextSearch(TextBufferPtr buffer, const QString& pattern, SearchOptions options)
    : buffer_(std::move(buffer)), options_(options), needle_(pattern.toStdString()) {
  done_ = needle_.empty() || !buffer_;
  if (options_.regex) {
    auto flags = QRegularExpression::PatternOptions(QRegularExpression::UseUnicodePropertiesOption);
    if (!options_.caseSensitive) flags |= QRegularExpression::CaseInsensitiveOption;
    regex_ = QRegularExpression(pattern, flags);
    if (!regex_.isValid()) {
      error_ = regex_.errorString();
      done_ = true;
    }
  } else if (!options_.caseSensitive) {
    std::transform(needle_.begin(), needle_.end(), needle_.begin(), lower);
  }
}

bool TextSearch::acceptWord(uint32_t begin, uint32_t end) const {
  if (!options_.wholeWord) return true;
  const std::string_view text = buffer_->text();
  return (begin == 0 || !isWordByte(text[begin - 1])) && (end == text.size() || !isWordByte(text[end]));
}

bool TextSearch::step(uint32_t bytes) {
  if (done_) return true;
  const uint32_t until = static_cast<uint32_t>(std::min<uint64_t>(uint64_t(position_) + bytes, buffer_->size()));
  if (options_.regex) {
    searchRegex(until);
  } else {
    searchPlain(until);
  }
  if (truncated()) done_ = true;
  return done_;
}

void TextSearch::searchPlain(uint32_t until) {
  const std::string_view text = buffer_->text();
  auto equal = [this](char a, char b) { return (options_.caseSensitive ? a : lower(a)) == b; };
  const char first = needle_[0];
  const char* end = text.data() + text.size();
  const char* stop = text.data() + until;
  for (const char* at = text.data() + position_; at < stop && !truncated();) {
    // A match may reach past the slice, so only its first byte is bounded by it.
    if (!equal(*at, first) || static_cast<size_t>(end - at) < needle_.size() ||
        !std::equal(at, at + needle_.size(), needle_.begin(), equal)) {
      ++at;
      continue;
    }
    const auto begin = static_cast<uint32_t>(at - text.data());
    const uint32_t after = begin + static_cast<uint32_t>(needle_.size());
    if (acceptWord(begin, after)) matches_.push_back({begin, after});
    at += needle_.size();
  }
  position_ = std::max(until, matches_.empty() ? 0 : matches_.back().end);
  done_ = position_ >= text.size();
}

void TextSearch::searchRegex(uint32_t until) {
  while (line_ < buffer_->lineCount() && buffer_->lineStart(line_) <= until && !truncated()) {
    const std::string_view bytes = buffer_->line(line_);
    const uint32_t start = buffer_->lineStart(line_);
    const QString line = views::qtText(bytes);
    const bool ascii = line.size() == static_cast<qsizetype>(bytes.size());
    auto byteOf = [&](qsizetype index) {
      return static_cast<uint32_t>(ascii ? index : QStringView(line).left(index).toUtf8().size());
    };
    for (auto it = regex_.globalMatch(line); it.hasNext();) {
      const auto match = it.next();
      const uint32_t begin = start + byteOf(match.capturedStart()), end = start + byteOf(match.capturedEnd());
      if (end > begin && acceptWord(begin, end)) matches_.push_back({begin, end});
    }
    ++line_;
  }
  position_ = until;
  done_ = line_ >= buffer_->lineCount();
}

}  // namespace rx
