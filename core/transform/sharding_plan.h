// Where the tensors of a function lie: what is annotated of some, spread over all that lie alike.
#pragma once

#include "core/analysis/axis_graph.h"
#include "core/op/infer.h"

namespace rx::transform {

/// True for a call_tir.
bool callsKernel(const relax::Call& call);
/// The tensors of a StructInfo: itself, or the fields of a tuple; null for what is none.
std::vector<const relax::TensorStructInfo*> tensorsIn(const relax::StructInfo& info);
/// Joins the axes of what a kernel is called with and of what it gives. `result` has the StructInfo of the call.
void joinKernelAxes(analysis::AxisGraph& graph, const relax::Var& result, const relax::Call& call,
                    const tir::PrimFunc& kernel);
/// The StructInfo with every tensor distributed as the graph says of the axes of `tensor`. Fails with pass.sharding
/// where it does not say on which mesh.
Result<relax::StructInfo> distributed(const analysis::AxisGraph& graph, const relax::ExprNode& tensor,
                                      const relax::StructInfo& info);

/// Spreads the annotations of a function: two that contradict each other are pass.sharding.
Result<analysis::AxisGraph> planSharding(const relax::Function& function, const op::FunctionLookup& functions,
                                         const CancelToken& cancel);

}  // namespace rx::transform
