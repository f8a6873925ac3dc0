// Array<T>: an immutable shared sequence of 8 bytes (null when empty); copying shares.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <vector>

#include "core/support/ref.h"

namespace rx {

template <class T>
class Array {
 public:
  using value_type = T;
  Array() = default;
  Array(std::initializer_list<T> items) : Array(std::vector<T>(items)) {}
  Array(std::vector<T> items) {
    if (!items.empty()) {
      items.shrink_to_fit();
      data_ = make<Data>(std::move(items));
    }
  }
  template <class It>
  Array(It first, It last) : Array(std::vector<T>(first, last)) {}
  /// Widens element by element: Array<Ref<Var>> to Array<Ref<Expr>>.
  template <class U>
    requires(!std::is_same_v<U, T> && std::is_convertible_v<U, T>)
  Array(const Array<U>& other) : Array(std::vector<T>(other.begin(), other.end())) {}

  size_t size() const { return data_ ? data_->items.size() : 0; }
  bool empty() const { return !data_; }
  const T& operator[](size_t i) const { return data_->items[i]; }
  const T& front() const { return data_->items.front(); }
  const T& back() const { return data_->items.back(); }
  const T* begin() const { return data_ ? data_->items.data() : nullptr; }
  const T* end() const { return data_ ? data_->items.data() + data_->items.size() : nullptr; }
  std::span<const T> span() const { return {begin(), size()}; }
  operator std::span<const T>() const { return span(); }
  std::vector<T> vector() const { return std::vector<T>(begin(), end()); }
  /// True when both are the very same sequence.
  bool same(const Array& other) const { return data_ == other.data_; }

 private:
  struct Data : Object {
    explicit Data(std::vector<T>&& v) : items(std::move(v)) {}
    std::vector<T> items;
  };
  Ref<Data> data_;
};

}  // namespace rx
