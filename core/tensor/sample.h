// Sample: which elements of a tensor are looked at when there are more than one wants to pay for.
#pragma once

#include <algorithm>
#include <cstdint>

namespace rx {

/// All elements of a small tensor; of a larger one one of each run of equally many, at a place in its run that follows
/// no pattern, so that a tensor whose rows have a length of a power of two is not looked at in one column.
class Sample {
 public:
  Sample(int64_t count, int64_t budget)
      : count_(count),
        stride_((count + budget - 1) / budget),
        size_(count == 0 ? 0 : (count + stride_ - 1) / stride_) {}
  int64_t size() const { return size_; }
  bool all() const { return size_ == count_; }
  int64_t operator[](int64_t k) const {
    if (stride_ == 1) return k;
    uint64_t mixed = static_cast<uint64_t>(k) * 0x9e3779b97f4a7c15u;
    mixed ^= mixed >> 29;
    return std::min(count_ - 1, k * stride_ + static_cast<int64_t>(mixed % static_cast<uint64_t>(stride_)));
  }

 private:
  int64_t count_;
  int64_t stride_;
  int64_t size_;
};

}  // namespace rx
