#include "core/ir/constant.h"

namespace rx::relax {

Ref<Constant> constantOf(Ref<HostTensor> tensor) {
  std::vector<tir::PrimExpr> dims;
  for (const int64_t dim : tensor->shape()) dims.push_back(tir::intImm(dim));
  const StructInfo info = tensorSinfo(dims, tensor->dtype());
  return make<Constant>(std::move(tensor), info);
}

}  // namespace rx::relax
