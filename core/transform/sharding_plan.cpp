#include "core/transform/sharding_plan.h"

#include <fmt/format.h>

#include "core/analysis/buffer_axes.h"
#include "core/ir/reflect.h"
#include "core/ir/structural_equal.h"
#include "core/op/distributed_infer.h"
#include "core/op/op_table.h"
#include "core/transform/calls.h"

namespace rx::transform {

using analysis::Axis;
using analysis::AxisEdge;
using analysis::AxisGraph;
using analysis::AxisPlacement;
using relax::TensorStructInfo;

namespace {

bool hasAxes(const relax::Expr& expr) { return isa<relax::Var>(expr) || isa<relax::Constant>(expr); }

/// Arguments of a call; those of the kernel where it calls one.
Array<relax::Expr> argumentsOf(const relax::Call& call) {
  const auto* tuple = callsKernel(call) ? as<relax::Tuple>(call.args[1]) : nullptr;
  return tuple ? tuple->items : call.args;
}

class GraphMaker {
 public:
  explicit GraphMaker(const op::FunctionLookup& functions) : functions_(functions), context_(&functions) {}

  void visit(const relax::VarBinding& binding) {
    if (const auto* call = as<relax::Call>(binding.value)) return visitCall(*binding.var, *call);
    if (const auto* item = as<relax::TupleGetItem>(binding.value)) {
      if (hasAxes(item->tuple))
        joinAll({item->tuple.get(), 0, item->index}, {binding.var.get(), 0}, binding.var->sinfo);
    } else if (const auto* tuple = as<relax::Tuple>(binding.value)) {
      for (size_t i = 0; i < tuple->items.size(); ++i) {
        const relax::Expr& field = tuple->items[i];
        if (hasAxes(field)) joinAll({field.get(), 0}, {binding.var.get(), 0, static_cast<int64_t>(i)}, field->sinfo);
      }
    } else if (hasAxes(binding.value)) {
      const auto tensors = tensorsIn(binding.var->sinfo);
      for (size_t i = 0; i < tensors.size(); ++i) {
        const auto item = static_cast<int64_t>(i);
        joinAll({binding.value.get(), 0, item}, {binding.var.get(), 0, item}, relax::StructInfo(tensors[i]));
      }
    }
  }

  AxisGraph graph;

 private:
  /// Every axis of one with the same axis of the other, and where they lie.
  void joinAll(Axis from, Axis to, const relax::StructInfo& info) {
    const auto* tensor = as<TensorStructInfo>(info);
    for (int64_t dim = Axis::kMesh; dim < (tensor ? tensor->ndim : 0); ++dim) {
      from.dim = to.dim = dim;
      graph.join(from, to, AxisEdge::ToConsumer);
    }
  }

  void visitCall(const relax::Var& var, const relax::Call& call) {
    const auto* kernelVar = callsKernel(call) ? as<relax::GlobalVar>(call.args[0]) : nullptr;
    const ir::BaseFunc function = kernelVar ? functions_.functionOf(kernelVar) : nullptr;
    if (const auto* kernel = as<tir::PrimFunc>(function)) joinKernelAxes(graph, var, call, *kernel);
    const op::OpRow* row = op::rowOf(call);
    if (const op::AxisMap map = row ? op::axisMapOf(*row) : nullptr) joinOperator(var, call, map);
    if (callOf(relax::Expr(&call), "relax.dist.annotate_sharding")) addAnnotation(var, call);
    const size_t results = std::max<size_t>(tensorsIn(var.sinfo).size(), 1);
    for (const relax::Expr& arg : argumentsOf(call)) {
      if (!hasAxes(arg) || !isa<TensorStructInfo>(arg->sinfo)) continue;
      for (size_t i = 0; i < results; ++i) {
        graph.join({arg.get(), Axis::kMesh}, {&var, Axis::kMesh, static_cast<int64_t>(i)}, AxisEdge::ToConsumer);
      }
    }
  }

