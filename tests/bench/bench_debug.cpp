// What a debugger costs a run: its time and private memory beside the plain run of the same program, a look at any
// state of a history of ten million steps, and weights of 8 GiB that nobody reads. `bench_debug [FOLDER [TEXT]]`: where
// the recordings are made, "." without, and what the names of the chains hold that are run alone. Runs are timed by the
// clock, for part of their recording is done by another thread, until the program is over and until all of it is
// written, and beside that by the processors; other times are of the processor. The least of several runs counts.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <random>

#include "core/compile/compile.h"
#include "core/debug/machine_history.h"
#include "core/debug/session.h"
#include "core/runtime/machine.h"
#include "core/script/parse.h"
#include "core/tensor/safetensors.h"
#include "core/vm/builder.h"

using namespace rx;

namespace {

constexpr double kGiga = 1e9, kMega = 1e6;
constexpr int kRuns = 12;

double processorSeconds() {
  timespec time = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / kGiga;
}

/// Anonymous memory of this process in bytes: what no file is behind.
double privateMemory() {
  std::ifstream file("/proc/self/smaps_rollup");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("Anonymous:")) return std::strtod(line.c_str() + 10, nullptr) * 1024;
  return 0;
}

/// A chain of kernels over square matrices: products, or sums of elements.
std::string chain(std::string_view op, int size, int count) {
  const std::string type = fmt::format("R.Tensor(({0}, {0}), dtype=\"float32\")", size);
  std::string text = fmt::format(
      "from tvm.script import ir as I\nfrom tvm.script import relax as R\n\n@I.ir_module\nclass Module:\n"
      "    @R.function\n    def main(x: {0}, w: {0}) -> {0}:\n        with R.dataflow():\n",
      type);
  std::string last = "x";
  for (int i = 0; i < count; ++i) {
    text += fmt::format("            lv{0}: {1} = R.{2}({3}, w)\n", i, type, op, last);
    last = fmt::format("lv{}", i);
  }
  return text + fmt::format("            R.output({0})\n        return {0}\n", last);
}

struct Cost {
  double ran = 1e30;      ///< seconds until the program has nothing left but to return
  double seconds = 1e30;  ///< until its recording is complete too
  double processor = 1e30;
  double longest = 1e30;  ///< step: the one that makes the kernel's code
  double memory = 0;
};

struct Chain {
  compile::Program program;
  std::shared_ptr<vm::KernelProvider> kernels;
  std::vector<vm::Value> arguments;
  debug::Program rows;
};

Result<Chain> compileChain(std::string_view op, int size, int count) {
  RX_TRY(module, script::parseModule(make<SourceFile>("chain.py", chain(op, size, count))));
  compile::Request request;
  request.module = module;
  request.mode = compile::Mode::Release;
  Chain made;
  RX_TRY(program, compile::compile(request, {}));
  made.program = std::move(program);
  RX_TRY(kernels, compile::kernelsOf(made.program, {}, nullptr));
  made.kernels = kernels;
  std::vector<double> numbers(static_cast<size_t>(size) * static_cast<size_t>(size));
  // No two pages are equal, which a recording would keep once.
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<double>(i * 2654435761u % 1000003) / 1000003 / size;
  for (int i = 0; i < 2; ++i) {
    RX_TRY(tensor, HostTensor::fromDoubles({size, size}, DataType::Float(32), numbers));
    made.arguments.push_back(vm::Value::of(tensor));
  }
  made.rows = debug::programOf(*made.program.executable,
                               {std::make_shared<const debug::Stage>("module", made.program.request.module),
                                std::make_shared<const debug::Stage>("compiled", made.program.module)});
  return made;
}

Result<std::unique_ptr<vm::Machine>> started(const Chain& chain, bool record) {
  vm::MachineOptions options;
  options.kernels = chain.kernels;
  options.record = record;
  RX_TRY(machine, vm::Machine::create(chain.program.executable, std::move(options)));
  RX_CHECK(machine->start("main", chain.arguments));
  return machine;
}

