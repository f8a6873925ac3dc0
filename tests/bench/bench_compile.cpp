// The compiler's driver beside what is promised for it: the first stop of a function of 1,000 bindings, from nothing
// and from kernels of an earlier run; the default pipeline on 10,000 and 100,000 bindings, in time and memory; the
// lowering of kernels.
#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <cstdio>

#include "core/compile/compile.h"
#include "core/script/parse.h"
#include "engine_process.h"

using namespace rx;
using rx::test::Engine;
using rx::test::Json;

namespace {

/// A chain of `bindings` over a symbolic first dimension in one dataflow block.
std::string chainModule(int bindings) {
  std::string text =
      "from tvm.script import ir as I\nfrom tvm.script import tirx as T\nfrom tvm.script import relax as R\n\n"
      "@I.ir_module\nclass Module:\n    @R.function\n    def main(x: R.Tensor((\"n\", 64), dtype=\"float32\"), w: "
      "R.Tensor((64, 64), dtype=\"float32\"), b: R.Tensor((64,), dtype=\"float32\")):\n        n = T.int64()\n"
      "        with R.dataflow():\n";
  const char* calls[] = {"R.matmul({}, w, out_dtype=\"void\")", "R.add({}, b)", "R.nn.gelu({})"};
  std::string last = "x";
  for (int i = 0; i < bindings; ++i) {
    const std::string name = fmt::format("lv{}", i);
    text += fmt::format("            {}: R.Tensor((n, 64), dtype=\"float32\") = {}\n", name,
                        fmt::format(fmt::runtime(calls[i % 3]), last));
    last = name;
  }
  return text + fmt::format("            R.output({0})\n        return {0}\n", last);
}

void row(const std::string& what, double measured, double promised, const char* unit) {
  std::printf("%-58s %9.3f %9.3f %-5s %6.2f\n", what.c_str(), measured, promised, unit, measured / promised);
}

double secondsOf(const QElapsedTimer& time) { return static_cast<double>(time.nsecsElapsed()) / 1e9; }

/// Peak of this process's memory in bytes.
double peakMemory() {
  QFile file(QStringLiteral("/proc/self/status"));
  if (!file.open(QIODevice::ReadOnly)) return 0;
  for (const QByteArray& line : file.readAll().split('\n'))
    if (line.startsWith("VmHWM:")) return line.mid(6).trimmed().split(' ').value(0).toDouble() * 1024;
  return 0;
}

/// Seconds from the start of the engine to its stop at the entry of `path`, then to the stop behind the first binding.
double firstStop(const std::string& path) {
  QElapsedTimer time;
  time.start();
  Engine engine;
  const std::string wrong = engine.launchProgram(Json{{"program", path}, {"seed", 1}});
  if (!wrong.empty()) std::printf("%s\n", wrong.c_str());
  (void)engine.stop();
  (void)engine.move("next");
  return secondsOf(time);
}

void firstStops() {
  QTemporaryDir folder;
  qputenv("XDG_CACHE_HOME", folder.filePath("cache").toUtf8());
  const QString path = folder.filePath("chain.py");
  QFile file(path);
  if (!file.open(QIODevice::WriteOnly)) return;
  file.write(chainModule(1000).c_str());
  file.close();
  row("first stop, 1,000 bindings, no kernel known", firstStop(path.toStdString()), 0.3, "s");
  row("first stop, 1,000 bindings, kernels of an earlier run", firstStop(path.toStdString()), 0.1, "s");
}

void pipelines() {
  for (const int bindings : {10000, 100000}) {
    const std::string text = chainModule(bindings);
    auto module = script::parseModule(make<SourceFile>("chain.py", text));
    if (!module) return;
    QElapsedTimer time;
    time.start();
    compile::Request request;
    request.module = *module;
    auto program = compile::compile(request, {});
    if (!program) return;
    double passes = 0;
    for (const pass::StepRecord& step : program->history.steps) passes += step.milliseconds / 1e3;
    const double promised = bindings / 10000.0;
    row(fmt::format("passes of the default pipeline, {} bindings", bindings), passes, promised, "s");
    row(fmt::format("the same with bytecode, {} bindings", bindings), secondsOf(time), promised, "s");
    row(fmt::format("peak memory beside the text, {} bindings", bindings),
        peakMemory() / static_cast<double>(text.size()), 60, "times");
  }
}

void lowering() {
  QFile file(QStringLiteral(RX_SOURCE_DIR "/samples/resnet18/module.py"));
  if (!file.open(QIODevice::ReadOnly)) return;
  auto module = script::parseModule(make<SourceFile>("module.py", file.readAll().toStdString()));
  if (!module) return;
  compile::Request request;
  request.module = *module;
  auto program = compile::compile(request, {});
  if (!program) return;
  for (const compile::ModeRow& mode : compile::modes()) {
    program->request.mode = mode.mode;
    const codegen::Lowering lower = compile::loweringOf(*program, {});
    QElapsedTimer time;
    time.start();
    int kernels = 0;
    for (const ir::BaseFunc& function : program->module->functions) {
      const auto kernel = refAs<tir::PrimFunc>(function);
      if (kernel && lower(kernel)) ++kernels;
    }
    std::printf("lowering %d kernels of ResNet-18 for %s: %.1f ms\n", kernels, mode.name, secondsOf(time) * 1e3);
  }
}

}  // namespace

int main() {
  std::printf("%-58s %9s %9s %-5s %6s\n", "", "measured", "promised", "", "ratio");
  firstStops();
  pipelines();
  lowering();
  return 0;
}
