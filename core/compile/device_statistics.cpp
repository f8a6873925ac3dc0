#include "core/compile/device_statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <numeric>

#include "core/compile/device_code.h"
#include "core/compile/request/languages.h"
#include "core/device/maker/maker.h"
#include "core/device/run/function.h"
#include "core/tensor/stats.h"

namespace rx::compile {

namespace {

/// Groups of threads, and threads of each; each thread takes every so many-th element and gives what it found, which
/// is put together here.
constexpr int64_t kGroups = 64, kThreads = 256, kAll = kGroups * kThreads;
/// Copying no more than that costs as little as starting a kernel and copying what its threads found.
constexpr int64_t kFewBytes = 8 * kAll * int64_t{sizeof(double)};

/// What each thread finds, as rows of its two results.
enum Real : size_t { kLow, kHigh, kSum, kReals };
enum Count : size_t { kNans, kInfs, kFirst, kCounts };

/// What is done with an element `v` at `at`.
std::string elementText(DataType type) {
  const std::string finite = R"(
{0}real[0] = T.min(real[0], T.Cast("float64", v))
{0}real[1] = T.max(real[1], T.Cast("float64", v))
{0}real[2] = real[2] + T.Cast("float64", v))";
  const std::string inner(28, ' '), deeper(32, ' ');
  if (!type.isFloat()) return fmt::format(fmt::runtime(finite), inner);
  return fmt::format(R"(
{0}if T.isnan(v) or T.isinf(v):
{1}count[0] = count[0] + T.Cast("int64", T.isnan(v))
{1}count[1] = count[1] + T.Cast("int64", T.isinf(v))
{1}count[2] = T.min(count[2], at)
{0}else:{2})",
                     inner, deeper, fmt::format(fmt::runtime(finite), deeper));
}

std::string moduleText(DataType type) {
  const std::string wide = type.isFloat() && type.bits < 32 ? std::string("float32") : type.str();
  return fmt::format(R"(from tvm.script import ir as I, tir as T

@I.ir_module
class Module:
    @T.prim_func
    def statistics(p: T.handle, q: T.handle, r: T.handle):
        n = T.int64()
        x = T.match_buffer(p, (n,), "{type}")
        reals = T.match_buffer(q, (T.int64({kinds}), T.int64({all})), "float64")
        counts = T.match_buffer(r, (T.int64({kinds}), T.int64({all})), "int64")
        for b in T.thread_binding(T.int64({groups}), thread="blockIdx.x"):
            for t in T.thread_binding(T.int64({threads}), thread="threadIdx.x"):
                with T.block("statistics"):
                    real = T.alloc_buffer((T.int64({kinds}),), "float64", scope="local")
                    count = T.alloc_buffer((T.int64({kinds}),), "int64", scope="local")
                    real[0] = T.max_value("float64")
                    real[1] = T.min_value("float64")
                    real[2] = T.float64(0)
                    count[0] = T.int64(0)
                    count[1] = T.int64(0)
                    count[2] = T.max_value("int64")
                    for k in range((n + T.int64({all} - 1)) // T.int64({all})):
                        at = k * T.int64({all}) + b * T.int64({threads}) + t
                        if at < n:
                            v = T.Cast("{wide}", x[at]){element}
                    for i in range(T.int64({kinds})):
                        reals[i, b * T.int64({threads}) + t] = real[i]
                        counts[i, b * T.int64({threads}) + t] = count[i]
)",
                     fmt::arg("type", type.str()), fmt::arg("kinds", int64_t{kReals}), fmt::arg("all", kAll),
                     fmt::arg("groups", kGroups), fmt::arg("threads", kThreads), fmt::arg("wide", wide),
                     fmt::arg("element", elementText(type)));
}
static_assert(size_t{kReals} == size_t{kCounts});

/// The kernel for the elements of a type on one device, as a function that a machine calls.
Result<Ref<vm::Callable>> kernelFor(DataType type, const std::shared_ptr<device::Device>& device,
                                    const target::TargetRef& target, bool keeps) {
  RX_TRY(program, statisticsProgram(type, target));
  codegen::DeviceModule made = codegen::deviceModule(program.module, deviceOptionsOf(program, {}));
  if (!made.left.empty()) return fail(made.left.begin()->second);
  const auto code = std::make_shared<const device::ModuleCode>(std::move(made.made));
  const auto run = std::make_shared<device::RunProgram>(device, code, device::programSources(keeps));
  return device::deviceFunction(*code->find("statistics"), 0, run);
}

/// Room for what the threads find, in the memory of the device of `around`.
Result<Ref<HostTensor>> roomFor(DataType type, const vm::Surroundings& around) {
  RX_TRY(storage, Storage::allocate(int64_t{kReals} * kAll * type.bytes(), around.devices.front().memory));
  return make<HostTensor>(std::move(storage), 0, std::vector{int64_t{kReals}, kAll}, type);
}

