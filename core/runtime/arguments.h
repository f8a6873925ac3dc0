// Arguments: what a call is given, by reference. Values stay where they are (registers, constants, a list), so that a
// call neither copies nor counts them.
#pragma once

#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "core/runtime/value.h"

namespace rx::vm {

/// Host memory, where instructions number the devices from 0 on.
constexpr int32_t kHost = -1;

class Arguments {
 public:
  /// Gives the values behind the pointers.
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Value;
    using difference_type = std::ptrdiff_t;
    using pointer = const Value*;
    using reference = const Value&;

    Iterator() = default;
    explicit Iterator(const Value* const* at) : at_(at) {}
    const Value& operator*() const { return **at_; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) { return Iterator(at_++); }
    Iterator operator+(difference_type n) const { return Iterator(at_ + n); }
    Iterator operator-(difference_type n) const { return Iterator(at_ - n); }
    bool operator==(const Iterator&) const = default;

   private:
    const Value* const* at_ = nullptr;
  };

  Arguments() = default;
  /// Pointers and values have to outlive it.
  Arguments(std::span<const Value* const> values) : values_(values) {}

  size_t size() const { return values_.size(); }
  bool empty() const { return values_.empty(); }
  const Value& operator[](size_t i) const { return *values_[i]; }
  const Value& back() const { return *values_.back(); }
  Arguments subspan(size_t from) const { return values_.subspan(from); }
  Iterator begin() const { return Iterator(values_.data()); }
  Iterator end() const { return Iterator(values_.data() + values_.size()); }

 private:
  std::span<const Value* const> values_;
};

/// A list of values as arguments; the list has to outlive it.
class ArgumentsOf {
 public:
  explicit ArgumentsOf(std::span<const Value> values) {
    pointers_.reserve(values.size());
    for (const Value& value : values) pointers_.push_back(&value);
  }
  operator Arguments() const { return std::span<const Value* const>(pointers_); }

 private:
  std::vector<const Value*> pointers_;
};

}  // namespace rx::vm
