#include "core/runtime/kernel_host.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <utility>

#include "core/runtime/kernel_arithmetic.h"
#include "core/support/processor.h"

namespace rx::vm {

ThreadPool* LoopThreads::helpers() {
  const std::lock_guard lock(mutex_);
  if (!std::exchange(asked_, true)) {
    const unsigned processors = processorCount();
    if (processors > 1) pool_ = std::make_unique<ThreadPool>(processors - 1);
  }
  return pool_.get();
}

void KernelHost::report(std::string_view rule, std::string message) {
  const std::lock_guard lock(mutex_);
  if (!message_.empty()) return;
  rule_ = rule;
  message_ = std::move(message);
}

namespace {

/// A loop in parts that threads take one by one: as many as there are threads of half of the steps, as many of half of
/// what is left, and so on. Whoever comes late or is slow takes less, and at the end nobody waits long for another.
class LoopParts {
 public:
  LoopParts(int64_t extent, int64_t threads) : extent_(extent), threads_(threads) {}
  int64_t count() const { return kRounds * threads_; }
  /// Of which step on the part goes; of the one behind the last, the number of steps. Parts may be empty.
  int64_t begin(int64_t part) const {
    const int64_t round = part / threads_;
    if (round == kRounds) return extent_;
    const int64_t left = extent_ >> round, half = left / 2;
    return extent_ - left + half / threads_ * (part % threads_);
  }

