#include "app/rxs/kernel_samples.h"

#include <algorithm>

#include "app/rxs/kernel_call.h"
#include "core/codegen/code_lines.h"
#include "core/profile/cpu_samples.h"

namespace rx::cli {

namespace {

constexpr const char* kRule = "kernel.samples";

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
  RX_TRY(call, KernelCall::of(program, kernel.name, kRule, control));
  RX_TRY(entry, call.compiled().entry());
  RX_TRY(lowered, compile::loweringOf(program, control)(function));
  RX_TRY(object, codegen::kernelObject(lowered, compile::kernelOptionsOf(program.request)));
  RX_TRY(lines, codegen::codeLines(object, *kernel.machine));
  RX_TRY(taken, profile::sampleCpu(
                    milliseconds, [&] { return call.run(); }, control.cancel));
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
