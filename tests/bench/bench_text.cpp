// Reading, checking and printing of generated modules: matmul, add, gelu over a symbolic first dimension. Each row is
// printed beside a physical limit measured in the same run: copying and scanning the same bytes.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/analysis/well_formed.h"
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

}  // namespace

#define RX_SIZES Arg(1000)->Arg(10000)->Arg(100000)->Arg(1000000)->Unit(benchmark::kMillisecond)
BENCHMARK(limitCopy)->RX_SIZES;
BENCHMARK(parse)->RX_SIZES;
BENCHMARK(parseAndVerify)->RX_SIZES;
BENCHMARK(print)->RX_SIZES;
BENCHMARK_MAIN();
