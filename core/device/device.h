// core/device: the devices that kernels run on beside the processor: their memory, programs, launches and time. Each
// kind (kinds.def) stands on the driver of its vendor, which is looked for when devices are asked for and not before:
// nothing of a vendor is needed to build this or to run without a device. What a driver reports becomes a diagnostic of
// a rule device.*, with what was asked for and what to do next.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/tensor/dtype.h"
#include "core/tensor/storage.h"

namespace rx::device {

/// What a device says of itself.
struct Properties {
  std::string kind;  ///< as in kinds.def
  int64_t number = 0;
  std::string name;
  std::string driver;        ///< and its version
  std::string code;          ///< what its programs are written in, such as "OpenCL C 1.2"
  std::string architecture;  ///< that programs are made for, such as "sm_80"; empty where they are for every device
  int64_t memory = 0;        ///< bytes, and the most of them in one block
  int64_t largestBlock = 0;
  int64_t units = 0;  ///< that run groups of threads side by side
  int64_t megahertz = 0;
  int64_t groupThreads = 0;  ///< the most threads of a group, and along each axis
  std::array<int64_t, 3> group{};
  std::array<int64_t, 3> grid{};  ///< the most groups along each axis
  int64_t sharedBytes = 0;        ///< that the threads of a group may share
  int64_t warp = 1;               ///< threads that run in step
  bool halves = false;            ///< has arithmetic of float16
  bool doubles = false;           ///< and of float64
};

/// How many threads a kernel is started with. Axes are x, y, z.
struct LaunchSizes {
  std::array<int64_t, 3> grid{1, 1, 1};   ///< groups
  std::array<int64_t, 3> group{1, 1, 1};  ///< threads of each
  int64_t sharedBytes = 0;                ///< that each group gets beside what the kernel declares
};

/// A tensor in the device's memory as its boxes are copied by the device itself, axes in the order of memory: the first
/// one is that whose elements follow each other.
struct TileMap {
  DataType element;
  std::vector<int64_t> extents, box;  ///< of each axis, in elements
  std::vector<int64_t> strides;       ///< of each axis but the first, in bytes
  int64_t line = 0;                   ///< bytes of a line in shared memory, whose pieces change places in a pattern
  bool operator==(const TileMap&) const = default;
  /// Whether it has what a map needs for each of 1 to 5 axes, all of it more than nothing.
  bool fits() const;
  static void parts(auto& io, auto& self) { io(self.element, self.extents, self.box, self.strides, self.line); }
};

/// An argument of a kernel: an address in the device's memory, or the first bytes of a scalar.
struct LaunchArgument {
  uint64_t bits = 0;
  uint8_t bytes = 0;             ///< 0: an address
  const TileMap* map = nullptr;  ///< of what lies at the address, which is given instead; lives as long as the launch
};
LaunchArgument addressArgument(uint64_t address);
LaunchArgument intArgument(int64_t value, int bits);
/// Of 16 (float16), 32 or 64 bits.
LaunchArgument floatArgument(double value, int bits);

/// A moment in the order of what a device does.
class Mark {
 public:
  virtual ~Mark() = default;
};

class Device;

/// A program that a device has taken. It keeps its device.
class Program {
 public:
  virtual ~Program() = default;
  /// Starts one of the kernels that it was made for; sharedBytes, where there are any, are its last argument. What the
  /// kernel does wrong is reported by what waits for it. Fails with device.launch where a size is beyond what the
  /// device can, and as the driver says.
  Result<Unit> launch(size_t kernel, const LaunchSizes& sizes, std::span<const LaunchArgument> arguments);
  /// What the driver's compiler made of the text, for Device::loaded.
  virtual Result<std::string> image() const = 0;

 protected:
  Program(std::shared_ptr<Device> device, std::vector<std::string> kernels)
      : device_(std::move(device)), kernels_(std::move(kernels)) {}
  virtual Result<Unit> start(size_t kernel, const LaunchSizes& sizes, std::span<const LaunchArgument> arguments) = 0;
  /// Bytes that a group shares because the kernel's text declares them, where the driver does not look at them itself.
  virtual int64_t declaredShared(size_t) const { return 0; }
  const std::vector<std::string>& kernels() const { return kernels_; }

