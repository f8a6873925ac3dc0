#include "core/device/run/function.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/runtime/placement.h"

namespace rx::device {

namespace {

class DeviceFunction final : public vm::Callable {
 public:
  DeviceFunction(const FunctionCode& code, int32_t index, std::shared_ptr<RunProgram> program)
      : name_(code.name), code_(code), program_(std::move(program)), signature_(code.signature) {
    signature_.device = index;
  }
  std::string_view name() const override { return name_; }
  bool mayWrite(size_t argument) const override { return signature_.mayWrite(argument); }
  std::optional<int32_t> reaches(size_t) const override { return signature_.device; }

  Result<vm::Value> call(vm::CallContext& context, vm::Arguments args) const override {
    RX_TRY(program, program_->made());
    vm::KernelArguments bound;
    RX_CHECK(signature_.bind(name_, args, bound));
    const std::shared_ptr<DeviceArena> memory = context.around.memoryOf(signature_.device);
    if (!memory) return fail("device.none", fmt::format("{} needs the memory of a device", name_));
    std::vector<Ref<Storage>> workspaces;
    for (const vm::ShapeProgram& bytes : code_.plan.workspaces) {
      const auto size = bytes.value({bound.ints.data(), bound.ints.size()});
      if (!size || *size < 0)
        return fail(std::string(ruleOf(vm::KernelFault::Size)), name_ + ": " + vm::sizeText("a workspace"));
      RX_TRY(storage, Storage::allocate(*size, memory));
      workspaces.push_back(std::move(storage));
    }
    RX_TRY(faults, Storage::allocate(kFaultBytes, memory));
    RX_CHECK(memory->device().fill(faults->handle(), std::byte{0}, kFaultBytes));
    for (const PlanLaunch& launch : code_.plan.launches) {
      RX_CHECK(start(*program, launch, bound, workspaces, faults->handle()));
    }
    Device& device = program_->device();
    if (!device.capturing()) {
      RX_CHECK(outcome(*faults));
      return vm::Value();
    }
    for (Ref<Storage>& workspace : workspaces) device.keepForWork(std::move(workspace));
    const Ref<DeviceFunction> self(this);
    device.keepForWork(faults, [self, faults = faults.get()] { return self->outcome(*faults); });
    return vm::Value();
  }

 private:
  static constexpr int64_t kFaultBytes = kFaultWords * static_cast<int64_t>(sizeof(int64_t));

  /// Waits for the kernels.
  Result<Unit> outcome(const Storage& faults) const {
    std::array<int64_t, kFaultWords> words{};
    RX_CHECK(faults.read(0, std::as_writable_bytes(std::span(words))));
    if (words[0] != 0) return fault(words);
    return Unit{};
  }

  Result<Unit> start(Program& program, const PlanLaunch& launch, const vm::KernelArguments& bound,
                     const std::vector<Ref<Storage>>& workspaces, uint64_t faults) const {
    const std::span<const int64_t> symbols(bound.ints.data(), bound.ints.size());
    LaunchSizes sizes;
    for (size_t axis = 0; axis < 3; ++axis) {
      const auto grid = launch.grid[axis].value(symbols), group = launch.group[axis].value(symbols);
      if (!grid || !group) return fail("device.launch", fmt::format("{}: a launch size is no number", name_));
      if (*grid <= 0 || *group <= 0) return Unit{};
      sizes.grid[axis] = *grid;
      sizes.group[axis] = *group;
    }
    std::vector<LaunchArgument> arguments;
    for (const PlanArgument& argument : launch.arguments) {
      RX_TRY(made, given(argument, bound, symbols, workspaces));
      arguments.push_back(made);
    }
    arguments.push_back(addressArgument(faults));
    sizes.sharedBytes = program_->code().code.sharedBytes[code_.kernels[launch.kernel]];
    return program.launch(code_.kernels[launch.kernel], sizes, arguments);
  }

