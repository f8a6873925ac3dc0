#include "bench_cases.h"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <unordered_map>

#include "core/compile/compile.h"
#include "core/compile/request/passes.h"
#include "core/compile/request/weights.h"
#include "core/evaluate/evaluate.h"
#include "core/runtime/kernel_host.h"
#include "core/script/parse.h"

namespace rx::bench {

/// Kernels that keep what they are called with.
class WatchedKernels final : public vm::KernelProvider {
 public:
  struct Called {
    Ref<vm::Callable> kernel;
    std::vector<vm::Value> arguments;  ///< as they were
    std::vector<vm::Value> laid = {};  ///< where they lie now
    vm::KernelArguments bound = {};
    vm::KernelEntry entry = nullptr;
  };
  explicit WatchedKernels(std::shared_ptr<vm::KernelProvider> kernels) : kernels_(std::move(kernels)) {}
  Result<Ref<vm::Callable>> find(std::string_view name) override {
    RX_TRY(kernel, kernels_->find(name));
    return kernel ? Ref<vm::Callable>(make<Watched>(kernel, calls_)) : kernel;
  }
  std::vector<Called>& calls() { return calls_; }
  vm::Surroundings& around() { return around_; }

 private:
  class Watched final : public vm::Callable {
   public:
    Watched(Ref<vm::Callable> kernel, std::vector<Called>& calls) : kernel_(std::move(kernel)), calls_(calls) {}
    std::string_view name() const override { return kernel_->name(); }
    Result<vm::Value> call(vm::CallContext& context, vm::Arguments arguments) const override {
      calls_.push_back({kernel_, {arguments.begin(), arguments.end()}});
      return kernel_->call(context, arguments);
    }

   private:
    const Ref<vm::Callable> kernel_;
    std::vector<Called>& calls_;
  };

  std::shared_ptr<vm::KernelProvider> kernels_;
  std::vector<Called> calls_;
  vm::Surroundings around_;
};

namespace {

using Clock = std::chrono::steady_clock;
Result<Unit> bind(WatchedKernels::Called& call) {
  const auto* compiled = dynamic_cast<const vm::CompiledKernel*>(call.kernel.get());
  if (!compiled) return fail("bench.kernel", "a kernel is not compiled");
  call.bound = {};
  const auto places = vm::ArgumentsOf(call.laid);
  RX_CHECK(compiled->signature().bind(std::string(compiled->name()), places, call.bound));
  RX_TRY(entry, compiled->entry());
  call.entry = entry;
  return Unit();
}

/// Runs main once, and binds what each kernel was called with.
Result<std::shared_ptr<WatchedKernels>> watched(const compile::Program& program,
                                                const std::shared_ptr<vm::KernelProvider>& kernels,
                                                const std::vector<vm::Value>& arguments) {
  auto watched = std::make_shared<WatchedKernels>(kernels);
  vm::MachineOptions options;
  options.kernels = watched;
  RX_CHECK(evaluate::resultOf(program.executable, std::move(options), "main", arguments));
  watched->around().memory = std::make_shared<StorageArena>(vm::MachineLimits().maxMemory);
  for (WatchedKernels::Called& call : watched->calls()) {
    call.laid = call.arguments;
    RX_CHECK(bind(call));
  }
  return watched;
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
  Tensors made;
  unsigned seed = 7;
  for (const relax::VarRef& param : function.params) {
    const auto* info = as<relax::TensorStructInfo>(param->sinfo);
    const auto* shape = info && info->shape ? as<relax::ShapeExpr>(info->shape) : nullptr;
    if (!shape) return fail("bench.argument", "an argument is no tensor of a known shape");
    std::vector<int64_t> extents;
    for (const tir::PrimExpr& extent : shape->values) extents.push_back(tir::asInt(extent).value_or(size));
    RX_TRY(tensor, HostTensor::allocate(extents, info->dtype));
    // A weight is the same for all sizes of what comes before it.
    std::mt19937 random(seed++);
    std::normal_distribution<float> normal(0, 0.1F);
    for (int64_t i = 0; i < tensor->count(); ++i) tensor->set(i, std::abs(normal(random)) + 0.01F);
    if (isWeight(*param)) {
      made.weights.emplace_back(param->name.string(), tensor);
    } else {
      made.arguments.push_back(vm::Value::of(tensor));
    }
  }
  return made;
}

}  // namespace

Result<std::vector<Case>> prepareSizes(const std::string& file, const std::string& pipeline, Keep keep,
                                       std::span<const int64_t> sizes) {
  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  RX_TRY(module, script::parseModule(make<SourceFile>(file, text.str())));
  const auto main = refAs<relax::Function>(module->find("main"));
  if (!main) return fail("bench.main", file + " has no function main");
  RX_TRY(first, tensorsOf(*main, sizes.front()));
  RX_TRY(bound, compile::withWeights(module, "main", first.weights));
  compile::Request request;
  request.module = bound;
  request.passes = pipeline;
  request.mode = compile::Mode::Release;
  const auto start = Clock::now();
  RX_TRY(program, compile::compile(request, {}));
  RX_TRY(kernels, compile::kernelsOf(program, {}, nullptr));
  compile::compileAhead(*kernels, program, {});
  const double build = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  std::vector<Case> cases;
  for (const int64_t size : sizes) {
    RX_TRY(tensors, tensorsOf(*main, size));
    Case made{std::filesystem::path(file).stem().string(), pipeline, nullptr, nullptr, {}, {}, build};
    vm::MachineOptions options;
    options.kernels = kernels;
    RX_TRY(machine, vm::Machine::create(program.executable, std::move(options)));
    made.machine = std::move(machine);
    if (keep == Keep::KernelCalls) {
      RX_TRY(calls, watched(program, kernels, tensors.arguments));
      made.kernels = std::move(calls);
    }
    made.arguments = std::move(tensors.arguments);
    cases.push_back(std::move(made));
  }
  return cases;
}

Result<Case> prepare(const std::string& argument, const std::string& pipeline, Keep keep) {
  const size_t colon = argument.rfind(':');
  const std::string file = argument.substr(0, colon);
  const int64_t size = colon == std::string::npos ? 1 : std::atoll(argument.c_str() + colon + 1);
  RX_TRY(made, prepareSizes(file, pipeline, keep, std::span(&size, 1)));
  made.front().name += argument.substr(file.size());
  return std::move(made.front());
}

namespace {

/// Memory that kernels of two cases are called with, by where it lay.
class Places {
 public:
  /// Lies so far behind the one before: not a multiple of a page, at which processors take a load for one of what was
  /// just stored.
  static constexpr int64_t kApart = 512;

