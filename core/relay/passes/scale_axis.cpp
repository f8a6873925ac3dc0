#include "core/relay/passes/scale_axis.h"

#include <array>

#include "core/relay/layout.h"

namespace rx::relay {

bool spreadsOver(const TensorType* large, const TensorType* small, const std::vector<size_t>& axes, Expr* value) {
  if (!large || !small || large->shape.size() < small->shape.size()) return false;
  if (small->shape.empty() && value && !axes.empty()) {
    const auto extent = known(large->shape[axes[0]]);
    if (!extent) return false;
    *value = callOp("expand_dims", {*value},
                    {{"axis", ir::intAttr(0)}, {"num_newaxis", ir::intAttr(static_cast<int64_t>(axes.size()))}});
    for (size_t i = 0; i < axes.size(); ++i) {
      *value = callOp("repeat", {*value},
                      {{"repeats", ir::intAttr(*extent)}, {"axis", ir::intAttr(static_cast<int64_t>(i))}});
    }
    return true;
  }
  const size_t base = large->shape.size() - small->shape.size();
  std::vector<int64_t> squeezed;
  size_t next = 0;
  for (size_t i = 0; i < large->shape.size(); ++i) {
    if (next < axes.size() && i == axes[next]) {
      if (i < base || !same(large->shape[i], small->shape[i - base])) return false;
      ++next;
    } else if (i >= base) {
      if (!isOne(small->shape[i - base])) return false;
      squeezed.push_back(static_cast<int64_t>(i - base));
    }
  }
  if (value && !squeezed.empty()) *value = callOp("squeeze", {*value}, {{"axis", ir::intArrayAttr(squeezed)}});
  return true;
}

bool isNeverNegative(Expr expr) {
  constexpr std::array<std::string_view, 5> kMoves = {"expand_dims", "reshape", "transpose", "squeeze", "repeat"};
  for (const OpRow* row = calledOperator(expr); row; row = calledOperator(expr)) {
    if (std::find(kMoves.begin(), kMoves.end(), row->name) == kMoves.end()) return false;
    expr = as<Call>(expr)->args[0];
  }
  const Ref<HostTensor> data = constantData(expr);
  if (!data) return false;
  for (int64_t i = 0; i < data->count(); ++i) {
    if (!(data->at(i) >= 0)) return false;
  }
  return true;
}

Expr alongAxes(const Expr& scale, const Array<Dim>& shape, const std::vector<size_t>& axes) {
  if (axes.size() == 1) return expandBias(scale, shape.size(), axes[0]);
  std::vector<int64_t> to(shape.size(), 1);
  for (size_t axis : axes) {
    const auto extent = known(shape[axis]);
    if (!extent) return nullptr;
    to[axis] = *extent;
  }
  return reshape(scale, std::move(to));
}

std::optional<ScaledConv> scaledConv(const Call& call) {
  const std::string_view out = textAttrOf(call, "out_layout");
  const auto data = Layout::parse(textAttrOf(call, "data_layout"));
  const auto kernel = Layout::parse(textAttrOf(call, "kernel_layout"));
  const auto result = out.empty() ? data : Layout::parse(out);
  const TensorType* weight = tensorOf(call.args[1]);
  if (!data || !kernel || !result || !weight || weight->shape.size() != kernel->rank()) return std::nullopt;
  const bool isSplit = kernel->has('o') && kernel->has('i');
  auto fits = [&](const Layout& layout) { return layout.has('C') && layout.has('c') == isSplit; };
  if (kernel->has('o') != kernel->has('i') || !fits(*data) || !fits(*result)) return std::nullopt;
  auto axesOf = [&](const Layout& layout, char axis) {
    std::vector<size_t> axes{layout.find(axis).value_or(0)};
    if (isSplit) axes.push_back(layout.find(static_cast<char>(axis - 'A' + 'a')).value_or(0));
    return axes;
  };
  const bool isFlat = isCallOf(Ref<Call>(&call), "nn.conv2d");
  const Dims plain =
      kernel->toPlain(std::vector<Dim>(weight->shape.begin(), weight->shape.end()), isFlat ? "OIHW" : "OIDHW");
  const int64_t groups = intAttrOf(call, "groups", 1);
  const bool depthwise = known(plain[0]) == groups && isOne(plain[1]);
  if (groups != 1 && !depthwise) return std::nullopt;
  return ScaledConv{axesOf(*data, 'C'), axesOf(*result, 'C'), axesOf(*kernel, depthwise ? 'O' : 'I'),
                    axesOf(*kernel, 'O'), depthwise};
}

}  // namespace rx::relay
