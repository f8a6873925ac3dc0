#include "tests/device/interpreted_kernel.h"

#include <barrier>
#include <cstring>
#include <memory>
#include <thread>

#include "core/codegen/intrinsic_name.h"
#include "core/interpret/program.h"
#include "core/ir/all_nodes.h"
#include "core/ir/symbols.h"
#include "core/lower/device_lowering.h"
#include "core/lower/intrinsics.h"
#include "core/lower/new_buffer.h"
#include "core/lower/rewriter.h"
#include "core/lower/statements.h"
#include "core/runtime/registry.h"
#include "core/tensor/element.h"
#include "tests/device/interpreted_tensor_core.h"

namespace rx::cuda_double {

using namespace tir;
using lower::int32;

namespace {

constexpr int64_t kMostThreads = 1024;
constexpr int64_t kWarp = 32;

/// The kernel as a function of one thread: the numbers of the thread, and memory that it shares, are parameters more.
class OneThread : public lower::Rewriter {
 public:
  struct Axis {
    std::string tag;
    VarRef var;
    int64_t extent;
  };
  std::vector<Axis> axes;
  std::vector<BufferRef> shared;
  bool waits = false;  ///< threads wait for each other

 protected:
  Stmt visit(const Stmt& statement) override {
    const auto* attribute = as<AttrStmt>(statement);
    const auto* axis = attribute && attribute->key == "thread_extent" ? as<IterVar>(attribute->node) : nullptr;
    if (axis) {
      axes.push_back({axis->threadTag.string(), axis->var, asInt(attribute->value).value_or(-1)});
      return rewrite(attribute->body);
    }
    // What a reduction was says nothing of what is left of it.
    if (attribute && attribute->key == "reduce_scope") return rewrite(attribute->body);
    if (const auto* allocation = as<AllocBuffer>(statement)) {
      const BufferRef& buffer = allocation->buffer;
      if (buffer->scope() != "shared" && buffer->scope() != "shared.dyn") return parts(statement);
      shared.push_back(buffer);
      return make<DeclBuffer>(buffer);
    }
    const auto* effect = as<Evaluate>(statement);
    const auto* call = effect ? as<tir::Call>(effect->value) : nullptr;
    if (call && codegen::intrinsicName(*call) == "tvm_storage_sync") {
      const auto* scope = as<StringImm>(call->args[0]);
      return wait(scope->value.view() == "warp" ? "warp" : "group");
    }
    if (call) {
      const WarpTools tools{number(),
                            [&](const char* name, DataType type, int64_t elements) {
                              for (const BufferRef& known : exchanged_)
                                if (known->name == name) return known;
                              shared.push_back(lower::newBuffer(Str(name), type, {int32(elements)}));
                              exchanged_.push_back(shared.back());
                              return shared.back();
                            },
                            [&] { return wait("warp"); }};
      if (const auto made = asOneThread(*call, tools)) return rewrite(*made);
    }
    std::vector<Stmt> around = std::exchange(before_, {});
    Stmt made = parts(statement);
    if (!before_.empty()) {
      before_.push_back(made);
      before_.push_back(wait("warp"));
      made = lower::inOrder(before_);
    }
    before_ = std::move(around);
    return made;
  }

  NodeRef leave(const NodeRef& node) override {
    const auto* call = as<tir::Call>(node);
    const std::string_view name = call ? codegen::intrinsicName(*call) : std::string_view();
    if (name == "rx_index" || name == "rx_divisor") return call->args[0];
    if (name == "tvm_warp_activemask") return make<IntImm>(call->dtype, int64_t{0xffffffff});
    if (!name.starts_with("tvm_warp_shuffle")) return nullptr;
    // Each thread puts its value down, and takes that of another once all of its warp have.
    const BufferRef values = lower::newBuffer(Str("moved"), call->dtype, {int32(kMostThreads)});
    shared.push_back(values);
    before_.push_back(make<BufferStore>(values, call->args[1], Array<PrimExpr>{number()}));
    before_.push_back(wait("warp"));
    return make<BufferLoad>(values, Array<PrimExpr>{source(name, *call)}, call->dtype);
  }