 private:
  static constexpr int64_t kRounds = 6;  ///< the last parts are of a 64th of what a thread does
  int64_t extent_, threads_;
};

}  // namespace

int32_t KernelHost::parallel(LoopPart part, void* record, int64_t extent) {
  if (extent <= 0) return 0;
  // Nothing is gained by waking other threads for a single step.
  if (extent == 1) return part(0, 1, record, this);
  ThreadPool* helpers = context_.around.threads->helpers();
  const LoopParts parts(extent, 1 + (helpers ? helpers->threadCount() : 0));
  std::atomic<int32_t> failed = 0;
  const auto runPart = [&](size_t i) {
    const int64_t begin = parts.begin(static_cast<int64_t>(i)), end = parts.begin(static_cast<int64_t>(i) + 1);
    if (begin == end || failed || cancelled()) return;
    if (part(begin, end, record, this) != 0) failed = 1;
  };
  parallelForHere(helpers, static_cast<size_t>(parts.count()), context_.around.cancel, runPart);
  if (failed || !cancelled()) return failed;
  report(ruleOf(KernelFault::Cancelled), kCancelledText);
  return 1;
}

void* KernelHost::allocate(int64_t bytes) {
  const std::lock_guard lock(mutex_);
  auto storage = Storage::allocate(std::max<int64_t>(bytes, 1), context_.around.memory);
  if (!storage) {
    diagnostics_ = storage.diagnostics();
    return nullptr;
  }
  memory_.push_back(*storage);
  return memory_.back()->mutableData();
}

void KernelHost::release(void* memory) {
  const std::lock_guard lock(mutex_);
  for (size_t i = memory_.size(); i-- > 0;) {
    if (memory_[i]->data() != memory) continue;
    memory_.erase(memory_.begin() + static_cast<int64_t>(i));
    return;
  }
}

namespace {

/// Kernel memory as a tensor that lives for one call.
Result<Value> tensorArgument(const int64_t* words) {
  const auto packed = words[4];
  const DataType dtype{static_cast<TypeCode>(packed >> 32), static_cast<uint8_t>(packed >> 16),
                       static_cast<int16_t>(packed)};
  const auto* dims = std::bit_cast<const int64_t*>(words[2]);
  std::vector<int64_t> shape(dims, dims + words[3]);
  RX_CHECK(checkArray(shape, dtype, words[5], words[6]));
  auto* data = std::bit_cast<std::byte*>(words[1]) + words[5] * dtype.bytes();
  // The owner only has to be there: the memory belongs to the kernel's caller.
  auto borrowed = std::make_shared<int>(0);
  auto storage = make<Storage>(data, *tensorBytes(shape, dtype), borrowed, true);
  return Value::of(make<HostTensor>(std::move(storage), 0, std::move(shape), dtype));
}

Result<Value> argument(const int64_t* words) {
  switch (static_cast<PackedKind>(words[0])) {
    case PackedKind::Int:
      return Value::of(words[1]);
    case PackedKind::Float:
      return Value::of(std::bit_cast<double>(words[1]));
    case PackedKind::Bool:
      return Value::of(words[1] != 0);
    case PackedKind::String:
      return Value::of(std::bit_cast<const char*>(words[1]));
    case PackedKind::Tensor:
      return tensorArgument(words);
  }
  return Value();
}

}  // namespace

int32_t KernelHost::callPacked(const char* name, const int64_t* words, int64_t count) {
  const std::lock_guard lock(mutex_);
  const PackedRegistry* registry = context_.around.registry;
  const Ref<Callable> function = registry ? registry->find(name) : nullptr;
  if (!function) {
    message_ = fmt::format("there is no packed function \"{}\"", name);
    return 1;
  }
  std::vector<Value> args;
  for (int64_t i = 0; i < count; ++i) {
    auto value = argument(words + static_cast<size_t>(i) * kPackedArgWords);
    if (!value) {
      diagnostics_ = value.diagnostics();
      return 1;
    }
    args.push_back(std::move(*value));
  }
  auto result = function->call(context_, ArgumentsOf(args));
  if (result) return 0;
  diagnostics_ = result.diagnostics();
  return 1;
}

Failure KernelHost::failure(std::string_view kernel) const {
  if (!diagnostics_.empty()) return fail(diagnostics_);
  return fail(std::string(rule_), fmt::format("{}: {}", kernel, message_.empty() ? "the kernel failed" : message_));
}

namespace host {
namespace {
const FloatFormat& formatOf(int32_t number) {
  const DataType dtype{static_cast<TypeCode>(number >> 8), static_cast<uint8_t>(number), 1};
  const FloatFormat* format = smallFloatFormat(dtype);
  RX_ASSERT(format, "compiled code names the float format {}", number);
  return *format;
}
}  // namespace

float decodeSmall(int32_t format, uint32_t bits) { return static_cast<float>(decodeFloat(formatOf(format), bits)); }
uint32_t encodeSmall(int32_t format, float value) { return encodeFloat(formatOf(format), value); }
float roundSmall(int32_t format, float value) { return decodeSmall(format, encodeSmall(format, value)); }

void* allocate(void* host, int64_t bytes) { return static_cast<KernelHost*>(host)->allocate(bytes); }
void release(void* host, void* memory) { static_cast<KernelHost*>(host)->release(memory); }
void report(void* host, int32_t fault, const char* message) {
  static_cast<KernelHost*>(host)->report(ruleOf(static_cast<KernelFault>(fault)), message);
}
void reportAccess(void* host, const char* buffer, const int64_t* words, int64_t count, int64_t bytes) {
  const std::span<const int64_t> indicesAndExtents(words, static_cast<size_t>(count));
  static_cast<KernelHost*>(host)->report(ruleOf(KernelFault::Bounds), accessText(buffer, indicesAndExtents, bytes));
}
void reportPart(void* host, int64_t offset, int64_t extent, int64_t bytes) {
  static_cast<KernelHost*>(host)->report(ruleOf(KernelFault::Bounds), partText(offset, extent, bytes));
}
int32_t useTiles(void* host) {
  if (mayUseTiles()) return 1;
  static_cast<KernelHost*>(host)->report("kernel.tiles",
                                         "the system does not give this process the tile registers of "
                                         "its processor (arch_prctl, ARCH_REQ_XCOMP_PERM)");
  return 0;
}
int32_t cancelled(void* host) { return static_cast<KernelHost*>(host)->cancelled(); }
int32_t callPacked(void* host, const char* name, const int64_t* words, int64_t count) {
  return static_cast<KernelHost*>(host)->callPacked(name, words, count);
}
int32_t parallel(void* host, LoopPart part, void* record, int64_t extent) {
  return static_cast<KernelHost*>(host)->parallel(part, record, extent);
}

float extendHalf(_Float16 value) { return halfToFloat(std::bit_cast<uint16_t>(value)); }
_Float16 truncateToHalf(float value) { return std::bit_cast<_Float16>(floatToHalf(value)); }
_Float16 truncateDoubleToHalf(double value) {
  return std::bit_cast<_Float16>(static_cast<uint16_t>(encodeFloat(*smallFloatFormat(DataType::Float(16)), value)));
}
int64_t integerPower(int64_t base, int64_t exponent) { return power(base, exponent); }
double power10(double value) { return std::pow(10.0, value); }
float power10f(float value) { return static_cast<float>(std::pow(10.0, static_cast<double>(value))); }
}  // namespace host

std::span<const HostFunction> hostFunctions() {
  static const HostFunction kFunctions[] = {
#define RX_HOST_FUNCTION(symbol, result, name, parameters, arguments) {#symbol, std::bit_cast<void*>(&host::name)},
#include "core/runtime/host_functions.def"
  };
  return kFunctions;
}

}  // namespace rx::vm
