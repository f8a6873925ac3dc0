// Relations of convolutions.
#include <algorithm>

#include "core/relay/relations_shared.h"

namespace rx::relay::relation {

std::optional<Layout> layoutAttr(Relating& r, std::string_view name, std::string_view plain) {
  const auto layout = Layout::parse(r.text(name));
  if (layout && layout->isOrderOf(plain)) return layout;
  r.refuse(std::string(name) + " '" + std::string(r.text(name)) + "' is no order of " + std::string(plain));
  return std::nullopt;
}

std::optional<std::vector<Dim>> paddingOf(Relating& r, size_t count) {
  const Dims given = r.dimsAttr("padding");
  std::vector<Dim> out;
  for (size_t i = 0; i < count; ++i) {
    if (given.size() == 1) {
      out.push_back(mul(given[0], dim(2)));
    } else if (given.size() == count) {
      out.push_back(mul(given[i], dim(2)));
    } else if (given.size() == 2 * count) {
      out.push_back(add(given[i], given[i + count]));
    } else {
      r.refuse("padding has " + std::to_string(given.size()) + " values");
      return std::nullopt;
    }
  }
  return out;
}

bool isPositive(Relating& r, std::string_view name) {
  const Dims given = r.dimsAttr(name);
  const auto wrong = std::find_if(given.begin(), given.end(), [](const Dim& each) {
    const auto number = known(each);
    return number && *number < 1;
  });
  if (wrong == given.end()) return true;
  r.refuse(std::string(name) + " has to be 1 or more, not " + std::to_string(*known(*wrong)));
  return false;
}

namespace {

constexpr std::string_view kData[] = {"", "NCW", "NCHW", "NCDHW"};
constexpr std::string_view kKernel[] = {"", "OIW", "OIHW", "OIDHW"};

struct Parts {
  Layout data, kernel, out;
  Ref<TensorType> input;
  Ref<TensorType> weight;  ///< null where it is to be inferred
  Dims shape;              ///< of the input, in plain order
  Dims strides, dilation;
  std::vector<Dim> padding;
};

/// Nothing where the relation has to wait or is refused: then `stop` says which.
std::optional<Parts> partsOf(Relating& r, size_t spatial, Outcome& stop) {
  const auto input = r.tensor(0);
  if (!input) {
    stop = r.stop();
    return std::nullopt;
  }
  stop = Outcome::Refused;
  const auto data = layoutAttr(r, "data_layout", kData[spatial]);
  const bool grouped = r.intAttr("groups", 1) > 1 && r.text("kernel_layout").find('G') != std::string_view::npos;
  const auto kernel = data ? layoutAttr(r, "kernel_layout",
                                        grouped ? "G" + std::string(kKernel[spatial]) : std::string(kKernel[spatial]))
                           : std::nullopt;
  const auto out = !kernel                        ? std::nullopt
                   : r.text("out_layout").empty() ? data
                                                  : layoutAttr(r, "out_layout", kData[spatial]);
  if (!out) return std::nullopt;
  if (input->shape.size() != data->rank()) {
    r.refuse("the data has " + std::to_string(input->shape.size()) + " dimensions, its layout " +
             std::to_string(data->rank()));
    return std::nullopt;
  }
  auto padding = paddingOf(r, spatial);
  if (!padding || !isPositive(r, "strides") || !isPositive(r, "dilation") || !isPositive(r, "groups"))
    return std::nullopt;
  Parts parts{*data,
              *kernel,
              *out,
              input,
              nullptr,
              data->toPlain(input->shape, kData[spatial]),
              r.dimsAttr("strides"),
              r.dimsAttr("dilation"),
              std::move(*padding)};
  if (r.isKnown(1)) {
    parts.weight = r.tensor(1);
    if (!parts.weight) return std::nullopt;
  }
  if (parts.strides.size() == spatial && parts.dilation.size() == spatial) return parts;
  r.refuse("strides and dilation have to have " + std::to_string(spatial) + " values");
  return std::nullopt;
}

std::string kernelAxes(const Parts& parts, size_t spatial) {
  return (parts.kernel.has('G') ? "G" : "") + std::string(kKernel[spatial]);
}

/// Says what the kernel is, of its size and the number of channels.
bool assignKernel(Relating& r, const Parts& parts, size_t spatial, const Dims& kernel) {
  const Dim channels = r.dimAttr("channels"), groups = dim(r.intAttr("groups", 1));
  const std::string axes = kernelAxes(parts, spatial);
  Dims shape;
  bool depthwise = false;
  if (parts.weight && !isOne(groups)) {
    const Dims given = parts.kernel.toPlain(parts.weight->shape, axes);
    depthwise = same(groups, parts.shape[1]) && same(groups, given[0]);
  }
  if (parts.kernel.has('G')) {
    shape = {groups, floorDiv(channels, groups), floorDiv(parts.shape[1], groups)};
  } else if (depthwise) {
    shape = {parts.shape[1], floorDiv(channels, parts.shape[1])};
  } else {
    shape = {channels, floorDiv(parts.shape[1], groups)};
  }
  shape.insert(shape.end(), kernel.begin(), kernel.end());
  const DataType dtype = parts.weight ? parts.weight->dtype : parts.input->dtype;
  return r.assign(1, tensorType(parts.kernel.fromPlain(shape, axes), dtype));
}

Outcome giveResult(Relating& r, const Parts& parts, size_t spatial, const Dims& plain) {
  return r.result(parts.out.fromPlain(plain, kData[spatial]), r.dtypeAttr("out_dtype", parts.input->dtype));
}

}  // namespace

Outcome convolution(Relating& r, size_t spatial) {
  Outcome stop = Outcome::Wait;
  const auto parts = partsOf(r, spatial, stop);
  if (!parts) return stop;
  const bool stated = !r.isNone("kernel_size") && !r.isNone("channels");
  Dims kernel = r.dimsAttr("kernel_size");
  Dim channels;
  if (stated) {
    if (kernel.size() != spatial) return r.refuse("kernel_size has " + std::to_string(kernel.size()) + " values");
    channels = r.dimAttr("channels");
    if (r.intAttr("groups", 1) > 1 && !parts->weight) {
      return r.refuse("the shape of the weight has to be declared where there are groups");
    }
    if (!assignKernel(r, *parts, spatial, kernel)) return Outcome::Refused;
  } else {
    if (!parts->weight) return Outcome::Wait;
    if (parts->weight->shape.size() != parts->kernel.rank()) return r.refuse("the weight does not fit its layout");
    const bool grouped = parts->kernel.has('G');
    const Dims weight = parts->kernel.toPlain(parts->weight->shape, kernelAxes(*parts, spatial));
    const Dim perGroup = weight[grouped ? 2 : 1];
    kernel.assign(weight.end() - static_cast<ptrdiff_t>(spatial), weight.end());
    const Dim inputs = floorDiv(parts->shape[1], dim(r.intAttr("groups", 1)));
    const bool depthwise = same(dim(r.intAttr("groups", 1)), parts->shape[1]);
    if (!depthwise && differ(inputs, perGroup)) {
      return r.refuse("the data has " + std::to_string(*known(inputs)) + " channels for each group, the weight " +
                      std::to_string(*known(perGroup)));
    }
    channels = depthwise && !grouped && differ(inputs, weight[0]) ? mul(weight[0], weight[1]) : weight[0];
    if (grouped) channels = mul(weight[0], weight[1]);
  }
  Dims out{parts->shape[0], channels};
  for (size_t i = 0; i < spatial; ++i) {
    const Dim reach = add(mul(sub(kernel[i], dim(1)), parts->dilation[i]), dim(1));
    const Dim room = sub(add(parts->shape[i + 2], parts->padding[i]), reach);
    out.push_back(add(floorDiv(room, parts->strides[i]), dim(1)));
  }
  return giveResult(r, *parts, spatial, out);
}

/// The kernel's first axis is that of the input's channels, whatever its letter says.
Outcome transposedConvolution(Relating& r, size_t spatial) {
  Outcome stop = Outcome::Wait;
  const auto parts = partsOf(r, spatial, stop);
  if (!parts) return stop;
  // IOHW and OIHW are the same order of axes here: of the input's channels, then those of the result.
  std::string axes = "IO" + std::string(kKernel[spatial].substr(2));
  if (parts->kernel.has('G')) return r.refuse("kernel_layout has no axis of groups where convolutions are transposed");
  const Dim groups = dim(r.intAttr("groups", 1));
  Dims kernel = r.dimsAttr("kernel_size");
  Dim channels;
  if (!r.isNone("kernel_size") && !r.isNone("channels")) {
    if (kernel.size() != spatial) return r.refuse("kernel_size has " + std::to_string(kernel.size()) + " values");
    channels = r.dimAttr("channels");
    Dims shape{parts->shape[1], floorDiv(channels, groups)};
    shape.insert(shape.end(), kernel.begin(), kernel.end());
    const DataType dtype = parts->weight ? parts->weight->dtype : parts->input->dtype;
    if (!r.assign(1, tensorType(parts->kernel.fromPlain(shape, axes), dtype))) return Outcome::Refused;
  } else {
    if (!parts->weight) return Outcome::Wait;
    if (parts->weight->shape.size() != parts->kernel.rank()) return r.refuse("the weight does not fit its layout");
    const Dims weight = parts->kernel.toPlain(parts->weight->shape, axes);
    kernel.assign(weight.begin() + 2, weight.end());
    channels = mul(weight[1], groups);
  }
  const Dims extra = r.dimsAttr("output_padding");
  Dims out{parts->shape[0], channels};
  for (size_t i = 0; i < spatial; ++i) {
    const Dim reach = add(mul(sub(kernel[i], dim(1)), parts->dilation[i]), dim(1));
    const Dim spread = mul(parts->strides[i], sub(parts->shape[i + 2], dim(1)));
    Dim extent = sub(add(spread, reach), parts->padding[i]);
    if (i < extra.size()) extent = add(extent, extra[i]);
    out.push_back(extent);
  }
  return giveResult(r, *parts, spatial, out);
}

Outcome Conv1D(Relating& r) { return convolution(r, 1); }
Outcome Conv2D(Relating& r) { return convolution(r, 2); }
Outcome Conv3D(Relating& r) { return convolution(r, 3); }
Outcome Conv1DTranspose(Relating& r) { return transposedConvolution(r, 1); }
Outcome Conv2DTranspose(Relating& r) { return transposedConvolution(r, 2); }
Outcome Conv3DTranspose(Relating& r) { return transposedConvolution(r, 3); }

/// Of the gradient of a convolution's result and its data; the attributes say what the weight was.
Outcome Conv2DBackwardWeight(Relating& r) {
  const auto grad = r.tensor(0, 4);
  if (!grad) return r.stop();
  const auto data = r.tensor(1, 4);
  if (!data) return r.stop();
  const auto layout = layoutAttr(r, "data_layout", kData[2]), kernel = layoutAttr(r, "kernel_layout", kKernel[2]);
  if (!layout || !kernel || !isPositive(r, "groups")) return Outcome::Refused;
  const Dims size = r.dimsAttr("kernel_size");
  if (size.size() != 2 || r.isNone("channels")) return r.refuse("channels and kernel_size have to be given");
  const Dim inputs = floorDiv(layout->toPlain(data->shape, kData[2])[1], dim(r.intAttr("groups", 1)));
  const Dims weight{r.dimAttr("channels"), inputs, size[0], size[1]};
  return r.result(kernel->fromPlain(weight, kKernel[2]), r.dtypeAttr("out_dtype", grad->dtype));
}

}  // namespace rx::relay::relation
