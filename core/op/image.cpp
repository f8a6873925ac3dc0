// Resizing and sampling of images.
#include "core/op/families.h"
#include "core/op/layout.h"

namespace rx::op {

namespace {

template <size_t N>
Result<Unit> makeResize(BoundCall& bound, InferContext&) {
  // One length is the length of every dimension.
  const auto* shape = as<ShapeExpr>(bound.get("size"));
  if (const auto* number = as<relax::PrimValue>(bound.get("size"))) {
    bound.set("size", make<ShapeExpr>(Array<PrimExpr>(Dims(N, number->value))));
  } else if (shape && shape->values.size() == 1) {
    bound.set("size", make<ShapeExpr>(Array<PrimExpr>(Dims(N, shape->values[0]))));
  }
  std::vector<NodeRef> region;
  const auto* given = as<ir::ArrayAttr>(bound.get("roi"));
  for (size_t i = 0; i < 2 * N; ++i) {
    NodeRef item = given && i < given->items.size() ? given->items[i] : NodeRef();
    if (const auto* real = as<ir::FloatAttr>(item)) {
      item = tir::floatImm(real->value);
    } else if (const auto* whole = as<ir::IntAttr>(item)) {
      item = tir::floatImm(static_cast<double>(whole->value));
    }
    region.push_back(item ? item : NodeRef(tir::floatImm(0)));
  }
  if (given && given->items.size() > 2 * N) region.assign(given->items.begin(), given->items.end());
  bound.set("roi", ir::arrayAttr(std::move(region)));
  return Unit{};
}

template <size_t N>
Inferred inferResize(const Call& call, InferContext&) {
  constexpr std::string_view kPlain = N == 2 ? "NCHW" : "NCDHW";
  RX_TRY(data, tensorAt(call, 0));
  RX_TRY(size, shapeAt(call, 1));
  if (size->ndim != static_cast<int64_t>(N)) {
    return refuse(call, fmt::format("argument 'size' must have {} dimensions, but has {}", N, size->ndim));
  }
  RX_TRY(layout, layoutAttr(call, "layout", kPlain));
  RX_TRY(dims, plainDims(call, 0, layout, kPlain));
  DataType type = typeAttr(call, "out_dtype");
  if (type.isVoid()) type = data->dtype;
  if (!dims || !isa<ShapeExpr>(call.args[1])) return tensorOfRank(layout.rank(), type, data->vdevice);
  for (size_t i = 0; i < N; ++i) (*dims)[2 + i] = size->values[i];
  return tensor(layout.fromPlain(kPlain, *dims), type, data->vdevice);
}

Inferred inferGridSample(const Call& call, InferContext&) {
  RX_TRY(data, tensorAt(call, 0));
  RX_TRY(grid, tensorAt(call, 1));
  const std::string_view name = strAttr(call, "layout");
  const std::string_view plain = name.size() == 5 ? "NCDHW" : "NCHW";
  RX_TRY(layout, layoutAttr(call, "layout", plain));
  RX_TRY(dims, plainDims(call, 0, layout, plain));
  RX_CHECK(needRank(call, 1, static_cast<int64_t>(plain.size())));
  const Array<PrimExpr>* at = dimsOf(*grid);
  if (!dims || !at) return tensorOfRank(layout.rank(), data->dtype, data->vdevice);
  for (size_t i = 2; i < plain.size(); ++i) (*dims)[i] = (*at)[i];
  return tensor(layout.fromPlain(plain, *dims), data->dtype, data->vdevice);
}

Inferred inferAffineGrid(const Call& call, InferContext& context) {
  RX_TRY(data, tensorAt(call, 0));
  RX_TRY(size, shapeAt(call, 1));
  RX_CHECK(needRank(call, 0, 3));
  const int64_t axes = size->ndim;  // of an image or a volume
  if (axes != 2 && axes != 3)
    return refuse(call, fmt::format("argument 'size' must have 2 or 3 dimensions, but has {}", axes));
  const Array<PrimExpr>* dims = dimsOf(*data);
  if (dims && (matchValues((*dims)[1], int64(axes), context) == Match::Different ||
               matchValues((*dims)[2], int64(axes + 1), context) == Match::Different)) {
    return refuse(call, fmt::format("argument 'data' must have shape (batch, {}, {}), but has {}", axes, axes + 1,
                                    shapeText(*dims)));
  }
  if (!dims || !isa<ShapeExpr>(call.args[1])) return tensorOfRank(axes + 2, data->dtype, data->vdevice);
  std::vector<PrimExpr> grid{(*dims)[0], int64(axes)};
  grid.insert(grid.end(), size->values.begin(), size->values.end());
  return tensor(std::move(grid), data->dtype, data->vdevice);
}

constexpr OpSpec kRows[] = {
    {"relax.image.resize2d",
     "data: expr, size: shape, roi: attr? = None, layout: str = 'NCHW', method: str = 'linear', "
     "coordinate_transformation_mode: str = 'half_pixel', rounding_method: str = 'round', cubic_alpha: float = -0.75, "
     "cubic_exclude: int = 0, extrapolation_value: float = 0.0, out_dtype: dtype = 'void'",
     inferResize<2>, "An image in another size.", makeResize<2>},
    {"relax.image.resize3d",
     "data: expr, size: shape, roi: attr? = None, layout: str = 'NCDHW', method: str = 'linear', "
     "coordinate_transformation_mode: str = 'half_pixel', rounding_method: str = '', cubic_alpha: float = -0.75, "
     "cubic_exclude: int = 0, extrapolation_value: float = 0.0, out_dtype: dtype = 'void'",
     inferResize<3>, "A volume in another size.", makeResize<3>},
    {"relax.image.grid_sample",
     "data: expr, grid: expr, method: str = 'bilinear', layout: str = 'NCHW', padding_mode: str = 'zeros', "
     "align_corners: bool = False",
     inferGridSample, "An image sampled at the points of a grid."},
    {"relax.image.affine_grid", "data: expr, size: shape, align_corners: bool = True", inferAffineGrid,
     "A sampling grid of affine maps."},
};

}  // namespace

std::span<const OpSpec> imageOps() { return kRows; }

}  // namespace rx::op
