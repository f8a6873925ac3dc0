#include "core/relay/older_forms.h"

#include "core/relay/emit.h"

namespace rx::relay {

namespace {

void set(WrittenCall& call, const char* name, NodeRef value) {
  call.attrs = ir::withAttr(call.attrs, Str(name), std::move(value));
}
void setText(WrittenCall& call, const char* name, std::string_view value) { set(call, name, ir::strAttr(Str(value))); }

/// The value of an attribute that there is no more, which is gone then; null where it is not given.
NodeRef taken(WrittenCall& call, std::string_view name) {
  NodeRef value = ir::attrOf(call.attrs, name);
  if (value) call.attrs = ir::withoutAttr(call.attrs, name);
  return value;
}

void renamed(WrittenCall&) {}

void scatterAdd(WrittenCall& call) { setText(call, "reduction", "add"); }

/// Names of interpolations, in capitals at first.
std::string_view interpolation(std::string_view written) {
  if (written == "BILINEAR") return "bilinear";
  return written == "NEAREST_NEIGHBOR" ? "nearest_neighbor" : written;
}

/// Corners lay on corners or at multiples of the scale, before there were modes; the nearest pixel was the one before.
void resize(WrittenCall& call) {
  const NodeRef corners = taken(call, "align_corners");
  if (corners || (call.isOfOldText && !ir::attrOf(call.attrs, "coordinate_transformation_mode"))) {
    const auto* onCorners = as<ir::BoolAttr>(corners);
    setText(call, "coordinate_transformation_mode", onCorners && onCorners->value ? "align_corners" : "asymmetric");
  }
  // A copy: what names it goes with the attributes that it is in.
  const std::string method(interpolation(ir::strAttrOf(call.attrs, "method", "bilinear")));
  setText(call, "method", method == "bilinear" ? "linear" : method == "bicubic" ? "cubic" : method.c_str());
  const bool onCorners = ir::strAttrOf(call.attrs, "coordinate_transformation_mode", "") == "align_corners";
  if (method == "nearest_neighbor" && !onCorners) setText(call, "rounding_method", "floor");
}

/// One scale served both directions.
void upsampling(WrittenCall& call) {
  if (const NodeRef scale = taken(call, "scale")) {
    set(call, "scale_h", scale);
    set(call, "scale_w", scale);
  }
  const std::string_view method = ir::strAttrOf(call.attrs, "method", "");
  if (method != interpolation(method)) setText(call, "method", interpolation(method));
}

/// What is written around was an attribute.
void pad(WrittenCall& call) {
  const NodeRef given = taken(call, "pad_value");
  if (call.args.size() != 1) return;
  const auto* real = as<ir::FloatAttr>(given);
  const auto* whole = as<ir::IntAttr>(given);
  const double value = real ? real->value : whole ? static_cast<double>(whole->value) : 0;
  const auto* var = as<Var>(call.args[0]);
  const auto* type = as<TensorType>(var ? var->typeAnnotation : Type());
  const Expr constant = number(value, type ? type->dtype : DataType::Float(32));
  call.args.push_back(type ? constant : callOp("cast_like", {constant, call.args[0]}));
}

/// The second matrix was transposed before there was a choice.
void batchMatmul(WrittenCall& call) {
  if (call.isOfOldText && !ir::attrOf(call.attrs, "transpose_b")) set(call, "transpose_b", ir::boolAttr(true));
}

constexpr OlderForm kForms[] = {
    {"contrib.adaptive_avg_pool2d", "nn.adaptive_avg_pool2d", renamed},
    {"contrib.adaptive_max_pool2d", "nn.adaptive_max_pool2d", renamed},
    {"image.resize", "image.resize2d", resize},
    {"nn.batch_matmul", "nn.batch_matmul", batchMatmul},
    {"nn.pad", "nn.pad", pad},
    {"nn.upsampling", "nn.upsampling", upsampling},
    {"scatter", "scatter_elements", renamed},
    {"scatter_add", "scatter_elements", scatterAdd},
};

}  // namespace

const OlderForm* findOlderForm(std::string_view name) {
  for (const OlderForm& form : kForms)
    if (form.name == name) return &form;
  return nullptr;
}

}  // namespace rx::relay
