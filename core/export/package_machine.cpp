#include "core/export/package_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "core/compile/machine.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/ir/tile_products.h"
#include "core/lower/intrinsics.h"

namespace rx::exporter {

namespace {

using compile::isAdvice;
using target::Architecture;
using target::Processor;

struct ArchitectureRow {
  Architecture architecture;
  const char* triple;
  const char* least;  ///< the processor that every machine of the architecture is at least
};
constexpr ArchitectureRow kArchitectures[] = {
    {Architecture::X86_64, "x86_64-unknown-linux-gnu", "x86-64"},
    {Architecture::Aarch64, "aarch64-unknown-linux-gnu", "generic"},
};
constexpr std::string_view kLevels[] = {"x86-64-v4", "x86-64-v3", "x86-64-v2", "x86-64"};

/// What the runtime of packages can look for.
constexpr std::string_view kX86Features[] = {
#define RX_X86(feature, leaf, subleaf, reg, bit, state) feature,
#define RX_ARM(feature, word, bits)
#include "core/support/processor_features.def"
};
constexpr std::string_view kArmFeatures[] = {
#define RX_X86(feature, leaf, subleaf, reg, bit, state)
#define RX_ARM(feature, word, bits) feature,
#include "core/support/processor_features.def"
};

bool canLookFor(Architecture architecture, std::string_view feature) {
  const std::span<const std::string_view> known =
      architecture == Architecture::X86_64 ? std::span(kX86Features) : std::span<const std::string_view>(kArmFeatures);
  return std::find(known.begin(), known.end(), feature) != known.end();
}

/// Intrinsics that kernels are written with where the processor has an instruction for them; which one of tiles, says
/// the type of the numbers.
struct InstructionRow {
  std::string_view intrinsic, feature;
  bool ofHalves = false;
};
constexpr InstructionRow kInstructions[] = {{"rx_dot_bytes", "avx512vnni"},
                                            {"rx_dot_halves", "avx512bf16"},
                                            {"rx_tile_products", "amx-int8"},
                                            {"rx_tile_products", "amx-bf16", true}};

bool asksFor(const InstructionRow& row, const op::TirIntrinsic& called, const Node& call) {
  const auto tiles = tir::tileProductsOf(static_cast<const tir::Call&>(call));
  return called.name == row.intrinsic && (!tiles || tiles->ofHalves() == row.ofHalves);
}

/// Features of those instructions that kernels of the module ask for.
std::set<std::string_view> featuresOf(const ir::Module& module) {
  std::set<std::string_view> features;
  for (const auto& [name, function] : module->entries()) {
    if (!isa<tir::PrimFunc>(function)) continue;
    walkOnce(*function, Into::Parts, [&](const Node& node) {
      const op::TirIntrinsic* called = lower::calledIntrinsic(&node);
      for (const InstructionRow& row : kInstructions)
        if (called && asksFor(row, *called, node)) features.insert(row.feature);
      return true;
    });
  }
  return features;
}

/// The highest level of x86-64 whose features this machine has, and what it has beyond that for the module's kernels.
Result<Processor> processorHere(const ir::Module& module) {
  const auto here = codegen::processorFeatures();
  std::vector<std::string> more;
  for (const std::string_view feature : featuresOf(module))
    if (here.contains(feature)) more.push_back(fmt::format("+{}", feature));
  for (const std::string_view level : kLevels) {
    RX_TRY(processor, target::makeProcessor(Architecture::X86_64, level, more));
    if (std::all_of(processor.features.begin(), processor.features.end(),
                    [&](const std::string& feature) { return isAdvice(feature) || here.contains(feature); }))
      return processor;
  }
  return target::makeProcessor(Architecture::X86_64, kLevels[std::size(kLevels) - 1], {});
}

}  // namespace

Result<PackageMachine> packageMachine(const target::TargetRef& target, const ir::Module& module) {
  if (!target->hasKey("cpu")) {
    return fail("codegen.target",
                fmt::format("not available: packages hold code of processors, not for {}", target->kind()));
  }
  const std::string_view triple = target->text("mtriple");
  const auto row = std::find_if(std::begin(kArchitectures), std::end(kArchitectures), [&](const ArchitectureRow& each) {
    return each.architecture == target->processor().architecture;
  });
  if (row == std::end(kArchitectures) || (!triple.empty() && triple.find("linux") == std::string_view::npos)) {
    return fail("codegen.target",
                fmt::format("not available: packages are made for Linux on x86-64 and aarch64, not for {}",
                            triple.empty() ? std::string_view(target->json()) : triple));
  }
  Processor processor = target->processor();
  if (target->isThisMachine() && row->architecture == Architecture::X86_64) {
    RX_TRY(here, processorHere(module));
    processor = std::move(here);
  }
  if (processor.name.empty()) processor.name = row->least;
  RX_TRY(least, target::makeProcessor(row->architecture, row->least, {}));
  PackageMachine made;
  made.architecture = row->architecture;
  made.name = processor.name;
  made.machine = compile::machineOf(processor, row->triple);
  for (const std::string& feature : processor.features) {
    if (isAdvice(feature) || least.has(feature)) continue;
    if (!canLookFor(row->architecture, feature))
      return fail("codegen.target",
                  fmt::format("not available: a package can not look for {}, which {} has", feature, processor.name));
    made.needs.push_back(feature);
  }
  return made;
}

}  // namespace rx::exporter
