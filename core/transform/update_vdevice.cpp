// UpdateVDevice: another virtual device in the place of one of the module's, wherever it stands.
#include <fmt/format.h>

#include "core/ir/reflect.h"
#include "core/ir/structural_equal.h"
#include "core/pass/options.h"
#include "core/transform/option_values.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

Result<ir::Module> updateVDevice(const ir::Module& module, const ir::Attrs& options_, pass::PassContext& context) {
  const NodeRef given = ir::attrOf(options_, "new_vdevice");
  RX_TRY(renewed, vdeviceOption(given, "new_vdevice"));
  const NodeRef listed = ir::attrOf(module->globalInfos, "vdevice");
  const auto* devices = as<ir::ArrayAttr>(listed);
  const int64_t count = devices ? static_cast<int64_t>(devices->items.size()) : 0;
  const int64_t index = pass::numberOf(options_, "index");
  if (index < 0 || index >= count) {
    return fail("pass.option-value", fmt::format("index is that of a vdevice, and the module has {}", count));
  }
  const NodeRef before = devices->items[static_cast<size_t>(index)];
  auto renew = [&](const NodeRef& node) -> NodeRef {
    if (!isa<ir::VDevice>(node)) return nullptr;
    return node == before || structuralEqual(node, before) ? NodeRef(renewed) : node;
  };
  auto same = [](const NodeRef& node) { return node; };
  std::vector<ir::IRModule::Entry> entries;
  for (const auto& [var, function] : module->entries()) {
    if (context.cancel.cancelled()) return fail("pass.cancelled", "cancelled");
    const bool changes = isa<relax::Function>(function);
    entries.emplace_back(var,
                         changes ? cast<ir::BaseFuncNode>(rewriteNodes(function, Into::All, renew, same)) : function);
  }
  std::vector<NodeRef> now;
  for (const NodeRef& device : devices->items) now.push_back(device == before ? NodeRef(renewed) : device);
  auto* made =
      new ir::IRModule(std::move(entries), module->attrs,
                       ir::withAttr(module->globalInfos, "vdevice", ir::arrayAttr(Array<NodeRef>(std::move(now)))), {});
  made->sources = module->sources;
  made->facts = module->facts;
  return ir::Module(made);
}

}  // namespace rx::transform
