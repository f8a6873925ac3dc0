// Communication between workers, and distributed tensors.
#include "core/op/families.h"
#include "core/op/rules.h"

namespace rx::op {

namespace {

using relax::DTensorStructInfo;

Inferred inferTensor(const Call& call, InferContext&) {
  if (call.args.empty() || !isa<DTensorStructInfo>(infoAt(call, 0))) RX_CHECK(tensorAt(call, 0));
  return infoAt(call, 0);
}

Inferred inferAllGather(const Call& call, InferContext& context) {
  RX_TRY(data, tensorAt(call, 0));
  const auto* shape = as<ShapeExpr>(data->shape);
  if (!shape) return infoAt(call, 0);
  if (shape->values.empty()) return refuse(call, "a tensor without dimensions can not be gathered");
  Dims dims = shape->values.vector();
  dims[0] = simplify(arith::mul(dims[0], int64(intAttr(call, "num_workers"))), context);
  return tensor(std::move(dims), data->dtype, data->vdevice);
}

/// The dimensions with one divided among the workers.
Result<Dims> divided(const Call& call, std::span<const PrimExpr> from) {
  const int64_t workers = intAttr(call, "num_workers");
  RX_TRY(axis, normalAxis(call, intAttr(call, "axis"), static_cast<int64_t>(from.size())));
  if (workers <= 0) return refuse(call, fmt::format("num_workers must be positive, but is {}", workers));
  Dims dims(from.begin(), from.end());
  PrimExpr& dim = dims[static_cast<size_t>(axis)];
  if (const auto length = tir::asInt(dim); length && *length % workers != 0) {
    return refuse(call,
                  fmt::format("dimension {} of the input, {}, is not divisible by {} workers", axis, *length, workers));
  }
  dim = arith::truncDiv(dim, int64(workers));
  return dims;
}

Inferred inferScatter(const Call& call, InferContext&) {
  RX_TRY(data, tensorAt(call, 0));
  const Array<PrimExpr>* shape = valuesOf(*data);
  if (!shape) return refuse(call, "the shape of the tensor that is scattered must be known");
  RX_TRY(dims, divided(call, *shape));
  return tensor(std::move(dims), data->dtype, data->vdevice);
}

Inferred inferRedistribute(const Call& call, InferContext&) {
  if (call.args.empty()) return refuse(call, "argument 'input' is missing");
  const auto* data = as<DTensorStructInfo>(infoAt(call, 0));
  if (!data) {
    return refuse(call,
                  fmt::format("argument 'input' must be a distributed tensor, but is {}", sinfoText(infoAt(call, 0))));
  }
  auto mesh = refAs<ir::DeviceMesh>(attr(call, "device_mesh"));
  auto placement = refAs<ir::Placement>(attr(call, "placement"));
  if (!mesh || !placement) return refuse(call, "device_mesh and placement are needed");
  return make<DTensorStructInfo>(data->tensor, mesh, placement);
}

Inferred inferReplicaToShard(const Call& call, InferContext& context) {
  if (call.args.empty()) return refuse(call, "argument 'input' is missing");
  const auto* placed = as<DTensorStructInfo>(infoAt(call, 0));
  if (!placed) return inferScatter(call, context);
  const Array<PrimExpr>* dims = dimsOf(*placed->tensor);
  if (!dims) return refuse(call, "the shape of argument 'input' must be known");
  RX_CHECK(divided(call, *dims));
  if (placed->deviceMesh->shape.size() != 1) return refuse(call, "the device mesh must have 1 dimension");
  auto spec = make<ir::PlacementSpec>(intAttr(call, "axis"));
  auto placement = make<ir::Placement>(Array<Ref<ir::PlacementSpec>>{spec});
  return make<DTensorStructInfo>(placed->tensor, placed->deviceMesh, placement);
}

Inferred inferLocalView(const Call& call, InferContext&) {
  if (call.sinfoArgs.size() != 1) return refuse(call, "out_sinfo is needed");
  return call.sinfoArgs[0];
}

constexpr OpSpec kRows[] = {
    {"relax.ccl.allreduce", "x: expr, op_type: str = 'sum', in_group: bool = True", inferTensor,
     "Reduction over all workers."},
    {"relax.ccl.allgather", "x: expr, num_workers: int, in_group: bool = True", inferAllGather,
     "Tensors of all workers joined."},
    {"relax.ccl.broadcast_from_worker0", "x: expr", inferTensor, "The tensor of worker 0 on all workers."},
    {"relax.ccl.scatter_from_worker0", "x: expr, num_workers: int, axis: int = 0", inferScatter,
     "Parts of the tensor of worker 0, one for each worker."},
    {"relax.dist.annotate_sharding", "input: expr, device_mesh: attr, placement: attr", inferFirstArg,
     "How a tensor should be distributed."},
    {"relax.dist.redistribute", "input: expr, device_mesh: attr, placement: attr", inferRedistribute,
     "A distributed tensor in another placement."},
    {"relax.dist.call_tir_local_view", "gvar: expr, args: tuple, out_sinfo: sinfo, tir_vars: shape?", inferLocalView,
     "A call of a PrimFunc on the local parts.", nullptr, kCallsFunction},
    {"relax.dist.redistribute_replica_to_shard", "input: expr, num_workers: int, axis: int", inferReplicaToShard,
     "A replicated tensor as shards."},
};

}  // namespace

std::span<const OpSpec> distributedOps() { return kRows; }

}  // namespace rx::op
