// Which parts of functions a CUDA graph can hold: allocations of known size, made once for all runs, and runs of
// kernels whose arguments lie where they lay in the run before.
#pragma once

#include "core/build/module_context.h"
#include "core/support/result.h"

namespace rx::transform {

/// Bindings that become a function of their own.
struct GraphRegion {
  std::vector<Ref<relax::VarBinding>> bindings;
  std::vector<relax::VarRef> inputs;   ///< what it reads of the function around it, in the order of reading
  std::vector<tir::VarRef> symbols;    ///< the same of symbols
  std::vector<relax::VarRef> outputs;  ///< what the function around it reads, in the order of reading

  /// The private function with its bindings that gives a tuple of its outputs; a shape of the symbols comes last.
  relax::FunctionRef function() const;
  /// What that function gives, in the symbols of the function around it.
  relax::StructInfo result() const;
};

struct GraphPlan {
  GraphRegion allocations;  ///< without outputs where nothing is allocated
  std::vector<GraphRegion> captures;
};

/// What of a function can be captured. Weights are the parameters behind the first num_input ones: they stay where they
/// are, and their symbols what they are, as do those that relax.rewrite_cuda_graph.capture_symbolic_vars names.
GraphPlan graphPlanOf(const relax::FunctionRef& function, const ir::IRModule& module);

/// One allocation for several functions, which never run at once: the largest of each serves the others, too.
struct MergedAllocations {
  GraphRegion region;
  std::unordered_map<const relax::Var*, size_t> index;  ///< of each function's storage in the result
};
Result<MergedAllocations> mergedAllocations(const std::vector<GraphPlan>& plans);

}  // namespace rx::transform
