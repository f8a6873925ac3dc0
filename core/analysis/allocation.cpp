#include "core/analysis/allocation.h"

namespace rx::analysis {

Allocation allocationOf(std::string_view op) {
  struct Row {
    std::string_view op;
    Allocation what;
  };
  static constexpr Row kRows[] = {
      {"relax.builtin.alloc_tensor", Allocation::Tensor},         {"relax.memory.alloc_storage", Allocation::Storage},
      {"relax.memory.alloc_tensor", Allocation::TensorInStorage}, {"relax.vm.alloc_storage", Allocation::Storage},
      {"relax.vm.alloc_tensor", Allocation::TensorInStorage},
  };
  for (const Row& row : kRows)
    if (row.op == op) return row.what;
  return Allocation::None;
}

Allocation allocationOf(const relax::Call& call) {
  const auto* op = as<relax::Op>(call.op);
  return op ? allocationOf(op->name.view()) : Allocation::None;
}

}  // namespace rx::analysis
