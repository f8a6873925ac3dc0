// The functions of a program on its devices, as a machine finds them.
#pragma once

#include <functional>

#include "core/device/run/function.h"
#include "core/device/run/graphs.h"

namespace rx::device {

/// A function runs where its result is to lie; on the first device where calls do not say. What a device has no code of
/// is what `host` has for it. A failing access, or whatever else a kernel looks at, fails as on the host, when the call
/// ends.
class PlacedFunctions final : public vm::KernelProvider {
 public:
  /// `devices`: in the order in which instructions number them, null: the host.
  PlacedFunctions(std::vector<std::shared_ptr<Device>> devices, std::vector<CalledOn> calls,
                  std::function<Result<Ref<vm::Callable>>(std::string_view name)> host);
  /// The code of one of the devices.
  void setCode(size_t device, std::shared_ptr<const ModuleCode> code, ProgramSources sources) {
    programs_[device] = std::make_shared<RunProgram>(devices_[device], std::move(code), std::move(sources));
  }
  /// What tells statistics of tensors on one of them.
  void setStatistics(size_t device, vm::StatisticsOf statistics) { statistics_[device] = std::move(statistics); }

  Result<Ref<vm::Callable>> find(std::string_view name) override;
  std::vector<vm::RunDevice> devices() const override;
  /// One of GraphFunctions, where the first device captures; null for any other name.
  Ref<vm::Callable> graphFunction(std::string_view name) const;
  /// The indices of the devices where a function runs; vm::kHost among them where it is the host's.
  std::vector<int64_t> placesOf(std::string_view name) const;
  /// What a function is part of on one of them; null where it is the host's there.
  std::shared_ptr<RunProgram> programOf(int64_t device, std::string_view name) const;
  /// By the index of their device; null: the host.
  const std::vector<std::shared_ptr<RunProgram>>& programs() const { return programs_; }

 private:
  const std::vector<std::shared_ptr<Device>> devices_;
  std::vector<std::shared_ptr<RunProgram>> programs_;
  std::vector<vm::StatisticsOf> statistics_;
  const std::vector<CalledOn> calls_;
  const std::function<Result<Ref<vm::Callable>>(std::string_view name)> host_;
  GraphFunctions graphs_;  ///< null where the first device captures nothing
};

/// The devices of a program by their numbers (ProgramCode::rows); null is the host. Fails as openDevice.
Result<std::vector<std::shared_ptr<Device>>> openRows(std::string_view kind, const std::vector<int64_t>& rows);

/// That a device can run no code for these architectures (device.architecture), and what to do about it.
Failure noCodeFor(const Device& device, const std::vector<std::string_view>& architectures, std::string fix);

/// The code of a package on this machine's devices, each with what is for its architecture or the nearest older one.
/// Fails with device.driver, device.none, and with device.architecture where no code is for one of them.
Result<std::shared_ptr<PlacedFunctions>> placeCode(
    ProgramCode code, const ProgramSources& sources,
    std::function<Result<Ref<vm::Callable>>(std::string_view name)> host);

}  // namespace rx::device
