// Relations of pooling, of changes of resolution and of padding.
#include <fmt/format.h>

#include <cmath>

#include "core/relay/relations_shared.h"

namespace rx::relay::relation {

namespace {

constexpr std::string_view kAxes[] = {"", "W", "HW", "DHW"};

/// The layout of an attribute, which has the spatial axes unsplit; nothing (and a finding) where it is none.
std::optional<Layout> spatialLayout(Relating& r, size_t spatial, size_t rank, const char* name = "layout") {
  const auto layout = Layout::parse(r.text(name));
  bool good = layout && layout->rank() == rank;
  for (char axis : kAxes[spatial]) good = good && layout->has(axis) && !layout->isSplit(axis);
  if (good) return layout;
  r.refuse("layout '" + std::string(r.text(name)) + "' does not fit a tensor of " + std::to_string(rank) +
           " dimensions");
  return std::nullopt;
}

/// A dimension times a real scale, rounded.
Dim scaled(const Dim& extent, double scale) {
  if (!extent) return nullptr;
  if (known(extent)) return dimOf(std::round(static_cast<double>(*known(extent)) * scale));
  return scale == std::floor(scale) ? mul(extent, dimOf(scale)) : nullptr;
}

double realAttr(Relating& r, std::string_view name) {
  const NodeRef value = r.attr(name);
  const auto* real = as<ir::FloatAttr>(value);
  return real ? real->value : static_cast<double>(r.intAttr(name, 1));
}

/// The spatial dimensions replaced, in the order of `kAxes`.
Outcome withSpatial(Relating& r, const TensorType& data, const Layout& layout, size_t spatial, const Dims& extents) {
  Dims shape = data.shape.vector();
  for (size_t i = 0; i < spatial; ++i) shape[*layout.find(kAxes[spatial][i])] = extents[i];
  return r.result(std::move(shape), r.dtypeAttr("out_dtype", data.dtype));
}

Outcome globalOrAdaptive(Relating& r, size_t spatial, bool adaptive) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  const auto layout = spatialLayout(r, spatial, data->shape.size());
  if (!layout) return Outcome::Refused;
  const Dims sizes = adaptive ? r.dimsAttr("output_size") : Dims(spatial, dim(1));
  Dims extents;
  for (size_t i = 0; i < spatial; ++i) {
    const Dim own = data->shape[*layout->find(kAxes[spatial][i])];
    extents.push_back(sizes.empty() ? own : sizes.size() == 1 ? sizes[0] : i < sizes.size() ? sizes[i] : own);
  }
  return withSpatial(r, *data, *layout, spatial, extents);
}

Outcome upsampling(Relating& r, size_t spatial, bool dynamic) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  const auto layout = spatialLayout(r, spatial, data->shape.size());
  if (!layout) return Outcome::Refused;
  static constexpr std::string_view kScales[] = {"", "scale_w", "scale_h", "scale_d"};
  Dims extents;
  for (size_t i = 0; i < spatial; ++i) {
    const Dim own = data->shape[*layout->find(kAxes[spatial][i])];
    extents.push_back(dynamic ? nullptr : scaled(own, realAttr(r, kScales[spatial - i])));
  }
  return withSpatial(r, *data, *layout, spatial, extents);
}

Outcome resize(Relating& r, size_t spatial, bool dynamic) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  const auto layout = spatialLayout(r, spatial, data->shape.size());
  if (!layout) return Outcome::Refused;
  const Dims sizes = dynamic ? Dims(spatial) : r.dimsAttr("size");
  if (sizes.size() != spatial) return r.refuse("size has to have " + std::to_string(spatial) + " values");
  return withSpatial(r, *data, *layout, spatial, sizes);
}

}  // namespace

Outcome pool(Relating& r, size_t spatial) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  const auto layout = spatialLayout(r, spatial, data->shape.size());
  const auto padding = layout ? paddingOf(r, spatial) : std::nullopt;
  if (!padding) return Outcome::Refused;
  const Dims size = r.dimsAttr("pool_size"), strides = r.dimsAttr("strides"), dilation = r.dimsAttr("dilation");
  if (size.size() != spatial || strides.size() != spatial || dilation.size() != spatial) {
    return r.refuse("pool_size, strides and dilation have to have " + std::to_string(spatial) + " values");
  }
  for (const char* name : {"pool_size", "strides", "dilation"})
    if (!isPositive(r, name)) return Outcome::Refused;
  Dims extents;
  for (size_t i = 0; i < spatial; ++i) {
    const Dim reach = add(mul(sub(size[i], dim(1)), dilation[i]), dim(1));
    Dim room = sub(add(data->shape[*layout->find(kAxes[spatial][i])], (*padding)[i]), reach);
    if (r.intAttr("ceil_mode")) room = add(room, sub(strides[i], dim(1)));
    extents.push_back(add(floorDiv(room, strides[i]), dim(1)));
  }
  return withSpatial(r, *data, *layout, spatial, extents);
}

