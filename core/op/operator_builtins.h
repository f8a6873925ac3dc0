// Operators that are calls of a function of the runtime with the arguments that they have: for LowerRuntimeBuiltin, and
// for who makes bytecode of what is left.
#pragma once

#include <string_view>

namespace rx::op {

struct OperatorBuiltin {
  std::string_view op;
  const char* builtin;
  bool machineFirst = false;
  bool unpackTuple = false;  ///< the second argument is a tuple of further arguments
};

constexpr OperatorBuiltin kOperatorBuiltins[] = {
    {"relax.vm.alloc_storage", "vm.builtin.alloc_storage", true},
    {"relax.vm.alloc_tensor", "vm.builtin.alloc_tensor"},
    {"relax.memory.alloc_tensor", "vm.builtin.alloc_tensor"},
    {"relax.memory.ensure_zero_offset", "vm.builtin.ensure_zero_offset"},
    {"relax.vm.call_tir_dyn", "vm.builtin.call_tir_dyn", false, true},
    {"relax.null_value", "vm.builtin.null_value"},
    {"relax.make_closure", "vm.builtin.make_closure", false, true},
    {"relax.invoke_closure", "vm.builtin.invoke_closure", true, true},
    {"relax.invoke_pure_closure", "vm.builtin.invoke_closure", true, true},
    {"relax.reshape", "vm.builtin.reshape"},
    {"relax.shape_of", "vm.builtin.shape_of"},
    {"relax.tensor_to_shape", "vm.builtin.tensor_to_shape"},
    {"relax.shape_to_tensor", "relax.run.shape_to_tensor"},
    {"relax.inspect.tensor_dtype_code", "rx.inspect.tensor_dtype_code"},
    {"relax.inspect.tensor_dtype_bits", "rx.inspect.tensor_dtype_bits"},
    {"relax.inspect.tensor_dtype_lanes", "rx.inspect.tensor_dtype_lanes"},
    {"relax.inspect.tensor_ndim", "rx.inspect.tensor_ndim"},
    {"relax.inspect.tensor_shape_i", "rx.inspect.tensor_shape_i"},
    {"relax.inspect.tensor_stride_i", "rx.inspect.tensor_stride_i"},
    {"relax.inspect.tensor_byte_offset", "rx.inspect.tensor_byte_offset"},
    {"relax.inspect.tensor_elem_offset", "rx.inspect.tensor_elem_offset"},
};

/// Null for every other operator.
constexpr const OperatorBuiltin* builtinOf(std::string_view op) {
  for (const OperatorBuiltin& row : kOperatorBuiltins)
    if (row.op == op) return &row;
  return nullptr;
}

}  // namespace rx::op
