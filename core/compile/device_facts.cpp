#include "core/compile/device_facts.h"

#include <algorithm>

#include "core/codegen/device_writer.h"
#include "core/compile/device_code.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/constant_bytes.h"
#include "core/script/print.h"

namespace rx::compile {

namespace {

DeviceKernelFacts factsOf(const lower::DeviceKernel& kernel) {
  DeviceKernelFacts facts;
  facts.symbol = kernel.symbol;
  facts.threads = 1;
  std::vector<std::string> seen;
  walk(*kernel.function->body, Into::Parts, [&](const Node& node) {
    const auto* allocation = as<tir::AllocBuffer>(&node);
    if (allocation && allocation->buffer->scope().starts_with("shared"))
      facts.sharedBytes += codegen::sharedBytes(lower::constantBytes(*allocation->buffer).value_or(0));
    const auto* attribute = as<tir::AttrStmt>(&node);
    const auto* axis = attribute && attribute->key == "thread_extent" ? as<tir::IterVar>(attribute->node) : nullptr;
    const std::string tag = axis ? axis->threadTag.string() : std::string();
    if (tag.empty() || std::find(seen.begin(), seen.end(), tag) != seen.end()) return !isa<tir::ExprNode>(&node);
    seen.push_back(tag);
    const bool group = tag.starts_with("threadIdx.");
    const auto along = static_cast<size_t>(tag.back() - 'x');
    if (along > 2 || !(group || tag.starts_with("blockIdx."))) return true;
    (group ? facts.group : facts.grid)[along] = script::printPrimExpr(attribute->value);
    const auto extent = tir::asInt(attribute->value);
    if (group) facts.threads = extent && facts.threads ? std::optional(*extent * *facts.threads) : std::nullopt;
    return true;
  });
  return facts;
}

}  // namespace

std::vector<DeviceKernelFacts> deviceFacts(const lower::DeviceForm& form, const std::string& architecture,
                                           const codegen::AssembledText* assembled) {
  std::vector<DeviceKernelFacts> all;
  for (const lower::DeviceKernel& kernel : form.kernels) {
    DeviceKernelFacts facts = factsOf(kernel);
    const auto known = assembled ? assembled->kernels.find(kernel.symbol) : decltype(assembled->kernels.end())();
    if (assembled && known != assembled->kernels.end()) facts.assembled = known->second;
    const int64_t registers = facts.assembled ? facts.assembled->registers : 0;
    facts.occupancy = facts.threads ? codegen::occupancyOf(architecture, {*facts.threads, registers, facts.sharedBytes})
                                    : fail("codegen.occupancy", "a run alone knows how many threads a group has");
    all.push_back(std::move(facts));
  }
  return all;
}

Result<OccupancyTable> occupancies(const Program& program, const Control& control) {
  const target::Target& target = *program.request.target;
  const codegen::DeviceLanguage* language = codegen::languageOf(target.kind());
  const std::string architecture = codegen::architectureOf(target);
  if (!language || !language->assembled) return codegen::occupancyOf(architecture, {}).failure();
  std::map<std::string, lower::DeviceForm> forms;
  codegen::DeviceOptions options = deviceOptionsOf(program, control);
  options.onForm = [&](const std::string& name, const lower::DeviceForm& form) { forms.emplace(name, form); };
  const codegen::DeviceModule whole = codegen::deviceModule(program.module, options);
  const auto assembled = language->assembled(whole.made.code.text, architecture);
  if (!assembled) return fail("codegen.occupancy", "registers are not known without the vendor's assembler");
  OccupancyTable table;
  for (const auto& [name, form] : forms) {
    for (DeviceKernelFacts& facts : deviceFacts(form, architecture, &*assembled)) {
      const auto [row, isNew] = table.try_emplace(name, facts.occupancy);
      const bool worse = row->second && (!facts.occupancy || facts.occupancy->warps < row->second->warps);
      if (!isNew && worse) row->second = std::move(facts.occupancy);
    }
  }
  return table;
}

}  // namespace rx::compile
