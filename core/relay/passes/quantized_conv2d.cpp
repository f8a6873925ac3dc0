// The canonical form of a quantized convolution: as quantized products, where sums over windows are average pools.
#include "core/relay/layout.h"
#include "core/relay/passes/legalize.h"
#include "core/relay/passes/quantized.h"

namespace rx::relay::legalize {

namespace {

constexpr DataType kInt32 = DataType::Int(32);

/// What the terms of one convolution are made of.
struct Window {
  const Legalized& call;
  std::string_view dataLayout, kernelLayout;
  int64_t inChannels, outChannels, high, wide, perChannel;  ///< kernels for each channel where it is depthwise
  bool depthwise;
  bool constantZeros;
  int64_t dataZero, kernelZero;  ///< -1 where they are not constant
  Expr kernelZeros;

  size_t channelAxis() const { return dataLayout.find('C'); }
  int64_t windowSize() const { return high * wide; }
  Expr sumOver(const Expr& data, std::string_view layout, std::string_view letters, bool keep) const {
    std::vector<int64_t> axes;
    for (size_t i = 0; i < layout.size(); ++i) {
      if (letters.find(layout[i]) != std::string_view::npos) axes.push_back(static_cast<int64_t>(i));
    }
    return callOp("sum", {cast(data, kInt32)}, {{"axis", ir::intArrayAttr(axes)}, {"keepdims", ir::boolAttr(keep)}});
  }
  Expr repeated(const Expr& data, int64_t times, size_t axis) const {
    return callOp("repeat", {data},
                  {{"repeats", ir::intAttr(times)}, {"axis", ir::intAttr(static_cast<int64_t>(axis))}});
  }
};

Expr padded(const Window& w) {
  const auto padding = intsAttrOf(w.call.now, "padding");
  const bool none = std::all_of(padding->begin(), padding->end(), [](int64_t width) { return width == 0; });
  if (none) return w.call.arg(0);
  std::vector<NodeRef> widths;
  for (char axis : w.dataLayout) {
    int64_t pair[] = {0, 0};
    if (axis == 'H') pair[0] = (*padding)[0], pair[1] = (*padding)[2];
    if (axis == 'W') pair[0] = (*padding)[1], pair[1] = (*padding)[3];
    widths.push_back(ir::intArrayAttr(pair));
  }
  return callOp("nn.pad", {w.call.arg(0), w.call.arg(2)}, {{"pad_width", ir::arrayAttr(std::move(widths))}});
}

Expr convolution(const Window& w, const Expr& data, const Expr& kernel, bool pads) {
  const int64_t none[] = {0, 0, 0, 0};
  return callOp("nn.conv2d", {data, kernel},
                pads ? w.call.now.attrs : attrsWith(w.call.now, {{"padding", ir::intArrayAttr(none)}}));
}

/// Sums over the windows that the kernel sees: averages of what was multiplied by their size.
Expr windowSums(const Window& w, const Expr& data) {
  const auto strides = intsAttrOf(w.call.now, "strides");
  const bool steps = std::any_of(strides->begin(), strides->end(), [](int64_t step) { return step != 1; });
  if (w.windowSize() == 1 && !steps) return data;
  const Expr scaled = w.windowSize() == 1 ? data : callOp("multiply", {data, int32(w.windowSize())});
  return callOp("nn.avg_pool2d", {scaled},
                {{"pool_size", attrOf(w.call.now, "kernel_size")},
                 {"strides", attrOf(w.call.now, "strides")},
                 {"dilation", attrOf(w.call.now, "dilation")},
                 {"layout", ir::strAttr(Str(w.dataLayout))}});
}

/// kernel zero point * sums of the data.
Expr dataTerm(const Window& w, const Expr& data) {
  if (w.depthwise) {
    Expr out = windowSums(w, cast(data, kInt32));
    if (!isInt32(w.kernelZeros, 1)) {
      const bool one = isScalarConstant(w.kernelZeros);
      out = callOp("multiply", {one ? w.kernelZeros : w.repeated(w.kernelZeros, w.perChannel, 0), out});
    }
    return w.perChannel == 1 ? out : w.repeated(out, w.perChannel, w.channelAxis());
  }
  Expr out = windowSums(w, w.sumOver(data, w.dataLayout, "C", true));
  if (isInt32(w.kernelZeros, 1)) return out;
  if (!isScalarConstant(w.kernelZeros)) out = w.repeated(out, w.outChannels, w.channelAxis());
  return callOp("multiply", {w.kernelZeros, out});
}

/// data zero point * sums of the kernel.
Expr kernelTerm(const Window& w) {
  const Expr sums = w.sumOver(w.call.arg(1), w.kernelLayout, w.depthwise ? "HW" : "HWI", false);
  std::vector<int64_t> shape(4, 1);
  shape[w.channelAxis()] = w.outChannels * (w.depthwise ? w.perChannel : 1);
  const Expr out = reshape(sums, std::move(shape));
  return isInt32(w.call.arg(2), 1) ? out : callOp("multiply", {w.call.arg(2), out});
}

Expr zeroTerm(const Window& w) {
  const int64_t count = w.windowSize() * (w.depthwise ? 1 : w.inChannels);
  if (w.constantZeros) return int32(static_cast<int32_t>(w.dataZero * w.kernelZero * count));
  return callOp("multiply", {int32(count), callOp("multiply", {w.call.arg(2), w.kernelZeros})});
}

/// The convolution of what the values stand for, in integers of 32 bits: where the four sums do not serve.
Expr direct(const Window& w) {
  auto shifted = [](const Expr& data, const Expr& zero) {
    const Expr wideZero = cast(zero, kInt32);
    return isInt32(zero, 0) ? cast(data, kInt32) : callOp("subtract", {cast(data, kInt32), wideZero});
  };
  const Expr data = shifted(w.call.arg(0), w.call.arg(2));
  return convolution(w, data, shifted(w.call.arg(1), w.kernelZeros), true);
}

std::optional<Window> windowOf(const Legalized& call) {
  const std::string_view dataLayout = textAttrOf(call.now, "data_layout");
  const std::string_view kernelLayout = textAttrOf(call.now, "kernel_layout");
  const auto layout = Layout::parse(kernelLayout);
  const auto data = extentsOf(call.before.args[0]), kernel = extentsOf(call.before.args[1]);
  const bool fits = (dataLayout == "NCHW" || dataLayout == "NHWC") && layout && layout->isOrderOf("OIHW") && data &&
                    data->size() == 4 && kernel && kernel->size() == 4 &&
                    !isa<ir::NullAttr>(attrOf(call.now, "kernel_size"));
  if (!fits) return std::nullopt;
  auto extent = [&](char axis) { return (*kernel)[*layout->find(axis)]; };
  const int64_t groups = intAttrOf(call.now, "groups", 1);
  Window w{.call = call,
           .dataLayout = dataLayout,
           .kernelLayout = kernelLayout,
           .inChannels = (*data)[dataLayout.find('C')],
           .outChannels = extent('O'),
           .high = extent('H'),
           .wide = extent('W'),
           .perChannel = extent('I'),
           .depthwise = groups != 1 && intAttrOf(call.now, "channels", -1) == groups,
           .constantZeros = isScalarConstant(call.arg(2)) && isScalarConstant(call.arg(3)),
           .dataZero = -1,
           .kernelZero = -1,
           .kernelZeros = call.arg(3)};
  if (w.constantZeros) {
    w.dataZero = constantData(call.arg(2))->intAt(0);
    w.kernelZero = constantData(call.arg(3))->intAt(0);
  }
  return w;
}

}  // namespace

Expr quantizedConv2D(const Legalized& call) {
  auto window = windowOf(call);
  const auto dilation = intsAttrOf(call.now, "dilation"), padding = intsAttrOf(call.now, "padding");
  if (!window || !dilation || !padding || padding->size() != 4 || !intsAttrOf(call.now, "strides")) return nullptr;
  Window& w = *window;
  const bool dense = std::all_of(dilation->begin(), dilation->end(), [](int64_t each) { return each == 1; });
  const bool serves = (w.kernelZero == 0 || dense) && (w.depthwise || intAttrOf(call.now, "groups", 1) == 1);
  if (!w.constantZeros) {
    const size_t axis = serves ? w.channelAxis() : w.kernelLayout.find('O');
    w.kernelZeros = expandBias(reshape(w.kernelZeros, {-1}), 4, axis);
  }
  if (!serves) return direct(w);
  const Expr data = padded(w);
  const Expr products = convolution(w, data, call.arg(1), false);
  if (w.dataZero == 0 && w.kernelZero == 0) return products;
  if (w.dataZero == 0) return callOp("subtract", {products, dataTerm(w, data)});
  if (w.kernelZero == 0) return callOp("subtract", {products, kernelTerm(w)});
  return callOp("add",
                {callOp("subtract", {products, dataTerm(w, data)}), callOp("subtract", {zeroTerm(w), kernelTerm(w)})});
}

}  // namespace rx::relay::legalize
