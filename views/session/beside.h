// Work on a function beside what its caller does meanwhile.
#pragma once

#include <future>
#include <utility>

namespace rx::views {

/// What `make` gives, for a function of so many bindings: made by another thread; of a small function when it is asked
/// for, which is sooner than a thread is there. What `make` reads stays as it is until then.
template <class Make>
auto beside(size_t bindings, Make make) {
  constexpr size_t kLarge = 1000;
  return std::async(bindings < kLarge ? std::launch::deferred : std::launch::async, std::move(make));
}

}  // namespace rx::views
