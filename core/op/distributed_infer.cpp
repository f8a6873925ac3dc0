#include "core/op/distributed_infer.h"

#include "core/ir/structural_equal.h"
#include "core/op/families.h"

namespace rx::op {

namespace {

using relax::DTensorStructInfo;

/// One call on distributed tensors, with plain tensors in the place of its arguments.
struct Plain {
  Ref<Call> call;
  std::vector<const DTensorStructInfo*> placed;  ///< by argument; null for what is no tensor
};

int64_t resultRank(const AxisCall& in) { return in.result ? in.result->ndim : kUnknownDim; }

int64_t alignRight(const AxisCall& in, size_t arg, int64_t axis, InferContext&) {
  const TensorStructInfo& info = *in.tensors[arg];
  const Array<PrimExpr>* dims = dimsOf(info);
  // A dimension of length 1 is broadcast: it says nothing of the result's.
  if (dims && in.tensors.size() > 1 && isConstInt((*dims)[static_cast<size_t>(axis)], 1)) return -1;
  return axis + resultRank(in) - info.ndim;
}

int64_t sameAxis(const AxisCall&, size_t, int64_t axis, InferContext&) { return axis; }

int64_t softmaxAxis(const AxisCall& in, size_t arg, int64_t axis, InferContext&) {
  int64_t gone = intAttr(in.call, "axis");
  if (gone < 0) gone += in.tensors[arg]->ndim;
  return axis == gone ? -1 : axis;
}

int64_t permutedAxis(const AxisCall& in, size_t arg, int64_t axis, InferContext&) {
  const int64_t rank = in.tensors[arg]->ndim;
  const auto axes = intsOrNone(in.call, "axes");
  if (!axes) return rank - 1 - axis;
  for (size_t i = 0; i < axes->size(); ++i) {
    if (((*axes)[i] + rank) % rank == axis) return static_cast<int64_t>(i);
  }
  return -1;
}

int64_t reducedAxis(const AxisCall& in, size_t arg, int64_t axis, InferContext&) {
  const int64_t rank = in.tensors[arg]->ndim;
  const auto axes = intsOrNone(in.call, "axis");
  const bool keep = boolAttr(in.call, "keepdims");
  int64_t before = 0;
  for (int64_t i = 0; i <= axis; ++i) {
    bool gone = !axes;
    for (size_t k = 0; axes && k < axes->size(); ++k) gone = gone || ((*axes)[k] + rank) % rank == i;
    if (i == axis) return gone ? -1 : keep ? axis : before;
    if (!gone) ++before;
  }
  return -1;
}

/// The axis of a factor that is summed over.
int64_t innerAxis(const AxisCall& in, size_t arg) {
  const int64_t rank = in.tensors[arg]->ndim;
  return arg == 0 ? rank - 1 : std::max<int64_t>(rank - 2, 0);
}

int64_t matmulAxis(const AxisCall& in, size_t arg, int64_t axis, InferContext&) {
  const int64_t rank = resultRank(in), own = in.tensors[arg]->ndim;
  if (axis == innerAxis(in, arg)) return -1;
  const bool otherIsVector = in.tensors[1 - arg]->ndim == 1;
  if (arg == 1 && axis == own - 1) return rank - 1;
  if (arg == 0 && axis == own - 2) return otherIsVector ? rank - 1 : rank - 2;
  return axis + rank - (own - (otherIsVector ? 1 : 0));
}

/// Dimensions are grouped where their products meet; the first of a group stays the first.
int64_t reshapedAxis(const AxisCall& in, size_t arg, int64_t axis, InferContext& context) {
  const Array<PrimExpr>* from = dimsOf(*in.tensors[arg]);
  const Array<PrimExpr>* to = in.result ? dimsOf(*in.result) : nullptr;
  if (!from || !to) return -1;
  size_t i = 0, j = 0;
  while (i < from->size() && j < to->size()) {
    const bool oneFrom = isConstInt((*from)[i], 1), oneTo = isConstInt((*to)[j], 1);
    // Dimensions of length 1 come and go.
    if (oneFrom != oneTo) {
      (oneFrom ? i : j) += 1;
      continue;
    }
    const size_t firstFrom = i, firstTo = j;
    PrimExpr a = (*from)[i++], b = (*to)[j++];
    while (matchValues(a, b, context) != Match::Equal) {
      const bool smaller = context.analyzer().canProve(arith::lt(a, b));
      if (smaller && i < from->size()) {
        a = simplify(arith::mul(a, (*from)[i++]), context);
      } else if (!smaller && j < to->size()) {
        b = simplify(arith::mul(b, (*to)[j++]), context);
      } else {
        return -1;
      }
    }
    if (static_cast<int64_t>(firstFrom) == axis) return static_cast<int64_t>(firstTo);
    if (static_cast<int64_t>(i) > axis) return -1;
  }
  return -1;
}

Result<Plain> plainCall(const Call& call) {
  Plain plain;
  std::vector<Expr> args;
  const DTensorStructInfo* first = nullptr;
  for (size_t i = 0; i < call.args.size(); ++i) {
    const auto* placed = as<DTensorStructInfo>(infoAt(call, i));
    plain.placed.push_back(placed);
    if (!placed) {
      if (isa<TensorStructInfo>(infoAt(call, i))) {
        return refuse(call,
                      fmt::format("argument '{}' must be a distributed tensor as the others are", argName(call, i)));
      }
      args.push_back(call.args[i]);
      continue;
    }
    if (first && !structuralEqual(first->deviceMesh, placed->deviceMesh)) {
      return refuse(call, "the operands are on different device meshes");
    }
    first = first ? first : placed;
    args.push_back(make<relax::Var>(Str(argName(call, i)), StructInfo(placed->tensor)));
  }
  plain.call = make<Call>(call.op, Array<Expr>(std::move(args)), call.attrs, call.sinfoArgs);
  return plain;
}

struct Row {
  std::string_view name;
  AxisMap map;
};
constexpr Row kRows[] = {
    {"relax.matmul", matmulAxis},
    {"relax.permute_dims", permutedAxis},
    {"relax.reshape", reshapedAxis},
    {"relax.dist.annotate_sharding", sameAxis},
    {"relax.builtin.stop_lift_params", sameAxis},
    {"relax.nn.softmax", softmaxAxis},
    {"relax.nn.log_softmax", softmaxAxis},
    {"relax.nn.relu", sameAxis},
    {"relax.nn.gelu", sameAxis},
    {"relax.nn.gelu_tanh", sameAxis},
    {"relax.nn.selu", sameAxis},
    {"relax.nn.silu", sameAxis},
    {"relax.max", reducedAxis},
    {"relax.mean", reducedAxis},
    {"relax.min", reducedAxis},
    {"relax.prod", reducedAxis},
    {"relax.std", reducedAxis},
    {"relax.sum", reducedAxis},
    {"relax.variance", reducedAxis},
};

bool inFamily(std::span<const OpSpec> family, std::string_view name) {
  for (const OpSpec& spec : family) {
    if (spec.name == name) return true;
  }
  return false;
}

}  // namespace

bool hasDistributedArg(const Call& call) {
  for (const Expr& arg : call.args) {
    if (isa<DTensorStructInfo>(arg->sinfo)) return true;
  }
  return false;
}

AxisMap axisMapOf(const OpRow& row) {
  for (const Row& entry : kRows) {
    if (entry.name == row.name()) return entry.map;
  }
  if (inFamily(unaryOps(), row.name())) return sameAxis;
  if (inFamily(binaryOps(), row.name())) return alignRight;
  return nullptr;
}

std::optional<std::pair<int64_t, int64_t>> contractedAxes(const AxisCall& in) {
  if (rowOf(in.call)->name() != "relax.matmul") return std::nullopt;
  return std::pair(in.tensors[0]->ndim - 1, innerAxis(in, 1));
}

Inferred inferDistributed(const Call& call, AxisMap map, InferContext& context) {
  RX_TRY(plain, plainCall(call));
  RX_TRY(result, rowOf(call)->spec.infer(*plain.call, context));
  auto tensor = refAs<TensorStructInfo>(result);
  if (!tensor) return refuse(call, "only a call that gives one tensor can be distributed");
  AxisCall in{*plain.call, {}, tensor.get()};
  const DTensorStructInfo* first = nullptr;
  for (const DTensorStructInfo* placed : plain.placed) {
    first = first ? first : placed;
    in.tensors.push_back(placed ? placed->tensor.get() : nullptr);
  }
  std::vector<Ref<ir::PlacementSpec>> specs;
  for (size_t m = 0; m < first->placement->dimSpecs.size(); ++m) {
    int64_t sharded = -1;
    for (size_t i = 0; i < plain.placed.size(); ++i) {
      const DTensorStructInfo* placed = plain.placed[i];
      if (!placed || m >= placed->placement->dimSpecs.size()) continue;
      const int64_t axis = placed->placement->dimSpecs[m]->axis;
      if (axis < 0 || axis >= placed->tensor->ndim) continue;
      const int64_t becomes = map(in, i, axis, context);
      if (becomes < 0) continue;
      if (sharded >= 0 && sharded != becomes) {
        return refuse(call, fmt::format("the operands are sharded along different axes, {} and {}", sharded, becomes));
      }
      sharded = becomes;
    }
    specs.push_back(make<ir::PlacementSpec>(sharded));
  }
  auto placement = make<ir::Placement>(Array<Ref<ir::PlacementSpec>>(std::move(specs)));
  return make<DTensorStructInfo>(tensor, first->deviceMesh, placement);
}

}  // namespace rx::op
