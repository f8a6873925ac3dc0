// Normalize: nested values are bound before their use, and everything has StructInfo.
#include "core/build/mutator.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

Result<ir::Module> normalize(const ir::Module& module, const ir::Attrs&, pass::PassContext& pass) {
  return build::normalizeModule(module, pass.cancel);
}

}  // namespace rx::transform