  /// The address, or a map of what lies there.
  static LaunchArgument memoryArgument(uint64_t address, const PlanArgument& argument) {
    LaunchArgument made = addressArgument(address);
    if (argument.isMap()) made.map = &argument.map;
    return made;
  }

  Result<LaunchArgument> given(const PlanArgument& argument, const vm::KernelArguments& bound,
                               std::span<const int64_t> symbols, const std::vector<Ref<Storage>>& workspaces) const {
    using From = PlanArgument::From;
    // A truth value comes as an int, a float of up to 16 bits as the float that it is computed as.
    switch (argument.from) {
      case From::Buffer:
      case From::BufferMap:
        return memoryArgument(std::bit_cast<uint64_t>(bound.buffers.data()[argument.number]), argument);
      case From::Workspace:
      case From::WorkspaceMap:
        return memoryArgument(workspaces[argument.number]->handle(), argument);
      case From::Integer: {
        const auto value = argument.value.value(symbols);
        if (!value) return fail("device.launch", fmt::format("{}: an argument of a launch is no number", name_));
        return intArgument(*value, argument.bits == 1 ? 32 : argument.bits);
      }
      case From::Real:
        return floatArgument(bound.reals.data()[argument.number], std::max(argument.bits, 32));
      case From::RealConstant:
        return floatArgument(argument.constant, std::max(argument.bits, 32));
    }
    return LaunchArgument{};
  }

  /// What a kernel said went wrong.
  Failure fault(const std::array<int64_t, kFaultWords>& words) const {
    const auto number = static_cast<size_t>(words[0] - 1);
    if (number >= program_->code().code.sites.size())
      return fail("device.fault", name_ + ": the device wrote no known fault");
    const FaultSite& site = program_->code().code.sites[number];
    std::string text = site.text;
    if (site.fault == vm::KernelFault::Bounds) {
      std::vector<int64_t> pairs;
      for (int64_t i = 0; i < site.dimension; ++i) pairs.insert(pairs.end(), {0, 1});
      pairs.insert(pairs.end(), {words[1], words[2]});
      text = vm::accessText(site.text, pairs, 0);
    }
    return fail(std::string(vm::ruleOf(site.fault)), fmt::format("{}: {}", name_, text));
  }

  const std::string& name_;
  const FunctionCode& code_;  ///< of the program
  const std::shared_ptr<RunProgram> program_;
  vm::KernelSignature signature_;
};

class MovingFunction final : public vm::Callable {
 public:
  MovingFunction(std::string name, std::vector<std::pair<int64_t, Ref<vm::Callable>>> places)
      : name_(std::move(name)), places_(std::move(places)) {}
  std::string_view name() const override { return name_; }
  bool mayWrite(size_t argument) const override { return places_.front().second->mayWrite(argument); }
  std::optional<int32_t> reaches(size_t) const override { return std::nullopt; }
  Result<vm::Value> call(vm::CallContext& context, vm::Arguments args) const override {
    return vm::callPlaced(*placeOf(context, args), context, args);
  }

 private:
  const Ref<vm::Callable>& placeOf(const vm::CallContext& context, vm::Arguments args) const {
    for (size_t i = args.size(); i-- > 0;) {
      if (!args[i].is(vm::ValueKind::Tensor) || !mayWrite(i)) continue;
      for (const auto& [index, function] : places_) {
        const auto memory = context.around.memoryOf(index);
        if (args[i].tensor().device() == (memory ? &memory->device() : nullptr)) return function;
      }
    }
    return places_.front().second;
  }

  const std::string name_;
  const std::vector<std::pair<int64_t, Ref<vm::Callable>>> places_;
};

}  // namespace

Ref<vm::Callable> deviceFunction(const FunctionCode& code, int32_t index, std::shared_ptr<RunProgram> program) {
  return make<DeviceFunction>(code, index, std::move(program));
}

Ref<vm::Callable> movingFunction(std::string name, std::vector<std::pair<int64_t, Ref<vm::Callable>>> places) {
  return make<MovingFunction>(std::move(name), std::move(places));
}

}  // namespace rx::device
