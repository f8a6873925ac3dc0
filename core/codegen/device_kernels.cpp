#include "core/codegen/device_kernels.h"

#include <algorithm>
#include <set>

#include "core/codegen/device_calls.h"
#include "core/device/run/placed.h"

namespace rx::codegen {

namespace {

/// Where the host's kernels are told from those that have no text.
class DeviceKernels final : public JitKernels {
 public:
  DeviceKernels(const ir::Module& module, DeviceOptions options, std::vector<std::shared_ptr<device::Device>> devices,
                std::shared_ptr<JitKernels> host, const device::ProgramSources& sources,
                const StatisticsMaker& statistics)
      : options_(std::move(options)),
        host_(std::move(host)),
        none_(std::all_of(devices.begin(), devices.end(), [](const auto& device) { return !device; })),
        placed_(devices, devicesOfCalls(*module), [host = host_](std::string_view name) { return host->find(name); }) {
    DeviceModule all = deviceModule(module, options_);
    left_ = std::move(all.left);
    code_ = std::make_shared<const device::ModuleCode>(std::move(all.made));
    for (size_t i = 0; i < devices.size(); ++i) {
      if (!devices[i]) continue;
      placed_.setCode(i, code_, sources);
      if (statistics) placed_.setStatistics(i, statistics(devices[i]));
    }
  }

  Result<Ref<vm::Callable>> find(std::string_view name) override {
    if (const auto left = left_.find(name); left != left_.end()) tellHost(name, left->second);
    if (Ref<vm::Callable> own = placed_.graphFunction(name)) return own;
    if (!code_->find(name)) return host_->find(name);
    if (none_) tellHost(name, errorAt({}, "device.none", "the module lists devices, and none of the target's kind"));
    return placed_.find(name);
  }

  CompileTally tally() const override {
    CompileTally sum = host_->tally();
    for (const auto& program : placed_.programs()) {
      const auto its = program ? program->tally() : device::RunProgram::Tally();
      sum.nanoseconds += its.nanoseconds;
      sum.compiled += its.compiled;
      sum.loaded += its.loaded;
    }
    return sum;
  }

  void compileAhead(std::span<const std::string> names, ThreadPool& pool, const CancelToken& cancel,
                    const std::function<void(size_t, size_t)>& progress) override {
    std::vector<std::string> ofHost;
    std::set<device::RunProgram*> used;
    for (const std::string& name : names) {
      if (left_.contains(name)) ofHost.push_back(name);
      if (!code_->find(name)) continue;
      for (const int64_t index : placed_.placesOf(name)) {
        const auto program = placed_.programOf(index, name);
        program ? (void)used.insert(program.get()) : ofHost.push_back(name);
      }
    }
    for (device::RunProgram* program : used) (void)program->made();
    host_->compileAhead(ofHost, pool, cancel, progress);
  }

  std::vector<vm::RunDevice> devices() const override { return placed_.devices(); }

 private:
  void tellHost(std::string_view name, const Diagnostic& why) const {
    if (options_.onHost) options_.onHost(name, why);
  }

  const DeviceOptions options_;
  const std::shared_ptr<JitKernels> host_;
  const bool none_;  ///< no device
  device::PlacedFunctions placed_;
  std::shared_ptr<const device::ModuleCode> code_;
  std::map<std::string, Diagnostic, std::less<>> left_;
};

}  // namespace

std::shared_ptr<JitKernels> makeDeviceKernels(const ir::Module& module, DeviceOptions options,
                                              std::vector<std::shared_ptr<device::Device>> devices,
                                              std::shared_ptr<JitKernels> host, device::ProgramSources sources,
                                              StatisticsMaker statistics) {
  return std::make_shared<DeviceKernels>(module, std::move(options), std::move(devices), std::move(host), sources,
                                         statistics);
}

}  // namespace rx::codegen
