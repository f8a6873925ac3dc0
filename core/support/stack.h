// Native recursion that is bounded by real nesting goes on, on a stack of its own, when the present one runs low.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <type_traits>

namespace rx {

/// True when less than `bytes` of the present thread's stack are left.
bool stackIsLow(size_t bytes = 96 * 1024);
/// Runs `body` on a new thread with a stack of 16 MB and waits for it.
void runOnNewStack(const std::function<void()>& body);

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

}  // namespace rx
