#include "core/transform/swapped_axes.h"

namespace rx::transform {

bool swapsLastTwo(const relax::Call& permute) {
  const auto* tensor = as<relax::TensorStructInfo>(permute.args[0]->sinfo);
  if (!tensor || tensor->ndim < 2) return false;
  const auto rank = static_cast<size_t>(tensor->ndim);
  const NodeRef attr = ir::attrOf(permute.attrs, "axes");
  const auto* axes = as<ir::ArrayAttr>(attr);
  if (!axes) return rank == 2;
  if (axes->items.size() != rank) return false;
  for (size_t i = 0; i < rank; ++i) {
    const size_t expected = i + 1 == rank ? i - 1 : i + 2 == rank ? i + 1 : i;
    const auto* axis = as<ir::IntAttr>(axes->items[i]);
    if (!axis || axis->value != static_cast<int64_t>(expected)) return false;
  }
  return true;
}

}  // namespace rx::transform
