// AnnotateEntryFunc: marks the only function that a caller can mean.
#include "core/ir/all_nodes.h"
#include "core/lower/pass_functions.h"

namespace rx::lower {

namespace {
constexpr std::string_view kEntry = "tirx.is_entry_func";

ir::Module marked(const ir::Module& module, size_t index) {
  if (!isa<tir::PrimFunc>(module->functions[index])) return module;
  const ir::Attrs& attrs = module->functions[index]->attrs;
  if (ir::boolAttrOf(attrs, kEntry, false)) return module;
  return module->withFunction(module->vars[index],
                              ir::withFunctionAttr(module->functions[index], Str(kEntry), ir::boolAttr(true)));
}
}  // namespace

Result<ir::Module> annotateEntryFunc(const ir::Module& module, const ir::Attrs&, pass::PassContext&) {
  if (module->size() == 1) return marked(module, 0);
  // Of several functions only the one that can be called from outside, if that is one kernel and nothing else is.
  size_t exposed = 0, index = 0;
  for (size_t i = 0; i < module->size(); ++i) {
    if (!ir::attrOf(module->functions[i]->attrs, "global_symbol")) continue;
    ++exposed;
    index = i;
  }
  return exposed == 1 ? marked(module, index) : module;
}

}  // namespace rx::lower
