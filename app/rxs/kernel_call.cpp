#include "app/rxs/kernel_call.h"

#include <fmt/format.h>

#include "core/ir/symbols.h"

namespace rx::cli {

namespace {

/// A tensor of zeros for each parameter.
Result<std::vector<vm::Value>> zerosFor(const tir::PrimFunc& kernel, const char* rule) {
  std::vector<vm::Value> values;
  for (size_t i = 0; i < kernel.params.size(); ++i) {
    const tir::BufferRef& buffer = kernel.buffers[i];
    if (!buffer) return fail(rule, fmt::format("{} is no tensor: only a run knows it", kernel.params[i]->name.view()));
    std::vector<int64_t> shape;
    for (const tir::PrimExpr& extent : buffer->shape) {
      const auto size = tir::asInt(extent);
      if (!size) return fail(rule, fmt::format("only a run knows the sizes of {}", buffer->name.view()));
      shape.push_back(*size);
    }
    RX_TRY(tensor, HostTensor::allocate(std::move(shape), buffer->dtype));
    values.push_back(vm::Value::of(std::move(tensor)));
  }
  return values;
}

}  // namespace

Result<KernelCall> KernelCall::of(const compile::Program& program, const std::string& name, const char* rule,
                                  const compile::Control& control) {
  const auto function = refAs<tir::PrimFunc>(program.module->find(name));
  if (!function) return fail(rule, fmt::format("the program has no kernel '{}'", name));
  KernelCall made;
  RX_TRY(values, zerosFor(*function, rule));
  made.values_ = std::move(values);
  made.around_.memory = std::make_shared<StorageArena>(INT64_MAX, /*filled=*/false);
  RX_TRY(kernels, compile::kernelsOf(program, control, nullptr));
  made.kernels_ = kernels;
  RX_TRY(found, kernels->find(ir::symbolOf(*program.module->findVar(name), *function)));
  made.callable_ = found;
  made.compiled_ = dynamic_cast<const vm::CompiledKernel*>(found.get());
  if (!made.compiled_) return fail(rule, "the kernel is no code of this machine");
  return made;
}

Result<Unit> KernelCall::run() const {
  std::vector<const vm::Value*> places;
  for (const vm::Value& value : values_) places.push_back(&value);
  vm::CallContext context(around_);
  RX_CHECK(compiled_->call(context, vm::Arguments(places)));
  return Unit{};
}

}  // namespace rx::cli
