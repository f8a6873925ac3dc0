// Layouts of operators that name theirs in attributes: convolutions, pooling, resizing.
#include "core/analysis/infer_layout_rules.h"

namespace rx::analysis {

namespace {

NodeRef text(const LayoutText& layout) { return ir::strAttr(Str(layout)); }

/// The layouts of data, weights and result: as wished, or as found.
struct ConvLayouts {
  LayoutText data, weight, out;
};
constexpr std::string_view kAttrs[] = {"data_layout", "kernel_layout", "out_layout"};

CallLayouts convolution(const LayoutQuery& query, const ConvLayouts& layouts, const ConvLayouts& names) {
  ir::Attrs attrs = query.call.attrs;
  const LayoutText* texts[] = {&names.data, &names.weight, &names.out};
  for (size_t i = 0; i < 3; ++i) attrs = ir::withAttr(attrs, Str(kAttrs[i]), text(*texts[i]));
  return {{layouts.data, layouts.weight}, layouts.out, attrs, {}};
}

/// Attributes that say of the operator what the layouts say of its tensors.
Result<CallLayouts> followed(const LayoutQuery& query, const ConvLayouts& layouts, const LayoutText& initial) {
  ConvLayouts names;
  const LayoutText* from[] = {&layouts.data, &layouts.weight, &layouts.out};
  LayoutText* to[] = {&names.data, &names.weight, &names.out};
  for (size_t i = 0; i < 3; ++i) {
    RX_TRY(moved, orRefuse(query, movedLike(op::strAttr(query.call, kAttrs[i]), initial, *from[i])));
    *to[i] = moved;
  }
  return convolution(query, layouts, names);
}

/// What a wish may ask for beside another order.
enum class Wish : uint8_t { Order, Packing, PackingByPrimal };

template <int64_t Rank, Wish Kind>
Result<CallLayouts> conv(const LayoutQuery& query) {
  const LayoutText initial = *initialLayout(Rank);
  const auto wished = query.desired.find(as<relax::Op>(query.call.op)->name.view());
  RX_TRY(data, layoutAt(query, 0));
  RX_TRY(weight, layoutAt(query, 1));
  if (wished == query.desired.end()) return followed(query, {data, weight, data}, initial);
  const std::vector<LayoutText>& names = wished->second;
  if (names.size() < 2) return noLayout(query, "data and weights need a layout each");
  const ConvLayouts wish{names[0], names[1], names.size() == 3 ? names[2] : names[0]};
  const ConvLayouts now{std::string(op::strAttr(query.call, kAttrs[0])),
                        std::string(op::strAttr(query.call, kAttrs[1])),
                        std::string(op::strAttr(query.call, kAttrs[2]))};
  auto fits = [](const LayoutText& wanted, const LayoutText& have) {
    return (Kind == Wish::PackingByPrimal ? primalCount(wanted) : partCount(wanted)) == partCount(have);
  };
  const bool packed = isPacked(wish.data) || isPacked(wish.weight) || isPacked(wish.out);
  if (Kind == Wish::Order && packed) return noLayout(query, "its dimensions can be reordered, not split");
  if (Kind == Wish::Order || (fits(wish.data, now.data) && fits(wish.weight, now.weight) && fits(wish.out, now.out))) {
    RX_TRY(dataTo, orRefuse(query, movedLike(initial, now.data, wish.data)));
    RX_TRY(weightTo, orRefuse(query, movedLike(initial, now.weight, wish.weight)));
    RX_TRY(outTo, orRefuse(query, movedLike(initial, now.out, wish.out)));
    return convolution(query, {dataTo, weightTo, outTo}, wish);
  }
  RX_TRY(dataShape, shapeAt(query, 0));
  RX_TRY(weightShape, shapeAt(query, 1));
  if (!fitsExactly(now.data, wish.data, dataShape) || !fitsExactly(now.weight, wish.weight, weightShape)) {
    return followed(query, {initial, initial, initial}, initial);
  }
  RX_TRY(dataTo, orRefuse(query, splitLike(initial, now.data, wish.data)));
  RX_TRY(weightTo, orRefuse(query, splitLike(initial, now.weight, wish.weight)));
  RX_TRY(outTo, orRefuse(query, splitLike(initial, now.out, wish.out)));
  return convolution(query, {dataTo, weightTo, outTo}, wish);
}

/// Pooling gives its result in the layout of its argument; one that can be split stays so where it fits.
template <int64_t Rank, bool Packs>
Result<CallLayouts> pool(const LayoutQuery& query) {
  RX_CHECK(needNoWish(query));
  const auto* result = as<relax::TensorStructInfo>(query.call.sinfo);
  if (!result || result->ndim != Rank) return noLayout(query, "the rank of its result is not known");
  const LayoutText initial = *initialLayout(Rank);
  RX_TRY(layout, layoutAt(query, 0));
  const std::string in(op::strAttr(query.call, "layout"));
  if (Packs && isPacked(layout)) {
    RX_TRY(split, orRefuse(query, splitLike(in, initial, layout)));
    RX_TRY(shape, shapeAt(query, 0));
    if (fitsExactly(in, split, shape)) {
      const ir::Attrs attrs = ir::withAttr(query.call.attrs, "layout", text(split));
      return CallLayouts{{layout}, layout, ir::withAttr(attrs, "out_layout", text(split)), {}};
    }
    layout = initial;
  }
  RX_TRY(inTo, orRefuse(query, movedLike(in, initial, layout)));
  RX_TRY(outTo, orRefuse(query, movedLike(op::strAttr(query.call, "out_layout"), initial, layout)));
  const ir::Attrs attrs = ir::withAttr(query.call.attrs, "layout", text(inTo));
  return CallLayouts{{layout}, layout, ir::withAttr(attrs, "out_layout", text(outTo)), {}};
}

template <int64_t Rank>
Result<CallLayouts> resize(const LayoutQuery& query) {
  const LayoutText initial = *initialLayout(Rank);
  const std::string now(op::strAttr(query.call, "layout"));
  const auto wished = query.desired.find(as<relax::Op>(query.call.op)->name.view());
  LayoutText layout, name;
  if (wished != query.desired.end()) {
    if (wished->second.empty() || isPacked(wished->second[0])) {
      return noLayout(query, "its dimensions can be reordered, not split");
    }
    name = wished->second[0];
    RX_TRY(moved, orRefuse(query, movedLike(initial, now, name)));
    layout = moved;
  } else {
    RX_TRY(given, unpackedAt(query, 0));
    RX_TRY(moved, orRefuse(query, movedLike(now, initial, given)));
    layout = given;
    name = moved;
  }
  return CallLayouts{{layout, NLayout()}, layout, ir::withAttr(query.call.attrs, "layout", text(name)), {}};
}

constexpr LayoutRow kRows[] = {
    {"relax.nn.conv1d", conv<3, Wish::Order>},
    {"relax.nn.conv2d", conv<4, Wish::Packing>},
    {"relax.nn.conv3d", conv<5, Wish::Order>},
    {"relax.nn.conv1d_transpose", conv<3, Wish::Order>},
    {"relax.nn.conv2d_transpose", conv<4, Wish::PackingByPrimal>},
    {"relax.nn.conv3d_transpose", conv<5, Wish::PackingByPrimal>},
    {"relax.nn.max_pool1d", pool<3, false>},
    {"relax.nn.max_pool2d", pool<4, true>},
    {"relax.nn.max_pool3d", pool<5, false>},
    {"relax.nn.avg_pool1d", pool<3, false>},
    {"relax.nn.avg_pool2d", pool<4, true>},
    {"relax.nn.avg_pool3d", pool<5, false>},
    {"relax.nn.adaptive_avg_pool1d", pool<3, false>},
    {"relax.nn.adaptive_avg_pool2d", pool<4, true>},
    {"relax.nn.adaptive_avg_pool3d", pool<5, false>},
    {"relax.image.resize2d", resize<4>},
    {"relax.image.resize3d", resize<5>},
};

}  // namespace

std::span<const LayoutRow> convLayoutRows() { return kRows; }

}  // namespace rx::analysis
