#include "core/codegen/device_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <map>
#include <mutex>

#include "core/codegen/device_plan.h"
#include "core/ir/symbols.h"
#include "core/runtime/kernel_host.h"

namespace rx::codegen {

namespace {

/// What was made of one PrimFunc.
struct DeviceCode {
  explicit DeviceCode(lower::Signature s) : signature(s.kernel()) {}
  vm::KernelSignature signature;
  DevicePlan plan;
  std::vector<size_t> kernels;  ///< of the plan, in the program
};

/// All functions of a module, their text and, once one is called, their program.
struct DeviceProgram {
  std::map<std::string, std::shared_ptr<const DeviceCode>, std::less<>> functions;
  std::map<std::string, Diagnostic, std::less<>> left;  ///< why others have none
  std::vector<std::string> symbols;                     ///< of the kernels
  DeviceText code;

  std::shared_ptr<device::Device> device;
  std::mutex mutex;
  std::shared_ptr<device::Program> program;
  std::vector<Diagnostic> failed;
  CompileTally tally;

  Result<std::shared_ptr<device::Program>> made() {
    const std::lock_guard lock(mutex);
    if (!failed.empty()) return fail(failed);
    if (program) return program;
    const auto start = std::chrono::steady_clock::now();
    auto built = device->program(code.text, symbols);
    const auto took = std::chrono::steady_clock::now() - start;
    tally.nanoseconds += std::chrono::duration_cast<std::chrono::nanoseconds>(took).count();
    tally.compiled += static_cast<int64_t>(functions.size());
    if (!built) {
      failed = built.diagnostics();
      return fail(failed);
    }
    program = std::move(*built);
    return program;
  }
};

Result<Unit> addFunction(DeviceProgram& program, OpenClWriter& writer, const std::string& name,
                         const tir::PrimFuncRef& function, const DeviceOptions& options) {
  RX_TRY(signature, lower::Signature::of(function));
  if (!signature.resultType().isVoid())
    return fail("codegen.unsupported", "it gives the host a number, which a kernel of a device can not");
  RX_TRY(form, lower::loweredForDevice(name, function, options.cancel, options.target));
  auto code = std::make_shared<DeviceCode>(signature);
  RX_TRY(plan, devicePlan(form, signature));
  code->plan = std::move(plan);
  code->signature.device = 0;
  RX_CHECK(writer.add(form));
  for (const lower::DeviceKernel& kernel : form.kernels) {
    code->kernels.push_back(program.symbols.size());
    program.symbols.push_back(kernel.symbol);
  }
  program.functions.emplace(name, std::move(code));
  return Unit{};
}

void fill(DeviceProgram& program, const ir::Module& module, const DeviceOptions& options) {
  OpenClWriter writer({options.checkAccess});
  for (const auto& [name, function] : ir::primFuncsBySymbol(*module)) {
    const Result<Unit> added = addFunction(program, writer, name, function, options);
    if (added) continue;
    Diagnostic why = added.diagnostics().front();
    why.context = fmt::format("PrimFunc {}", name);
    program.left.emplace(name, std::move(why));
  }
  program.code = writer.finish();
}

class DeviceFunction final : public vm::Callable {
 public:
  DeviceFunction(std::string name, std::shared_ptr<const DeviceCode> code, std::shared_ptr<DeviceProgram> program)
      : name_(std::move(name)), code_(std::move(code)), program_(std::move(program)) {}
  std::string_view name() const override { return name_; }
  bool mayWrite(size_t argument) const override { return code_->signature.mayWrite(argument); }
  std::optional<int32_t> reaches(size_t) const override { return code_->signature.device; }

  Result<vm::Value> call(vm::CallContext& context, vm::Arguments args) const override {
    RX_TRY(program, program_->made());
    vm::KernelArguments bound;
    RX_CHECK(code_->signature.bind(name_, args, bound));
    const std::shared_ptr<DeviceArena> memory = context.around.memoryOf(code_->signature.device);
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
    if (number >= program_->code.sites.size()) return fail("device.fault", name_ + ": the device wrote no known fault");
    const FaultSite& site = program_->code.sites[number];
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
};

class DeviceKernels final : public JitKernels {
 public:
  DeviceKernels(const ir::Module& module, DeviceOptions options, std::shared_ptr<device::Device> device,
                std::shared_ptr<JitKernels> host)
      : options_(std::move(options)), host_(std::move(host)), program_(std::make_shared<DeviceProgram>()) {
    program_->device = std::move(device);
    fill(*program_, module, options_);
  }

  Result<Ref<vm::Callable>> find(std::string_view name) override {
    const auto found = program_->functions.find(name);
    if (found != program_->functions.end())
      return Ref<vm::Callable>(make<DeviceFunction>(std::string(name), found->second, program_));
    const auto left = program_->left.find(name);
    if (left != program_->left.end() && options_.onHost) options_.onHost(name, left->second);
    return host_->find(name);
  }

  CompileTally tally() const override {
    CompileTally sum = host_->tally();
    sum.nanoseconds += program_->tally.nanoseconds;
    sum.compiled += program_->tally.compiled;
    return sum;
  }

  void compileAhead(std::span<const std::string> names, ThreadPool& pool, const CancelToken& cancel,
                    const std::function<void(size_t, size_t)>& progress) override {
    if (!program_->functions.empty()) (void)program_->made();
    std::vector<std::string> ofHost;
    for (const std::string& name : names) {
      if (program_->left.contains(name)) ofHost.push_back(name);
    }
    host_->compileAhead(ofHost, pool, cancel, progress);
  }

  std::vector<vm::KernelDevice> devices() const override {
    const device::Kind* kind = device::findKind(program_->device->properties().kind);
    return {{kind ? kind->type : 1, program_->device->properties().number, program_->device}};
  }

 private:
  const DeviceOptions options_;
  const std::shared_ptr<JitKernels> host_;
  const std::shared_ptr<DeviceProgram> program_;
};

}  // namespace

std::span<const std::string_view> deviceTextKinds() {
  static constexpr std::string_view kKinds[] = {"opencl"};
  return kKinds;
}

bool writesDeviceText(std::string_view kind) {
  const auto kinds = deviceTextKinds();
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

ModuleText deviceText(const ir::Module& module, const DeviceOptions& options) {
  DeviceProgram program;
  fill(program, module, options);
  ModuleText made{std::move(program.code), {}};
  for (auto& [name, why] : program.left) made.left.push_back(std::move(why));
  return made;
}

std::shared_ptr<JitKernels> makeDeviceKernels(const ir::Module& module, DeviceOptions options,
                                              std::shared_ptr<device::Device> device,
                                              std::shared_ptr<JitKernels> host) {
  return std::make_shared<DeviceKernels>(module, std::move(options), std::move(device), std::move(host));
}

}  // namespace rx::codegen
