// Calls of compiled kernels: in general, and those of one instruction whose shapes the signature fixes.
#include <algorithm>
#include <array>
#include <bit>

#include "core/runtime/kernel_host.h"
#include "core/runtime/prepared_call.h"

namespace rx::vm {
namespace {

/// Whether a parameter is a tensor of a shape that no symbol is part of, compact, from where its data begins.
bool fixesAll(const KernelParam& param) {
  const auto known = [](const ShapeProgram& program) { return program.value({}).has_value(); };
  if (param.place != KernelPlace::Buffer || !param.declared || param.offset.value({}) != 0) return false;
  return std::all_of(param.shape.begin(), param.shape.end(), known) && param.strides.empty();
}

/// Of a kernel that fixes all: the binder has nothing to compute, and each argument is compared with its parameter.
class FixedCall final : public PreparedCall {
 public:
  static constexpr size_t kMost = 16;
  explicit FixedCall(const CompiledKernel& kernel) : kernel_(kernel), signature_(kernel.signature()) {
    for (const KernelParam& param : signature_.params) {
      Expected& expected = expected_.emplace_back(Expected{param.dtype, {}, param.written});
      for (const ShapeProgram& dim : param.shape) expected.shape.push_back(*dim.value({}));
    }
  }

  Outcome run(CallContext& context, PlannedArguments args, Value& result) override {
    std::array<void*, kMost> buffers;
    const std::shared_ptr<DeviceArena>& place = context.around.memoryOf(signature_.device);
    const DeviceMemory* device = place ? &place->device() : nullptr;
    for (size_t i = 0; i < expected_.size(); ++i) {
      if (!expected_[i].fits(args[i], device)) return Outcome::Unfit;
      buffers[i] = std::bit_cast<void*>(args[i].tensor().handle());
    }
    if (!entry_ && !find()) return Outcome::Unfit;
    KernelHost host(context);
    int64_t bits = 0;
    if (entry_(buffers.data(), nullptr, nullptr, &bits, &host) != 0) {
      context.failure = host.failure(kernel_.name()).diagnostics;
      return Outcome::Failed;
    }
    if (!signature_.resultType.isVoid()) result = signature_.resultOf(bits);
    return Outcome::Done;
  }

 private:
  struct Expected {
    DataType dtype;
    std::vector<int64_t> shape;
    bool written;

    bool fits(const Value& value, const DeviceMemory* device) const {
      if (!value.is(ValueKind::Tensor)) return false;
      const HostTensor& tensor = value.tensor();
      if (tensor.device() != device || tensor.dtype() != dtype || tensor.shape().size() != shape.size()) return false;
      for (size_t axis = 0; axis < shape.size(); ++axis)
        if (tensor.shape()[axis] != shape[axis]) return false;
      return !written || tensor.storage()->writable();
    }
  };
  /// The machine code, made by now; what keeps it from being made is told by who calls the kernel.
  bool find() {
    const auto entry = kernel_.entry();
    if (entry) entry_ = *entry;
    return entry_ != nullptr;
  }

  const CompiledKernel& kernel_;
  const KernelSignature& signature_;
  std::vector<Expected> expected_;  ///< of each parameter
  KernelEntry entry_ = nullptr;
};

}  // namespace

Result<Value> CompiledKernel::call(CallContext& context, Arguments args) const {
  RX_TRY(code, entry());
  KernelArguments bound;
  RX_CHECK(signature().bind(name_, args, bound));
  KernelHost host(context);
  int64_t result = 0;
  if (code(bound.buffers.data(), bound.ints.data(), bound.reals.data(), &result, &host) != 0)
    return host.failure(name_);
  return signature().resultOf(result);
}

std::unique_ptr<PreparedCall> CompiledKernel::prepare(std::span<const PlannedArgument> places) const {
  const auto& params = signature().params;
  const bool fixed = params.size() == places.size() && params.size() <= FixedCall::kMost &&
                     signature().symbols.empty() && std::all_of(params.begin(), params.end(), fixesAll);
  if (!fixed) return nullptr;
  return std::make_unique<FixedCall>(*this);
}

}  // namespace rx::vm
