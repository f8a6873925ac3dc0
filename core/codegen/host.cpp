#include "core/codegen/host.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>

#include "core/runtime/registry.h"

namespace rx::codegen {

void HostCall::report(std::string message) {
  const std::lock_guard lock(mutex_);
  if (message_.empty()) message_ = std::move(message);
}

int32_t HostCall::parallel(LoopPart part, void* record, int64_t extent) {
  if (extent <= 0) return 0;
  ThreadPool& pool = pool_();
  // Several parts a thread, so that one that is slow does not keep the others waiting.
  constexpr int64_t kPartsPerThread = 4;
  const int64_t parts = std::min(extent, kPartsPerThread * pool.threadCount());
  std::atomic<int32_t> failed = 0;
  parallelFor(pool, static_cast<size_t>(parts), context_.cancel, [&](size_t i) {
    if (failed) return;
    const auto number = static_cast<int64_t>(i);
    if (part(extent / parts * number + std::min(number, extent % parts),
             extent / parts * (number + 1) + std::min(number + 1, extent % parts), record, this) != 0)
      failed = 1;
  });
  if (!context_.cancel.cancelled()) return failed;
  report("cancelled");
  return 1;
}

void* HostCall::allocate(int64_t bytes) {
  const std::lock_guard lock(mutex_);
  auto storage = Storage::allocate(std::max<int64_t>(bytes, 1), context_.memory);
  if (!storage) {
    diagnostics_ = storage.diagnostics();
    return nullptr;
  }
  memory_.push_back(*storage);
  return memory_.back()->mutableData();
}

void HostCall::release(void* memory) {
  const std::lock_guard lock(mutex_);
  for (size_t i = memory_.size(); i-- > 0;) {
    if (memory_[i]->data() != memory) continue;
    memory_.erase(memory_.begin() + static_cast<int64_t>(i));
    return;
  }
}

namespace {

/// Kernel memory as a tensor that lives for one call.
Result<vm::Value> tensorArgument(const int64_t* words) {
  const auto packed = words[4];
  const DataType dtype{static_cast<TypeCode>(packed >> 32), static_cast<uint8_t>(packed >> 16),
                       static_cast<int16_t>(packed)};
  const auto* dims = std::bit_cast<const int64_t*>(words[2]);
  std::vector<int64_t> shape(dims, dims + words[3]);
  const auto bytes = tensorBytes(shape, dtype);
  if (!bytes) return fail("vm.shape", fmt::format("{} is no shape of a packed argument", shapeText(shape)));
  auto* data = std::bit_cast<std::byte*>(words[1]) + words[5] * dtype.bytes();
  // The owner only has to be there: the memory belongs to the kernel's caller.
  auto borrowed = std::make_shared<int>(0);
  return vm::Value::of(make<HostTensor>(make<Storage>(data, *bytes, borrowed, true), 0, std::move(shape), dtype));
}

Result<vm::Value> argument(const int64_t* words) {
  switch (static_cast<PackedKind>(words[0])) {
    case PackedKind::Int:
      return vm::Value::of(words[1]);
    case PackedKind::Float:
      return vm::Value::of(std::bit_cast<double>(words[1]));
    case PackedKind::Bool:
      return vm::Value::of(words[1] != 0);
    case PackedKind::String:
      return vm::Value::of(std::bit_cast<const char*>(words[1]));
    case PackedKind::Tensor:
      return tensorArgument(words);
  }
  return vm::Value();
}

}  // namespace

int32_t HostCall::callPacked(const char* name, const int64_t* words, int64_t count) {
  const std::lock_guard lock(mutex_);
  const Ref<vm::Callable> function = context_.registry ? context_.registry->find(name) : nullptr;
  if (!function) {
    message_ = fmt::format("there is no packed function \"{}\"", name);
    return 1;
  }
  std::vector<vm::Value> args;
  for (int64_t i = 0; i < count; ++i) {
    auto value = argument(words + static_cast<size_t>(i) * kPackedArgWords);
    if (!value) {
      diagnostics_ = value.diagnostics();
      return 1;
    }
    args.push_back(std::move(*value));
  }
  auto result = function->call(context_, args);
  if (result) return 0;
  diagnostics_ = result.diagnostics();
  return 1;
}

Failure HostCall::failure(std::string_view kernel) const {
  if (!diagnostics_.empty()) return fail(diagnostics_);
  return fail("vm.kernel", fmt::format("{}: {}", kernel, message_.empty() ? "the kernel failed" : message_));
}

namespace {

const FloatFormat& formatOf(int32_t number) {
  const DataType dtype{static_cast<TypeCode>(number >> 8), static_cast<uint8_t>(number), 1};
  const FloatFormat* format = smallFloatFormat(dtype);
  RX_ASSERT(format, "compiled code names the float format {}", number);
  return *format;
}

float decodeSmall(int32_t number, uint32_t bits) { return static_cast<float>(decodeFloat(formatOf(number), bits)); }
uint32_t encodeSmall(int32_t number, float value) { return encodeFloat(formatOf(number), value); }
float roundSmall(int32_t number, float value) { return decodeSmall(number, encodeSmall(number, value)); }

void* allocateFor(void* host, int64_t bytes) { return static_cast<HostCall*>(host)->allocate(bytes); }
void releaseFor(void* host, void* memory) { static_cast<HostCall*>(host)->release(memory); }
void reportFor(void* host, const char* message) { static_cast<HostCall*>(host)->report(message); }
int32_t callPackedFor(void* host, const char* name, const int64_t* words, int64_t count) {
  return static_cast<HostCall*>(host)->callPacked(name, words, count);
}

int32_t parallelIn(void* host, LoopPart part, void* record, int64_t extent) {
  return static_cast<HostCall*>(host)->parallel(part, record, extent);
}

/// The conversions that LLVM calls for half where the processor has none; half travels as its own register type.
float extendHalf(_Float16 value) { return halfToFloat(std::bit_cast<uint16_t>(value)); }
_Float16 truncateToHalf(float value) { return std::bit_cast<_Float16>(floatToHalf(value)); }
_Float16 truncateDoubleToHalf(double value) {
  return std::bit_cast<_Float16>(static_cast<uint16_t>(encodeFloat(*smallFloatFormat(DataType::Float(16)), value)));
}
double power10(double value) { return std::pow(10.0, value); }
float power10f(float value) { return static_cast<float>(std::pow(10.0, static_cast<double>(value))); }

template <class F>
HostFunction row(const char* name, F* function) {
  return {name, std::bit_cast<void*>(function)};
}

}  // namespace

std::span<const HostFunction> hostFunctions() {
  static const HostFunction kFunctions[] = {
      row("rx_decode_float", decodeSmall),
      row("rx_encode_float", encodeSmall),
      row("rx_round_float", roundSmall),
      row("rx_allocate", allocateFor),
      row("rx_release", releaseFor),
      row("rx_report", reportFor),
      row("rx_call_packed", callPackedFor),
      row("rx_parallel", parallelIn),
      row("__extendhfsf2", extendHalf),
      row("__gnu_h2f_ieee", extendHalf),
      row("__truncsfhf2", truncateToHalf),
      row("__gnu_f2h_ieee", truncateToHalf),
      row("__truncdfhf2", truncateDoubleToHalf),
      row("exp10", power10),
      row("exp10f", power10f),
  };
  return kFunctions;
}

}  // namespace rx::codegen
