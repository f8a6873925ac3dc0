#include <sched.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <ctime>
#include <utility>

#include "core/device/driver.h"
#include "core/support/clock.h"
#include "core/tensor/element.h"

namespace rx::device {
namespace {

std::string sizesText(const LaunchSizes& sizes) {
  return fmt::format("groups ({}), threads of each ({}), {} bytes shared", fmt::join(sizes.grid, ", "),
                     fmt::join(sizes.group, ", "), sizes.sharedBytes);
}

std::string argumentText(const LaunchArgument& argument) {
  if (argument.map) return fmt::format("a map of {:#x}", argument.bits);
  return argument.bytes == 0 ? fmt::format("{:#x}", argument.bits)
                             : fmt::format("{} ({} bytes)", argument.bits, argument.bytes);
}

std::string launchText(std::string_view kernel, const LaunchSizes& sizes, std::span<const LaunchArgument> arguments) {
  std::vector<std::string> words;
  for (const LaunchArgument& argument : arguments) words.push_back(argumentText(argument));
  return fmt::format("{}({}), {}", kernel, fmt::join(words, ", "), sizesText(sizes));
}

/// Why a device can not start this many threads of a kernel that declares so much shared memory; "" where it can.
std::string beyond(const Properties& device, const LaunchSizes& sizes, int64_t declaredShared) {
  constexpr char kAxes[] = "xyz";
  int64_t threads = 1;
  for (size_t axis = 0; axis < 3; ++axis) {
    const int64_t groups = sizes.grid[axis], group = sizes.group[axis];
    if (groups < 1 || groups > device.grid[axis])
      return fmt::format("{} groups along {}, where 1 to {} can be started", groups, kAxes[axis], device.grid[axis]);
    if (group < 1 || group > device.group[axis])
      return fmt::format("{} threads of a group along {}, where 1 to {} fit", group, kAxes[axis], device.group[axis]);
    threads *= group;
    if (threads > device.groupThreads)
      return fmt::format("{} threads of a group or more, where {} fit", threads, device.groupThreads);
  }
  if (sizes.sharedBytes < 0 || sizes.sharedBytes > device.sharedBytes - declaredShared)
    return fmt::format("{} bytes that a group shares, where it has {}", sizes.sharedBytes + declaredShared,
                       device.sharedBytes);
  return {};
}

/// How long kernels may take before something that waits for them gives up.
int64_t kernelSeconds() {
  constexpr int64_t kSeconds = 120;
  const char* given = std::getenv("RXS_KERNEL_SECONDS");
  const int64_t seconds = given ? std::strtoll(given, nullptr, 10) : 0;
  return seconds > 0 ? seconds : kSeconds;
}

Failure hanging(std::string message) {
  Diagnostic why = errorAt({}, "device.timeout", std::move(message));
  why.fix = "see whether a loop of the kernel ends; RXS_KERNEL_SECONDS in the environment gives it more time";
  return fail(std::move(why));
}

}  // namespace

bool TileMap::fits() const {
  constexpr size_t kMostAxes = 5;
  const auto positive = [](const std::vector<int64_t>& all) {
    return std::all_of(all.begin(), all.end(), [](int64_t each) { return each > 0; });
  };
  return !extents.empty() && extents.size() <= kMostAxes && box.size() == extents.size() &&
         strides.size() + 1 == extents.size() && positive(extents) && positive(box) && positive(strides);
}

LaunchArgument addressArgument(uint64_t address) { return {address, 0}; }

LaunchArgument intArgument(int64_t value, int bits) {
  return {std::bit_cast<uint64_t>(value), static_cast<uint8_t>(std::max(bits, 8) / 8)};
}

LaunchArgument floatArgument(double value, int bits) {
  if (bits == 64) return {std::bit_cast<uint64_t>(value), 8};
  if (bits == 32) return {std::bit_cast<uint32_t>(static_cast<float>(value)), 4};
  return {floatToHalf(static_cast<float>(value)), 2};
}

std::string Device::name() const { return fmt::format("{}:{}", properties_.kind, properties_.number); }

Result<Unit> Device::afterLaunch(Result<Unit> done) const {
  if (done || kernel_.empty()) return done;
  std::vector<Diagnostic> why = done.diagnostics();
  const std::string launch = launchText(kernel_, sizes_, arguments_);
  why.front().notes.push_back({"the kernel that was started last on " + name() + ": " + launch, {}});
  return fail(std::move(why));
}

Result<Unit> Device::awaitKernels() {
  if (std::exchange(left_, false)) {
    hangs_ = false;
    started_ = true;
  }
  if (hangs_) return afterLaunch(hanging(name() + ": a kernel that was started before has not ended"));
  if (!started_ || capturing()) return Unit{};
  RX_TRY(end, mark());
  auto done = awaitMark(*end);
  started_ = false;
  if (hangs_) static_cast<void>(end.release());  // to give it back may wait
  return afterLaunch(std::move(done));
}

bool Device::settled() {
  if (!left_) static_cast<void>(awaitKernels());
  return !hangs_;
}

Result<Unit> Device::awaitMark(const Mark& end) {
  constexpr int64_t kAtOnce = 1'000'000, kLongest = 200'000, kShare = 32;
  const int64_t begin = nanosecondsNow(), seconds = kernelSeconds();
  for (;;) {
    RX_TRY(done, reached(end));
    if (done) return Unit{};
    if (cancelled_ && cancelled_()) {
      hangs_ = left_ = true;
      return fail("vm.cancelled", name() + ": the run was cancelled; a kernel that was started runs on");
    }
    const int64_t waited = nanosecondsNow() - begin;
    if (waited / 1'000'000'000 >= seconds) break;
    if (waited < kAtOnce) {
      sched_yield();
    } else {
      const timespec pause{0, std::min(waited / kShare, kLongest)};
      nanosleep(&pause, nullptr);
    }
  }
  hangs_ = true;
  return hanging(fmt::format("{}: a kernel has not ended after {} seconds, and runs on", name(), seconds));
}

void Device::timeKernels(bool wanted) {
  timing_ = wanted;
  times_.clear();
}

void Device::noteTime(std::unique_ptr<Mark> from, std::unique_ptr<Mark> to) {
  times_.emplace_back(std::move(from), std::move(to));
}

Result<double> Device::kernelNanoseconds() {
  double sum = 0;
  const auto times = std::exchange(times_, {});
  for (const auto& [from, to] : times) {
    RX_TRY(time, nanoseconds(*from, *to));
    sum += time;
  }
  return sum;
}

Result<Unit> Device::beginCapture() { return fail("device.capture", name() + " keeps no work"); }
Result<std::shared_ptr<Work>> Device::endCapture() { return fail("device.capture", name() + " keeps no work"); }

void Device::keepForWork(Ref<Storage> memory, std::function<Result<Unit>()> check) {
  capture_->memory.push_back(std::move(memory));
  if (check) capture_->checks.push_back(std::move(check));
}

Result<Unit> Device::outsideCapture(std::string_view what) const {
  if (!capturing()) return Unit{};
  Diagnostic why =
      errorAt({}, "device.capture", fmt::format("{} captures work, and {} can not be part of it", name(), what));
  why.fix = next::kWithoutGraphs;
  return fail(std::move(why));
}

Result<Unit> Program::launch(size_t kernel, const LaunchSizes& sizes, std::span<const LaunchArgument> arguments) {
  const std::string& name = kernels_[kernel];
  if (const std::string why = beyond(device_->properties(), sizes, declaredShared(kernel)); !why.empty()) {
    Diagnostic refused = errorAt(
        {}, "device.launch",
        fmt::format("{} can not be started on {}: {}", launchText(name, sizes, arguments), device_->name(), why));
    refused.fix = next::kThreads;
    return fail(std::move(refused));
  }
  device_->kernel_ = name;
  device_->sizes_ = sizes;
  device_->arguments_.assign(arguments.begin(), arguments.end());
  device_->started_ = device_->started_ || !device_->capturing();
  return start(kernel, sizes, arguments);
}

}  // namespace rx::device