Outcome Pool1D(Relating& r) { return pool(r, 1); }
Outcome Pool2D(Relating& r) { return pool(r, 2); }
Outcome Pool3D(Relating& r) { return pool(r, 3); }
Outcome GlobalPool2D(Relating& r) { return globalOrAdaptive(r, 2, false); }
Outcome AdaptivePool1D(Relating& r) { return globalOrAdaptive(r, 1, true); }
Outcome AdaptivePool2D(Relating& r) { return globalOrAdaptive(r, 2, true); }
Outcome AdaptivePool3D(Relating& r) { return globalOrAdaptive(r, 3, true); }
Outcome UpSampling(Relating& r) { return upsampling(r, 2, false); }
Outcome UpSampling3D(Relating& r) { return upsampling(r, 3, false); }
Outcome DynUpSampling(Relating& r) { return upsampling(r, 2, true); }
Outcome DynUpSampling3D(Relating& r) { return upsampling(r, 3, true); }
Outcome Resize1D(Relating& r) { return resize(r, 1, false); }
Outcome Resize2D(Relating& r) { return resize(r, 2, false); }
Outcome Resize3D(Relating& r) { return resize(r, 3, false); }
Outcome DynResize2D(Relating& r) { return resize(r, 2, true); }

/// The gradient of a pool is as what was pooled.
Outcome Pool2DGrad(Relating& r) {
  const auto data = r.tensor(1);
  return data ? r.result(data) : r.stop();
}

std::optional<std::vector<std::pair<int64_t, int64_t>>> pairsOf(const NodeRef& value) {
  const auto* list = as<ir::ArrayAttr>(value);
  std::vector<std::pair<int64_t, int64_t>> out;
  for (size_t i = 0; list && i < list->items.size(); ++i) {
    const auto* pair = as<ir::ArrayAttr>(list->items[i]);
    if (!pair || pair->items.size() != 2) return std::nullopt;
    const auto before = wholeOf(pair->items[0]), after = wholeOf(pair->items[1]);
    if (!before || !after) return std::nullopt;
    out.emplace_back(*before, *after);
  }
  return list ? std::optional(out) : std::nullopt;
}

Outcome Pad(Relating& r) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  const auto widths = pairsOf(r.attr("pad_width"));
  if (!widths || widths->size() != data->shape.size()) return r.refuse("pad_width has to be a pair for each dimension");
  Dims shape;
  for (size_t i = 0; i < widths->size(); ++i) {
    shape.push_back(add(data->shape[i], add(dim((*widths)[i].first), dim((*widths)[i].second))));
    if (known(shape.back()).value_or(0) < 0) return r.refuse("a dimension becomes negative");
  }
  return r.result(std::move(shape), data->dtype);
}

Outcome MirrorPad(Relating& r) { return Pad(r); }

namespace {

/// Both directions: blocks of the spatial dimensions become more batches, and back, with `margins` put on or cut off.
Outcome blocksAndBatches(Relating& r, const char* margins, bool toBatches) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  const std::vector<int64_t> block = r.intsAttr("block_shape");
  const auto pairs = pairsOf(r.attr(margins));
  if (!pairs || pairs->size() != block.size() || block.size() >= data->shape.size()) {
    return r.refuse(fmt::format("block_shape and {} have to have a value for each spatial dimension", margins));
  }
  Dims shape = data->shape.vector();
  for (size_t i = 0; i < block.size(); ++i) {
    const tir::PrimExpr margin = add(dim((*pairs)[i].first), dim((*pairs)[i].second)), size = dim(block[i]);
    shape[0] = toBatches ? mul(shape[0], size) : floorDiv(shape[0], size);
    shape[i + 1] = toBatches ? floorDiv(add(shape[i + 1], margin), size) : sub(mul(shape[i + 1], size), margin);
  }
  return r.result(std::move(shape), data->dtype);
}

}  // namespace

Outcome SpaceToBatchND(Relating& r) { return blocksAndBatches(r, "paddings", true); }
Outcome BatchToSpaceND(Relating& r) { return blocksAndBatches(r, "crops", false); }

namespace {

/// Both directions: blocks of the spatial dimensions become more channels, and back.
Outcome blocksAndChannels(Relating& r, bool toChannels) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  const auto layout = layoutAttr(r, "layout", "NCHW");
  if (!layout) return Outcome::Refused;
  Dims shape = layout->toPlain(data->shape, "NCHW");
  const Dim block = dim(r.intAttr("block_size", 1)), area = mul(block, block);
  shape[1] = toChannels ? mul(shape[1], area) : floorDiv(shape[1], area);
  for (size_t i = 2; i < 4; ++i) shape[i] = toChannels ? floorDiv(shape[i], block) : mul(shape[i], block);
  return r.result(layout->fromPlain(shape, "NCHW"), data->dtype);
}

}  // namespace

Outcome DepthToSpace(Relating& r) { return blocksAndChannels(r, false); }
Outcome SpaceToDepth(Relating& r) { return blocksAndChannels(r, true); }

}  // namespace rx::relay::relation
