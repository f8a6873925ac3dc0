// Operators with windows: convolutions, pooling.
#include <algorithm>
#include <array>

#include "core/legalize/families.h"

namespace rx::legalize {

using namespace te;

namespace {

/// Where each letter of a layout stands; nothing for packed layouts (lower-case letters).
std::optional<size_t> axisOf(std::string_view layout, char letter) {
  size_t at = layout.find(letter);
  return at == std::string_view::npos ? std::nullopt : std::optional(at);
}

/// Windows over the spatial dimensions, as attributes give them.
struct Window {
  std::vector<int64_t> strides, dilation, padding;  ///< padding: all before, then all after
  static std::optional<Window> read(const Lowering& l, size_t spatial) {
    auto list = [&](std::string_view key, int64_t fallback, size_t count) -> std::optional<std::vector<int64_t>> {
      auto given = l.ints(key);
      if (!given) return std::vector<int64_t>(count, fallback);
      if (given->size() == 1) return std::vector<int64_t>(count, given->front());
      if (2 * given->size() == count) given->insert(given->end(), given->begin(), given->end());
      return given->size() == count ? given : std::nullopt;
    };
    auto strides = list("strides", 1, spatial), dilation = list("dilation", 1, spatial);
    auto padding = list("padding", 0, 2 * spatial);
    if (!strides || !dilation || !padding) return std::nullopt;
    return Window{*strides, *dilation, *padding};
  }
};

struct ConvKind {
  std::string_view spatial;  ///< letters of the spatial dimensions: "HW"
  const char* function;
  std::array<const char*, 3> outNames, windowNames;
};

PrimExpr scaled(const PrimExpr& e, int64_t factor) { return arith::mul(e, i64(factor)); }

Outcome convolution(Lowering& l, const ConvKind& kind) {
  Tensor x = l.arg(0), w = l.arg(1);
  std::string data(l.strAttr("data_layout")), kernel(l.strAttr("kernel_layout")), out(l.strAttr("out_layout"));
  if (out.empty()) out = data;
  size_t spatial = kind.spatial.size();
  auto window = Window::read(l, spatial);
  int64_t groups = l.intAttr("groups", 1);
  if (data.size() != spatial + 2 || kernel.size() != spatial + 2 || out != data || !window || groups <= 0) {
    return refuse(l.call, "a convolution in this layout can not be lowered");
  }
  for (char letter : std::string("NC") + std::string(kind.spatial)) {
    if (!axisOf(data, letter)) return refuse(l.call, "the data layout lacks a dimension");
  }
  for (char letter : std::string("OI") + std::string(kind.spatial)) {
    if (!axisOf(kernel, letter)) return refuse(l.call, "the kernel layout lacks a dimension");
  }
  DataType type = l.dtypeAttr("out_dtype");
  if (type.isVoid()) type = l.resultType();
  if (type.isVoid()) type = x.dtype();
  Shape before(x.rank(), i64(0)), after(x.rank(), i64(0));
  Shape shape(x.rank());
  std::vector<PrimExpr> kernelSize;
  for (size_t s = 0; s < spatial; ++s) {
    size_t at = *axisOf(data, kind.spatial[s]);
    before[at] = i64(window->padding[s]);
    after[at] = i64(window->padding[spatial + s]);
    kernelSize.push_back(w.dim(*axisOf(kernel, kind.spatial[s])));
    PrimExpr reach = arith::add(scaled(arith::sub(kernelSize[s], i64(1)), window->dilation[s]), i64(1));
    PrimExpr room = arith::sub(arith::add(arith::add(x.dim(at), before[at]), after[at]), reach);
    shape[at] = l.analyzer.simplify(arith::add(arith::floorDiv(room, i64(window->strides[s])), i64(1)));
  }
  size_t n = *axisOf(data, 'N'), c = *axisOf(data, 'C'), o = *axisOf(kernel, 'O'), in = *axisOf(kernel, 'I');
  shape[n] = x.dim(n);
  shape[c] = w.dim(o);
  Tensor padded = padStage(l, x, before, after, arith::constantInt(x.dtype(), 0));
  PrimExpr perGroup = l.analyzer.simplify(arith::floorDiv(x.dim(c), i64(groups)));
  PrimExpr outPerGroup = l.analyzer.simplify(arith::floorDiv(w.dim(o), i64(groups)));
  IterRef rc = reduceAxis(perGroup, "rc");
  std::vector<IterRef> reduce, windows;
  for (size_t s = 0; s < spatial; ++s) windows.push_back(reduceAxis(kernelSize[s], kind.windowNames[s]));
  // Channels-last kernels run over the window first.
  bool channelsLast = c == x.rank() - 1;
  if (!channelsLast) reduce.push_back(rc);
  reduce.insert(reduce.end(), windows.begin(), windows.end());
  if (channelsLast) reduce.push_back(rc);
  std::vector<std::string> names(x.rank());
  names[n] = "nn";
  names[c] = "ff";
  for (size_t s = 0; s < spatial; ++s) names[*axisOf(data, kind.spatial[s])] = kind.outNames[s];
  auto body = [&](const Indices& i) {
    Indices from(x.rank()), weight(w.rank());
    from[n] = i[n];
    from[c] = groups == 1 ? varOf(rc) : arith::add(arith::mul(arith::floorDiv(i[c], outPerGroup), perGroup), varOf(rc));
    weight[o] = i[c];
    weight[in] = varOf(rc);
    for (size_t s = 0; s < spatial; ++s) {
      size_t at = *axisOf(data, kind.spatial[s]);
      from[at] = arith::add(scaled(i[at], window->strides[s]), scaled(varOf(windows[s]), window->dilation[s]));
      weight[*axisOf(kernel, kind.spatial[s])] = varOf(windows[s]);
    }
    return sum(arith::mul(arith::cast(type, padded(from)), arith::cast(type, w(weight))), reduce);
  };
  std::string lower = data;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char ch) { return static_cast<char>(ch | 0x20); });
  std::string name = std::string(groups == 1 ? "" : "group_") + kind.function + "_" + lower;
  return l.finish(kind.function, l.graph.compute(shape, body, {name, names}));
}

