// Layouts of normalizations and activations along an axis.
#include "core/analysis/infer_layout_rules.h"

namespace rx::analysis {

namespace {

Result<CallLayouts> prelu(const LayoutQuery& query) {
  RX_CHECK(needNoWish(query));
  RX_TRY(layout, unpackedAt(query, 0));
  RX_TRY(alpha, layoutAt(query, 1));
  return CallLayouts{{layout, alpha}, layout, withAxis(query, query.call.attrs, "axis", layout), {}};
}

Result<CallLayouts> softmax(const LayoutQuery& query) {
  RX_CHECK(needNoWish(query));
  RX_TRY(layout, unpackedAt(query, 0));
  return CallLayouts{{layout}, layout, withAxis(query, query.call.attrs, "axis", layout), {}};
}

/// The data in a layout, the other `count - 1` tensors as they were at first.
Result<std::vector<NLayout>> firstIn(const LayoutQuery& query, const LayoutText& layout, size_t count) {
  std::vector<NLayout> inputs{layout};
  for (size_t i = 1; i < count; ++i) {
    RX_TRY(other, initialAt(query, i));
    inputs.emplace_back(other);
  }
  return inputs;
}

Result<CallLayouts> batchNorm(const LayoutQuery& query) {
  RX_CHECK(needNoWish(query));
  RX_TRY(layout, unpackedAt(query, 0));
  RX_TRY(inputs, firstIn(query, layout, 5));
  NLayout output(std::vector<NLayout>{inputs[0], inputs[3], inputs[4]});
  return CallLayouts{std::move(inputs), std::move(output), withAxis(query, query.call.attrs, "axis", layout), {}};
}

/// `Inputs` tensors, of which the first is normalized over "axes"; with a channel, which is an axis of its own.
template <size_t Inputs, bool Channel>
Result<CallLayouts> norm(const LayoutQuery& query) {
  RX_CHECK(needNoWish(query));
  RX_TRY(layout, layoutAt(query, 0));
  RX_TRY(inputs, firstIn(query, layout, Inputs));
  ir::Attrs attrs = withAxes(query, query.call.attrs, "axes", layout);
  if (Channel) attrs = withAxis(query, attrs, "channel_axis", layout);
  return CallLayouts{std::move(inputs), layout, attrs, {}};
}

constexpr LayoutRow kRows[] = {
    {"relax.nn.prelu", prelu},
    {"relax.nn.softmax", softmax},
    {"relax.nn.batch_norm", batchNorm},
    {"relax.nn.layer_norm", norm<3, false>},
    {"relax.nn.group_norm", norm<3, true>},
    {"relax.nn.instance_norm", norm<3, true>},
    {"relax.nn.rms_norm", norm<2, false>},
};

}  // namespace

std::span<const LayoutRow> nnLayoutRows() { return kRows; }

}  // namespace rx::analysis
