// dynamic_strided_slice: a kernel finds the shape of the result, a match_cast names its dimensions, a second kernel
// reads the elements. And affine_grid, whose size is an argument.
#include "core/legalize/families.h"
#include "core/op/make_call.h"

namespace rx::legalize {

using namespace te;

namespace {

/// The extent of the dimension with this number.
PrimExpr extentAt(const Tensor& x, const PrimExpr& index) {
  PrimExpr out = i64(-1);
  for (size_t d = 0; d < x.rank(); ++d) {
    out = arith::select(arith::eq(index, i64(static_cast<int64_t>(d))), x.dim(d), out);
  }
  return out;
}

/// A bound of a slice as NumPy reads it: counted from the end where negative, then brought into [low, high].
PrimExpr clamped(const PrimExpr& bound, const PrimExpr& extent, const PrimExpr& low, const PrimExpr& high) {
  PrimExpr at = arith::select(arith::lt(bound, i64(0)), arith::add(bound, extent), bound);
  return arith::min(arith::max(at, low), high);
}

Outcome sliceShape(Lowering& l) {
  Tensor x = l.arg(0), begin = l.arg(1), end = l.arg(2), stride = l.arg(3);
  auto body = [&](const Indices& i) {
    PrimExpr extent = extentAt(x, i[0]), step = stride(i), from = begin(i), to = end(i);
    PrimExpr last = arith::sub(extent, i64(1));
    PrimExpr down = arith::sub(clamped(from, extent, i64(-1), last), clamped(to, extent, i64(-1), last));
    down = arith::sub(arith::sub(down, step), i64(1));
    PrimExpr up = arith::add(clamped(to, extent, i64(0), extent), step);
    up = arith::sub(arith::sub(up, clamped(from, extent, i64(0), extent)), i64(1));
    return arith::select(arith::lt(step, i64(0)), arith::floorDiv(down, make<tir::Mul>(step, i64(-1))),
                         arith::floorDiv(up, step));
  };
  Shape shape{i64(static_cast<int64_t>(x.rank()))};
  return l.finish("shape_func", l.graph.compute(shape, body, {"T_shape_func_strided_slice_dynamic", {"i"}}));
}

Outcome dynamicSlice(Lowering& l) {
  const auto* info = Lowering::tensorInfo(l.call.args[0]);
  for (const relax::Expr& arg : l.call.args) {
    const auto* tensor = Lowering::tensorInfo(arg);
    if (!tensor || !isa<relax::ShapeExpr>(tensor->shape)) return relax::Expr();
  }
  Lowering sizes(l.call, l.builder);
  RX_TRY(found, sliceShape(sizes));
  relax::Expr lengths = l.builder.emit(found);
  relax::Expr shape = l.builder.emit(op::makeCall("relax.tensor_to_shape", {lengths}));
  std::vector<PrimExpr> dims;
  for (int64_t d = 0; d < info->ndim; ++d) dims.push_back(make<tir::Var>(Str("s"), DataType::Int(64)));
  l.builder.emitMatchCast(shape, make<relax::ShapeStructInfo>(Array<PrimExpr>(dims)));

  Tensor x = l.arg(0), begin = l.arg(1);
  l.arg(2);  // the kernel takes the ends too
  Tensor stride = l.arg(3);
  auto body = [&](const Indices& i) {
    Indices in;
    for (size_t d = 0; d < x.rank(); ++d) {
      PrimExpr place = i64(static_cast<int64_t>(d));
      PrimExpr first = arith::min(begin({place}), arith::sub(x.dim(d), i64(1)));
      in.push_back(arith::add(first, arith::mul(i[d], stride({place}))));
    }
    return x(in);
  };
  return l.finish("dynamic_strided_slice", l.graph.compute(l.inside(dims), body, {"T_strided_slice_dynamic"}));
}

Outcome affineGrid(Lowering& l) {
  Tensor maps = l.arg(0);
  auto shape = l.resultShape();
  const size_t axes = shape && shape->size() > 2 ? shape->size() - 2 : 0;
  if ((axes != 2 && axes != 3) || maps.rank() != 3) return refuse(l.call, "a grid of this form can not be lowered");
  const bool corners = l.boolAttr("align_corners", true);
  auto real = [&](double value) { return tir::floatImm(value, maps.dtype()); };
  std::vector<PrimExpr> starts, steps;
  for (size_t axis = 0; axis < axes; ++axis) {
    auto extent = tir::asInt((*shape)[2 + axis]);
    if (!extent || *extent < (corners ? 2 : 1))
      return refuse(l.call, corners ? "the size of the grid has to be known and larger than 1"
                                    : "the size of the grid has to be known");
    // Places lie between -1 and 1: from corner to corner, a little less than 2 over the gaps, as TVM has it, so that
    // the last one is not outside; or in the middle of each cell.
    const auto size = static_cast<double>(*extent);
    starts.push_back(real(corners ? -1.0 : -1.0 + 1.0 / size));
    steps.push_back(real(corners ? (2.0 - 1e-7) / (size - 1) : 2.0 / size));
  }
  auto body = [&](const Indices& i) {
    // The columns of a map go from the axis that varies first to the one that varies last.
    PrimExpr sum;
    for (size_t column = 0; column < axes; ++column) {
      const size_t axis = axes - 1 - column;
      PrimExpr place = arith::add(starts[axis], arith::mul(arith::cast(maps.dtype(), i[2 + axis]), steps[axis]));
      PrimExpr part = arith::mul(maps({i[0], i[1], i64(static_cast<int64_t>(column))}), place);
      sum = sum ? arith::add(sum, part) : part;
    }
    return arith::add(sum, maps({i[0], i[1], i64(static_cast<int64_t>(axes))}));
  };
  std::vector<std::string> names{"n", "dim"};
  if (axes == 3) names.push_back("k");
  names.insert(names.end(), {"i", "j"});
  return l.finish("affine_grid", l.graph.compute(*shape, body, {"compute", names}));
}

constexpr LegalizeRow kRows[] = {
    {"relax.dynamic_strided_slice", dynamicSlice, true},
    {"relax.image.affine_grid", affineGrid},
};

}  // namespace

std::span<const LegalizeRow> dynamicRows() { return kRows; }

}  // namespace rx::legalize