 private:
  std::shared_ptr<Device> device_;
  std::vector<std::string> kernels_;
};

/// What a device was asked for between two moments, ready to be asked for again as a whole. It keeps its device.
class Work {
 public:
  virtual ~Work() = default;
  /// Does all of it, and waits. Fails with what goes wrong in it.
  virtual Result<Unit> run() = 0;
};

/// A device. Used by one thread at a time.
class Device : public DeviceMemory, public std::enable_shared_from_this<Device> {
 public:
  const Properties& properties() const { return properties_; }
  /// "opencl:0".
  std::string name() const override;
  /// Makes a program of a text in the language of the device, which has kernels of these names. Fails with
  /// device.program, which holds what the driver's compiler said.
  virtual Result<std::shared_ptr<Program>> program(const std::string& text, std::vector<std::string> kernels) = 0;
  /// The same of what the program of another process was, on the same device and driver (Program::image).
  virtual Result<std::shared_ptr<Program>> loaded(const std::string& image, std::vector<std::string> kernels) = 0;
  /// Waits until all is done. Fails with what went wrong since the last wait.
  virtual Result<Unit> synchronise() = 0;
  virtual Result<std::unique_ptr<Mark>> mark() = 0;
  /// Whether all is done that it was asked for before a mark of it. Fails with what went wrong.
  virtual Result<bool> reached(const Mark& mark) = 0;
  /// Nanoseconds between two marks of this device; waits for the second one.
  virtual Result<double> nanoseconds(const Mark& from, const Mark& to) = 0;
  /// Waits end where this says so, on the thread that waits: with vm.cancelled, while the kernels run on, which the
  /// next wait waits for. Null: no longer.
  void endWaits(std::function<bool()> cancelled) { cancelled_ = std::move(cancelled); }
  /// Whether the time of the kernels that are started from now on is noted.
  void timeKernels(bool wanted);
  /// Nanoseconds that those ran of which this was not asked yet, by the device's own clock. Waits for them.
  Result<double> kernelNanoseconds();
  /// What belongs to the work that is captured.
  struct Capture {
    std::vector<Ref<Storage>> memory;
    std::vector<std::function<Result<Unit>()>> checks;
  };
  /// Whether it can keep what it is asked for instead of doing it; what follows is for those that can.
  virtual bool captures() const { return false; }
  /// From now on kernels, copies and fills are kept. What waits for the device, and what this process writes, fails
  /// with device.capture.
  virtual Result<Unit> beginCapture();
  /// What was kept.
  virtual Result<std::shared_ptr<Work>> endCapture();
  /// Forgets what was kept.
  virtual void dropCapture() {}
  /// Whether kernels that are started are kept.
  bool capturing() const { return capture_.has_value(); }
  /// While it captures: memory that the work needs, and what says after each run of it whether it went well.
  void keepForWork(Ref<Storage> memory, std::function<Result<Unit>()> check = nullptr);

 protected:
  /// What something gave that waits: a failure with the kernel that was started last, its sizes and arguments.
  Result<Unit> afterLaunch(Result<Unit> done) const;
  /// Fails while work is captured, which `what` can not be part of.
  Result<Unit> outsideCapture(std::string_view what) const;
  /// Before a call of the driver that waits: whether the kernels that were started are done in the time that they may
  /// take. Fails with device.timeout where they are not; then the driver is asked for nothing any more that waits,
  /// since that would not come back.
  Result<Unit> awaitKernels();
  /// For what gives back: waits, but not for what a cancelled run has left running. False where something runs on.
  bool settled();
  /// Where kernels are timed: what was started between two marks.
  bool timing() const { return timing_; }
  void noteTime(std::unique_ptr<Mark> from, std::unique_ptr<Mark> to);
  std::optional<Capture> capture_;
  bool started_ = false;  ///< a kernel, since something waited for all of them
  bool hangs_ = false;    ///< one of them did not end, or was left running
  Properties properties_;

 private:
  friend class Program;
  Result<Unit> awaitMark(const Mark& end);
  std::string kernel_;
  LaunchSizes sizes_;
  std::vector<LaunchArgument> arguments_;
  std::function<bool()> cancelled_;
  bool left_ = false;  ///< a cancelled run has left kernels running
  bool timing_ = false;
  std::vector<std::pair<std::unique_ptr<Mark>, std::unique_ptr<Mark>>> times_;
};

/// One way to devices.
struct Kind {
  std::string_view name;
  int64_t type;              ///< as DLPack numbers it
  std::string_view library;  ///< of the driver, as the system looks for it
  bool startsPrograms;       ///< whether its compiler does, as linkers
  Result<std::vector<std::shared_ptr<Device>>> (*open)(const std::string& library);
};
std::span<const Kind> kinds();
/// Null when there is none of this name.
const Kind* findKind(std::string_view name);

/// All devices of a kind, in the driver's order. Fails with device.driver where the driver is not there or too old,
/// with device.none where it has no device. `library`: another one than the kind's.
Result<std::vector<std::shared_ptr<Device>>> devicesOf(const Kind& kind, const std::string& library = {});
/// One of them. Fails as devicesOf, or with device.none.
Result<std::shared_ptr<Device>> openDevice(std::string_view kind, int64_t number);

/// What there is: of each kind its devices or why there are none.
struct Found {
  const Kind* kind;
  std::vector<std::shared_ptr<Device>> devices;
  std::vector<Diagnostic> missing;
};
std::vector<Found> findDevices();

}  // namespace rx::device
