#include "core/device/run/graphs.h"

#include <fmt/format.h>

#include <algorithm>

namespace rx::device {

namespace {

using vm::Value;
using vm::ValueKind;

/// Ways to call one function that are remembered.
constexpr int64_t kMostWays = 16;

/// One way to call a function: the same sizes, and the same places of what it is given.
struct Way {
  int64_t function = 0;
  std::vector<int64_t> sizes;
  std::vector<uint64_t> places;
  bool operator==(const Way&) const = default;
};

struct Captured {
  Way way;
  std::shared_ptr<Work> work;  ///< null: it ran once, one step at a time
  Value result;                ///< of the run that was captured; it lies in the same place each time
};

/// What is kept.
class Cache {
 public:
  struct Allocation {
    int64_t index;
    Value value;
  };
  std::vector<Allocation> allocations;

  Captured* find(const Way& way) {
    const auto found = std::ranges::find(captured_, way, &Captured::way);
    return found == captured_.end() ? nullptr : &*found;
  }
  /// The oldest ways to call a function make room.
  void note(Way way) {
    const auto same = [&](const Captured& each) { return each.way.function == way.function; };
    if (std::ranges::count_if(captured_, same) >= kMostWays) captured_.erase(std::ranges::find_if(captured_, same));
    captured_.push_back({std::move(way), nullptr, Value()});
  }

 private:
  std::vector<Captured> captured_;  ///< the newest last
};

/// From beginCapture on, until it ends or nobody wants its end any more.
class Capture {
 public:
  explicit Capture(std::shared_ptr<Device> device) : device_(std::move(device)) {}
  ~Capture() {
    if (device_->capturing()) device_->dropCapture();
  }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  Result<std::shared_ptr<Work>> end() { return device_->endCapture(); }

 private:
  const std::shared_ptr<Device> device_;
};

using Then = std::function<Result<Unit>(const Value& result)>;

/// A function whose call becomes that of a function of the module.
class GraphFunction final : public vm::Callable {
 public:
  struct Row {
    std::string_view name;
    size_t least, most;       ///< arguments
    ValueKind third, fourth;  ///< of those that there are
    Result<Value> (GraphFunction::*call)(vm::CallContext& context, vm::Arguments args) const;
  };
  GraphFunction(const Row& row, std::shared_ptr<Device> device, std::shared_ptr<Cache> cache)
      : row_(row), device_(std::move(device)), cache_(std::move(cache)) {}

  std::string_view name() const override { return row_.name; }
  bool mayWrite(size_t) const override { return false; }
  std::optional<int32_t> reaches(size_t) const override { return std::nullopt; }
  Result<Value> call(vm::CallContext& context, vm::Arguments args) const override {
    const bool fits = args.size() >= row_.least && args.size() <= row_.most && args[1].is(ValueKind::Closure) &&
                      args[2].is(row_.third) && (args.size() < 4 || args[3].is(row_.fourth)) &&
                      (args.size() < 5 || args[4].is(ValueKind::Shape));
    if (fits) return (this->*row_.call)(context, args);
    return fail("vm.argument-type", fmt::format("{} does not take these arguments", row_.name));
  }

  Result<Value> cachedAlloc(vm::CallContext& context, vm::Arguments args) const {
    const int64_t index = args[2].asInt();
    if (isRecorded(context)) return instead(context, args[1], {}, nullptr);
    for (const Cache::Allocation& each : cache_->allocations)
      if (each.index == index) return each.value;
    return instead(context, args[1], {}, [cache = cache_, index](const Value& result) -> Result<Unit> {
      cache->allocations.push_back({index, result});
      return Unit{};
    });
  }

  /// The first call of its way runs plainly, which loads what is needed. The second one is captured, and is that work
  /// from then on.
  Result<Value> runOrCapture(vm::CallContext& context, vm::Arguments args) const {
    std::vector<Value> given = args[2].asTuple();
    if (isRecorded(context)) return instead(context, args[1], std::move(given), nullptr);
    const Way way = wayCalled(args);
    const Captured* known = cache_->find(way);
    if (known && known->work) {
      RX_CHECK(known->work->run());
      return known->result;
    }
    if (!known) {
      return instead(context, args[1], std::move(given), [cache = cache_, way](const Value&) -> Result<Unit> {
        cache->note(way);
        return Unit{};
      });
    }
    RX_CHECK(device_->beginCapture());
    auto capture = std::make_shared<Capture>(device_);
    return instead(context, args[1], std::move(given),
                   [cache = cache_, way, capture](const Value& result) -> Result<Unit> {
                     RX_TRY(work, capture->end());
                     if (Captured* entry = cache->find(way)) {
                       entry->work = work;
                       entry->result = result;
                     }
                     return work->run();
                   });
  }

 private:
  /// Steps that are recorded are looked at one by one.
  static bool isRecorded(const vm::CallContext& context) { return context.around.memory->filled(); }

  static Result<Value> instead(vm::CallContext& context, const Value& function, std::vector<Value> args, Then then) {
    context.call = vm::ClosureCall{Ref<vm::ClosureObject>(&function.asClosure()), std::move(args), std::move(then)};
    return Value();
  }

  static Way wayCalled(vm::Arguments args) {
    Way way;
    way.function = args[3].asInt();
    if (args.size() > 4) way.sizes = args[4].asShape();
    for (const Value& value : args[2].asTuple()) {
      if (value.is(ValueKind::Storage)) way.places.push_back(value.asStorage()->handle());
      if (!value.is(ValueKind::Tensor)) continue;
      const HostTensor& tensor = value.tensor();
      way.places.push_back(tensor.storage()->handle() + static_cast<uint64_t>(tensor.byteOffset()));
    }
    return way;
  }

  const Row& row_;
  const std::shared_ptr<Device> device_;
  const std::shared_ptr<Cache> cache_;
};

constexpr GraphFunction::Row kAlloc{
    "vm.builtin.cuda_graph.get_cached_alloc", 3, 3, ValueKind::Int, ValueKind::Int, &GraphFunction::cachedAlloc};
constexpr GraphFunction::Row kRun{
    "vm.builtin.cuda_graph.run_or_capture", 4, 5, ValueKind::Tuple, ValueKind::Int, &GraphFunction::runOrCapture};

}  // namespace

GraphFunctions graphFunctions(std::shared_ptr<Device> device) {
  const auto cache = std::make_shared<Cache>();
  return {make<GraphFunction>(kAlloc, device, cache), make<GraphFunction>(kRun, device, cache)};
}

}  // namespace rx::device