  void joinOperator(const relax::Var& var, const relax::Call& call, op::AxisMap map) {
    op::AxisCall in{call, {}, as<TensorStructInfo>(var.sinfo)};
    for (const relax::Expr& arg : call.args) in.tensors.push_back(as<TensorStructInfo>(arg->sinfo));
    if (!in.result || in.result->ndim < 0) return;
    for (size_t i = 0; i < in.tensors.size(); ++i) {
      for (int64_t axis = 0; hasAxes(call.args[i]) && in.tensors[i] && axis < in.tensors[i]->ndim; ++axis) {
        const int64_t becomes = map(in, i, axis, context_);
        if (becomes >= 0) graph.join({call.args[i].get(), axis}, {&var, becomes}, AxisEdge::ToConsumer);
      }
    }
    const auto pair = op::contractedAxes(in);
    if (!pair || !hasAxes(call.args[0]) || !hasAxes(call.args[1])) return;
    graph.join({call.args[0].get(), pair->first}, {call.args[1].get(), pair->second}, AxisEdge::Sibling);
  }

  void addAnnotation(const relax::Var& var, const relax::Call& call) {
    const auto mesh = refAs<ir::DeviceMesh>(ir::attrOf(call.attrs, "device_mesh"));
    const auto placement = refAs<ir::Placement>(ir::attrOf(call.attrs, "placement"));
    if (!mesh || !placement) return;
    for (size_t i = 0; i < placement->dimSpecs.size(); ++i) {
      const int64_t axis = placement->dimSpecs[i]->axis;
      if (axis >= 0) graph.addSource({&var, axis}, {mesh, static_cast<int64_t>(i)});
    }
    graph.addSource({&var, Axis::kMesh}, {mesh, Axis::kMesh});
  }