/// Time of one run, which `advance` takes on by a step until it is over, or the most private memory of it: to ask for
/// that takes time.
template <class Advance>
void measure(Cost& cost, std::optional<double> before, Advance advance) {
  const double start = processorSeconds();
  const auto clock = std::chrono::steady_clock::now();
  const auto now = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - clock).count(); };
  double longest = 0, begin = 0;
  for (bool runs = true; runs;) {
    begin = now();
    runs = advance();
    if (runs) longest = std::max(longest, now() - begin);
    if (before) cost.memory = std::max(cost.memory, privateMemory() - *before);
  }
  if (before) return;
  cost.ran = begin;
  cost.longest = longest;
  cost.processor = processorSeconds() - start;
  cost.seconds = now();
}

/// What `run` costs in a process of its own, whose memory nobody used before.
template <class Run>
Result<Cost> apart(Run run) {
  Cost cost;
  for (int i = 0; i < kRuns; ++i) {
    int ends[2];
    if (::pipe(ends) != 0) return fail("bench.pipe", "no pipe");
    const pid_t child = ::fork();
    if (child == 0) {
      Cost own;
      const bool done = run(own, i == 0 ? std::optional(privateMemory()) : std::nullopt).ok();
      if (!done || ::write(ends[1], &own, sizeof own) != sizeof own) ::_exit(1);
      ::_exit(0);
    }
    ::close(ends[1]);
    Cost one;
    const bool told = ::read(ends[0], &one, sizeof one) == sizeof one;
    ::close(ends[0]);
    ::waitpid(child, nullptr, 0);
    if (!told) return fail("bench.run", "the run fails");
    cost = {std::min(cost.ran, one.ran), std::min(cost.seconds, one.seconds), std::min(cost.processor, one.processor),
            std::min(cost.longest, one.longest), std::max(cost.memory, one.memory)};
  }
  return cost;
}

Result<Cost> plain(const Chain& chain) {
  return apart([&](Cost& cost, std::optional<double> before) -> Result<Unit> {
    RX_TRY(machine, started(chain, false));
    measure(cost, before, [&] { return machine->step() == vm::MachineStatus::Running; });
    return Unit{};
  });
}

Result<Cost> debugged(const Chain& chain, const store::Policy& policy, const std::string& path) {
  return apart([&](Cost& cost, std::optional<double> before) -> Result<Unit> {
    RX_TRY(machine, started(chain, true));
    RX_TRY(history, debug::MachineHistory::create(std::move(machine), chain.rows, {path, policy}));
    measure(cost, before, [&] {
      history->advance();
      return history->canAdvance();
    });
    if (history->end() != debug::RunEnd::Finished) return fail("bench.run", "the run fails");
    return Unit{};
  });
}

/// A program that calls a small function `inner` times from each of `outer` calls: five steps each.
Result<Ref<vm::Executable>> manySteps(int outer, int inner) {
  vm::ExecBuilder b;
  b.declareFunction("middle", vm::FunctionKind::Bytecode);
  b.declareFunction("leaf", vm::FunctionKind::Bytecode);
  RX_CHECK(b.beginFunction("main", 1, {"x"}));
  for (int i = 0; i < outer; ++i) b.emitCall("middle", {vm::Arg::reg(0)}, 1);
  b.emitRet(1);
  b.endFunction();
  RX_CHECK(b.beginFunction("middle", 1, {"x"}));
  for (int i = 0; i < inner; ++i) b.emitCall("leaf", {vm::Arg::reg(0)}, 1);
  b.emitRet(1);
  b.endFunction();
  RX_CHECK(b.beginFunction("leaf", 1, {"x"}));
  for (vm::Word reg = 1; reg <= 3; ++reg)
    b.emitCall("vm.builtin.make_tuple", {vm::Arg::reg(0), vm::Arg::imm(reg)}, reg);
  b.emitRet(3);
  b.endFunction();
  return b.finish();
}

