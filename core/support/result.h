// Result<T>: a value, or the list of diagnostics that says why there is none.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "core/support/assert.h"
#include "core/support/diagnostic.h"

namespace rx {

/// Converts to any failed Result.
struct Failure {
  std::vector<Diagnostic> diagnostics;
};

inline Failure fail(Diagnostic diagnostic) {
  Failure failure;
  failure.diagnostics.push_back(std::move(diagnostic));
  return failure;
}
inline Failure fail(std::vector<Diagnostic> diagnostics) { return Failure{std::move(diagnostics)}; }
/// A failure without a place.
inline Failure fail(std::string rule, std::string message) {
  return fail(errorAt({}, std::move(rule), std::move(message)));
}

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  template <class U>
    requires(std::is_convertible_v<U &&, T> && !std::is_same_v<std::decay_t<U>, Failure>)
  Result(U&& value) : value_(std::forward<U>(value)) {}
  Result(Failure failure) : diagnostics_(std::move(failure.diagnostics)) {
    RX_ASSERT(!diagnostics_.empty(), "a failure has at least one diagnostic");
  }

  bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }
  T& value() & { return *value_; }
  const T& value() const& { return *value_; }
  T&& value() && { return std::move(*value_); }
  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }
  T&& operator*() && { return std::move(*value_); }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }

  /// Why it failed; warnings of a success are carried by the value, not here.
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
  /// Passes the failure on as a Result of another type.
  Failure failure() const { return Failure{diagnostics_}; }

 private:
  std::optional<T> value_;
  std::vector<Diagnostic> diagnostics_;
};

/// Result<Unit> is "it worked, or why not".
struct Unit {};

}  // namespace rx

#define RX_CONCAT_(a, b) a##b
#define RX_CONCAT(a, b) RX_CONCAT_(a, b)
/// RX_TRY(name, expression): unwraps a Result into `auto name`, or returns its failure from this function.
#define RX_TRY(name, ...)                                                       \
  auto RX_CONCAT(rxTry, __LINE__) = (__VA_ARGS__);                              \
  if (!RX_CONCAT(rxTry, __LINE__)) return RX_CONCAT(rxTry, __LINE__).failure(); \
  auto name = std::move(*RX_CONCAT(rxTry, __LINE__))
/// RX_CHECK(expression): the same where the value is not needed.
#define RX_CHECK(...)                           \
  do {                                          \
    auto rxChecked = (__VA_ARGS__);             \
    if (!rxChecked) return rxChecked.failure(); \
  } while (false)