  const op::FunctionLookup& functions_;
  op::InferContext context_;
};

/// A tensor lies on one mesh, and no two of its axes are divided over the same dimension of it. An axis that has fewer
/// elements than there are devices is not divided.
Result<Unit> checkTensor(AxisGraph& graph, const relax::Var& var) {
  const auto* tensor = as<TensorStructInfo>(var.sinfo);
  if (!tensor) return Unit{};
  auto refuse = [&](std::string why) {
    return fail(errorAt(var.span, "pass.sharding", fmt::format("{} {}", var.name.view(), why)));
  };
  const auto* shape = as<relax::ShapeExpr>(tensor->shape);
  const AxisPlacement* at = graph.find({&var, Axis::kMesh});
  std::vector<int64_t> used;
  for (int64_t dim = 0; dim < tensor->ndim; ++dim) {
    const AxisPlacement* placement = graph.find({&var, dim});
    if (!placement) continue;
    if (at && at->mesh != placement->mesh && !structuralEqual(at->mesh, placement->mesh)) {
      return refuse("would lie on two device meshes");
    }
    at = placement;
    if (std::find(used.begin(), used.end(), placement->meshDim) != used.end()) {
      return refuse(fmt::format("would be divided twice over dimension {} of its device mesh", placement->meshDim));
    }
    used.push_back(placement->meshDim);
    const auto size = shape ? tir::asInt(shape->values[static_cast<size_t>(dim)]) : std::nullopt;
    if (size && *size < placement->mesh->shape[static_cast<size_t>(placement->meshDim)]) graph.cut({&var, dim});
  }
  return Unit{};
}

Result<Unit> checkConstant(const AxisGraph& graph, const relax::Constant& constant) {
  const auto* tensor = as<TensorStructInfo>(constant.sinfo);
  for (int64_t dim = 0; tensor && dim < tensor->ndim; ++dim) {
    if (!graph.find({&constant, dim})) continue;
    return fail(errorAt(constant.span, "pass.sharding", "a constant can not be divided: make a parameter of it"));
  }
  return Unit{};
}

}  // namespace

bool callsKernel(const relax::Call& call) {
  return call.args.size() >= 2 && isOp(relax::Expr(&call), "relax.call_tir");
}

std::vector<const TensorStructInfo*> tensorsIn(const relax::StructInfo& info) {
  if (const auto* tensor = as<TensorStructInfo>(info)) return {tensor};
  std::vector<const TensorStructInfo*> tensors;
  const auto* tuple = as<relax::TupleStructInfo>(info);
  for (size_t i = 0; tuple && i < tuple->items.size(); ++i) tensors.push_back(as<TensorStructInfo>(tuple->items[i]));
  return tensors;
}

void joinKernelAxes(AxisGraph& graph, const relax::Var& result, const relax::Call& call, const tir::PrimFunc& kernel) {
  const auto* args = as<relax::Tuple>(call.args[1]);
  const size_t outputs = std::max<size_t>(tensorsIn(result.sinfo).size(), 1);
  if (!args || args->items.size() + outputs > kernel.params.size()) return;
  const size_t firstOutput = kernel.params.size() - outputs;
  std::unordered_map<const tir::Buffer*, size_t> paramOf;
  for (size_t i = 0; i < kernel.buffers.size(); ++i) {
    if (kernel.buffers[i]) paramOf.emplace(kernel.buffers[i].get(), i);
  }
  const analysis::BufferAxes axes(kernel);
  auto axisOf = [&](size_t param, size_t dim) -> std::optional<Axis> {
    const auto axis = static_cast<int64_t>(dim);
    if (param >= firstOutput) return Axis{&result, axis, static_cast<int64_t>(param - firstOutput)};
    if (param >= args->items.size() || !hasAxes(args->items[param])) return std::nullopt;
    return Axis{args->items[param].get(), axis};
  };
  for (size_t param = 0; param < kernel.buffers.size(); ++param) {
    const tir::BufferRef& buffer = kernel.buffers[param];
    for (size_t dim = 0; buffer && dim < buffer->shape.size(); ++dim) {
      for (const analysis::BufferAxis& other : axes.together({buffer.get(), dim})) {
        const auto found = paramOf.find(other.buffer);
        // Each pair once, and nothing between two results.
        if (found == paramOf.end() || found->second <= param || param >= firstOutput) continue;
        const auto from = axisOf(param, dim), to = axisOf(found->second, other.dim);
        if (!from || !to) continue;
        graph.join(*from, *to, found->second >= firstOutput ? AxisEdge::ToConsumer : AxisEdge::Sibling);
      }
    }
  }
}

Result<relax::StructInfo> distributed(const AxisGraph& graph, const relax::ExprNode& tensor,
                                      const relax::StructInfo& info) {
  const std::vector<const TensorStructInfo*> tensors = tensorsIn(info);
  std::vector<relax::StructInfo> fields;
  const auto* tuple = as<relax::TupleStructInfo>(info);
  if (tuple) fields = tuple->items.vector();
  if (tensors.empty()) return info;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (!tensors[i]) continue;
    const auto item = static_cast<int64_t>(i);
    const AxisPlacement* at = graph.find({&tensor, Axis::kMesh, item});
    if (!at) {
      const auto* var = as<relax::Var>(&tensor);
      return fail(
          errorAt(tensor.span, "pass.sharding",
                  fmt::format("no annotation says on which devices {} lies", var ? var->name.view() : "a constant")));
    }
    std::vector<Ref<ir::PlacementSpec>> specs(at->mesh->shape.size());
    for (int64_t dim = 0; dim < tensors[i]->ndim; ++dim) {
      const AxisPlacement* divided = graph.find({&tensor, dim, item});
      if (divided) specs[static_cast<size_t>(divided->meshDim)] = make<ir::PlacementSpec>(dim);
    }
    for (Ref<ir::PlacementSpec>& spec : specs) spec = spec ? spec : make<ir::PlacementSpec>(-1);
    auto placement = make<ir::Placement>(Array<Ref<ir::PlacementSpec>>(std::move(specs)));
    auto placed = make<relax::DTensorStructInfo>(Ref<TensorStructInfo>(tensors[i]), at->mesh, placement);
    if (!tuple) return relax::StructInfo(placed);
    fields[i] = placed;
  }
  return relax::tupleSinfo(Array<relax::StructInfo>(std::move(fields)));
}

Result<AxisGraph> planSharding(const relax::Function& function, const op::FunctionLookup& functions,
                               const CancelToken& cancel) {
  GraphMaker maker(functions);
  std::vector<const relax::Var*> vars;
  std::vector<const relax::Constant*> constants;
  for (const relax::VarRef& param : function.params) vars.push_back(param.get());
  walkOnce(*function.body, Into::Parts, [&](const Node& node) {
    if (const auto* binding = as<relax::VarBinding>(&node)) {
      maker.visit(*binding);
      vars.push_back(binding->var.get());
    }
    if (const auto* constant = as<relax::Constant>(&node)) constants.push_back(constant);
    return true;
  });
  RX_CHECK(maker.graph.spread(cancel));
  for (const relax::Var* var : vars) RX_CHECK(checkTensor(maker.graph, *var));
  for (const relax::Constant* constant : constants) RX_CHECK(checkConstant(maker.graph, *constant));
  RX_CHECK(maker.graph.spread(cancel));
  return std::move(maker.graph);
}

}  // namespace rx::transform
