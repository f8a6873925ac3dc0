#include "core/support/sequence_diff.h"

#include <algorithm>
#include <unordered_set>

namespace rx {
namespace {

using Numbers = std::span<const uint32_t>;

constexpr int64_t kNowhere = -(int64_t(1) << 40);

/// Works on the elements that both sides have; the others are edits whatever happens.
class Differ {
 public:
  Differ(Numbers left, Numbers right, SequenceDiff& result, const CancelToken& cancel, int64_t effort)
      : result_(result), cancel_(cancel), effort_(effort) {
    keepShared(left, right, leftValues_, leftPlaces_, result_.left);
    keepShared(right, left, rightValues_, rightPlaces_, result_.right);
    const size_t size = leftValues_.size() + rightValues_.size() + 3;
    forward_.resize(size);
    backward_.resize(size);
  }

  bool run() {
    std::vector<Box> stack{{0, size(leftValues_), 0, size(rightValues_)}};
    while (!stack.empty()) {
      if (cancel_.cancelled()) return false;
      Box box = stack.back();
      stack.pop_back();
      trim(box);
      if (box.left == box.leftEnd || box.right == box.rightEnd) {
        mark(box);
        continue;
      }
      const auto [x, y] = middle(box);
      if (x < 0) return false;
      const Box first{box.left, box.left + x, box.right, box.right + y};
      const Box second{box.left + x, box.leftEnd, box.right + y, box.rightEnd};
      if (first.same(box) || second.same(box)) {
        mark(box);
        continue;
      }
      stack.push_back(second);
      stack.push_back(first);
    }
    return true;
  }

 private:
  struct Box {
    int64_t left, leftEnd, right, rightEnd;
    bool same(const Box& o) const {
      return left == o.left && leftEnd == o.leftEnd && right == o.right && rightEnd == o.rightEnd;
    }
  };
  static int64_t size(const std::vector<uint32_t>& values) { return static_cast<int64_t>(values.size()); }

  static void keepShared(Numbers own, Numbers other, std::vector<uint32_t>& values, std::vector<uint32_t>& places,
                         std::vector<char>& marks) {
    const std::unordered_set<uint32_t> known(other.begin(), other.end());
    marks.assign(own.size(), 0);
    for (uint32_t i = 0; i < own.size(); ++i) {
      if (!known.contains(own[i])) {
        marks[i] = 1;
        continue;
      }
      values.push_back(own[i]);
      places.push_back(i);
    }
  }

  bool equal(int64_t x, int64_t y) const {
    return leftValues_[static_cast<size_t>(x)] == rightValues_[static_cast<size_t>(y)];
  }

  void trim(Box& box) const {
    while (box.left < box.leftEnd && box.right < box.rightEnd && equal(box.left, box.right)) ++box.left, ++box.right;
    while (box.left < box.leftEnd && box.right < box.rightEnd && equal(box.leftEnd - 1, box.rightEnd - 1))
      --box.leftEnd, --box.rightEnd;
  }

  void mark(const Box& box) {
    for (int64_t x = box.left; x < box.leftEnd; ++x) result_.left[leftPlaces_[static_cast<size_t>(x)]] = 1;
    for (int64_t y = box.right; y < box.rightEnd; ++y) result_.right[rightPlaces_[static_cast<size_t>(y)]] = 1;
  }

  /// A point on a shortest path from corner to corner, relative to the box: forward and backward searches meet there.
  /// x < 0: cancelled.
  std::pair<int64_t, int64_t> middle(const Box& box) {
    const int64_t n = box.leftEnd - box.left, m = box.rightEnd - box.right, delta = n - m;
    const bool odd = delta & 1;
    auto at = [&](std::vector<int64_t>& reach, int64_t k) -> int64_t& { return reach[static_cast<size_t>(k + m + 1)]; };
    for (int64_t d = 0;; ++d) {
      if (d % 64 == 63 && cancel_.cancelled()) return {-1, -1};
      // Diagonals that leave the box are not followed.
      const int64_t low = -d + 2 * std::max<int64_t>(0, d - m), high = d - 2 * std::max<int64_t>(0, d - n);
      auto advance = [&](std::vector<int64_t>& reach, int64_t k, auto match) {
        // One step right from the diagonal below or down from the one above; steps out of the box do not count.
        int64_t x = kNowhere;
        if (k > -d && at(reach, k - 1) >= 0 && at(reach, k - 1) < n) x = at(reach, k - 1) + 1;
        if (k < d && at(reach, k + 1) - k <= m) x = std::max(x, at(reach, k + 1));
        if (d == 0) x = 0;
        if (x < 0) {
          at(reach, k) = kNowhere;
          return kNowhere;
        }
        while (x < n && x - k < m && match(x, x - k)) ++x;
        at(reach, k) = x;
        return x;
      };
      for (int64_t k = low; k <= high; k += 2) {
        const int64_t x =
            advance(forward_, k, [&](int64_t i, int64_t j) { return equal(box.left + i, box.right + j); });
        const int64_t other = delta - k;
        if (x >= 0 && odd && other >= lowBefore_ && other <= highBefore_ && d > 0 && x + at(backward_, other) >= n)
          return {x, x - k};
      }
      for (int64_t k = low; k <= high; k += 2) {
        const int64_t x = advance(
            backward_, k, [&](int64_t i, int64_t j) { return equal(box.leftEnd - 1 - i, box.rightEnd - 1 - j); });
        const int64_t other = delta - k;
        if (x >= 0 && !odd && other >= low && other <= high && x + at(forward_, other) >= n)
          return {n - x, m - (x - k)};
      }
      lowBefore_ = low, highBefore_ = high;
      if (d < effort_) continue;
      int64_t best = low;
      auto progress = [&](int64_t k) { return at(forward_, k) < 0 ? -1 : 2 * at(forward_, k) - k; };
      for (int64_t k = low; k <= high; k += 2)
        if (progress(k) > progress(best)) best = k;
      if (progress(best) < 0) return {0, 0};
      return {at(forward_, best), at(forward_, best) - best};
    }
  }

  SequenceDiff& result_;
  const CancelToken& cancel_;
  int64_t effort_;
  std::vector<uint32_t> leftValues_, rightValues_, leftPlaces_, rightPlaces_;
  std::vector<int64_t> forward_, backward_;
  int64_t lowBefore_ = 0, highBefore_ = 0;  // diagonals of the backward search one edit ago
};

}  // namespace

std::optional<SequenceDiff> diffSequences(Numbers left, Numbers right, const CancelToken& cancel, uint32_t effort) {
  SequenceDiff result;
  if (!Differ(left, right, result, cancel, effort).run()) return std::nullopt;
  return result;
}

}  // namespace rx
