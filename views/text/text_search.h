// Search in a text in slices, so that a search through 26 MB never holds the window up.
#pragma once

#include <QRegularExpression>
#include <QString>
#include <vector>

#include "views/text/text_buffer.h"

namespace rx {

struct SearchOptions {
  bool caseSensitive = false;
  bool wholeWord = false;
  bool regex = false;
  bool operator==(const SearchOptions&) const = default;
};

/// A byte range that matched.
struct TextMatch {
  uint32_t begin = 0;
  uint32_t end = 0;
  bool operator==(const TextMatch&) const = default;
};

class TextSearch {
 public:
  /// An empty pattern is done at once, with no match. Case is folded for ASCII letters (regular expressions: all).
  TextSearch(TextBufferPtr buffer, const QString& pattern, SearchOptions options);

  /// Searches about `bytes` more; true when the end was reached.
  bool step(uint32_t bytes);
  bool done() const { return done_; }
  /// In order, never overlapping, none empty.
  const std::vector<TextMatch>& matches() const { return matches_; }
  /// There are more than `kMaxMatches`; the rest was not looked for.
  bool truncated() const { return matches_.size() >= kMaxMatches; }
  /// Why the pattern is not a regular expression; empty when it is.
  const QString& error() const { return error_; }

  static constexpr size_t kMaxMatches = 100'000;

 private:
  void searchPlain(uint32_t until);
  void searchRegex(uint32_t untilLine);
  bool acceptWord(uint32_t begin, uint32_t end) const;

  TextBufferPtr buffer_;
  SearchOptions options_;
  std::string needle_;
  QRegularExpression regex_;
  QString error_;
  std::vector<TextMatch> matches_;
  uint32_t position_ = 0;
  uint32_t line_ = 0;
  bool done_ = false;
};

}  // namespace rx
