// What a call costs beside its work: a chain of kernels of one element, by the machine of this process and from a
// package. TVM needs 0.25 microseconds a call, ONNX Runtime 0.22 (measured on another machine, for the order of size).
#include <dlfcn.h>

#include <chrono>
#include <cstdio>
#include <filesystem>

#include "core/compile/compile.h"
#include "core/debug/machine_history.h"
#include "core/export/package.h"
#include "core/export/runtime/rxs_package.h"
#include "core/runtime/machine.h"
#include "core/script/parse.h"
#include "core/support/temporary_folder.h"

using namespace rx;

namespace {

constexpr int kCalls = 2000;
constexpr int kRuns = 200, kRecordedRuns = 20;

std::string chainOfCalls() {
  std::string text =
      "from tvm.script import ir as I\nfrom tvm.script import tirx as T\nfrom tvm.script import relax as R\n\n"
      "@I.ir_module\nclass Module:\n"
      "    @T.prim_func\n    def more(x: T.Buffer((1,), \"float32\"), y: T.Buffer((1,), \"float32\")):\n"
      "        y[0] = x[0] + T.float32(1)\n\n"
      "    @R.function\n    def main(x: R.Tensor((1,), dtype=\"float32\")):\n        cls = Module\n"
      "        with R.dataflow():\n";
  std::string last = "x";
  for (int i = 0; i < kCalls; ++i) {
    text += fmt::format("            lv{} = R.call_tir(cls.more, ({},), out_sinfo=R.Tensor((1,), dtype=\"float32\"))\n",
                        i, last);
    last = fmt::format("lv{}", i);
  }
  return text + fmt::format("            R.output({0})\n        return {0}\n", last);
}

/// The fastest of several runs, in nanoseconds a call.
template <class Run>
double perCall(Run run) {
  double best = 1e30;
  for (int i = 0; i < kRuns; ++i) {
    const auto start = std::chrono::steady_clock::now();
    run();
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count() / kCalls);
  }
  return best;
}

void row(const char* what, double nanoseconds, double promised) {
  std::printf("%-44s %8.1f ns   promised %5.0f   %.2f\n", what, nanoseconds, promised, nanoseconds / promised);
}

Result<Unit> inThisProcess(const compile::Program& program) {
  RX_TRY(kernels, compile::kernelsOf(program, {}, nullptr));
  vm::MachineOptions options;
  options.kernels = kernels;
  RX_TRY(machine, vm::Machine::create(program.executable, std::move(options)));
  const vm::Value x = vm::Value::of(HostTensor::scalar(DataType::Float(32), 1));
  RX_TRY(input, x.tensor().reshaped({1}));
  const double time = perCall([&] {
    (void)machine->start("main", {vm::Value::of(input)});
    machine->run();
  });
  if (machine->fault()) return fail(machine->fault()->diagnostics);
  row("a call in this process", time, 100);
  return Unit{};
}

/// `clock`: each step is timed, as a run of a user's is.
Result<Unit> recorded(const compile::Program& program, const char* what, bool clock) {
  RX_TRY(kernels, compile::kernelsOf(program, {}, nullptr));
  RX_TRY(folder, TemporaryFolder::make("bench-calls", std::filesystem::temp_directory_path().string()));
  vm::MachineOptions options;
  options.kernels = kernels;
  options.record = true;
  RX_TRY(machine, vm::Machine::create(program.executable, std::move(options)));
  RX_TRY(input, HostTensor::fromDoubles({1}, DataType::Float(32), std::vector<double>{1}));
  const debug::Program rows =
      debug::programOf(*program.executable, {std::make_shared<const debug::Stage>("module", program.request.module),
                                             std::make_shared<const debug::Stage>("compiled", program.module)});
  debug::StepTimer timer(rows);
  timer.onCompileTime([kernels] { return kernels->tally().nanoseconds; });
  double best = 1e30;
  for (int i = 0; i < kRecordedRuns; ++i) {
    RX_CHECK(machine->start("main", {vm::Value::of(input)}));
    RX_TRY(recorder, debug::RunRecorder::create(folder.file("run.rxtrace"), rows, *machine, {}));
    const auto start = std::chrono::steady_clock::now();
    while (machine->status() == vm::MachineStatus::Running) {
      debug::StepTime time;
      if (clock) {
        time = timer.step(*machine);
      } else {
        machine->step();
      }
      recorder->step(time);
    }
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count() / kCalls);
  }
  if (machine->fault()) return fail(machine->fault()->diagnostics);
  row(what, best, 300);
  return Unit{};
}

Result<Unit> fromPackage(const compile::Program& program) {
  RX_TRY(folder, TemporaryFolder::make("bench-calls", std::filesystem::temp_directory_path().string()));
  RX_TRY(files, exporter::writePackage(program, {}, folder.file("package")));
  void* library = dlopen(files.front().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return fail("bench.package", dlerror());
  const auto open = reinterpret_cast<decltype(&rxs_open)>(dlsym(library, "rxs_open"));
  const auto run = reinterpret_cast<decltype(&rxs_run)>(dlsym(library, "rxs_run"));
  const auto close = reinterpret_cast<decltype(&rxs_close)>(dlsym(library, "rxs_close"));
  rxs_session* session = nullptr;
  float one = 1;
  rxs_tensor input = {&one, 1, {2, 32, 1}, {1}};
  const rxs_tensor* outputs = nullptr;
  int32_t count = 0;
  bool failed = open(nullptr, &session) != 0;
  const double time = perCall([&] { failed = run(session, "main", &input, 1, &outputs, &count) != 0 || failed; });
  failed = failed || count != 1 || *static_cast<const float*>(outputs[0].data) != 1 + kCalls;
  close(session);
  if (failed) return fail("bench.package", "the package does not give the result");
  row("a call in a package", time, 100);
  return Unit{};
}

Result<Unit> measure() {
  RX_TRY(module, script::parseModule(make<SourceFile>("calls.py", chainOfCalls())));
  compile::Request request;
  request.module = module;
  request.mode = compile::Mode::Release;
  RX_TRY(program, compile::compile(request, {}));
  RX_CHECK(inThisProcess(program));
  RX_CHECK(recorded(program, "a call while recording", true));
  RX_CHECK(recorded(program, "  the same, not timed", false));
  return fromPackage(program);
}

}  // namespace

int main() {
  const Result<Unit> result = measure();
  if (result) return 0;
  std::fputs(renderDiagnostics(result.diagnostics(), {}).c_str(), stderr);
  return 1;
}