/// Opens a history and looks at random states as a window does that stops there.
Result<Unit> looks(const std::string& path) {
  const double before = privateMemory(), start = processorSeconds();
  RX_TRY(history, debug::TraceHistory::open(path));
  debug::Session session(std::move(history));
  const int64_t steps = session.history().recorded();
  const double opening = processorSeconds() - start;
  std::mt19937_64 random(3);
  double worst = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto state = static_cast<int64_t>(random() % static_cast<uint64_t>(steps));
    const double from = processorSeconds();
    RX_CHECK(session.goTo(state));
    const auto frames = session.history().frames(state);
    const int activation = frames.front().activation;
    (void)session.valuesOf(activation);
    (void)session.registersBetween(activation, state, std::max<int64_t>(state - 1, 0));
    for (int reg = 0; reg < 4; ++reg) (void)session.read({state, activation, reg, {}});
    (void)session.history().previous(state);
    (void)session.history().following(state);
    worst = std::max(worst, processorSeconds() - from);
  }
  std::printf("%-44s %8.1f ms to open, the slowest of 1000 looks %.1f ms (500), %.1f MB private\n",
              fmt::format("a debugger on {} steps", steps).c_str(), opening * 1e3, worst * 1e3,
              (privateMemory() - before) / kMega);
  return Unit{};
}

Result<Unit> manyLooks(const std::string& folder, int outer) {
  RX_TRY(executable, manySteps(outer, 1000));
  const std::string path = folder + "/steps.rxtrace";
  vm::MachineOptions options;
  options.record = true;
  RX_TRY(machine, vm::Machine::create(executable, options));
  RX_CHECK(machine->start("main", {vm::Value::of(int64_t{1})}));
  debug::Program rows = debug::programOf(
      *executable,
      {std::make_shared<const debug::Stage>("none", std::vector<debug::StageFunction>{}, std::vector<std::string>{})});
  const double start = processorSeconds();
  RX_TRY(history,
         debug::MachineHistory::create(std::move(machine), std::move(rows), {path, {store::Keep::Everything, 0, 0}}));
  while (history->canAdvance()) history->advance();
  const double took = processorSeconds() - start;
  std::printf("%-44s %8.0f ns\n", fmt::format("recording {} steps, one", history->recorded()).c_str(),
              took / static_cast<double>(history->recorded()) * kGiga);
  history.reset();
  const auto looked = looks(path);
  ::unlink(path.c_str());
  return looked;
}

/// Weights of 8 GiB in a file with holes: opened, given to a program, and recorded.
Result<Unit> weights(const std::string& folder) {
  constexpr uint64_t kBytes = uint64_t{8} << 30;
  const std::string path = folder + "/weights.safetensors", recording = folder + "/weights.rxtrace";
  std::string header = fmt::format("{{\"w\":{{\"dtype\":\"F32\",\"shape\":[{}],\"data_offsets\":[0,{}]}}}}",
                                   kBytes / sizeof(float), kBytes);
  while (header.size() % 8 != 0) header += ' ';
  const uint64_t length = header.size();
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(&length), sizeof length);
  file << header;
  file.close();
  if (::truncate(path.c_str(), static_cast<off_t>(sizeof length + length + kBytes)) != 0)
    return fail("bench.file", "no room for a file with holes");
  const double before = privateMemory(), start = processorSeconds();
  RX_TRY(tensors, readSafetensors(path));
  vm::ExecBuilder b;
  RX_CHECK(b.beginFunction("main", 1, {"w"}));
  b.emitCall("vm.builtin.make_tuple", {vm::Arg::reg(0)}, 1);
  b.emitRet(1);
  b.endFunction();
  RX_TRY(executable, b.finish());
  vm::MachineOptions options;
  options.record = true;
  RX_TRY(machine, vm::Machine::create(executable, options));
  RX_CHECK(machine->start("main", {vm::Value::of(tensors.front().second)}));
  debug::Program rows = debug::programOf(
      *executable,
      {std::make_shared<const debug::Stage>("none", std::vector<debug::StageFunction>{}, std::vector<std::string>{})});
  RX_TRY(history, debug::MachineHistory::create(std::move(machine), std::move(rows), {recording}));
  while (history->canAdvance()) history->advance();
  const debug::Value shown = history->registerAt(0, 0, 0);
  std::printf("%-44s %8.1f ms (2000), %.1f MB private, %.1f MB of recording, shown: %s\n",
              "weights of 8 GiB, opened and run", (processorSeconds() - start) * 1e3,
              (privateMemory() - before) / kMega, static_cast<double>(std::filesystem::file_size(recording)) / kMega,
              debug::valueText(shown).c_str());
  ::unlink(path.c_str());
  ::unlink(recording.c_str());
  return Unit{};
}

