// SmallList<T, N>: a list of plain values whose first N need no memory of their own.
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

namespace rx {

template <class T, size_t N>
requires std::is_trivially_copyable_v<T>
class SmallList {
 public:
  void push_back(T value) {
    if (size_ == N) more_.assign(first_, first_ + N);
    if (size_ >= N) {
      more_.push_back(value);
    } else {
      first_[size_] = value;
    }
    ++size_;
  }
  size_t size() const { return size_; }
  T* data() { return size_ > N ? more_.data() : first_; }
  const T* data() const { return size_ > N ? more_.data() : first_; }

 private:
  size_t size_ = 0;
  T first_[N];
  std::vector<T> more_;  ///< all of them, once there are more than N
};

}  // namespace rx
