#include "core/compile/machine.h"

#include <fmt/format.h>

#include <vector>

namespace rx::compile {

namespace {

constexpr std::string_view kTriple = "x86_64-unknown-linux-gnu";

Failure notHere(const std::string& why) {
  return fail("codegen.target", fmt::format("not available here: {}; rxs build makes a package for it", why));
}

}  // namespace

bool isAdvice(std::string_view feature) {
  return feature.starts_with("prefer-") || feature.starts_with("v8") || feature.starts_with("v9") || feature == "ras";
}

codegen::Machine machineOf(const target::Processor& processor, std::string_view triple) {
  codegen::Machine machine{std::string(triple), processor.name, {}};
  for (const std::string& feature : processor.features)
    machine.features += fmt::format("{}+{}", machine.features.empty() ? "" : ",", feature);
  return machine;
}

Result<codegen::Machine> machineHere(const target::Target& target) {
  if (target.isThisMachine()) return codegen::Machine{};
  const target::Processor& processor = target.processor();
  const std::string_view triple = target.text("mtriple");
  RX_TRY(here, target::parseTarget("llvm"));
  const bool sameSystem = triple.empty() || triple.find("linux") != std::string_view::npos;
  if (processor.architecture != target::Architecture::X86_64 ||
      here->processor().architecture != processor.architecture || !sameSystem)
    return notHere(fmt::format("this process runs code for the processor of this machine, not for {}", target.json()));
  const auto features = codegen::processorFeatures();
  std::vector<std::string_view> missing;
  for (const std::string& feature : processor.features)
    if (!isAdvice(feature) && !features.contains(feature)) missing.push_back(feature);
  if (!missing.empty()) return notHere(fmt::format("this machine has no {}", fmt::join(missing, ", ")));
  return machineOf(processor, kTriple);
}

}  // namespace rx::compile
