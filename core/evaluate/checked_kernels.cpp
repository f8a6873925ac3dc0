#include "core/evaluate/checked_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "core/runtime/placement.h"
#include "core/tensor/stats.h"

namespace rx::evaluate {

namespace {

using vm::Value;

/// Arguments whose tensors lie in copies of the storages that a call may write; tensors that share one still do.
Result<std::vector<Value>> copiesOf(const vm::Callable& kernel, vm::Arguments args) {
  std::unordered_map<const Storage*, Ref<Storage>> copies;
  for (size_t i = 0; i < args.size(); ++i) {
    if (!args[i].is(vm::ValueKind::Tensor) || !kernel.mayWrite(i)) continue;
    const Ref<Storage>& from = args[i].tensor().storage();
    if (copies.contains(from.get())) continue;
    RX_TRY(copy, Storage::allocate(from->bytes()));
    std::copy_n(from->data(), static_cast<size_t>(from->bytes()), copy->mutableData());
    copies.emplace(from.get(), std::move(copy));
  }
  std::vector<Value> out(args.begin(), args.end());
  for (Value& value : out) {
    if (!value.is(vm::ValueKind::Tensor)) continue;
    const HostTensor& tensor = value.tensor();
    const auto copy = copies.find(tensor.storage().get());
    if (copy == copies.end()) continue;
    RX_TRY(view, HostTensor::view(copy->second, tensor.byteOffset(), tensor.shape(), tensor.dtype()));
    value = Value::of(view);
  }
  return out;
}

std::string elementText(const HostTensor& tensor, int64_t index) {
  return tensor.dtype().isIntegral() || tensor.dtype().isBool() ? fmt::format("{}", tensor.intAt(index))
                                                                : fmt::format("{:.9g}", tensor.at(index));
}

class CheckedKernel final : public vm::Callable {
 public:
  CheckedKernel(Ref<vm::Callable> compiled, Ref<vm::Callable> oracle, Unchecked unchecked)
      : compiled_(std::move(compiled)), oracle_(std::move(oracle)), unchecked_(std::move(unchecked)) {}

  std::string_view name() const override { return compiled_->name(); }
  bool mayWrite(size_t argument) const override { return compiled_->mayWrite(argument); }

  Result<Value> call(vm::CallContext& context, vm::Arguments args) const override {
    RX_TRY(copies, copiesOf(*compiled_, args));
    RX_TRY(result, vm::callPlaced(*compiled_, context, args));
    Result<Value> wanted = oracle_->call(context, vm::ArgumentsOf(copies));
    if (!wanted) {
      const Diagnostic& why = wanted.diagnostics().front();
      if (why.rule != "interpret.unavailable" && why.rule != "interpret.budget") return wanted.failure();
      unchecked_(name(), why);
      return result;
    }
    for (size_t i = 0; i < args.size(); ++i) {
      if (args[i].is(vm::ValueKind::Tensor) && compiled_->mayWrite(i))
        RX_CHECK(compare(i, args[i].tensor(), copies[i].tensor()));
    }
    if (!result.isNull() && result.summary() != wanted->summary()) {
      return fail("check.differs", fmt::format("{} returns {} compiled and {} interpreted", name(), result.summary(),
                                               wanted->summary()));
    }
    return result;
  }

 private:
  Result<Unit> compare(size_t argument, const HostTensor& got, const HostTensor& wanted) const {
    const int64_t index = firstBeyondRounding(got, wanted);
    if (index < 0) return Unit{};
    return fail("check.differs",
                fmt::format("{}, argument {} {}: element {} is {} compiled and {} interpreted", name(), argument,
                            shapeText(got.shape()), shapeText(elementIndex(got.shape(), index)),
                            elementText(got, index), elementText(wanted, index)));
  }

  Ref<vm::Callable> compiled_, oracle_;
  Unchecked unchecked_;
};

class CheckedKernels final : public vm::KernelProvider {
 public:
  CheckedKernels(std::shared_ptr<vm::KernelProvider> compiled, std::shared_ptr<vm::KernelProvider> oracle,
                 Unchecked unchecked)
      : compiled_(std::move(compiled)), oracle_(std::move(oracle)), unchecked_(std::move(unchecked)) {}

  Result<Ref<vm::Callable>> find(std::string_view name) override {
    RX_TRY(compiled, compiled_->find(name));
    if (!compiled) return compiled;
    RX_TRY(oracle, oracle_->find(name));
    if (!oracle) return compiled;
    return Ref<vm::Callable>(make<CheckedKernel>(std::move(compiled), std::move(oracle), unchecked_));
  }

  std::vector<vm::RunDevice> devices() const override { return compiled_->devices(); }

 private:
  std::shared_ptr<vm::KernelProvider> compiled_, oracle_;
  Unchecked unchecked_;
};

}  // namespace

std::shared_ptr<vm::KernelProvider> makeCheckedKernels(std::shared_ptr<vm::KernelProvider> compiled,
                                                       std::shared_ptr<vm::KernelProvider> oracle,
                                                       Unchecked unchecked) {
  return std::make_shared<CheckedKernels>(
      std::move(compiled), std::move(oracle),
      [said = std::make_shared<std::map<std::string, bool, std::less<>>>(), unchecked = std::move(unchecked)](
          std::string_view kernel, const Diagnostic& why) {
        if (said->emplace(kernel, true).second && unchecked) unchecked(kernel, why);
      });
}

}  // namespace rx::evaluate
