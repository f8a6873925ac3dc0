#include "core/compile/device_code.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/codegen/device_calls.h"
#include "core/device/run/architecture.h"
#include "core/device/run/placed.h"
#include "core/target/reader.h"

namespace rx::compile {

codegen::DeviceOptions deviceOptionsOf(const Program& program, const Control& control) {
  return {program.request.target, program.request.checked, control.cancel, control.onHost};
}

Result<std::vector<int64_t>> rowsOf(const ir::IRModule& module, const target::Target& target) {
  std::vector<int64_t> rows;
  const NodeRef listed = ir::attrOf(module.globalInfos, "vdevice");
  const auto* list = as<ir::ArrayAttr>(listed);
  for (size_t i = 0; list && i < list->items.size(); ++i) {
    const auto* virtualDevice = as<ir::VDevice>(list->items[i]);
    if (!virtualDevice) continue;
    RX_TRY(its, target::targetOf(virtualDevice->target));
    rows.push_back(its->kind() == target.kind() ? virtualDevice->vdeviceId : device::ProgramCode::kHostRow);
  }
  if (rows.empty()) rows.push_back(0);
  return rows;
}

Result<DeviceCode> deviceCodeOf(const Program& program, const std::vector<target::TargetRef>& targets,
                                const Control& control) {
  DeviceCode made;
  made.code.kind = program.request.target->kind();
  RX_TRY(rows, rowsOf(*program.module, *program.request.target));
  made.code.rows = std::move(rows);
  made.code.calls = codegen::devicesOfCalls(*program.module);
  for (const target::TargetRef& target : targets) {
    codegen::DeviceOptions options = deviceOptionsOf(program, control);
    options.target = target;
    codegen::DeviceModule module = codegen::deviceModule(program.module, options);
    for (const auto& [name, why] : module.left) {
      if (why.rule == "codegen.target") return fail(why);
      if (made.onHost.insert(name).second && control.onHost) control.onHost(name, why);
    }
    made.code.code.push_back(std::move(module.made));
  }
  for (const device::CalledOn& row : made.code.calls) {
    for (const int64_t index : row.devices) {
      const auto& all = made.code.rows;
      const bool listed = index >= 0 && static_cast<size_t>(index) < all.size();
      if (!listed || all[static_cast<size_t>(index)] == device::ProgramCode::kHostRow) made.onHost.insert(row.function);
    }
  }
  return made;
}

Result<std::vector<target::TargetRef>> targetsFor(const target::TargetRef& target,
                                                  const std::vector<std::string>& architectures) {
  const codegen::DeviceLanguage* language = target ? codegen::languageOf(target->kind()) : nullptr;
  if (architectures.empty()) return std::vector{target};
  if (!language || language->attribute.empty()) {
    return fail("codegen.target", fmt::format("{} has no architectures to choose from: leave them out",
                                              target ? target->kind() : std::string_view("this machine")));
  }
  std::vector<target::TargetRef> targets;
  for (const std::string& architecture : architectures) {
    RX_TRY(made,
           target::targetOf(ir::withAttr(target->fullForm(), Str(language->attribute), ir::strAttr(architecture))));
    targets.push_back(std::move(made));
  }
  // What is scheduled for the oldest runs on all of them.
  std::sort(targets.begin(), targets.end(), [](const auto& a, const auto& b) {
    const std::string first = codegen::architectureOf(*a), second = codegen::architectureOf(*b);
    return first != second && device::runsOn(first, second);
  });
  return targets;
}

bool leavesArchitectureOpen(std::string_view target) {
  const auto said = target::attrsOfText(target);
  if (!said || ir::attrOf(*said, "tag")) return false;
  const codegen::DeviceLanguage* language = codegen::languageOf(ir::strAttrOf(*said, "kind"));
  return language && !language->attribute.empty() && !ir::attrOf(*said, language->attribute);
}

Result<target::TargetRef> targetHere(std::string_view text) {
  RX_TRY(target, target::parseTarget(text));
  if (!leavesArchitectureOpen(text)) return target;
  const auto device = device::openDevice(target->kind(), 0);
  if (!device) return target;
  const codegen::DeviceLanguage& language = *codegen::languageOf(target->kind());
  const std::string_view architecture = codegen::architectureFor(language, (*device)->properties().architecture);
  if (architecture.empty()) return target;
  RX_TRY(targets, targetsFor(target, {std::string(architecture)}));
  return targets.front();
}

}  // namespace rx::compile
