#include "core/support/stack.h"

#include <pthread.h>

#include "core/support/assert.h"

namespace rx {

namespace {
/// Lowest address of the present thread's stack; null when the system does not tell.
char* stackFloor() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return nullptr;
  void* floor = nullptr;
  size_t size = 0;
  pthread_attr_getstack(&attributes, &floor, &size);
  pthread_attr_destroy(&attributes);
  return static_cast<char*>(floor);
}
}  // namespace

bool stackIsLow(size_t bytes) {
  thread_local char* const floor = stackFloor();
  // The frame, not a local: sanitizers may keep locals in memory of their own.
  const char* here = static_cast<const char*>(__builtin_frame_address(0));
  return floor && static_cast<size_t>(here - floor) < bytes;
}

void runOnNewStack(const std::function<void()>& body, size_t bytes) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, bytes);
  pthread_t thread;
  auto entry = [](void* argument) -> void* {
    (*static_cast<const std::function<void()>*>(argument))();
    return nullptr;
  };
  const int error = pthread_create(&thread, &attributes, entry, const_cast<std::function<void()>*>(&body));
  pthread_attr_destroy(&attributes);
  RX_ASSERT(error == 0, "no thread for a deeper stack, error {}", error);
  pthread_join(thread, nullptr);
}

}  // namespace rx