  /// What lies in `from` lies at the next place from now on, or for good where it lies.
  void add(const Ref<Storage>& from) {
    if (!placed_.try_emplace(from.get(), bytes_).second) return;
    bytes_ += (from->bytes() + kApart) / StorageArena::kAlignment * StorageArena::kAlignment + StorageArena::kAlignment;
  }
  void keep(const Ref<Storage>& from) { placed_.try_emplace(from.get(), -1); }
  int64_t bytes() const { return bytes_; }
  Result<vm::Value> moved(const HostTensor& tensor, const Ref<Storage>& to, int64_t shift) const {
    const auto found = placed_.find(tensor.storage().get());
    if (found == placed_.end() || found->second < 0) return vm::Value::of(Ref<HostTensor>(&tensor));
    RX_TRY(view, HostTensor::view(to, shift + found->second + tensor.byteOffset(), tensor.shape(), tensor.dtype()));
    return vm::Value::of(view);
  }

 private:
  std::unordered_map<const Storage*, int64_t> placed_;
  int64_t bytes_ = 0;
};

/// What the calls of a case write, in order; what its function was given stays.
Places placesOf(Case& one) {
  Places places;
  for (const vm::Value& argument : one.arguments) places.keep(argument.tensor().storage());
  for (WatchedKernels::Called& call : one.kernels->calls()) {
    for (size_t i = 0; i < call.arguments.size(); ++i)
      if (call.arguments[i].is(vm::ValueKind::Tensor) && call.kernel->mayWrite(i))
        places.add(call.arguments[i].tensor().storage());
  }
  return places;
}

}  // namespace

void giveSame(const Case& one, Case& other) {
  for (WatchedKernels::Called& call : other.kernels->calls()) {
    for (vm::Value& argument : call.arguments) {
      for (size_t i = 0; i < one.arguments.size() && argument.is(vm::ValueKind::Tensor); ++i) {
        const HostTensor& was = argument.tensor();
        if (was.storage() != other.arguments[i].tensor().storage()) continue;
        argument = vm::Value::of(
            make<HostTensor>(one.arguments[i].tensor().storage(), was.byteOffset(), was.shape(), was.dtype()));
        break;
      }
    }
  }
  other.arguments = one.arguments;
}

Result<Unit> lieAlike(Case& one, Case& other, int64_t shift) {
  const Places ofOne = placesOf(one), ofOther = placesOf(other);
  const int64_t bytes = std::max(ofOne.bytes(), ofOther.bytes()) + shift;
  RX_TRY(memory, Storage::allocate(bytes, one.kernels->around().memory));
  std::fill_n(memory->mutableData(), bytes, std::byte{0});
  for (const auto& [moved, places] : {std::pair(&one, &ofOne), std::pair(&other, &ofOther)}) {
    for (WatchedKernels::Called& call : moved->kernels->calls()) {
      for (size_t i = 0; i < call.arguments.size(); ++i) {
        if (!call.arguments[i].is(vm::ValueKind::Tensor)) continue;
        RX_TRY(laid, places->moved(call.arguments[i].tensor(), memory, shift));
        call.laid[i] = std::move(laid);
      }
      RX_CHECK(bind(call));
    }
  }
  return Unit();
}

double timeOf(Case& one, int runs) {
  const double start = worked();
  for (int i = 0; i < runs; ++i) {
    const auto started = one.machine->start("main", one.arguments);
    if (started.ok()) one.machine->run();
    const std::vector<Diagnostic>* why = !started.ok() ? &started.diagnostics() : nullptr;
    if (!why && one.machine->fault()) why = &one.machine->fault()->diagnostics;
    if (!why) continue;
    std::fprintf(stderr, "%s: %s\n", one.name.c_str(), why->front().message.c_str());
    return -1;
  }
  return worked() - start;
}

double kernelTimeOf(Case& one, int runs) {
  vm::CallContext context(one.kernels->around());
  vm::KernelHost host(context);
  int64_t result = 0;
  const double start = worked();
  for (int i = 0; i < runs; ++i) {
    for (WatchedKernels::Called& call : one.kernels->calls()) {
      vm::KernelArguments& bound = call.bound;
      if (call.entry(bound.buffers.data(), bound.ints.data(), bound.reals.data(), &result, &host) != 0) return -1;
    }
  }
  return worked() - start;
}

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

}  // namespace rx::bench
