// A shared library of the machine, opened when it is first needed.
#pragma once

#include <initializer_list>
#include <mutex>

#include "core/support/result.h"

namespace rx::library {

/// Opens the first of these files that can be. It is never closed: threads that it starts may run until the process
/// ends. Fails with library.missing, with what the last of them lacks and what to install.
Result<void*> openShared(std::string_view title, std::initializer_list<const char*> files, std::string_view install);
/// The address of a function; null where the library has none of this name.
void* addressIn(void* library, const char* function);

/// What one library offers, found once in a process, as the library is there once. Thread-safe. What is found is never
/// given back, since code may call it for as long as the process lives.
template <class Functions>
class Found {
 public:
  constexpr explicit Found(Result<Functions> (*find)()) : find_(find) {}
  const Result<Functions>& get() {
    const std::lock_guard lock(mutex_);
    if (!found_) found_ = new Result<Functions>(find_());
    return *found_;
  }

 private:
  Result<Functions> (*find_)();
  std::mutex mutex_;
  Result<Functions>* found_ = nullptr;
};

}  // namespace rx::library
