#include "core/codegen/device_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <map>
#include <mutex>

#include "core/codegen/device_calls.h"
#include "core/codegen/device_plan.h"
#include "core/ir/symbols.h"
#include "core/runtime/kernel_host.h"
#include "core/runtime/placement.h"

namespace rx::codegen {

namespace {

/// What was made of one PrimFunc.
struct DeviceCode {
  explicit DeviceCode(lower::Signature s) : signature(s.kernel()) {}
  vm::KernelSignature signature;
  DevicePlan plan;
  std::vector<size_t> kernels;  ///< of the plan, in the program
};

/// All functions of a module and their text.
struct DeviceCodes {
  std::map<std::string, std::shared_ptr<const DeviceCode>, std::less<>> functions;
  std::map<std::string, Diagnostic, std::less<>> left;  ///< why others have none
  std::vector<std::string> symbols;                     ///< of the kernels
  DeviceText code;
};

/// What they are on one device, once a function is called there.
class DeviceProgram {
 public:
  DeviceProgram(int32_t index, std::shared_ptr<device::Device> device, std::shared_ptr<const DeviceCodes> codes)
      : index(index), device(std::move(device)), codes(std::move(codes)) {}

  Result<std::shared_ptr<device::Program>> made() {
    const std::lock_guard lock(mutex_);
    if (!failed_.empty()) return fail(failed_);
    if (program_) return program_;
    const auto start = std::chrono::steady_clock::now();
    auto built = device->program(codes->code.text, codes->symbols);
    const auto took = std::chrono::steady_clock::now() - start;
    nanoseconds += std::chrono::duration_cast<std::chrono::nanoseconds>(took).count();
    compiled += static_cast<int64_t>(codes->functions.size());
    if (!built) {
      failed_ = built.diagnostics();
      return fail(failed_);
    }
    program_ = std::move(*built);
    return program_;
  }

  const int32_t index;  ///< of the device among those of the machine
  const std::shared_ptr<device::Device> device;
  const std::shared_ptr<const DeviceCodes> codes;
  std::atomic<int64_t> nanoseconds = 0, compiled = 0;  ///< spent on making it, and functions

 private:
  std::mutex mutex_;
  std::shared_ptr<device::Program> program_;
  std::vector<Diagnostic> failed_;
};

Result<Unit> addFunction(DeviceCodes& program, DeviceWriter& writer, const std::string& name,
                         const tir::PrimFuncRef& function, const DeviceOptions& options) {
  RX_TRY(signature, lower::Signature::of(function));
  if (!signature.resultType().isVoid())
    return fail("codegen.unsupported", "it gives the host a number, which a kernel of a device can not");
  RX_TRY(form, lower::loweredForDevice(name, function, options.cancel, options.target));
  auto code = std::make_shared<DeviceCode>(signature);
  RX_TRY(plan, devicePlan(form, signature));
  code->plan = std::move(plan);
  RX_CHECK(writer.add(form));
  for (const lower::DeviceKernel& kernel : form.kernels) {
    code->kernels.push_back(program.symbols.size());
    program.symbols.push_back(kernel.symbol);
  }
  program.functions.emplace(name, std::move(code));
  return Unit{};
}

void fill(DeviceCodes& program, const ir::Module& module, const DeviceOptions& options) {
  const auto functions = ir::primFuncsBySymbol(*module);
  const auto leave = [&](const std::string& name, Diagnostic why) {
    why.context = fmt::format("PrimFunc {}", name);
    program.left.insert_or_assign(name, std::move(why));
  };
  const auto leaveAll = [&](const Diagnostic& why) {
    for (const auto& [name, function] : functions) leave(name, why);
    program.functions.clear();
  };
  const DeviceLanguage* language = languageOf(options.target->kind());
  RX_ASSERT(language, "{} is no target of a device", options.target->kind());
  Result<std::unique_ptr<DeviceWriter>> writer = language->writer({options.checkAccess, options.target});
  if (!writer) return leaveAll(writer.diagnostics().front());
  for (const auto& [name, function] : functions) {
    const Result<Unit> added = addFunction(program, **writer, name, function, options);
    if (!added) leave(name, added.diagnostics().front());
  }
  Result<DeviceText> text = (*writer)->finish();
  if (!text) return leaveAll(text.diagnostics().front());
  program.code = std::move(*text);
}

class DeviceFunction final : public vm::Callable {
 public:
  DeviceFunction(std::string name, std::shared_ptr<const DeviceCode> code, std::shared_ptr<DeviceProgram> program)
      : name_(std::move(name)), code_(std::move(code)), program_(std::move(program)), signature_(code_->signature) {
    signature_.device = program_->index;
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
    for (const vm::ShapeProgram& bytes : code_->plan.workspaces) {
      const auto size = bytes.value({bound.ints.data(), bound.ints.size()});
      if (!size || *size < 0)
        return fail(std::string(ruleOf(vm::KernelFault::Size)), name_ + ": " + vm::sizeText("a workspace"));
      RX_TRY(storage, Storage::allocate(*size, memory));
      workspaces.push_back(std::move(storage));
    }
    RX_TRY(faults, Storage::allocate(kFaultWords * static_cast<int64_t>(sizeof(int64_t)), memory));
    std::array<int64_t, kFaultWords> words{};
    RX_CHECK(faults->write(0, std::as_bytes(std::span(words))));
    for (const PlanLaunch& launch : code_->plan.launches) {
      RX_CHECK(start(*program, launch, bound, workspaces, faults->handle()));
    }
    // Reading waits for the kernels.
    RX_CHECK(faults->read(0, std::as_writable_bytes(std::span(words))));
    if (words[0] != 0) return fault(words);
    return vm::Value();
  }

