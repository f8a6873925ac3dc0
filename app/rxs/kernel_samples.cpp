#include "app/rxs/kernel_samples.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/codegen/code_lines.h"
#include "core/profile/cpu_samples.h"
#include "core/profile/measure.h"

namespace rx::cli {

namespace {

constexpr const char* kRule = "kernel.samples";

/// Other code of a kernel.
class OtherCode final : public vm::CompiledKernel {
 public:
  OtherCode(const vm::CompiledKernel& kernel, vm::KernelEntry entry)
      : CompiledKernel(std::string(kernel.name())), kernel_(kernel), entry_(entry) {}
  const vm::KernelSignature& signature() const override { return kernel_.signature(); }
  Result<vm::KernelEntry> entry() const override { return entry_; }

 private:
  const vm::CompiledKernel& kernel_;
  const vm::KernelEntry entry_;
};

/// How many turns the loops of the listing make in a call.
Result<std::vector<double>> turnsOf(const KernelCall& call, const lower::HostKernel& lowered,
                                    const codegen::KernelOptions& options, const codegen::MachineCode& code) {
  std::vector<uint64_t> counted;
  RX_TRY(object, codegen::countingObject(lowered, options, counted));
  RX_TRY(loaded, codegen::loadKernel(object));
  const auto counting = make<OtherCode>(call.compiled(), loaded->entry);
  RX_CHECK(call.run(*counting));
  std::vector<double> turns;
  for (const codegen::MachineLoop& loop : code.loops) {
    const auto number = static_cast<size_t>(loop.number);
    turns.push_back(loop.number >= 0 && number < counted.size() ? static_cast<double>(counted[number]) : 0);
  }
  return turns;
}

int64_t firstCache() {
  const std::vector<profile::Cache> caches = profile::dataCaches();
  return caches.empty() ? 0 : caches.front().bytes;
}

std::string kibibytes(int64_t bytes) { return fmt::format("{} KiB", (bytes + 1023) / 1024); }

/// Of what is waited for when ports do not explain the time.
std::string waitsText(double measured, double ports, const KernelSamples& samples) {
  const std::string both =
      fmt::format("a turn takes {:.0f} cycles, measured, where ports allow {:.1f} with all memory in the nearest cache",
                  measured, ports);
  if (samples.firstCache == 0 || samples.bytes > samples.firstCache)
    return fmt::format("it waits for memory: {}; its tensors have {}{}", both, kibibytes(samples.bytes),
                       samples.firstCache ? ", that cache " + kibibytes(samples.firstCache) : std::string());
  return fmt::format(
      "its ports do not say why: {}, and its tensors fit there; it waits for results, for branches that go another way "
      "than was guessed, or for instructions that take longer than LLVM has them",
      both);
}

KernelSamples byLines(const profile::CpuSamples& taken, const std::vector<codegen::CodeLine>& lines, uintptr_t entry,
                      size_t count) {
  KernelSamples samples;
  samples.taken = taken.addresses.size();
  samples.calls = taken.calls;
  samples.nanoseconds = taken.nanoseconds;
  samples.cycles = static_cast<double>(taken.worked) * 1e-9 * profile::measureCycles() /
                   static_cast<double>(std::max<int64_t>(taken.calls, 1));
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
                                   const SizesByName& sizes, int64_t milliseconds, const compile::Control& control) {
  if (!kernel.machine) return fail(kRule, "the kernel runs on a device, where nobody looks");
  const auto function = refAs<tir::PrimFunc>(program.module->find(kernel.name));
  RX_TRY(call, KernelCall::of(program, kernel.name, sizes, kRule, control));
  RX_TRY(entry, call.compiled().entry());
  RX_TRY(lowered, compile::loweringOf(program, control)(function));
  const codegen::KernelOptions options = compile::kernelOptionsOf(program.request);
  RX_TRY(object, codegen::kernelObject(lowered, options));
  RX_TRY(lines, codegen::codeLines(object, *kernel.machine));
  RX_TRY(taken, profile::sampleCpu(
                    milliseconds, [&] { return call.run(); }, control.cancel));
  KernelSamples samples = byLines(taken, lines, reinterpret_cast<uintptr_t>(entry), kernel.machine->lines.size());
  samples.bytes = call.bytes();
  samples.firstCache = firstCache();
  RX_TRY(turns, turnsOf(call, lowered, options, *kernel.machine));
  samples.turns = std::move(turns);
  return samples;
}

size_t KernelSamples::inLines(uint32_t first, uint32_t last) const {
  size_t count = 0;
  for (uint32_t line = first; line <= last && line <= ofLines.size(); ++line) count += ofLines[line - 1];
  return count;
}

std::optional<MeasuredTurn> measuredTurn(const KernelSamples& samples, const codegen::MachineCode& code, size_t loop) {
  constexpr size_t kLeastSamples = 10;
  constexpr double kFar = 2;
  const codegen::MachineLoop& its = code.loops[loop];
  const size_t inside = samples.inLines(its.first, its.last);
  const double turns = loop < samples.turns.size() ? samples.turns[loop] : 0;
  if (!its.turn || turns <= 0 || inside < kLeastSamples || samples.cycles <= 0) return std::nullopt;
  MeasuredTurn made;
  made.cycles = samples.cycles * static_cast<double>(inside) / static_cast<double>(samples.taken) / turns;
  if (made.cycles > kFar * its.turn->cycles) made.waits = waitsText(made.cycles, its.turn->cycles, samples);
  return made;
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
