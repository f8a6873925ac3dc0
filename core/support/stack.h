// Native recursion that is bounded by real nesting goes on, on a stack of its own, when the present one runs low.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <type_traits>

namespace rx {

/// True when less than `bytes` of the present thread's stack are left.
bool stackIsLow(size_t bytes = 96 * 1024);
/// Runs `body` on a new thread with a stack of its own, 16 MB unless told, and waits for it.
void runOnNewStack(const std::function<void()>& body, size_t bytes = 16 << 20);

/// Runs `body` where there is stack enough for it: put it around each level of a recursion by nesting.
template <class Body>
auto withStack(Body&& body) -> decltype(body()) {
  if (!stackIsLow()) return body();
  using Value = decltype(body());
  if constexpr (std::is_void_v<Value>) {
    runOnNewStack([&] { body(); });
  } else {
    std::optional<Value> value;
    runOnNewStack([&] { value.emplace(body()); });
    return std::move(*value);
  }
}

/// Runs `body` with a stack of megabytes, whatever the caller has left: put it around a whole job (a verb, a pass)
/// whose own recursion is bounded by real nesting.
template <class Body>
auto withDeepStack(Body&& body) -> decltype(body()) {
  constexpr size_t kDeep = 6 << 20, kNew = 64 << 20;
  if (!stackIsLow(kDeep)) return body();
  std::optional<decltype(body())> value;
  runOnNewStack([&] { value.emplace(body()); }, kNew);
  return std::move(*value);
}

}  // namespace rx
