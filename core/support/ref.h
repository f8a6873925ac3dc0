// Intrusive shared ownership for immutable objects. Releasing a chain of any length does not recurse.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

#if defined(__GLIBC__) && !defined(RX_IN_PACKAGE)
#include <sys/single_threaded.h>
#define RX_SINGLE_THREADED (__libc_single_threaded != 0)
#endif

namespace rx {

/// Base of everything that Ref owns. Objects never change after they were made, so threads read them without locks.
class Object {
 public:
  Object() = default;
  Object(const Object&) : Object() {}
  Object& operator=(const Object&) = delete;
  virtual ~Object() = default;

  void retain() const {
    if (alone()) {
      references_.store(references_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    } else {
      references_.fetch_add(1, std::memory_order_relaxed);
    }
  }
  /// Drops one reference. The last one queues the object for deletion; the outermost release on a thread
  /// empties the queue, so a chain of a million objects is freed in a loop.
  void release() const {
    if (alone()) {
      const uint32_t before = references_.load(std::memory_order_relaxed);
      references_.store(before - 1, std::memory_order_relaxed);
      if (before == 1) destroy(this);
    } else if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      destroy(this);
    }
  }
  /// True when only one Ref holds this object.
  bool unique() const { return references_.load(std::memory_order_acquire) == 1; }

 private:
  static void destroy(const Object* object);
  /// Whether the process has never had a second thread: then counting needs no atomic operations, which cost more than
  /// most of what is done to a node. Packages are loaded by programs with other C libraries, so they do not ask.
  static bool alone() {
#ifdef RX_SINGLE_THREADED
    return RX_SINGLE_THREADED;
#else
    return false;
#endif
  }
  mutable std::atomic<uint32_t> references_{0};

 protected:
  /// Free for a subclass; it fills what alignment would leave empty.
  uint16_t tag_ = 0;
};

/// Shared pointer to a const object (8 bytes). Null is allowed and must be tested where a field may be absent.
template <class T>
class Ref {
 public:
  using Element = T;
  Ref() = default;
  Ref(std::nullptr_t) {}
  explicit Ref(const T* object) : object_(object) {
    if (object_) object_->retain();
  }
  Ref(const Ref& other) : Ref(other.object_) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  template <class U>
    requires(std::is_base_of_v<T, U> && !std::is_same_v<T, U>)
  Ref(const Ref<U>& other) : Ref(static_cast<const T*>(other.get())) {}
  template <class U>
    requires(std::is_base_of_v<T, U> && !std::is_same_v<T, U>)
  Ref(Ref<U>&& other) noexcept : object_(other.leak()) {}
  ~Ref() {
    if (object_) object_->release();
  }
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }

  const T* get() const { return object_; }
  const T* operator->() const { return object_; }
  const T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  /// Gives the pointer and its reference away.
  const T* leak() { return std::exchange(object_, nullptr); }

  /// Identity, not structure.
  template <class U>
  bool operator==(const Ref<U>& other) const {
    return static_cast<const void*>(object_) == static_cast<const void*>(other.get());
  }
  bool operator==(std::nullptr_t) const { return object_ == nullptr; }

 private:
  const T* object_ = nullptr;
};

/// Makes an object and the first reference to it.
template <class T, class... Args>
Ref<T> make(Args&&... args) {
  return Ref<T>(new T(std::forward<Args>(args)...));
}

}  // namespace rx

template <class T>
struct std::hash<rx::Ref<T>> {
  size_t operator()(const rx::Ref<T>& ref) const { return std::hash<const void*>()(ref.get()); }
};
