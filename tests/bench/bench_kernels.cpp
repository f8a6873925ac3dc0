// Processor time of whole functions: each file given (tests/bench/kernels.py writes some), compiled by each pipeline,
// run on numbers made from a seed; the pipelines take turns, so that what else the machine does falls on all of them.
// Parameters of other names than x, y and z are weights: constants of what is compiled, as they are in models.
// tests/bench/time_onnxruntime.py times the same cases in ONNX Runtime.
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "core/compile/compile.h"
#include "core/compile/request/passes.h"
#include "core/compile/request/weights.h"
#include "core/runtime/machine.h"
#include "core/script/parse.h"

using namespace rx;

namespace {

/// One function by one pipeline.
struct Case {
  std::string name, pipeline;
  std::unique_ptr<vm::Machine> machine;
  std::vector<vm::Value> arguments;
  std::vector<double> milliseconds;
  double build = 0;
};

using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}
/// Milliseconds that the threads of this process have worked so far: what else the machine does is not in it.
double worked() {
  timespec time = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

bool isWeight(const relax::Var& param) { return !(param.name == "x" || param.name == "y" || param.name == "z"); }

/// What main takes, and the weights that it takes no more. `size` stands for sizes that only a run knows.
struct Tensors {
  std::vector<vm::Value> arguments;
  std::vector<NamedTensor> weights;
};

Result<Tensors> tensorsOf(const relax::Function& function, int64_t size) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal(0, 0.1F);
  Tensors made;
  for (const relax::VarRef& param : function.params) {
    const auto* info = as<relax::TensorStructInfo>(param->sinfo);
    const auto* shape = info && info->shape ? as<relax::ShapeExpr>(info->shape) : nullptr;
    if (!shape) return fail("bench.argument", "an argument is no tensor of a known shape");
    std::vector<int64_t> extents;
    for (const tir::PrimExpr& extent : shape->values) extents.push_back(tir::asInt(extent).value_or(size));
    RX_TRY(tensor, HostTensor::allocate(extents, info->dtype));
    for (int64_t i = 0; i < tensor->count(); ++i) tensor->set(i, std::abs(normal(random)) + 0.01F);
    if (isWeight(*param)) {
      made.weights.emplace_back(param->name.string(), tensor);
    } else {
      made.arguments.push_back(vm::Value::of(tensor));
    }
  }
  return made;
}

/// FILE.py, or FILE.py:SIZE.
Result<Case> prepare(const std::string& argument, const std::string& pipeline) {
  const size_t colon = argument.rfind(':');
  const std::string file = argument.substr(0, colon);
  const int64_t size = colon == std::string::npos ? 1 : std::atoll(argument.c_str() + colon + 1);
  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  RX_TRY(module, script::parseModule(make<SourceFile>(file, text.str())));
  Case made{std::filesystem::path(file).stem().string() + argument.substr(file.size()), pipeline, nullptr, {}, {}, 0};
  const auto main = refAs<relax::Function>(module->find("main"));
  if (!main) return fail("bench.main", file + " has no function main");
  RX_TRY(tensors, tensorsOf(*main, size));
  RX_TRY(bound, compile::withWeights(module, "main", tensors.weights));
  compile::Request request;
  request.module = bound;
  request.passes = pipeline;
  request.mode = compile::Mode::Release;
  const auto start = Clock::now();
  RX_TRY(program, compile::compile(request, {}));
  RX_TRY(kernels, compile::kernelsOf(program, {}, nullptr));
  compile::compileAhead(*kernels, program, {});
  made.build = since(start);
  vm::MachineOptions options;
  options.kernels = kernels;
  RX_TRY(machine, vm::Machine::create(program.executable, std::move(options)));
  made.machine = std::move(machine);
  made.arguments = std::move(tensors.arguments);
  return made;
}

/// One run; false where it fails.
bool runOnce(Case& one, bool keep) {
  const double start = worked();
  if (!one.machine->start("main", one.arguments).ok()) return false;
  one.machine->run();
  if (keep) one.milliseconds.push_back(worked() - start);
  if (one.machine->fault()) std::fprintf(stderr, "%s\n", one.machine->fault()->diagnostics.front().message.c_str());
  return !one.machine->fault();
}

/// The largest difference of a result from that of the first pipeline, by the size of the largest element.
double difference(const Case& one, const Case& first) {
  const vm::Value &got = one.machine->result(), &want = first.machine->result();
  if (!got.is(vm::ValueKind::Tensor) || !want.is(vm::ValueKind::Tensor)) return 0;
  double most = 0, largest = 1e-30;
  for (int64_t i = 0; i < want.tensor().count(); ++i) {
    const double apart = std::abs(got.tensor().at(i) - want.tensor().at(i));
    most = std::isnan(apart) ? INFINITY : std::max(most, apart);
    largest = std::max(largest, std::abs(want.tensor().at(i)));
  }
  return most / largest;
}

void report(const Case& first, Case& one) {
  std::sort(one.milliseconds.begin(), one.milliseconds.end());
  std::printf("%-14s %-10s median %10.4f ms  least %10.4f ms  built in %7.1f ms  differs by %.2g\n", one.name.c_str(),
              one.pipeline.c_str(), one.milliseconds[one.milliseconds.size() / 2], one.milliseconds.front(), one.build,
              difference(one, first));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: bench_kernels PIPELINE[+PIPELINE…] FILE.py[:SIZE]…\n");
    return 2;
  }
  constexpr double kBudget = 1500;
  std::vector<std::string> pipelines;
  std::stringstream list(argv[1]);
  for (std::string name; std::getline(list, name, '+');) pipelines.push_back(name);
  for (int i = 2; i < argc; ++i) {
    std::vector<Case> cases;
    for (const std::string& pipeline : pipelines) {
      Result<Case> made = prepare(argv[i], pipeline);
      if (!made) {
        for (const Diagnostic& why : made.diagnostics()) std::fprintf(stderr, "%s: %s\n", argv[i], why.message.c_str());
        return 1;
      }
      cases.push_back(std::move(*made));
    }
    for (Case& one : cases)
      if (!runOnce(one, false)) return 1;
    const auto start = Clock::now();
    while (since(start) < kBudget || cases.front().milliseconds.size() < 5)
      for (Case& one : cases)
        if (!runOnce(one, true)) return 1;
    for (Case& one : cases) report(cases.front(), one);
  }
  return 0;
}
