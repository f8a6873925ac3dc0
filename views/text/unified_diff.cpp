#include "views/text/unified_diff.h"

#include <algorithm>

namespace rx {
namespace {

constexpr uint32_t kMark = 2;  // bytes before each line

class Writer {
 public:
  Writer(const TextDiff& diff, const TextBuffer& left, const TextBuffer& right)
      : diff_(diff), left_(left), right_(right) {}

  UnifiedDiff run() {
    for (uint32_t i = 0; i < diff_.rows.size();) {
      if (!diff_.rows[i].changed) {
        add("  ", right_, diff_.rows[i].left, diff_.rows[i].right, i);
        ++i;
        continue;
      }
      uint32_t end = i;
      while (end < diff_.rows.size() && diff_.rows[end].changed) ++end;
      for (uint32_t k = i; k < end; ++k) removed(k);
      for (uint32_t k = i; k < end; ++k) added(k);
      i = end;
    }
    return std::move(out_);
  }

 private:
  void removed(uint32_t row) {
    const int32_t line = diff_.rows[row].left;
    if (line < 0) return;
    mark(DiffTone::Removed);
    words(diff_.leftWords, left_, static_cast<uint32_t>(line), &nextLeft_);
    add("- ", left_, line, -1, row);
  }
  void added(uint32_t row) {
    const int32_t line = diff_.rows[row].right;
    if (line < 0) return;
    mark(DiffTone::Added);
    words(diff_.rightWords, right_, static_cast<uint32_t>(line), &nextRight_);
    add("+ ", right_, -1, line, row);
  }
  void mark(DiffTone tone) { out_.tones.push_back({static_cast<uint32_t>(out_.lines.size()), tone}); }
  /// The marked words of a line, moved to where it stands now; lines come in their order.
  void words(const std::vector<WordTone>& all, const TextBuffer& from, uint32_t line, size_t* next) {
    const uint32_t begin = from.lineStart(line), end = from.lineEnd(line);
    while (*next < all.size() && all[*next].begin < begin) ++*next;
    const auto base = static_cast<uint32_t>(out_.text.size()) + kMark;
    for (; *next < all.size() && all[*next].begin < end; ++*next) {
      const WordTone& word = all[*next];
      out_.words.push_back({base + word.begin - begin, base + word.end - begin, word.tone});
    }
  }
  void add(const char* prefix, const TextBuffer& from, int32_t left, int32_t right, uint32_t row) {
    const int32_t line = right >= 0 ? right : left;
    out_.text.append(prefix).append(from.line(static_cast<uint32_t>(line))).append("\n");
    out_.lines.push_back({left, right, row});
  }

  const TextDiff& diff_;
  const TextBuffer& left_;
  const TextBuffer& right_;
  UnifiedDiff out_;
  size_t nextLeft_ = 0, nextRight_ = 0;
};

}  // namespace

UnifiedDiff unified(const TextDiff& diff, const TextBuffer& left, const TextBuffer& right) {
  return Writer(diff, left, right).run();
}

}  // namespace rx
