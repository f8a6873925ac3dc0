#include "app/rxs/kernel_samples.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/codegen/code_lines.h"
#include "core/codegen/jit.h"
#include "core/ir/symbols.h"
#include "core/profile/cpu_samples.h"
#include "core/runtime/kernel_host.h"

namespace rx::cli {

namespace {

constexpr const char* kRule = "kernel.samples";

/// A tensor of zeros for each parameter.
Result<std::vector<vm::Value>> zerosFor(const tir::PrimFunc& kernel) {
  std::vector<vm::Value> values;
  for (size_t i = 0; i < kernel.params.size(); ++i) {
    const tir::BufferRef& buffer = kernel.buffers[i];
    if (!buffer) return fail(kRule, fmt::format("{} is no tensor: only a run knows it", kernel.params[i]->name.view()));
    std::vector<int64_t> shape;
    for (const tir::PrimExpr& extent : buffer->shape) {
      const auto size = tir::asInt(extent);
      if (!size) return fail(kRule, fmt::format("only a run knows the sizes of {}", buffer->name.view()));
      shape.push_back(*size);
    }
    RX_TRY(tensor, HostTensor::allocate(std::move(shape), buffer->dtype));
    values.push_back(vm::Value::of(std::move(tensor)));
  }
  return values;
}

KernelSamples byLines(const profile::CpuSamples& taken, const std::vector<codegen::CodeLine>& lines, uintptr_t entry,
                      size_t count) {
  KernelSamples samples;
  samples.taken = taken.addresses.size();
  samples.calls = taken.calls;
  samples.nanoseconds = taken.nanoseconds;
  samples.ofLines.resize(count);
  for (const uintptr_t address : taken.addresses) {
    const auto offset = static_cast<int64_t>(address) - static_cast<int64_t>(entry);
    const auto behind = std::upper_bound(lines.begin(), lines.end(), offset,
                                         [](int64_t at, const codegen::CodeLine& line) { return at < line.begin; });
    if (behind != lines.begin() && offset < std::prev(behind)->end) {
      ++samples.ofLines[std::prev(behind)->line - 1];
    } else {
      ++samples.elsewhere;
    }
  }
  return samples;
}

}  // namespace

Result<KernelSamples> sampleKernel(const compile::Program& program, const compile::KernelStages& kernel,
                                   int64_t milliseconds, const compile::Control& control) {
  if (!kernel.machine) return fail(kRule, "the kernel runs on a device, where nobody looks");
  const auto function = refAs<tir::PrimFunc>(program.module->find(kernel.name));
  RX_TRY(values, zerosFor(*function));
  RX_TRY(kernels, compile::kernelsOf(program, control, nullptr));
  RX_TRY(found, kernels->find(ir::symbolOf(*program.module->findVar(kernel.name), *function)));
  const auto* compiled = dynamic_cast<const vm::CompiledKernel*>(found.get());
  if (!compiled) return fail(kRule, "the kernel is no code of this machine");
  RX_TRY(entry, compiled->entry());
  RX_TRY(lowered, compile::loweringOf(program, control)(function));
  RX_TRY(object, codegen::kernelObject(lowered, compile::kernelOptionsOf(program.request)));
  RX_TRY(lines, codegen::codeLines(object, *kernel.machine));
  std::vector<const vm::Value*> places;
  for (const vm::Value& value : values) places.push_back(&value);
  const vm::Surroundings around;
  const auto work = [&]() -> Result<Unit> {
    vm::CallContext context(around);
    RX_CHECK(compiled->call(context, vm::Arguments(places)));
    return Unit{};
  };
  RX_TRY(taken, profile::sampleCpu(milliseconds, work, control.cancel));
  return byLines(taken, lines, reinterpret_cast<uintptr_t>(entry), kernel.machine->lines.size());
}

std::vector<double> sharesOf(const KernelSamples& samples, const compile::KernelStages& kernel,
                             const compile::KernelStage& stage) {
  const compile::KernelStage& code = kernel.stages.back();
  std::vector<double> shares(stage.origin.size());
  const double each = samples.taken ? 100.0 / static_cast<double>(samples.taken) : 0;
  for (size_t line = 0; line < samples.ofLines.size(); ++line) {
    const double share = each * samples.ofLines[line];
    if (&stage == &code) {
      shares[line] = share;
    } else if (&stage == &kernel.stages.front()) {
      for (const uint32_t from : code.origin[line]) shares[from - 1] += share;
    }
  }
  return shares;
}

}  // namespace rx::cli