 private:
  Result<Unit> start(device::Program& program, const PlanLaunch& launch, const vm::KernelArguments& bound,
                     const std::vector<Ref<Storage>>& workspaces, uint64_t faults) const {
    const std::span<const int64_t> symbols(bound.ints.data(), bound.ints.size());
    device::LaunchSizes sizes;
    for (size_t axis = 0; axis < 3; ++axis) {
      const auto grid = launch.grid[axis].value(symbols), group = launch.group[axis].value(symbols);
      if (!grid || !group) return fail("device.launch", fmt::format("{}: a launch size is no number", name_));
      if (*grid <= 0 || *group <= 0) return Unit{};
      sizes.grid[axis] = *grid;
      sizes.group[axis] = *group;
    }
    std::vector<device::LaunchArgument> arguments;
    for (const PlanArgument& argument : launch.arguments) {
      RX_TRY(made, given(argument, bound, symbols, workspaces));
      arguments.push_back(made);
    }
    arguments.push_back(device::addressArgument(faults));
    sizes.sharedBytes = program_->codes->code.sharedBytes[code_->kernels[launch.kernel]];
    return program.launch(code_->kernels[launch.kernel], sizes, arguments);
  }

  Result<device::LaunchArgument> given(const PlanArgument& argument, const vm::KernelArguments& bound,
                                       std::span<const int64_t> symbols,
                                       const std::vector<Ref<Storage>>& workspaces) const {
    using From = PlanArgument::From;
    // A truth value comes as an int, a float of up to 16 bits as the float that it is computed as.
    switch (argument.from) {
      case From::Buffer:
        return device::addressArgument(std::bit_cast<uint64_t>(bound.buffers.data()[argument.number]));
      case From::Workspace:
        return device::addressArgument(workspaces[argument.number]->handle());
      case From::Integer: {
        const auto value = argument.value.value(symbols);
        if (!value) return fail("device.launch", fmt::format("{}: an argument of a launch is no number", name_));
        return device::intArgument(*value, argument.bits == 1 ? 32 : argument.bits);
      }
      case From::Real:
        return device::floatArgument(bound.reals.data()[argument.number], std::max(argument.bits, 32));
      case From::RealConstant:
        return device::floatArgument(argument.constant, std::max(argument.bits, 32));
    }
    return device::LaunchArgument{};
  }

  /// What a kernel said went wrong.
  Failure fault(const std::array<int64_t, kFaultWords>& words) const {
    const auto number = static_cast<size_t>(words[0] - 1);
    if (number >= program_->codes->code.sites.size())
      return fail("device.fault", name_ + ": the device wrote no known fault");
    const FaultSite& site = program_->codes->code.sites[number];
    std::string text = site.text;
    if (site.fault == vm::KernelFault::Bounds) {
      std::vector<int64_t> pairs;
      for (int64_t i = 0; i < site.dimension; ++i) pairs.insert(pairs.end(), {0, 1});
      pairs.insert(pairs.end(), {words[1], words[2]});
      text = vm::accessText(site.text, pairs, 0);
    }
    return fail(std::string(vm::ruleOf(site.fault)), fmt::format("{}: {}", name_, text));
  }

  const std::string name_;
  const std::shared_ptr<const DeviceCode> code_;
  const std::shared_ptr<DeviceProgram> program_;
  vm::KernelSignature signature_;
};

/// A function whose calls want their results on several devices: it runs where what it writes lies.
class MovingFunction final : public vm::Callable {
 public:
  MovingFunction(std::string name, std::map<int64_t, Ref<vm::Callable>> places)
      : name_(std::move(name)), places_(std::move(places)) {}
  std::string_view name() const override { return name_; }
  bool mayWrite(size_t argument) const override { return places_.begin()->second->mayWrite(argument); }
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
    return places_.begin()->second;
  }