template <class T>
Result<std::vector<T>> found(const HostTensor& room) {
  std::vector<T> all(static_cast<size_t>(room.count()));
  RX_CHECK(room.storage()->read(0, std::as_writable_bytes(std::span(all))));
  return all;
}

/// A row of what was found.
template <class T>
std::span<const T> rowOf(const std::vector<T>& all, size_t row) {
  return std::span(all).subspan(row * static_cast<size_t>(kAll), static_cast<size_t>(kAll));
}

/// As tensorStats, of elements on the device.
Result<TensorStats> statisticsOf(const vm::Callable& kernel, const HostTensor& tensor, const vm::Surroundings& around) {
  TensorStats stats;
  stats.count = tensor.count();
  RX_TRY(reals, roomFor(DataType::Float(64), around));
  RX_TRY(counts, roomFor(DataType::Int(64), around));
  const auto elements =
      make<HostTensor>(tensor.storage(), tensor.byteOffset(), std::vector{stats.count}, tensor.dtype());
  vm::CallContext context(around);
  const std::vector<vm::Value> arguments{vm::Value::of(elements), vm::Value::of(reals), vm::Value::of(counts)};
  RX_CHECK(kernel.call(context, vm::ArgumentsOf(arguments)));
  RX_TRY(whole, found<int64_t>(*counts));
  RX_TRY(real, found<double>(*reals));
  const auto sum = [](const auto& row) { return std::accumulate(row.begin(), row.end(), decltype(row.front() + 0)()); };
  stats.nanCount = sum(rowOf(whole, kNans));
  stats.infCount = sum(rowOf(whole, kInfs));
  if (!stats.finite()) stats.firstNonFinite = std::ranges::min(rowOf(whole, kFirst));
  const int64_t finite = stats.count - stats.nanCount - stats.infCount;
  if (finite == 0) return stats;
  stats.min = std::ranges::min(rowOf(real, kLow));
  stats.max = std::ranges::max(rowOf(real, kHigh));
  stats.mean = sum(rowOf(real, kSum)) / static_cast<double>(finite);
  return stats;
}

/// The kernels of one device, by the types that were asked for.
class DeviceStatistics {
 public:
  DeviceStatistics(std::shared_ptr<device::Device> device, target::TargetRef target, Control control, bool keeps)
      : device_(std::move(device)), target_(std::move(target)), control_(std::move(control)), keeps_(keeps) {
    constexpr int64_t kMostBytes = int64_t{1} << 30;
    vm::RunDevice row;
    row.device = device_;
    row.memory = std::make_shared<DeviceArena>(device_, kMostBytes, false);
    around_.devices = {std::move(row)};
  }

  Result<std::optional<TensorStats>> of(const HostTensor& tensor) {
    const std::lock_guard lock(mutex_);
    if (device_->capturing() || tensor.bytes() <= kFewBytes) return std::optional<TensorStats>();
    const Ref<vm::Callable> kernel = made(tensor.dtype());
    if (!kernel) return std::optional<TensorStats>();
    RX_TRY(stats, statisticsOf(*kernel, tensor, around_));
    return std::optional(stats);
  }

 private:
  /// Null where there is none.
  Ref<vm::Callable> made(DataType type) {
    const auto [row, isNew] = made_.try_emplace(type.str());
    if (!isNew) return row->second;
    auto kernel = tried(type);
    if (kernel) return row->second = std::move(*kernel);
    if (control_.onHost) {
      control_.onHost(fmt::format("statistics of {} tensors on {}", type.str(), device_->name()),
                      kernel.diagnostics().front());
    }
    return nullptr;
  }
  Result<Ref<vm::Callable>> tried(DataType type) const {
    const bool plain = type.lanes == 1 && type.bits >= 8 && type.bits % 8 == 0;
    if (!plain || !(type.isFloat() || type.isInt() || type.isUInt()))
      return fail("codegen.target", "no kernel computes with elements of this type alone");
    if (!device_->properties().doubles)
      return fail("codegen.target", "the device has no float64, which sums are made in");
    return kernelFor(type, device_, target_, keeps_);
  }

  const std::shared_ptr<device::Device> device_;
  const target::TargetRef target_;
  const Control control_;
  const bool keeps_;
  std::mutex mutex_;  ///< of what follows
  vm::Surroundings around_;
  std::map<std::string, Ref<vm::Callable>> made_;
};

}  // namespace

Result<Program> statisticsProgram(DataType type, const target::TargetRef& target) {
  RX_TRY(unit, readUnit(make<SourceFile>("statistics", moduleText(type))));
  Request request;
  request.module = unit.module;
  request.target = target;
  return compile(request, {});
}

vm::StatisticsOf statisticsOn(std::shared_ptr<device::Device> device, target::TargetRef target, Control control,
                              bool keepsPrograms) {
  const auto own =
      std::make_shared<DeviceStatistics>(std::move(device), std::move(target), std::move(control), keepsPrograms);
  return [own](const HostTensor& tensor) { return own->of(tensor); };
}

}  // namespace rx::compile