 private:
  Stmt wait(const char* whom) {
    waits = true;
    return make<Evaluate>(lower::intrinsic(DataType::Int(32), "tvm_call_packed",
                                           {make<StringImm>(Str("rx.wait")), make<StringImm>(Str(whom))}));
  }
  /// Of the thread in its group.
  PrimExpr number() const {
    PrimExpr sum = int32(0);
    for (const char* tag : {"threadIdx.z", "threadIdx.y", "threadIdx.x"}) {
      for (const Axis& axis : axes) {
        if (axis.tag == tag)
          sum = make<Add>(make<Mul>(sum, int32(axis.extent)), make<Cast>(DataType::Int(32), axis.var));
      }
    }
    return sum;
  }
  PrimExpr source(std::string_view name, const tir::Call& call) const {
    const PrimExpr own = number(), part = call.args[3], by = make<Cast>(DataType::Int(32), call.args[2]);
    const PrimExpr lane = make<FloorMod>(own, part), first = make<Sub>(own, lane);
    PrimExpr to = make<FloorMod>(by, part);
    if (name.ends_with("_up")) to = make<Sub>(lane, by);
    if (name.ends_with("_down")) to = make<Add>(lane, by);
    if (name.ends_with("_xor")) to = lower::intrinsic(DataType::Int(32), "bitwise_xor", {lane, by});
    const PrimExpr there = make<And>(make<GE>(to, int32(0)), make<LT>(to, part));
    return make<Add>(first, make<Select>(there, to, lane));
  }

