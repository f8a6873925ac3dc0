// Rows of values of several factors in which every pair of values of any two factors stands at least once. Greedy and
// deterministic: a row is begun with the first pair that no row has, its other factors take what covers most, and of
// what covers alike the value that stands in the fewest rows so far: where factors are free, all values take turns.
#pragma once

#include <cstddef>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace rx::test {

class Pairwise {
 public:
  /// `sizes`: how many values each factor has.
  explicit Pairwise(std::vector<int> sizes) : sizes_(std::move(sizes)) {
    for (const int size : sizes_) used_.emplace_back(static_cast<size_t>(size), 0);
    for (int a = 0; a < count(); ++a) {
      for (int b = a + 1; b < count(); ++b) {
        for (int x = 0; x < sizes_[static_cast<size_t>(a)]; ++x) {
          for (int y = 0; y < sizes_[static_cast<size_t>(b)]; ++y) open_.insert({a, x, b, y});
        }
      }
    }
  }

  std::vector<std::vector<int>> rows() {
    std::vector<std::vector<int>> rows;
    while (!open_.empty()) {
      std::vector<int> row(sizes_.size(), -1);
      const auto [a, x, b, y] = *open_.begin();
      row[static_cast<size_t>(a)] = x;
      row[static_cast<size_t>(b)] = y;
      for (int factor = 0; factor < count(); ++factor) {
        if (row[static_cast<size_t>(factor)] < 0) row[static_cast<size_t>(factor)] = best(row, factor);
      }
      for (int first = 0; first < count(); ++first) {
        ++used_[static_cast<size_t>(first)][static_cast<size_t>(row[static_cast<size_t>(first)])];
        for (int second = first + 1; second < count(); ++second) open_.erase(pair(row, first, second));
      }
      rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  using Pair = std::tuple<int, int, int, int>;  // factor, value, factor, value

  int count() const { return static_cast<int>(sizes_.size()); }
  static Pair pair(const std::vector<int>& row, int a, int b) {
    return {a, row[static_cast<size_t>(a)], b, row[static_cast<size_t>(b)]};
  }
  int best(std::vector<int> row, int factor) const {
    const std::vector<int>& used = used_[static_cast<size_t>(factor)];
    int bestValue = 0;
    std::pair<int, int> most{-1, 0};  // pairs that are covered, and how rare the value is
    for (int value = 0; value < sizes_[static_cast<size_t>(factor)]; ++value) {
      row[static_cast<size_t>(factor)] = value;
      int covered = 0;
      for (int other = 0; other < count(); ++other) {
        if (other == factor || row[static_cast<size_t>(other)] < 0) continue;
        covered += static_cast<int>(open_.count(pair(row, std::min(factor, other), std::max(factor, other))));
      }
      if (const std::pair here{covered, -used[static_cast<size_t>(value)]}; here > most) {
        most = here;
        bestValue = value;
      }
    }
    return bestValue;
  }

  std::vector<int> sizes_;
  std::vector<std::vector<int>> used_;  // by factor and value: in how many rows it stands
  std::set<Pair> open_;
};

}  // namespace rx::test
