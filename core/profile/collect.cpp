#include <algorithm>
#include <chrono>
#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "core/analysis/kernel_work.h"
#include "core/profile/other_work.h"
#include "core/profile/profile.h"
#include "core/runtime/registry.h"

namespace rx::profile {

namespace {

using Clock = std::chrono::steady_clock;

int64_t since(Clock::time_point begin) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count();
}

/// What reading the clock twice takes, which is in every measurement.
int64_t clockCost() {
  constexpr int kRounds = 1000;
  int64_t least = INT64_MAX;
  for (int round = 0; round < kRounds; ++round) least = std::min(least, since(Clock::now()));
  return least;
}

/// The kernels of a module, each looked at once.
class Kernels {
 public:
  explicit Kernels(const ir::Module& module) : module_(module) {}

  struct Kernel {
    tir::PrimFuncRef function;  ///< null: no kernel
    analysis::KernelWork work;
  };
  const Kernel& named(const std::string& name) {
    const auto [at, fresh] = known_.try_emplace(name);
    if (fresh && (at->second.function = refAs<tir::PrimFunc>(module_->find(name))))
      at->second.work = analysis::workOf(*at->second.function);
    return at->second;
  }

 private:
  const ir::Module& module_;
  std::unordered_map<std::string, Kernel> known_;
};

std::string typeText(const HostTensor& tensor) { return shapeText(tensor.shape()) + " " + tensor.dtype().str(); }

using Tensors = std::unordered_set<const HostTensor*>;

/// The arguments behind those that a function says are its inputs; none where it does not say.
Tensors weightsOf(const ir::Module& module, const std::string& function, const std::vector<vm::Value>& args) {
  Tensors weights;
  const ir::BaseFunc found = module->find(function);
  const auto count = static_cast<int64_t>(args.size());
  const int64_t inputs = found ? ir::intAttrOf(found->attrs, "num_input", count) : count;
  for (int64_t i = std::max<int64_t>(inputs, 0); i < count; ++i) {
    const vm::Value& value = args[static_cast<size_t>(i)];
    if (value.is(vm::ValueKind::Tensor)) weights.insert(&value.tensor());
  }
  return weights;
}

/// Adds up a call of a kernel with these arguments.
void account(const Kernels::Kernel& kernel, const std::vector<const vm::Value*>& args, const Tensors& weights,
             InstructionTimes& row) {
  row.kernel = true;
  analysis::Sizes sizes;
  const tir::PrimFunc& function = *kernel.function;
  const size_t count = std::min(args.size(), function.params.size());
  const bool isFirst = row.arguments.empty();
  const auto hasTensor = [&](size_t i) { return args[i]->is(vm::ValueKind::Tensor) && function.buffers[i]; };
  for (size_t i = 0; i < count; ++i) {
    if (args[i]->is(vm::ValueKind::Int)) sizes[function.params[i].get()] = args[i]->asInt();
    if (!hasTensor(i)) continue;
    const tir::Buffer& buffer = *function.buffers[i];
    const std::vector<int64_t>& shape = args[i]->tensor().shape();
    for (size_t axis = 0; axis < std::min(shape.size(), buffer.shape.size()); ++axis)
      if (const auto* var = as<tir::Var>(buffer.shape[axis])) sizes[var] = shape[axis];
  }
  if (isFirst)
    for (const auto& [var, size] : sizes) row.sizes[var->name.string()] = size;
  int reads = 0, ofWeights = 0;
  for (size_t i = 0; i < count; ++i) {
    if (!hasTensor(i)) continue;
    const vm::Value& value = *args[i];
    const tir::Buffer& buffer = *function.buffers[i];
    bool read = false, written = false;
    for (const analysis::BufferUse& use : kernel.work.buffers) {
      if (use.buffer.get() != &buffer) continue;
      row.bytes += analysis::bytesMoved(use, static_cast<double>(value.tensor().bytes()), sizes);
      read = read || use.read;
      written = written || use.written;
    }
    reads += int{read};
    ofWeights += int{read && weights.contains(&value.tensor())};
    if (isFirst && row.arguments.size() < kMostArguments)
      row.arguments.push_back({typeText(value.tensor()), value.tensor().shape(), written});
  }
  row.weightsOnly = reads > 0 && reads == ofWeights;
  row.parallel = row.parallel || analysis::runsOnThreads(kernel.work, sizes);
  addKnown(row.flops, analysis::flopsOf(kernel.work, sizes));
  addKnown(row.integers, analysis::integersOf(kernel.work, sizes));
}

/// The same of a function that is neither a kernel nor a builtin, of which nothing but its tensors is known.
void accountExternal(const std::vector<const vm::Value*>& args, InstructionTimes& row) {
  row.kernel = true;
  row.flops.reset();
  row.integers.reset();
  for (const vm::Value* value : args)
    if (value->is(vm::ValueKind::Tensor)) row.bytes += static_cast<double>(value->tensor().bytes());
}

class Collector {
 public:
  Collector(vm::Machine& machine, const ir::Module& module, Tensors weights, Profile& profile,
            const ProfileOptions& options)
      : machine_(machine),
        kernels_(module),
        weights_(std::move(weights)),
        profile_(profile),
        devices_(options.devices),
        clockCost_(clockCost()) {}

  /// The first run, in which calls are counted.
  void first() {
    while (machine_.status() == vm::MachineStatus::Running) {
      const size_t pc = machine_.pc();
      InstructionTimes& row = profile_.instructions[pc];
      ++row.calls;
      lookAt(machine_.executable().instruction(pc), row);
      const int64_t time = step();
      row.first += time;
      profile_.first += time;
    }
  }
  int64_t clock() const { return clockCost_; }
  /// Fails with what the devices' clock fails with.
  Result<Unit> measured() {
    if (!devices_) return measuredRun();
    devices_->measure(true);
    auto done = measuredRun();
    devices_->measure(false);
    return done;
  }

