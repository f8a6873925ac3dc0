#include "core/op/distributed_infer.h"

#include "core/ir/structural_equal.h"
#include "core/op/families.h"

namespace rx::op {

namespace {

using relax::DTensorStructInfo;

/// One call on distributed tensors, with plain tensors in the place of its arguments.
struct Plain {
  Ref<Call> call;
  StructInfo result;
  std::vector<const DTensorStructInfo*> placed;  ///< by argument; null for what is no tensor
};

/// Axis of the result that an axis of argument `arg` becomes, or -1.
using AxisMap = int64_t (*)(const Plain& plain, size_t arg, int64_t axis, InferContext& context);

const TensorStructInfo& plainArg(const Plain& plain, size_t arg) { return *plain.placed[arg]->tensor; }
int64_t resultRank(const Plain& plain) {
  const auto* info = as<TensorStructInfo>(plain.result);
  return info ? info->ndim : kUnknownDim;
}

int64_t alignRight(const Plain& plain, size_t arg, int64_t axis, InferContext&) {
  const TensorStructInfo& info = plainArg(plain, arg);
  const Array<PrimExpr>* dims = dimsOf(info);
  // A dimension of length 1 is broadcast: it says nothing of the result's.
  if (dims && plain.placed.size() > 1 && isConstInt((*dims)[static_cast<size_t>(axis)], 1)) return -1;
  return axis + resultRank(plain) - info.ndim;
}

int64_t sameAxis(const Plain&, size_t, int64_t axis, InferContext&) { return axis; }

int64_t softmaxAxis(const Plain& plain, size_t arg, int64_t axis, InferContext&) {
  int64_t gone = intAttr(*plain.call, "axis");
  if (gone < 0) gone += plainArg(plain, arg).ndim;
  return axis == gone ? -1 : axis;
}

int64_t permutedAxis(const Plain& plain, size_t arg, int64_t axis, InferContext&) {
  const int64_t rank = plainArg(plain, arg).ndim;
  const auto axes = intsOrNone(*plain.call, "axes");
  if (!axes) return rank - 1 - axis;
  for (size_t i = 0; i < axes->size(); ++i) {
    if (((*axes)[i] + rank) % rank == axis) return static_cast<int64_t>(i);
  }
  return -1;
}

int64_t reducedAxis(const Plain& plain, size_t arg, int64_t axis, InferContext&) {
  const int64_t rank = plainArg(plain, arg).ndim;
  const auto axes = intsOrNone(*plain.call, "axis");
  const bool keep = boolAttr(*plain.call, "keepdims");
  int64_t before = 0;
  for (int64_t i = 0; i <= axis; ++i) {
    bool gone = !axes;
    for (size_t k = 0; axes && k < axes->size(); ++k) gone = gone || ((*axes)[k] + rank) % rank == i;
    if (i == axis) return gone ? -1 : keep ? axis : before;
    if (!gone) ++before;
  }
  return -1;
}

int64_t matmulAxis(const Plain& plain, size_t arg, int64_t axis, InferContext&) {
  const int64_t rank = resultRank(plain), own = plainArg(plain, arg).ndim;
  const int64_t inner = arg == 0 ? own - 1 : std::max<int64_t>(own - 2, 0);
  if (axis == inner) return -1;
  const bool otherIsVector = plainArg(plain, 1 - arg).ndim == 1;
  if (arg == 1 && axis == own - 1) return rank - 1;
  if (arg == 0 && axis == own - 2) return otherIsVector ? rank - 1 : rank - 2;
  return axis + rank - (own - (otherIsVector ? 1 : 0));
}

/// Dimensions are grouped where their products meet; the first that is not 1 of a group stays the first.
int64_t reshapedAxis(const Plain& plain, size_t arg, int64_t axis, InferContext& context) {
  const Array<PrimExpr>* from = dimsOf(plainArg(plain, arg));
  const auto* out = as<TensorStructInfo>(plain.result);
  const Array<PrimExpr>* to = out ? dimsOf(*out) : nullptr;
  if (!from || !to) return -1;
  size_t i = 0, j = 0;
  while (i < from->size() && j < to->size()) {
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

template <AxisMap map>
Inferred inferPlaced(const Call& call, InferContext& context) {
  RX_TRY(plain, plainCall(call));
  RX_TRY(result, rowOf(call)->spec.infer(*plain.call, context));
  plain.result = result;
  auto tensor = refAs<TensorStructInfo>(result);
  if (!tensor) return refuse(call, "only a call that gives one tensor can be distributed");
  const DTensorStructInfo* first = nullptr;
  for (const DTensorStructInfo* placed : plain.placed) first = first ? first : placed;
  std::vector<Ref<ir::PlacementSpec>> specs;
  for (size_t m = 0; m < first->placement->dimSpecs.size(); ++m) {
    int64_t sharded = -1;
    for (size_t i = 0; i < plain.placed.size(); ++i) {
      const DTensorStructInfo* placed = plain.placed[i];
      if (!placed || m >= placed->placement->dimSpecs.size()) continue;
      const int64_t axis = placed->placement->dimSpecs[m]->axis;
      if (axis < 0 || axis >= placed->tensor->ndim) continue;
      const int64_t becomes = map(plain, i, axis, context);
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

struct Row {
  std::string_view name;
  InferRule rule;
};
constexpr Row kRows[] = {
    {"relax.matmul", inferPlaced<matmulAxis>},
    {"relax.permute_dims", inferPlaced<permutedAxis>},
    {"relax.reshape", inferPlaced<reshapedAxis>},
    {"relax.nn.softmax", inferPlaced<softmaxAxis>},
    {"relax.nn.log_softmax", inferPlaced<softmaxAxis>},
    {"relax.nn.relu", inferPlaced<sameAxis>},
    {"relax.nn.gelu", inferPlaced<sameAxis>},
    {"relax.nn.gelu_tanh", inferPlaced<sameAxis>},
    {"relax.nn.selu", inferPlaced<sameAxis>},
    {"relax.nn.silu", inferPlaced<sameAxis>},
    {"relax.max", inferPlaced<reducedAxis>},
    {"relax.mean", inferPlaced<reducedAxis>},
    {"relax.min", inferPlaced<reducedAxis>},
    {"relax.prod", inferPlaced<reducedAxis>},
    {"relax.std", inferPlaced<reducedAxis>},
    {"relax.sum", inferPlaced<reducedAxis>},
    {"relax.variance", inferPlaced<reducedAxis>},
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

InferRule distributedRule(const OpRow& row) {
  for (const Row& entry : kRows) {
    if (entry.name == row.name()) return entry.rule;
  }
  if (inFamily(unaryOps(), row.name())) return inferPlaced<sameAxis>;
  if (inFamily(binaryOps(), row.name())) return inferPlaced<alignRight>;
  return nullptr;
}

}  // namespace rx::op