Outcome conv1d(Lowering& l) { return convolution(l, {"W", "conv1d", {"yy"}, {"ry"}}); }
Outcome conv2d(Lowering& l) { return convolution(l, {"HW", "conv2d", {"yy", "xx"}, {"ry", "rx"}}); }
Outcome conv3d(Lowering& l) { return convolution(l, {"DHW", "conv3d", {"yy", "xx", "zz"}, {"ry", "rx", "rz"}}); }

struct PoolKind {
  std::string_view spatial;
  const char* function;
  bool max;
};

ir::Attrs scheduleRule(const char* rule) {
  return ir::withAttr(nullptr, "schedule_rule", ir::strAttr(std::string("meta_schedule.") + rule));
}

Outcome pool(Lowering& l, const PoolKind& kind) {
  Tensor x = l.arg(0);
  std::string layout(l.strAttr("layout"));
  size_t spatial = kind.spatial.size();
  auto window = Window::read(l, spatial);
  auto size = l.ints("pool_size");
  auto result = l.resultShape();
  if (!window || !size || size->size() != spatial || !result || layout.size() < x.rank()) {
    return refuse(l.call, "a pool of this form can not be lowered");
  }
  std::string out(l.strAttr("out_layout"));
  if (!out.empty() && out != layout) return refuse(l.call, "a pool that changes the layout can not be lowered");
  std::vector<size_t> axes;
  for (char letter : kind.spatial) {
    auto at = axisOf(layout, letter);
    if (!at || *at >= x.rank()) return refuse(l.call, "the layout lacks a dimension");
    axes.push_back(*at);
  }
  bool ceil = l.boolAttr("ceil_mode");
  Shape before(x.rank(), i64(0)), after(x.rank(), i64(0)), shape = x.dims();
  bool padded = false;
  for (size_t s = 0; s < spatial; ++s) {
    before[axes[s]] = i64(window->padding[s]);
    int64_t tail = window->padding[spatial + s] + (ceil ? window->strides[s] - 1 : 0);
    after[axes[s]] = i64(tail);
    padded |= window->padding[s] != 0 || tail != 0;
    shape[axes[s]] = (*result)[axes[s]];
  }
  PrimExpr fill = kind.max ? arith::minValue(x.dtype()) : arith::constantInt(x.dtype(), 0);
  Tensor source = padded ? padStage(l, x, before, after, fill, "pad_temp", {}) : x;
  std::vector<IterRef> windows;
  for (size_t s = 0; s < spatial; ++s) windows.push_back(reduceAxis(i64((*size)[s]), "rv" + std::to_string(s)));
  auto read = [&](const Indices& i) {
    Indices in = i;
    for (size_t s = 0; s < spatial; ++s) {
      in[axes[s]] = arith::add(scaled(i[axes[s]], window->strides[s]), scaled(varOf(windows[s]), window->dilation[s]));
    }
    return source(in);
  };
  if (kind.max) {
    auto body = [&](const Indices& i) { return maximum(read(i), windows); };
    return l.finish(kind.function, l.graph.compute(shape, body, {"pool_max", {}, scheduleRule("pool_max")}));
  }
  Tensor total = l.graph.compute(shape, [&](const Indices& i) { return sum(read(i), windows); }, {"pool_sum"});
  bool includePad = l.boolAttr("count_include_pad", true);
  auto average = [&](const Indices& i) {
    PrimExpr count = i64(1);
    for (size_t s = 0; s < spatial; ++s) {
      const PrimExpr& extent = x.dim(axes[s]);
      int64_t head = window->padding[s], dilation = window->dilation[s];
      PrimExpr start = arith::sub(scaled(i[axes[s]], window->strides[s]), i64(head));
      PrimExpr end = arith::add(start, i64(((*size)[s] - 1) * dilation));
      if (includePad) {
        end = arith::min(end, arith::sub(arith::add(extent, i64(window->padding[spatial + s])), i64(1)));
      } else {
        end = arith::min(end, arith::sub(extent, i64(1)));
        // Taps before the first element do not count.
        PrimExpr skipped = arith::truncDiv(arith::add(arith::neg(start), i64(dilation - 1)), i64(dilation));
        start = arith::add(start, scaled(arith::max(skipped, i64(0)), dilation));
      }
      count = arith::mul(count, arith::add(arith::truncDiv(arith::sub(end, start), i64(dilation)), i64(1)));
    }
    if (!includePad) count = arith::max(count, i64(1));
    return arith::div(total(i), arith::cast(x.dtype(), count));
  };
  return l.finish(kind.function, l.graph.compute(shape, average, {"pool_avg", {}, scheduleRule("pool_avg")}));
}

