#include "views/text/text_diff.h"

#include <algorithm>
#include <unordered_map>

#include "core/support/sequence_diff.h"
#include "views/text/word.h"

namespace rx {
namespace {

constexpr size_t kMostPairs = 40'000;     // cells of the table that pairs the lines of one change
constexpr size_t kMostWordBytes = 4'000;  // longer lines are marked whole
constexpr double kMostChanged = 0.6;      // of both lines

/// Equal texts get equal numbers.
class Interner {
 public:
  uint32_t of(std::string_view text) {
    return numbers_.try_emplace(text, static_cast<uint32_t>(numbers_.size())).first->second;
  }

 private:
  std::unordered_map<std::string_view, uint32_t> numbers_;
};

/// Words, numbers, runs of spaces and single other bytes: where each ends.
std::vector<uint32_t> wordEnds(std::string_view line) {
  std::vector<uint32_t> ends;
  for (size_t at = 0; at < line.size();) {
    const char c = line[at++];
    if (isWordByte(c))
      while (at < line.size() && isWordByte(line[at])) ++at;
    if (c == ' ')
      while (at < line.size() && line[at] == ' ') ++at;
    ends.push_back(static_cast<uint32_t>(at));
  }
  return ends;
}

class Comparer {
 public:
  Comparer(const TextBuffer& left, const TextBuffer& right, const CancelToken& cancel, const LineLikeness* likeness)
      : left_(left), right_(right), cancel_(cancel), likeness_(likeness) {}

  std::optional<TextDiff> run() {
    Interner interner;
    const auto leftLines = likeness_ ? keyNumbers(likeness_->left, interner) : lineNumbers(left_, interner);
    const auto rightLines = likeness_ ? keyNumbers(likeness_->right, interner) : lineNumbers(right_, interner);
    const auto edits = diffSequences(leftLines, rightLines, cancel_);
    if (!edits) return std::nullopt;
    uint32_t l = 0, r = 0;
    while (l < leftLines.size() || r < rightLines.size()) {
      if (cancel_.cancelled()) return std::nullopt;
      const uint32_t fromLeft = l, fromRight = r;
      while (l < leftLines.size() && edits->left[l]) ++l;
      while (r < rightLines.size() && edits->right[r]) ++r;
      if (l > fromLeft || r > fromRight) addChange(fromLeft, l, fromRight, r);
      while (l < leftLines.size() && r < rightLines.size() && !edits->left[l] && !edits->right[r]) {
        if (likeness_ && !likeness_->agrees(l, r)) {
          addChange(l, l + 1, r, r + 1);
        } else {
          result_.rows.push_back({static_cast<int32_t>(l), static_cast<int32_t>(r), false});
        }
        ++l, ++r;
      }
    }
    return std::move(result_);
  }

 private:
  static std::vector<uint32_t> lineNumbers(const TextBuffer& text, Interner& interner) {
    std::vector<uint32_t> numbers(text.lineCount());
    for (uint32_t i = 0; i < text.lineCount(); ++i) numbers[i] = interner.of(text.line(i));
    return numbers;
  }

  static std::vector<uint32_t> keyNumbers(const std::vector<std::string>& keys, Interner& interner) {
    std::vector<uint32_t> numbers;
    numbers.reserve(keys.size());
    for (const std::string& key : keys) numbers.push_back(interner.of(key));
    return numbers;
  }

  void addChange(uint32_t l, uint32_t lEnd, uint32_t r, uint32_t rEnd) {
    if (result_.rows.empty() || !result_.rows.back().changed)
      result_.changes.push_back(static_cast<uint32_t>(result_.rows.size()));
    for (const auto& [a, b] : pairLines(l, lEnd, r, rEnd)) {
      while (l < a) addRow(static_cast<int32_t>(l++), -1);
      while (r < b) addRow(-1, static_cast<int32_t>(r++));
      addRow(static_cast<int32_t>(l++), static_cast<int32_t>(r++));
    }
    while (l < lEnd) addRow(static_cast<int32_t>(l++), -1);
    while (r < rEnd) addRow(-1, static_cast<int32_t>(r++));
  }

  void addRow(int32_t l, int32_t r) {
    result_.rows.push_back({l, r, true});
    (l < 0 ? result_.added : r < 0 ? result_.removed : result_.edited) += 1;
    if (l >= 0 && r >= 0) markWords(static_cast<uint32_t>(l), static_cast<uint32_t>(r));
  }

