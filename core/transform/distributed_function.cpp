#include "core/transform/distributed_function.h"

namespace rx::transform {

Result<bool> isDistributed(const relax::Function& function) {
  bool distributed = false, plain = false;
  for (const relax::VarRef& param : function.params) {
    std::vector<relax::StructInfo> open{param->sinfo};
    while (!open.empty()) {
      const relax::StructInfo info = open.back();
      open.pop_back();
      distributed = distributed || isa<relax::DTensorStructInfo>(info);
      plain = plain || isa<relax::TensorStructInfo>(info);
      const auto* tuple = as<relax::TupleStructInfo>(info);
      if (tuple) open.insert(open.end(), tuple->items.begin(), tuple->items.end());
    }
  }
  if (!distributed || !plain) return distributed;
  return fail(errorAt(function.span, "pass.sharding", "the function takes distributed tensors and others"));
}

Result<int64_t> dividedAxis(const relax::DTensorStructInfo& info, Span span) {
  if (info.placement->dimSpecs.size() == 1) return info.placement->dimSpecs[0]->axis;
  return fail(errorAt(span, "pass.sharding", "this is done for device meshes of one dimension only"));
}

}  // namespace rx::transform
