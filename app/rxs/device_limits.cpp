#include "app/rxs/device_limits.h"

#include <algorithm>

#include "app/rxs/program_stages.h"
#include "core/debug/machine_history.h"
#include "core/device/device.h"
#include "core/profile/rows.h"
#include "core/script/parse.h"

namespace rx::cli {

namespace {

constexpr const char* kText = R"(
@I.ir_module
class Module:
    @T.prim_func
    def move(x: T.Buffer((8388608,), "float32"), y: T.Buffer((8388608,), "float32")):
        for b in T.thread_binding(32768, thread="blockIdx.x"):
            for t in T.thread_binding(256, thread="threadIdx.x"):
                with T.block(""):
                    y[b * 256 + t] = x[b * 256 + t]

    @T.prim_func
    def compute(x: T.Buffer((8388608,), "float32"), y: T.Buffer((65536,), "float32")):
        for b in T.thread_binding(256, thread="blockIdx.x"):
            for t in T.thread_binding(256, thread="threadIdx.x"):
                with T.block(""):
                    sums = T.alloc_buffer((8,), scope="local")
                    for j in T.unroll(8):
                        sums[j] = x[(b * 256 + t) * 8 + j]
                    for k in range(256):
                        for j in T.unroll(8):
                            sums[j] = sums[j] * T.float32(0.5) + T.float32(0.25)
                    y[b * 256 + t] = sums[0] + sums[1] + sums[2] + sums[3] + sums[4] + sums[5] + sums[6] + sums[7]

    @R.function
    def main(x: R.Tensor((8388608,), "float32")):
        cls = Module
        moved = R.call_tir(cls.move, (x,), out_sinfo=R.Tensor((8388608,), "float32"))
        computed = R.call_tir(cls.compute, (moved,), out_sinfo=R.Tensor((65536,), "float32"))
        return computed
)";
constexpr int64_t kElements = 8388608;
constexpr int kRuns = 3;

/// The most that one of the rows does of something in a second.
template <class Amount>
double mostOf(const profile::Table& table, Amount amount) {
  double most = 0;
  for (const profile::Row& row : table.rows) {
    if (row.kernel && row.working() > 0) most = std::max(most, amount(row) / static_cast<double>(row.working()));
  }
  return most * 1e9;
}

}  // namespace

std::optional<profile::DeviceClock> deviceClockOf(const vm::Machine& machine) {
  std::vector<std::shared_ptr<device::Device>> devices;
  for (const vm::RunDevice& row : machine.devices()) {
    auto device = std::dynamic_pointer_cast<device::Device>(row.device);
    if (device && std::ranges::find(devices, device) == devices.end()) devices.push_back(std::move(device));
  }
  if (devices.empty()) return std::nullopt;
  return profile::DeviceClock{[devices](bool wanted) {
                                for (const auto& device : devices) device->timeKernels(wanted);
                              },
                              [devices]() -> Result<int64_t> {
                                double sum = 0;
                                for (const auto& device : devices) {
                                  RX_TRY(worked, device->kernelNanoseconds());
                                  sum += worked;
                                }
                                return static_cast<int64_t>(sum);
                              }};
}

Result<profile::Hardware> deviceLimits(const target::TargetRef& target) {
  RX_TRY(module, script::parseModule(make<SourceFile>("limits of the device", kText)));
  compile::Request request;
  request.module = module;
  request.passes = "default";
  request.target = target;
  compile::Control control;
  control.keepStages = true;
  RX_TRY(program, compile::compile(request, control));
  RX_TRY(kernels, compile::kernelsOf(program, {}, nullptr));
  vm::MachineOptions options;
  options.kernels = kernels;
  RX_TRY(machine, vm::Machine::create(program.executable, std::move(options)));
  RX_TRY(input, HostTensor::allocate({kElements}, DataType::Float(32)));
  RX_TRY(taken, profile::profileRun(*machine, "main", {vm::Value::of(std::move(input))}, program.module,
                                    {.runs = kRuns, .cancel = {}, .devices = deviceClockOf(*machine)}));
  const debug::Program rows = debug::programOf(*program.executable, stagesOf(program.history));
  profile::Hardware made;
  const profile::Table table = profile::tableOf(taken, rows, profile::By::Kernel, made);
  made.one.bytes = mostOf(table, [](const profile::Row& row) { return row.bytes; });
  made.one.flops = mostOf(table, [](const profile::Row& row) { return row.flops.value_or(0); });
  if (made.one.bytes <= 0 || made.one.flops <= 0) return fail("profile.hardware", "the device could not be measured");
  made.all = made.one;
  made.device = machine->devices().empty() || !machine->devices().front().memory
                    ? std::string(target->kind())
                    : machine->devices().front().memory->device().name();
  made.processor = made.device;
  return made;
}

}  // namespace rx::cli
