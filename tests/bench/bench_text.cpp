// Reading, checking and printing of generated modules: matmul, add, gelu over a symbolic first dimension, and dense,
// bias_add, relu and add in the text of Relay, as a person writes it and as it is printed. Each row is printed beside a
// physical limit measured in the same run: copying and scanning the same bytes.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/analysis/well_formed.h"
#include "core/relay/infer.h"
#include "core/relay/text.h"
#include "core/script/parse.h"
#include "core/script/print.h"

namespace {

/// `bindings` bindings in one dataflow block.
std::string generated(int64_t bindings) {
  std::string text =
      "# from tvm.script import ir as I\n# from tvm.script import tirx as T\n# from tvm.script import relax as "
      "R\n\n@I.ir_module\n"
      "class Module:\n    @R.function\n    def main(x: R.Tensor((\"n\", 64), dtype=\"float32\"), w: R.Tensor((64, 64), "
      "dtype=\"float32\"), "
      "b: R.Tensor((64,), dtype=\"float32\")) -> R.Tensor((\"n\", 64), dtype=\"float32\"):\n        n = T.int64()\n    "
      "    with R.dataflow():\n";
  std::string last = "x";
  for (int64_t i = 0; i < bindings; ++i) {
    std::string name = fmt::format("lv{}", i);
    const char* form =
        i % 3 == 0   ? "            {}: R.Tensor((n, 64), dtype=\"float32\") = R.matmul({}, w, out_dtype=\"void\")\n"
        : i % 3 == 1 ? "            {}: R.Tensor((n, 64), dtype=\"float32\") = R.add({}, b)\n"
                     : "            {}: R.Tensor((n, 64), dtype=\"float32\") = R.nn.gelu({})\n";
    text += fmt::format(fmt::runtime(form), name, last);
    last = name;
  }
  return text +
         fmt::format(
             "            gv: R.Tensor((n, 64), dtype=\"float32\") = {}\n            R.output(gv)\n        return gv\n",
             last);
}

rx::ir::Module read(const std::string& text) {
  auto module = rx::script::parseModule(rx::make<rx::SourceFile>("generated.py", text));
  return module ? *module : nullptr;
}

void setBytes(benchmark::State& state, const std::string& text) {
  state.SetBytesProcessed(static_cast<int64_t>(text.size()) * state.iterations());
}

/// Freeing a module is no part of reading it.
void forget(benchmark::State& state, rx::ir::Module& module) {
  state.PauseTiming();
  module = nullptr;
  state.ResumeTiming();
}

void limitCopy(benchmark::State& state) {
  std::string text = generated(state.range(0)), copy(text.size(), ' ');
  for (auto _ : state) {
    std::memcpy(copy.data(), text.data(), text.size());
    benchmark::DoNotOptimize(std::count(copy.begin(), copy.end(), '\n'));
  }
  setBytes(state, text);
}

void parse(benchmark::State& state) {
  std::string text = generated(state.range(0));
  for (auto _ : state) {
    rx::ir::Module module = read(text);
    if (!module) return state.SkipWithError("the generated module is refused");
    forget(state, module);
  }
  setBytes(state, text);
}

void parseAndVerify(benchmark::State& state) {
  std::string text = generated(state.range(0));
  for (auto _ : state) {
    rx::ir::Module module = read(text);
    if (!module || !rx::analysis::wellFormed(module).empty())
      return state.SkipWithError("the generated module is ill-formed");
    forget(state, module);
  }
  setBytes(state, text);
}

void print(benchmark::State& state) {
  std::string text = generated(state.range(0));
  rx::ir::Module module = read(text);
  if (!module) return state.SkipWithError("the generated module is refused");
  size_t bytes = 0;
  for (auto _ : state) bytes = rx::script::printModule(module).text.size();
  state.SetBytesProcessed(static_cast<int64_t>(bytes) * state.iterations());
}

/// `bindings` lines of a graph of Relay, or of `let`, without types.
std::string generatedRelay(int64_t bindings, bool lets) {
  std::string text =
      "#[version = \"0.0.5\"]\ndef @main(%x: Tensor[(64, 64), float32], %w: Tensor[(64, 64), float32], %b: "
      "Tensor[(64), float32]) {\n";
  std::string last = "%x";
  for (int64_t i = 0; i < bindings; ++i) {
    constexpr const char* kForms[] = {"nn.dense({}, %w, units=64)", "nn.bias_add({}, %b)", "nn.relu({})",
                                      "add({}, %x)"};
    const std::string name = fmt::format("%{}{}", lets ? "v" : "", i);
    text += fmt::format("  {}{} = {};\n", lets ? "let " : "", name, fmt::format(fmt::runtime(kForms[i % 4]), last));
    last = name;
  }
  return text + "  " + last + "\n}\n";
}

rx::ir::Module readRelay(const std::string& text) {
  auto read = rx::relay::readText(rx::make<rx::SourceFile>("generated.relay", text));
  return read ? read->module : nullptr;
}

enum class RelayText : int64_t { Graph, Lets, Printed };
/// Reading is with the types of all that the text leaves undeclared, which is inferred.
void relayRead(benchmark::State& state, RelayText form) {
  std::string text = generatedRelay(state.range(0), form == RelayText::Lets);
  if (form == RelayText::Printed) text = rx::relay::printText(readRelay(text));
  for (auto _ : state) {
    rx::ir::Module module = readRelay(text);
    if (!module) return state.SkipWithError("the generated module is refused");
    forget(state, module);
  }
  setBytes(state, text);
}

void relayInfer(benchmark::State& state, RelayText form) {
  const std::string text = generatedRelay(state.range(0), form == RelayText::Lets);
  const rx::ir::Module module = readRelay(text);
  for (auto _ : state) {
    if (!rx::relay::checkTypes(module)) return state.SkipWithError("the types do not fit");
  }
  state.SetItemsProcessed(state.range(0) * state.iterations());
}

void relayPrint(benchmark::State& state, RelayText form) {
  const rx::ir::Module module = readRelay(generatedRelay(state.range(0), form == RelayText::Lets));
  size_t bytes = 0;
  for (auto _ : state) bytes = rx::relay::printText(module).size();
  state.SetBytesProcessed(static_cast<int64_t>(bytes) * state.iterations());
}

std::string generatedFile(int64_t bindings) {
  std::string path = std::filesystem::temp_directory_path() / fmt::format("relaxscope-bench-{}.py", bindings);
  std::ofstream(path) << generated(bindings);
  return path;
}

/// Of this process, in bytes. What wait4 reports of a child would count what its parent held when it was started.
double peakOfThisProcess() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::atof(line.c_str() + 6) * 1024;
  }
  return 0;
}

