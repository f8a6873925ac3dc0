// One kernel of a program, from the TIR that it began as to what the processor runs, each line with the lines that it
// came from: what the kernel view shows.
#pragma once

#include <optional>
#include <span>

#include "core/codegen/listing.h"
#include "core/compile/compile.h"
#include "core/compile/device_facts.h"
#include "core/compile/kernel_text.h"

namespace rx::compile {

enum class KernelStageKind : uint8_t {
  Tir,
  Step,
  Scheduled,
  Lowered,
  Llvm,
  LlvmOptimized,
  Assembly,
  Device,
  Disassembly
};

struct KernelStageRow {
  KernelStageKind kind;
  const char* name;  ///< as `rxs kernel --as` takes it
  const char* title;
};
std::span<const KernelStageRow> kernelStageRows();
const KernelStageRow& rowOf(KernelStageKind kind);

/// A loop of a text; lines count from 1.
struct TextLoop {
  uint32_t first = 0, last = 0;
  uint32_t depth = 1;
};

struct KernelStage {
  KernelStageKind kind = KernelStageKind::Tir;
  std::string made;  ///< by what: the name of a pass or of a kind of device, the line of a trace; empty for what was
                     ///< imported, and for LLVM's
  std::string text;
  /// The stage that it was made of, before this one; itself for the first.
  size_t of = 0;
  std::vector<Lines> from;    ///< by line, the first at 0: lines of that stage
  std::vector<Lines> origin;  ///< the same, of the first stage
  std::vector<TextLoop> loops;
};

/// What a device runs of the kernel.
struct DeviceStage {
  /// As it was lowered last before host and device were split: places of statements in `form` are places in it.
  KernelText text;
  size_t stage = 0;  ///< whose text that is
  lower::DeviceForm form;
  std::vector<DeviceKernelFacts> kernels;
};

struct KernelStages {
  std::string name;
  std::vector<KernelStage> stages;
  std::vector<std::string> rules;  ///< of each block that rules made: "matmul: host.Products"
  std::string why;                 ///< which conditions of rules failed, where blocks stay as they were
  /// The schedule by rules, a line of TVM's traces each; empty where the kernel has none.
  std::vector<std::string> trace;
  /// A rule that was asked and made none of a kernel that others scheduled, and which condition failed.
  struct PassedOver {
    std::string rule, why;
  };
  std::vector<PassedOver> passedOver;
  std::optional<codegen::MachineCode> machine;  ///< the last stage, where that is code of a processor
  std::optional<DeviceStage> device;            ///< the same, where that is a text for a device
  std::vector<Diagnostic> notes;                ///< why a kernel of a device runs on the host
};

/// `program` was compiled with every stage kept. `machine` is what code is made for; empty: this machine. Fails with
/// kernel.unknown, with the nearest name, where the program has no such kernel, else with what lowering and compiling
/// it fail with, or pass.cancelled.
Result<KernelStages> kernelStages(const Program& program, std::string_view name, const codegen::Machine& machine,
                                  const Control& control);

}  // namespace rx::compile