 private:
  Result<Unit> measuredRun() {
    for (auto& [pc, row] : profile_.instructions) row.nanoseconds.push_back(0);
    ++runs_;
    profile_.events.clear();
    int64_t at = 0;
    while (machine_.status() == vm::MachineStatus::Running) {
      const size_t pc = machine_.pc(), depth = machine_.frames().size();
      const int64_t time = step();
      InstructionTimes& row = profile_.instructions[pc];
      // A run may take another way than those before it.
      row.nanoseconds.resize(runs_);
      row.nanoseconds.back() += time;
      RX_CHECK(addDevices(row));
      if (profile_.events.size() < Profile::kMostEvents) profile_.events.push_back({pc, at, time, depth});
      at += time;
    }
    return Unit{};
  }

  Result<Unit> addDevices(InstructionTimes& row) const {
    if (!devices_) return Unit{};
    RX_TRY(worked, devices_->elapsed());
    if (worked == 0 && row.onDevice.empty()) return Unit{};
    row.onDevice.resize(runs_);
    row.onDevice.back() += worked;
    return Unit{};
  }

  int64_t step() {
    const Clock::time_point begin = Clock::now();
    machine_.step();
    return std::max<int64_t>(0, since(begin) - clockCost_);
  }

  void lookAt(const vm::Instruction& instruction, InstructionTimes& row) {
    if (instruction.op != vm::Opcode::Call) return;
    const vm::Executable& executable = machine_.executable();
    const vm::FunctionInfo& callee = executable.function(static_cast<size_t>(instruction.function));
    if (callee.kind != vm::FunctionKind::Packed) return;
    const Kernels::Kernel& kernel = kernels_.named(callee.name);
    if (!kernel.function && builtins_.find(callee.name)) return;
    args_.clear();
    for (size_t i = 0; i < instruction.args.size(); ++i) args_.push_back(valueOf(instruction.arg(i)));
    kernel.function ? account(kernel, args_, weights_, row) : accountExternal(args_, row);
  }

  const vm::Value* valueOf(const vm::Arg& arg) {
    static const vm::Value kNone;
    const std::vector<vm::Value>& registers = machine_.top().registers;
    const auto at = static_cast<size_t>(arg.value);
    if (arg.kind == vm::ArgKind::Register) return at < registers.size() ? &registers[at] : &kNone;
    return arg.kind == vm::ArgKind::Constant ? &machine_.executable().constants()[at] : &kNone;
  }

  vm::Machine& machine_;
  Kernels kernels_;
  const Tensors weights_;
  const vm::PackedRegistry builtins_ = vm::PackedRegistry::withBuiltins();
  Profile& profile_;
  const std::optional<DeviceClock>& devices_;
  const int64_t clockCost_;
  size_t runs_ = 0;
  std::vector<const vm::Value*> args_;
};

constexpr int kLeastRuns = 3, kMostRuns = 100;
constexpr int64_t kSecond = 1'000'000'000;

/// Starts the machine anew and has it run.
Result<Unit> runOnce(vm::Machine& machine, const std::string& function, const std::vector<vm::Value>& args,
                     const std::function<Result<Unit>()>& run) {
  RX_CHECK(machine.start(function, args));
  const auto done = run();
  if (const vm::Fault* fault = machine.fault()) return fail(fault->diagnostics);
  return done;
}

}  // namespace

int64_t median(std::vector<int64_t> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void takeWatchingOff(Profile& profile, int64_t most) {
  std::vector<int64_t> totals(profile.wall.size());
  int64_t calls = 0;
  for (const auto& [pc, row] : profile.instructions) {
    totals.resize(std::max(totals.size(), row.nanoseconds.size()));
    for (size_t run = 0; run < row.nanoseconds.size(); ++run) totals[run] += row.nanoseconds[run];
    calls += row.calls;
  }
  const int64_t longer = median(std::move(totals)) - median(profile.wall);
  if (calls == 0 || longer <= 0) return;
  const int64_t each = std::min(most, longer / calls);
  for (auto& [pc, row] : profile.instructions)
    for (int64_t& time : row.nanoseconds) time = std::max<int64_t>(0, time - each * row.calls);
}

Result<Profile> profileRun(vm::Machine& machine, const std::string& function, const std::vector<vm::Value>& args,
                           const ir::Module& module, const ProfileOptions& options) {
  Profile profile;
  profile.function = function;
  Collector collector(machine, module, weightsOf(module, function, args), profile, options);
  RX_CHECK(runOnce(machine, function, args, [&] {
    collector.first();
    return Unit{};
  }));
  const OtherWork others;
  const Clock::time_point begin = Clock::now();
  const auto enough = [&](int runs) {
    if (options.runs > 0) return runs >= options.runs;
    return runs >= kMostRuns || (runs >= kLeastRuns && since(begin) > kSecond);
  };
  for (int run = 0; !enough(run) && !options.cancel.cancelled(); ++run) {
    RX_CHECK(runOnce(machine, function, args, [&] {
      const Clock::time_point start = Clock::now();
      machine.run();
      profile.wall.push_back(since(start));
      return Unit{};
    }));
    RX_CHECK(runOnce(machine, function, args, [&] { return collector.measured(); }));
  }
  profile.busy = others.part();
  // Beside what reading the clock takes, which is off already, the machine stops and goes on.
  takeWatchingOff(profile, collector.clock());
  return profile;
}

}  // namespace rx::profile