  const std::string name_;
  const std::map<int64_t, Ref<vm::Callable>> places_;
};

class DeviceKernels final : public JitKernels {
 public:
  DeviceKernels(const ir::Module& module, DeviceOptions options, std::vector<DeviceRow> rows,
                std::shared_ptr<JitKernels> host)
      : options_(std::move(options)), host_(std::move(host)), rows_(std::move(rows)), calls_(devicesOfCalls(*module)) {
    auto codes = std::make_shared<DeviceCodes>();
    fill(*codes, module, options_);
    codes_ = std::move(codes);
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (!rows_[i].device) continue;
      const auto index = static_cast<int32_t>(i);
      programs_.emplace(index, std::make_shared<DeviceProgram>(index, rows_[i].device, codes_));
    }
  }

  Result<Ref<vm::Callable>> find(std::string_view name) override {
    const auto found = codes_->functions.find(name);
    if (found == codes_->functions.end()) {
      const auto left = codes_->left.find(name);
      if (left != codes_->left.end()) tellHost(name, left->second);
      return host_->find(name);
    }
    if (programs_.empty()) {
      tellHost(name, errorAt({}, "device.none", "the module lists devices, and none of the target's kind"));
      return host_->find(name);
    }
    std::map<int64_t, Ref<vm::Callable>> places;
    for (const int64_t index : placesOf(name)) {
      const auto program = programs_.find(index);
      RX_TRY(function, program == programs_.end() ? host_->find(name)
                                                  : Result<Ref<vm::Callable>>(make<DeviceFunction>(
                                                        std::string(name), found->second, program->second)));
      places.emplace(index, std::move(function));
    }
    if (places.size() == 1) return places.begin()->second;
    return Ref<vm::Callable>(make<MovingFunction>(std::string(name), std::move(places)));
  }

  CompileTally tally() const override {
    CompileTally sum = host_->tally();
    for (const auto& [index, program] : programs_) {
      sum.nanoseconds += program->nanoseconds;
      sum.compiled += program->compiled;
    }
    return sum;
  }

  void compileAhead(std::span<const std::string> names, ThreadPool& pool, const CancelToken& cancel,
                    const std::function<void(size_t, size_t)>& progress) override {
    std::vector<std::string> ofHost;
    std::set<int64_t> used;
    for (const std::string& name : names) {
      if (codes_->left.contains(name)) ofHost.push_back(name);
      if (!codes_->functions.contains(name)) continue;
      for (const int64_t index : placesOf(name)) {
        programs_.contains(index) ? (void)used.insert(index) : ofHost.push_back(name);
      }
    }
    for (const int64_t index : used) (void)programs_.at(index)->made();
    host_->compileAhead(ofHost, pool, cancel, progress);
  }

  std::vector<vm::KernelDevice> devices() const override {
    std::vector<vm::KernelDevice> made;
    for (const DeviceRow& row : rows_) made.push_back({row.type, row.number, row.device});
    return made;
  }

 private:
  void tellHost(std::string_view name, const Diagnostic& why) const {
    if (options_.onHost) options_.onHost(name, why);
  }

  /// The devices that a function runs on, as instructions number them.
  std::set<int64_t> placesOf(std::string_view name) const {
    const auto found = calls_.find(name);
    if (found != calls_.end()) return found->second;
    return {programs_.empty() ? int64_t{vm::kHost} : programs_.begin()->first};
  }

  const DeviceOptions options_;
  const std::shared_ptr<JitKernels> host_;
  const std::vector<DeviceRow> rows_;
  const CallDevices calls_;
  std::shared_ptr<const DeviceCodes> codes_;
  std::map<int64_t, std::shared_ptr<DeviceProgram>> programs_;  ///< by the index of their device
};

}  // namespace

bool writesDeviceText(std::string_view kind) { return languageOf(kind) != nullptr; }

ModuleText deviceText(const ir::Module& module, const DeviceOptions& options) {
  DeviceCodes program;
  fill(program, module, options);
  ModuleText made{std::move(program.code), {}};
  for (auto& [name, why] : program.left) made.left.push_back(std::move(why));
  return made;
}

std::shared_ptr<JitKernels> makeDeviceKernels(const ir::Module& module, DeviceOptions options,
                                              std::vector<DeviceRow> devices, std::shared_ptr<JitKernels> host) {
  return std::make_shared<DeviceKernels>(module, std::move(options), std::move(devices), std::move(host));
}

}  // namespace rx::codegen
