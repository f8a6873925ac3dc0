#include "app/rxs/kernel_call.h"

#include <fmt/format.h>

#include "core/arith/canon.h"
#include "core/arith/equal.h"
#include "core/ir/symbols.h"

namespace rx::cli {

namespace {

/// Sizes as the kernel's own variables have them.
class NamedSizes {
 public:
  NamedSizes(const SizesByName& sizes, const char* rule) : sizes_(sizes), rule_(rule) {}

  /// Of a variable that is a parameter.
  Result<vm::Value> scalar(const tir::Var& param) const {
    const auto found = sizes_.find(param.name.string());
    if (found == sizes_.end() || !param.dtype.isInt())
      return refuse(fmt::format("{} is no tensor: only a run knows it", param.name.view()), param.name.string());
    return vm::Value::of(found->second);
  }
  Result<int64_t> extent(const tir::PrimExpr& extent, const tir::Buffer& buffer) const {
    arith::VarMap values;
    std::string missing;
    for (const tir::VarRef& var : arith::freeVars(extent)) {
      const auto found = sizes_.find(var->name.string());
      if (found != sizes_.end()) {
        values[var.get()] = tir::intImm(found->second, var->dtype);
      } else if (missing.empty()) {
        missing = var->name.string();
      }
    }
    arith::Canon canon;
    const auto size = tir::asInt(canon.simplify(arith::substitute(extent, values)));
    if (!size || *size < 0) return refuse(fmt::format("only a run knows the sizes of {}", buffer.name.view()), missing);
    return *size;
  }

 private:
  Failure refuse(std::string what, const std::string& name) const {
    Diagnostic said = errorAt({}, rule_, std::move(what));
    if (!name.empty()) said.fix = fmt::format("--symbol {}=SIZE", name);
    return fail(std::move(said));
  }

  const SizesByName& sizes_;
  const char* rule_;
};

/// A tensor of zeros for each parameter, and the size for one that is a size.
Result<std::vector<vm::Value>> zerosFor(const tir::PrimFunc& kernel, const NamedSizes& sizes) {
  std::vector<vm::Value> values;
  for (size_t i = 0; i < kernel.params.size(); ++i) {
    const tir::BufferRef& buffer = kernel.buffers[i];
    if (!buffer) {
      RX_TRY(size, sizes.scalar(*kernel.params[i]));
      values.push_back(size);
      continue;
    }
    std::vector<int64_t> shape;
    for (const tir::PrimExpr& extent : buffer->shape) {
      RX_TRY(size, sizes.extent(extent, *buffer));
      shape.push_back(size);
    }
    RX_TRY(tensor, HostTensor::allocate(std::move(shape), buffer->dtype));
    values.push_back(vm::Value::of(std::move(tensor)));
  }
  return values;
}

}  // namespace

Result<KernelCall> KernelCall::of(const compile::Program& program, const std::string& name, const SizesByName& sizes,
                                  const char* rule, const compile::Control& control) {
  const auto function = refAs<tir::PrimFunc>(program.module->find(name));
  if (!function) return fail(rule, fmt::format("the program has no kernel '{}'", name));
  KernelCall made;
  RX_TRY(values, zerosFor(*function, NamedSizes(sizes, rule)));
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

Result<Unit> KernelCall::run(const vm::CompiledKernel& code) const {
  std::vector<const vm::Value*> places;
  for (const vm::Value& value : values_) places.push_back(&value);
  vm::CallContext context(around_);
  RX_CHECK(code.call(context, vm::Arguments(places)));
  return Unit{};
}

int64_t KernelCall::bytes() const {
  int64_t all = 0;
  for (const vm::Value& value : values_)
    if (value.is(vm::ValueKind::Tensor)) all += value.tensor().bytes();
  return all;
}

}  // namespace rx::cli
