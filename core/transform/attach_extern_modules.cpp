// AttachExternModules: TVM hangs modules of compiled code, which a frontend made, on the module. No text names such a
// module, so that only the form without any is known here.
#include "core/transform/pass_functions.h"

namespace rx::transform {

Result<ir::Module> attachExternModules(const ir::Module& module, const ir::Attrs& options_, pass::PassContext&) {
  const auto* named = as<ir::ArrayAttr>(ir::attrOf(options_, "extern_modules"));
  if (named && !named->items.empty())
    return fail("pass.not-available",
                "AttachExternModules: a text can not carry compiled code; functions of a library of yours are called "
                "where a run is given it as a plugin");
  const auto* present = as<ir::ArrayAttr>(ir::attrOf(module->attrs, "external_mods"));
  if (present) return module;
  auto* attached = new ir::IRModule(module->entries(),
                                    ir::withAttr(module->attrs, "external_mods", make<ir::ArrayAttr>(Array<NodeRef>())),
                                    module->globalInfos, {});
  attached->types = module->types;
  attached->sources = module->sources;
  attached->facts = module->facts;
  return ir::Module(attached);
}

}  // namespace rx::transform