  /// Which lines of a change stand beside each other: the order-preserving pairing with most in common.
  std::vector<std::pair<uint32_t, uint32_t>> pairLines(uint32_t l, uint32_t lEnd, uint32_t r, uint32_t rEnd) const {
    std::vector<std::pair<uint32_t, uint32_t>> pairs;
    const size_t n = lEnd - l, m = rEnd - r;
    if (n == 0 || m == 0) return pairs;
    if (n * m > kMostPairs) {
      for (size_t i = 0; i < std::min(n, m); ++i)
        pairs.push_back({l + static_cast<uint32_t>(i), r + static_cast<uint32_t>(i)});
      return pairs;
    }
    std::vector<std::vector<size_t>> leftWords, rightWords;
    for (uint32_t i = l; i < lEnd; ++i) leftWords.push_back(wordHashes(left_.line(i)));
    for (uint32_t i = r; i < rEnd; ++i) rightWords.push_back(wordHashes(right_.line(i)));
    std::vector<float> best((n + 1) * (m + 1)), likeness(n * m);
    auto cell = [&](size_t i, size_t j) -> float& { return best[i * (m + 1) + j]; };
    for (size_t i = n; i-- > 0;) {
      for (size_t j = m; j-- > 0;) {
        const float same = likeness[i * m + j] = alike(leftWords[i], rightWords[j]);
        cell(i, j) = std::max({cell(i + 1, j), cell(i, j + 1), same > 0.4f ? same + cell(i + 1, j + 1) : 0.f});
      }
    }
    for (size_t i = 0, j = 0; i < n && j < m;) {
      const float same = likeness[i * m + j];
      if (same > 0.4f && cell(i, j) == same + cell(i + 1, j + 1)) {
        pairs.push_back({l + static_cast<uint32_t>(i++), r + static_cast<uint32_t>(j++)});
      } else if (cell(i, j) == cell(i + 1, j)) {
        ++i;
      } else {
        ++j;
      }
    }
    return pairs;
  }

  static std::vector<size_t> wordHashes(std::string_view line) {
    std::vector<size_t> hashes;
    uint32_t begin = 0;
    line = line.substr(0, kMostWordBytes);
    for (uint32_t end : wordEnds(line)) {
      const std::string_view word = line.substr(begin, end - begin);
      if (isWordByte(word[0])) hashes.push_back(std::hash<std::string_view>()(word));
      begin = end;
    }
    std::sort(hashes.begin(), hashes.end());
    return hashes;
  }

  static float alike(const std::vector<size_t>& a, const std::vector<size_t>& b) {
    if (a.empty() || b.empty()) return a.empty() && b.empty() ? 1.f : 0.f;
    size_t common = 0;
    for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
      if (a[i] == b[j])
        ++common, ++i, ++j;
      else if (a[i] < b[j])
        ++i;
      else
        ++j;
    }
    return 2.f * static_cast<float>(common) / static_cast<float>(a.size() + b.size());
  }

  void markWords(uint32_t l, uint32_t r) {
    const std::string_view a = left_.line(l), b = right_.line(r);
    if (a.size() > kMostWordBytes || b.size() > kMostWordBytes) return;
    Interner interner;
    auto numbers = [&](std::string_view line, const std::vector<uint32_t>& ends) {
      std::vector<uint32_t> list;
      uint32_t begin = 0;
      for (uint32_t end : ends) list.push_back(interner.of(line.substr(begin, end - begin))), begin = end;
      return list;
    };
    const auto leftEnds = wordEnds(a), rightEnds = wordEnds(b);
    const auto edits = diffSequences(numbers(a, leftEnds), numbers(b, rightEnds), cancel_, 64);
    if (!edits) return;
    // Of a line of which little stayed, words would be spots that say nothing: it is marked whole.
    if (changed(leftEnds, edits->left) > kMostChanged && changed(rightEnds, edits->right) > kMostChanged) return;
    addWords(result_.leftWords, left_.lineStart(l), leftEnds, edits->left, DiffTone::Removed);
    addWords(result_.rightWords, right_.lineStart(r), rightEnds, edits->right, DiffTone::Added);
  }

  /// The part of a line's bytes that is marked.
  static double changed(const std::vector<uint32_t>& ends, const std::vector<char>& marks) {
    uint32_t begin = 0, bytes = 0;
    for (size_t i = 0; i < ends.size(); ++i) {
      if (marks[i]) bytes += ends[i] - begin;
      begin = ends[i];
    }
    return begin == 0 ? 0 : static_cast<double>(bytes) / begin;
  }

  static void addWords(std::vector<WordTone>& words, uint32_t start, const std::vector<uint32_t>& ends,
                       const std::vector<char>& marks, DiffTone tone) {
    uint32_t begin = 0;
    for (size_t i = 0; i < ends.size(); ++i) {
      if (marks[i]) {
        const bool joins = i > 0 && marks[i - 1] && !words.empty() && words.back().end == start + begin;
        if (joins)
          words.back().end = start + ends[i];
        else
          words.push_back({start + begin, start + ends[i], tone});
      }
      begin = ends[i];
    }
  }

  const TextBuffer& left_;
  const TextBuffer& right_;
  const CancelToken& cancel_;
  const LineLikeness* likeness_;
  TextDiff result_;
};

}  // namespace

std::optional<TextDiff> diffTexts(const TextBuffer& left, const TextBuffer& right, const CancelToken& cancel,
                                  const LineLikeness* likeness) {
  return Comparer(left, right, cancel, likeness).run();
}

}  // namespace rx