Outcome maxPool1d(Lowering& l) { return pool(l, {"W", "max_pool1d", true}); }
Outcome maxPool2d(Lowering& l) { return pool(l, {"HW", "max_pool2d", true}); }
Outcome maxPool3d(Lowering& l) { return pool(l, {"DHW", "max_pool3d", true}); }
Outcome avgPool1d(Lowering& l) { return pool(l, {"W", "avg_pool1d", false}); }
Outcome avgPool2d(Lowering& l) { return pool(l, {"HW", "avg_pool2d", false}); }
Outcome avgPool3d(Lowering& l) { return pool(l, {"DHW", "avg_pool3d", false}); }

Outcome adaptive(Lowering& l, std::string_view spatial, const char* function) {
  Tensor x = l.arg(0);
  std::string layout(l.strAttr("layout"));
  auto result = l.resultShape();
  if (!result || layout.size() < x.rank()) return refuse(l.call, "the result's shape is not known");
  std::vector<size_t> axes;
  for (char letter : spatial) {
    auto at = axisOf(layout, letter);
    if (!at || *at >= x.rank()) return refuse(l.call, "the layout lacks a dimension");
    axes.push_back(*at);
  }
  Shape shape = x.dims();
  for (size_t axis : axes) shape[axis] = (*result)[axis];
  auto start = [&](const PrimExpr& i, size_t axis) {
    return l.analyzer.simplify(arith::floorDiv(arith::mul(i, x.dim(axis)), shape[axis]));
  };
  auto length = [&](const PrimExpr& i, size_t axis) {
    const PrimExpr &in = x.dim(axis), &out = shape[axis];
    if (l.analyzer.canProveEqual(arith::floorMod(in, out), i64(0))) {
      return l.analyzer.simplify(arith::floorDiv(in, out));
    }
    // The end of a window is rounded up.
    PrimExpr next = arith::mul(arith::add(i, i64(1)), in);
    PrimExpr end = arith::add(arith::floorDiv(next, out),
                              arith::select(arith::eq(arith::floorMod(next, out), i64(0)), i64(0), i64(1)));
    return l.analyzer.simplify(arith::sub(end, start(i, axis)));
  };
  std::vector<PrimExpr> divisor;
  auto body = [&](const Indices& i) {
    Indices in = i;
    std::vector<IterRef> windows;
    for (size_t s = 0; s < axes.size(); ++s) {
      windows.push_back(reduceAxis(length(i[axes[s]], axes[s]), "rv" + std::to_string(s)));
      in[axes[s]] = arith::add(start(i[axes[s]], axes[s]), varOf(windows[s]));
    }
    return sum(x(in), windows);
  };
  Tensor total = l.graph.compute(shape, body, {"adaptive_pool_sum"});
  auto average = [&](const Indices& i) {
    PrimExpr count = arith::constantInt(x.dtype(), 1);
    for (size_t axis : axes) count = arith::mul(count, arith::cast(x.dtype(), length(i[axis], axis)));
    return arith::div(total(i), count);
  };
  return l.finish(function,
                  l.graph.compute(shape, average, {"adaptive_pool_avg", {}, scheduleRule("adaptive_pool_avg")}));
}
Outcome adaptive1d(Lowering& l) { return adaptive(l, "W", "adaptive_avg_pool1d"); }
Outcome adaptive2d(Lowering& l) { return adaptive(l, "HW", "adaptive_avg_pool2d"); }
Outcome adaptive3d(Lowering& l) { return adaptive(l, "DHW", "adaptive_avg_pool3d"); }

constexpr LegalizeRow kRows[] = {
    {"relax.nn.conv1d", conv1d},
    {"relax.nn.conv2d", conv2d},
    {"relax.nn.conv3d", conv3d},
    {"relax.nn.max_pool1d", maxPool1d},
    {"relax.nn.max_pool2d", maxPool2d},
    {"relax.nn.max_pool3d", maxPool3d},
    {"relax.nn.avg_pool1d", avgPool1d},
    {"relax.nn.avg_pool2d", avgPool2d},
    {"relax.nn.avg_pool3d", avgPool3d},
    {"relax.nn.adaptive_avg_pool1d", adaptive1d},
    {"relax.nn.adaptive_avg_pool2d", adaptive2d},
    {"relax.nn.adaptive_avg_pool3d", adaptive3d},
};

}  // namespace

std::span<const LegalizeRow> convRows() { return kRows; }

}  // namespace rx::legalize
