// One group of threads of a kernel of a device, run thread by thread and statement by statement: they wait for each
// other and share memory as on the device, in an order that is always the same. A thread that waits lets others run to
// where they wait too, and no further.
#pragma once

#include <array>
#include <memory>

#include "core/launch/launch.h"
#include "core/launch/races.h"

namespace rx::launch {

/// What a thread has at a place: a variable, or a buffer that it reaches.
struct ThreadValue {
  std::string name;
  std::string text;  ///< of a variable
  Ref<HostTensor> buffer;
  std::string scope;  ///< of a buffer: "global", "shared", "local"
};

/// What a statement of a thread read or wrote.
struct Touch {
  std::string buffer;
  int64_t index = 0;
  bool writes = false;
  std::string text;  ///< the element as it is now
};

class Group {
 public:
  /// Threads that exchange values and wait for each other by themselves.
  static constexpr int64_t kWarp = 32;
  enum class State : uint8_t { Ready, Waits, Done, Failed };

  /// At the first statement of every thread. `races` may be null: nobody looks for any, nor at what statements touch.
  /// What a launch names stays alive with the group.
  static Result<std::unique_ptr<Group>> start(Launch launch, std::array<int64_t, 3> at, Races* races,
                                              const interpret::Options& options);
  ~Group();

  const Launch& launch() const;
  std::array<int64_t, 3> at() const;
  int64_t size() const;
  std::array<int64_t, 3> thread(int64_t number) const;
  State state(int64_t thread) const;
  /// The statement that a thread runs next; that it waits at, failed at, or ended with.
  Span place(int64_t thread) const;
  std::vector<ThreadValue> values(int64_t thread) const;
  /// What the last step of a thread touched, in order.
  std::vector<Touch> touches() const;

  /// One statement of a thread. One that waits goes on when all others have come to where they wait too; where these do
  /// not, with interpret.barrier. Fails with what the thread does wrong, which says where.
  Result<Unit> step(int64_t thread);
  /// Every thread to its end.
  Result<Unit> finish();

 private:
  struct Parts;
  explicit Group(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace rx::launch