  std::vector<BufferRef> exchanged_;  ///< among the shared ones, what warps work with
  std::vector<Stmt> before_;          ///< what the statement that is rewritten needs first
};

struct Ready {
  interpret::Program program;
  std::vector<DataType> given;  ///< types of the launch's arguments
  std::vector<OneThread::Axis> axes;
  std::vector<std::pair<DataType, int64_t>> shared;  ///< and elements
  bool waits = false;
};

Result<std::shared_ptr<const Ready>> prepared(const lower::DeviceKernel& kernel) {
  auto ready = std::make_shared<Ready>();
  OneThread thread;
  const Stmt body = thread.rewrite(kernel.function->body);
  std::vector<VarRef> params;
  for (const VarRef& param : kernel.function->params) {
    params.push_back(param);
    ready->given.push_back(param->dtype);
  }
  for (const BufferRef& buffer : thread.shared) {
    params.push_back(buffer->data);
    int64_t count = std::max<int64_t>(buffer->dtype.lanes, 1);
    for (const PrimExpr& extent : buffer->shape) count *= asInt(extent).value_or(0);
    ready->shared.emplace_back(buffer->dtype.element(), count);
  }
  for (const OneThread::Axis& axis : thread.axes) params.push_back(axis.var);
  ready->axes = thread.axes;
  ready->waits = thread.waits;
  const auto function = make<PrimFunc>(params, std::vector<BufferRef>(params.size()), body, Type(), nullptr);
  RX_TRY(program, interpret::compile(function, kernel.symbol));
  ready->program = std::move(program);
  return std::shared_ptr<const Ready>(std::move(ready));
}

/// The driver keeps the memory.
vm::Value memoryAt(std::span<std::byte> bytes) {
  static const std::shared_ptr<const void> kept = std::make_shared<int>(0);
  const auto size = static_cast<int64_t>(bytes.size());
  const auto storage = make<Storage>(bytes.data(), size, kept, true);
  return vm::Value::of(*HostTensor::view(storage, 0, {size}, DataType::UInt(8)));
}

template <class T>
T read(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

vm::Value argument(const Launch& launch, const void* from, DataType type) {
  if (type.isHandle()) return memoryAt(launch.block(read<uint64_t>(from)));
  if (type.isFloat()) return vm::Value::of(type.bits == 64 ? read<double>(from) : double{read<float>(from)});
  if (type.isBool()) return vm::Value::of(int64_t{read<int32_t>(from) != 0});
  uint64_t bits = 0;
  std::memcpy(&bits, from, static_cast<size_t>(type.bits) / 8);
  const int shift = 64 - type.bits;
  return vm::Value::of(type.isInt() ? static_cast<int64_t>(bits << shift) >> shift : static_cast<int64_t>(bits));
}

/// One group: its threads run side by side where they wait for each other.
class Group {
 public:
  Group(const Ready& ready, const Launch& launch, const unsigned (&at)[3])
      : ready_(ready), launch_(launch), at_(at), count_(int64_t{launch.group[0]} * launch.group[1] * launch.group[2]) {}

  bool run() {
    std::vector<vm::Value> values;
    for (size_t i = 0; i < ready_.given.size(); ++i)
      values.push_back(argument(launch_, launch_.arguments[i], ready_.given[i]));
    std::vector<std::vector<std::byte>> shared;
    for (const auto& [type, elements] : ready_.shared) {
      shared.emplace_back(static_cast<size_t>(std::max<int64_t>(elements * std::max<int64_t>(type.bytes(), 1), 1)));
      values.push_back(memoryAt(shared.back()));
    }
    return ready_.waits ? sideBySide(values) : inOrder(values);
  }

 private:
  bool inOrder(const std::vector<vm::Value>& values) const {
    std::barrier<> alone(1);
    bool sound = true;
    for (int64_t number = 0; number < count_ && sound; ++number) sound = one(number, values, alone, alone);
    return sound;
  }

  bool sideBySide(const std::vector<vm::Value>& values) const {
    std::barrier<> group(count_);
    std::vector<std::unique_ptr<std::barrier<>>> warps;
    for (int64_t left = count_; left > 0; left -= kWarp)
      warps.push_back(std::make_unique<std::barrier<>>(std::min(left, kWarp)));
    std::vector<std::thread> threads;
    std::atomic<bool> failed = false;
    for (int64_t number = 0; number < count_; ++number) {
      threads.emplace_back([&, number] {
        std::barrier<>& warp = *warps[static_cast<size_t>(number / kWarp)];
        if (!one(number, values, group, warp)) failed = true;
        warp.arrive_and_drop();
        group.arrive_and_drop();
      });
    }
    for (std::thread& thread : threads) thread.join();
    return !failed;
  }

  bool one(int64_t number, std::vector<vm::Value> values, std::barrier<>& group, std::barrier<>& warp) const {
    const int64_t x = launch_.group[0], y = launch_.group[1];
    const int64_t place[3] = {number % x, number / x % y, number / (x * y)};
    for (const OneThread::Axis& axis : ready_.axes) {
      const auto along = static_cast<size_t>(axis.tag.back() - 'x');
      values.push_back(vm::Value::of(axis.tag.starts_with("block") ? int64_t{at_[along]} : place[along]));
    }
    vm::PackedRegistry waits;
    waits.add("rx.wait", vm::makeCallable("rx.wait", [&](vm::CallContext&, vm::Arguments args) -> Result<vm::Value> {
                (args[0].asString() == "warp" ? warp : group).arrive_and_wait();
                return vm::Value();
              }));
    interpret::Options options;
    options.around.registry = &waits;
    return interpret::execute(ready_.program, values, options).ok();
  }

  const Ready& ready_;
  const Launch& launch_;
  const unsigned (&at_)[3];
  const int64_t count_;
};

int run(const Ready& ready, const Launch& launch) {
  constexpr int kInvalidValue = 1, kIllegalAddress = 700;
  for (const OneThread::Axis& axis : ready.axes) {
    const auto along = static_cast<size_t>(axis.tag.back() - 'x');
    const unsigned given = axis.tag.starts_with("block") ? launch.grid[along] : launch.group[along];
    if (axis.extent >= 0 && given != axis.extent) return kInvalidValue;
  }
  bool sound = true;
  for (unsigned z = 0; z < launch.grid[2]; ++z)
    for (unsigned y = 0; y < launch.grid[1]; ++y)
      for (unsigned x = 0; x < launch.grid[0]; ++x) sound = sound && Group(ready, launch, {x, y, z}).run();
  return sound ? 0 : kIllegalAddress;
}

}  // namespace

Result<Unit> addModule(Control& control, const ir::Module& module, const codegen::DeviceOptions& options) {
  const codegen::ModuleText made = codegen::deviceText(module, options);
  for (const auto& [name, function] : ir::primFuncsBySymbol(*module)) {
    const bool left = std::any_of(made.left.begin(), made.left.end(),
                                  [&](const Diagnostic& why) { return why.context == "PrimFunc " + name; });
    if (left) continue;
    RX_TRY(form, lower::loweredForDevice(name, function, options.cancel, options.target));
    for (const lower::DeviceKernel& kernel : form.kernels) {
      RX_TRY(ready, prepared(kernel));
      control.add(made.code.text, kernel.symbol, ready->given.size() + 1,
                  [ready = ready](const Launch& launch) { return run(*ready, launch); });
    }
  }
  return Unit{};
}

}  // namespace rx::cuda_double
