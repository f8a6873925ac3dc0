#include <array>
#include <cmath>
#include <limits>

#include "core/relay/emit.h"
#include "core/relay/passes/pass_functions.h"

namespace rx::relay {

namespace {

enum class Padded : uint8_t { Conv, QuantizedConv, MaxPool, AvgPool };
struct PaddedOp {
  std::string_view name;
  Padded kind;
};
constexpr std::array kPadded = {
    PaddedOp{"nn.conv1d", Padded::Conv},        PaddedOp{"nn.conv2d", Padded::Conv},
    PaddedOp{"nn.conv3d", Padded::Conv},        PaddedOp{"qnn.conv2d", Padded::QuantizedConv},
    PaddedOp{"nn.max_pool1d", Padded::MaxPool}, PaddedOp{"nn.max_pool2d", Padded::MaxPool},
    PaddedOp{"nn.max_pool3d", Padded::MaxPool}, PaddedOp{"nn.avg_pool1d", Padded::AvgPool},
    PaddedOp{"nn.avg_pool2d", Padded::AvgPool}, PaddedOp{"nn.avg_pool3d", Padded::AvgPool},
};

/// What nn.pad adds to the dimensions of the image: all before, then all after. Nothing where others are padded too.
std::optional<std::vector<int64_t>> imagePadding(const Call& pad, std::string_view layout) {
  const NodeRef widths = attrOf(pad, "pad_width");
  const auto* list = as<ir::ArrayAttr>(widths);
  if (!list || list->items.size() != layout.size()) return std::nullopt;
  std::vector<int64_t> before, after;
  for (size_t i = 0; i < layout.size(); ++i) {
    const auto pair = intsOf(list->items[i]);
    if (!pair || pair->size() != 2) return std::nullopt;
    if (std::string_view("DHW").find(layout[i]) == std::string_view::npos) {
      if ((*pair)[0] != 0 || (*pair)[1] != 0) return std::nullopt;
      continue;
    }
    before.push_back((*pair)[0]);
    after.push_back((*pair)[1]);
  }
  before.insert(before.end(), after.begin(), after.end());
  return before;
}

/// Whether the value that is padded with is the one that the operator itself would pad with.
bool padsLike(Padded kind, const Call& call, const Call& pad) {
  if (kind == Padded::QuantizedConv) return sameScalars(call.args[2], pad.args[1]);
  const Ref<HostTensor> value = constantData(pad.args[1]);
  if (!value || value->count() != 1 || textAttrOf(pad, "pad_mode") != "constant") return false;
  if (kind != Padded::MaxPool) return value->at(0) == 0;
  const DataType dtype = value->dtype();
  if (dtype == DataType::Float(32)) return value->at(0) == static_cast<double>(std::numeric_limits<float>::lowest());
  if (dtype == DataType::Float(64)) return value->at(0) == std::numeric_limits<double>::lowest();
  if (dtype == DataType::Float(16)) return value->at(0) == -65504.0;
  return dtype.isIntegral() && value->at(0) == (dtype.isInt() ? -std::ldexp(1.0, dtype.bits - 1) : 0.0);
}

/// The call with the padding of the nn.pad before it as its own; null where that is not the same.
Expr folded(Padded kind, const Call& call) {
  const auto* pad = isCallOf(call.args[0], "nn.pad") ? as<Call>(call.args[0]) : nullptr;
  const auto own = pad ? intsAttrOf(call, "padding") : std::nullopt;
  if (!own || !padsLike(kind, call, *pad)) return nullptr;
  const bool pools = kind == Padded::MaxPool || kind == Padded::AvgPool;
  auto padding = imagePadding(*pad, textAttrOf(call, pools ? "layout" : "data_layout"));
  if (!padding || padding->size() != own->size()) return nullptr;
  ir::Attrs attrs = call.attrs;
  if (kind == Padded::AvgPool && intAttrOf(call, "count_include_pad") == 0) {
    // The padding of nn.pad counts; padding of the call's own did not, and can not be told from it any more.
    if (std::any_of(own->begin(), own->end(), [](int64_t width) { return width != 0; })) return nullptr;
    attrs = ir::withAttr(attrs, "count_include_pad", ir::boolAttr(true));
  }
  for (size_t i = 0; i < own->size(); ++i) (*padding)[i] += (*own)[i];
  std::vector<Expr> args(call.args.begin(), call.args.end());
  args[0] = pad->args[0];
  return callAgain(call, std::move(args), ir::withAttr(attrs, "padding", ir::intArrayAttr(*padding)));
}

}  // namespace

Result<ir::Module> foldExplicitPadding(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  return onCalls(module, context, [](const Call&, const Ref<Call>& call, const OpRow& row) -> Expr {
    for (const PaddedOp& op : kPadded) {
      if (op.name == row.name) return folded(op.kind, *call);
    }
    return nullptr;
  });
}

}  // namespace rx::relay
