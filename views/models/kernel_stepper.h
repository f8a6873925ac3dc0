// What steps threads of a device's kernel: a debug session may be one.
#pragma once

#include "views/models/debug_session.h"
#include "views/models/kernel_threads.h"

namespace rx::views {

class KernelStepper {
 public:
  virtual ~KernelStepper() = default;
  /// While the run stands in a kernel of a device: its threads.
  virtual const KernelThreads& threads() const = 0;
  /// Into the threads of the next kernel that the binding starts on a device. In a kernel, what steps a run is about
  /// the current thread; out of it, the run goes on behind the call.
  virtual void enterThreads() = 0;
  /// One statement of all threads of the current one's "warp" or "group".
  virtual void stepThreads(const QString& of) = 0;
  /// Another group, from its beginning on: of the kernel of this number that the function starts, by x, y, z.
  virtual void chooseGroup(int launch, const std::vector<qint64>& group) = 0;
  /// Makes a thread current; nothing moves.
  virtual void showThread(int id) = 0;
};

/// The threads of a session, where it stands in a kernel.
inline const KernelThreads& kernelThreads(DebugSession* debug) {
  static const KernelThreads kNone;
  const KernelStepper* stepper = debug->kernelStepper();
  return stepper ? stepper->threads() : kNone;
}

}  // namespace rx::views