/// Bytes that a process of its own takes at most to read and verify a module; 0 when it failed.
double peakOfReading(int64_t bindings) {
  std::string self = "/proc/self/exe", verb = "--read", path = generatedFile(bindings), answer = path + ".peak";
  char* arguments[] = {self.data(), verb.data(), path.data(), answer.data(), nullptr};
  pid_t child = 0;
  int status = 1;
  if (posix_spawn(&child, self.c_str(), nullptr, nullptr, arguments, environ) == 0) waitpid(child, &status, 0);
  double peak = 0;
  if (status == 0) std::ifstream(answer) >> peak;
  std::filesystem::remove(path);
  std::filesystem::remove(answer);
  return peak;
}

/// Peak memory above that of an idle process, as a multiple of the file.
void peakMemory(benchmark::State& state) {
  const auto size = static_cast<double>(generated(state.range(0)).size());
  double peak = 0;
  for (auto _ : state) peak = peakOfReading(state.range(0));
  if (peak == 0) return state.SkipWithError("the generated module is ill-formed");
  state.counters["times_file"] = (peak - peakOfReading(1)) / size;
}

/// Reads and verifies a module and writes to `answer` what that took.
int readFile(const char* path, const char* answer) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  rx::ir::Module module = read(text);
  if (!module || !rx::analysis::wellFormed(module).empty()) return 1;
  std::ofstream(answer) << std::fixed << peakOfThisProcess();
  return 0;
}

}  // namespace

#define RX_SIZES Arg(1000)->Arg(10000)->Arg(100000)->Arg(1000000)->Unit(benchmark::kMillisecond)
BENCHMARK(limitCopy)->RX_SIZES;
BENCHMARK(parse)->RX_SIZES;
BENCHMARK(parseAndVerify)->RX_SIZES;
BENCHMARK(print)->RX_SIZES;
#define RX_RELAY_SIZES Arg(1000)->Arg(10000)->Arg(100000)->Unit(benchmark::kMillisecond)
BENCHMARK_CAPTURE(relayRead, graph, RelayText::Graph)->RX_RELAY_SIZES;
BENCHMARK_CAPTURE(relayRead, lets, RelayText::Lets)->RX_RELAY_SIZES;
BENCHMARK_CAPTURE(relayRead, printed, RelayText::Printed)->RX_RELAY_SIZES;
BENCHMARK_CAPTURE(relayInfer, graph, RelayText::Graph)->RX_RELAY_SIZES;
BENCHMARK_CAPTURE(relayInfer, lets, RelayText::Lets)->RX_RELAY_SIZES;
BENCHMARK_CAPTURE(relayPrint, graph, RelayText::Graph)->RX_RELAY_SIZES;
BENCHMARK_CAPTURE(relayPrint, lets, RelayText::Lets)->RX_RELAY_SIZES;
BENCHMARK(peakMemory)->Arg(1000000)->Iterations(1)->Unit(benchmark::kMillisecond);

/// bench_text [Google Benchmark's options] | --write BINDINGS (the generated module, for other readers) | --read FILE
/// ANSWER
int main(int argc, char** argv) {
  if (argc == 4 && std::string_view(argv[1]) == "--read") return readFile(argv[2], argv[3]);
  if (argc == 3 && std::string_view(argv[1]) == "--write") {
    std::fputs(generated(std::max(1LL, std::atoll(argv[2]))).c_str(), stdout);
    return 0;
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
