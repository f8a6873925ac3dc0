// SteppedKernel: a kernel of a device that a user has stepped into, as the threads of one of its groups. What they
// compute is seen and is nobody's result: the run goes on with the kernel on its device.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "core/support/result.h"
#include "core/tensor/host_tensor.h"

namespace rx::debug {

class SteppedKernel {
 public:
  /// Which threads a step moves: the one that is named, those of its warp, or all of the group.
  enum class Who : uint8_t { Thread, Warp, Group };
  enum class State : uint8_t { Ready, Waits, Done, Failed };
  struct Value {
    std::string name;
    std::string text;        ///< of a variable
    Ref<HostTensor> buffer;  ///< of what it reaches by name
    std::string scope;       ///< of a buffer: "global", "shared", "local"
  };

  /// A group of threads: of which of the kernels that the function starts, in their order, and which of its groups.
  struct Place {
    int64_t launch = 0;
    std::array<int64_t, 3> group{};
  };

  virtual ~SteppedKernel() = default;
  virtual const std::string& name() const = 0;
  /// The text that lines are of.
  virtual std::string text() const = 0;
  /// The group whose threads these are, and how many groups its kernel is started with along each axis.
  virtual Place place() const = 0;
  virtual std::array<int64_t, 3> groups() const = 0;
  /// Another group from its beginning on, behind the kernels that were started before. Fails with kernel.threads where
  /// there is none such, with interpret.launch where fewer are started; then all stays.
  virtual Result<Unit> choose(const Place& place) = 0;
  virtual int64_t size() const = 0;
  /// "blockIdx (0, 0, 0), threadIdx (3, 0, 0)".
  virtual std::string threadName(int64_t thread) const = 0;
  virtual State state(int64_t thread) const = 0;
  virtual int64_t line(int64_t thread) const = 0;
  virtual std::vector<Value> values(int64_t thread) const = 0;
  /// One statement of each of them. Fails with what a thread does wrong.
  virtual Result<Unit> step(int64_t thread, Who who) = 0;
  /// As it was before the last step; at the beginning it stays.
  virtual Result<Unit> back() = 0;
  /// The races that were found since this was asked last, a sentence each.
  virtual std::vector<std::string> newRaces() = 0;
};

}  // namespace rx::debug