/// What a recording of large values can not be faster than: the same bytes copied, and written to a file.
Result<Unit> speeds(const std::string& folder) {
  constexpr size_t kBytes = 4 << 20, kTimes = 32;
  const std::vector<std::byte> from(kBytes, std::byte{1});
  std::vector<std::byte> to(kBytes);
  double copied = 1e30, written = 1e30;
  const std::string path = folder + "/speed.bytes";
  for (int run = 0; run < kRuns; ++run) {
    double start = processorSeconds();
    for (size_t i = 0; i < kTimes; ++i) {
      std::memcpy(to.data(), from.data(), kBytes);
      asm volatile("" : : "r"(to.data()) : "memory");
    }
    copied = std::min(copied, processorSeconds() - start);
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    start = processorSeconds();
    for (size_t i = 0; i < kTimes; ++i)
      if (::write(file, from.data(), kBytes) != static_cast<ssize_t>(kBytes)) return fail("bench.file", "no room");
    written = std::min(written, processorSeconds() - start);
    ::close(file);
    ::unlink(path.c_str());
  }
  std::printf("%-44s %8.1f ms copied, %.1f ms written to a file\n", "128 MB, 4 MB at a time", copied * 1e3,
              written * 1e3);
  return Unit{};
}

struct Row {
  const char* name;
  const char* op;
  int size, count;
  store::Policy policy = {};
};
const Row kRows[] = {{"16 products of 256 x 256, everything", "matmul", 256, 16},
                     {"8 products of 512 x 512, everything", "matmul", 512, 8},
                     {"32 sums of 1024 x 1024, everything (no limit)", "add", 1024, 32},
                     {"32 sums of 1024 x 1024, statistics", "add", 1024, 32, {store::Keep::Statistics}},
                     {"32 sums of 1024 x 1024, bindings", "add", 1024, 32, {store::Keep::Bindings}}};

Result<Unit> beside(const Row& row, const std::string& folder) {
  RX_TRY(chain, compileChain(row.op, row.size, row.count));
  RX_TRY(alone, plain(chain));
  RX_TRY(watched, debugged(chain, row.policy, folder + "/chain.rxtrace"));
  std::printf(
      "%-44s %8.1f ms, plain %8.1f ms (%.1f for the kernel's code): %.2f (1.5), written %8.1f: %.2f, of processors "
      "%.2f   %6.1f MB private, plain %6.1f: %.2f (1.3)\n",
      row.name, watched.ran * 1e3, alone.seconds * 1e3, alone.longest * 1e3, watched.ran / alone.seconds,
      watched.seconds * 1e3, watched.seconds / alone.seconds, watched.processor / alone.processor,
      watched.memory / kMega, alone.memory / kMega, watched.memory / std::max(alone.memory, kMega));
  ::unlink((folder + "/chain.rxtrace").c_str());
  return Unit{};
}

Result<Unit> all(const std::string& folder, std::string_view wanted) {
  RX_CHECK(speeds(folder));
  for (const Row& row : kRows)
    if (std::string_view(row.name).find(wanted) != std::string_view::npos) RX_CHECK(beside(row, folder));
  if (!wanted.empty()) return Unit{};
  RX_CHECK(manyLooks(folder, 20));
  RX_CHECK(manyLooks(folder, 2000));
  return weights(folder);
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const Result<Unit> result = all(argc > 1 ? argv[1] : ".", argc > 2 ? argv[2] : "");
  if (result) return 0;
  std::fputs(renderDiagnostics(result.diagnostics(), {}).c_str(), stderr);
  return 1;
}
