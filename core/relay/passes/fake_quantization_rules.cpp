#include <array>
#include <cmath>

#include "core/ir/structural_equal.h"
#include "core/relay/layout.h"
#include "core/relay/passes/fake_quantization.h"
#include "core/relay/passes/quantized.h"

namespace rx::relay {

namespace {

using Made = std::optional<Integers>;

/// As numpy's allclose: constants that are nearly the same, element by element; else the same expression.
bool nearlySame(const Expr& a, const Expr& b) {
  const Ref<HostTensor> x = constantData(a), y = constantData(b);
  if (!x || !y) return structuralEqual(a, b);
  const int64_t count = std::max(x->count(), y->count());
  if ((x->count() != 1 && x->count() != count) || (y->count() != 1 && y->count() != count)) return false;
  for (int64_t i = 0; i < count; ++i) {
    const double p = x->at(x->count() == 1 ? 0 : i), q = y->at(y->count() == 1 ? 0 : i);
    if (!(std::abs(p - q) <= 1e-8 + 1e-5 * std::abs(q))) return false;
  }
  return true;
}

bool nearlySame(const Affine& a, const Affine& b) {
  return nearlySame(a.scale, b.scale) && nearlySame(a.zero, b.zero) && a.dtype == b.dtype;
}

bool identical(const Affine& a, const Affine& b) {
  return structuralEqual(a.scale, b.scale) && structuralEqual(a.zero, b.zero) && a.dtype == b.dtype && a.axis == b.axis;
}

Expr requantize(const Expr& data, const Affine& from, const Affine& to, DataType dtype, int64_t axis) {
  return callOp("qnn.requantize", {data, from.scale, from.zero, to.scale, to.zero},
                {{"axis", ir::intAttr(axis)}, {"out_dtype", dtypeAttr(dtype)}});
}

Expr quantizeConstant(const Expr& data, const Affine& to, int64_t axis) {
  if (!isa<Constant>(data) || !tensorOf(data) || !tensorOf(data)->dtype.isFloat()) return nullptr;
  return callOp("qnn.quantize", {data, to.scale, to.zero},
                {{"out_dtype", dtypeAttr(to.dtype)}, {"axis", ir::intAttr(axis)}});
}

/// The product of two scales, and zeros like it.
Affine productOf(const Affine& a, const Affine& b, int64_t axis) {
  constexpr DataType kInt32 = DataType::Int(32);
  const Ref<HostTensor> x = constantData(a.scale), y = constantData(b.scale);
  if (!x || !y || (x->count() != 1 && y->count() != 1 && x->count() != y->count())) {
    const Expr scale = callOp("multiply", {a.scale, b.scale});
    return {scale, cast(callOp("zeros_like", {scale}), kInt32), kInt32, axis};
  }
  const HostTensor& wide = x->rank() >= y->rank() ? *x : *y;
  std::vector<double> scales;
  for (int64_t i = 0; i < wide.count(); ++i) {
    const auto p = static_cast<float>(x->at(x->count() == 1 ? 0 : i));
    scales.push_back(p * static_cast<float>(y->at(y->count() == 1 ? 0 : i)));
  }
  const auto made = HostTensor::fromDoubles(wide.shape(), x->dtype(), scales);
  const auto zeros = HostTensor::allocate(wide.shape(), kInt32);
  RX_ASSERT(made && zeros, "a product of {} scales", wide.count());
  return {constantOf(*made), constantOf(*zeros), kInt32, axis};
}

/// The elements of a vector (or one number for all of them) as a constant that lies along the axis of a tensor.
Expr along(const Affine& affine, size_t rank, int64_t count, DataType dtype,
           const std::function<double(double scale, double zero)>& value) {
  const Ref<HostTensor> scale = constantData(affine.scale), zero = constantData(affine.zero);
  std::vector<double> values;
  for (int64_t i = 0; i < count; ++i) {
    values.push_back(value(scale->at(scale->count() == 1 ? 0 : i), zero->at(zero->count() == 1 ? 0 : i)));
  }
  std::vector<int64_t> shape;
  if (scale->count() > 1) {
    shape.assign(rank, 1);
    shape[positiveAxis(affine.axis, rank)] = count;
  }
  const auto made = HostTensor::fromDoubles(std::move(shape), dtype, values);
  RX_ASSERT(made, "a constant of {} elements", count);
  return constantOf(*made);
}

bool hasConstants(const Affine& affine) {
  const Ref<HostTensor> scale = constantData(affine.scale), zero = constantData(affine.zero);
  return scale && zero && (zero->count() == 1 || zero->count() == scale->count());
}

Made dequantize(const FakeQuantized& q) {
  const TensorType* type = tensorOf(q.arg(0));
  if (!type) return std::nullopt;
  return Integers{q.arg(0), {{q.arg(1), q.arg(2), type->dtype, intAttrOf(*q.call, "axis", -1)}}};
}

Made quantize(const FakeQuantized& q) {
  const Affine* from = q.affine(0);
  const auto dtype = DataType::parse(textAttrOf(*q.call, "out_dtype"));
  if (!from || !dtype) return std::nullopt;
  const Affine to{q.arg(1), q.arg(2), *dtype, intAttrOf(*q.call, "axis", -1)};
  return Integers{nearlySame(*from, to) ? q.arg(0) : requantize(q.arg(0), *from, to, *dtype, from->axis), {to}};
}

Made identity(const FakeQuantized& q) {
  const Affine* affine = q.affine(0);
  return affine ? Made(Integers{q.call, {*affine}}) : std::nullopt;
}

Made topk(const FakeQuantized& q) { return textAttrOf(*q.call, "ret_type") == "values" ? identity(q) : std::nullopt; }

Made split(const FakeQuantized& q) {
  const Affine* affine = q.affine(0);
  const NodeRef sections = attrOf(*q.call, "indices_or_sections");
  const auto* list = as<ir::ArrayAttr>(sections);
  const size_t count = list ? list->items.size() + 1 : static_cast<size_t>(intAttrOf(*q.call, "indices_or_sections"));
  return affine ? Made(Integers{q.call, Affines(count, *affine)}) : std::nullopt;
}

/// Whether something else than this pool lies between it and the end of the region.
bool isFollowed(const FakeQuantized& q) {
  const Call* last = q.user;
  for (const Call* at = last ? as<Call>(last->args[0]) : nullptr; at; at = as<Call>(at->args[0])) {
    if (isCallOf(Ref<Call>(at), "nn.avg_pool2d") && structuralEqual(at->attrs, q.call->attrs)) return last != q.user;
    if (at->args.empty()) return false;
    last = at;
  }
  return false;
}

Made avgPool2D(const FakeQuantized& q) {
  const Affine* from = q.affine(0);
  if (!from || !q.result) return std::nullopt;
  const Affine to = isFollowed(q) ? *from : *q.result;
  return Integers{callOp("qnn.avg_pool2d", {q.arg(0), from->scale, from->zero, to.scale, to.zero}, q.call->attrs),
                  {to}};
}

/// A pool in 32 bits.
Made widePool(const FakeQuantized& q) {
  const Affine* from = q.affine(0);
  if (!from || !q.result) return std::nullopt;
  constexpr DataType kInt32 = DataType::Int(32);
  const Expr data = nearlySame(*from, *q.result) ? cast(q.arg(0), kInt32)
                                                 : requantize(q.arg(0), *from, *q.result, kInt32, from->axis);
  return Integers{callAgain(*q.call, {data}, q.call->attrs),
                  {{q.result->scale, q.result->zero, kInt32, q.result->axis}}};
}

Made biasAdd(const FakeQuantized& q) {
  const Affine *data = q.affine(0), *bias = q.affine(1);
  if (!data) return std::nullopt;
  Expr added = q.arg(1);
  if (!bias) {
    added = quantizeConstant(added, *data, 0);
  } else if (!nearlySame(*data, *bias)) {
    added = requantize(added, *bias, *data, data->dtype, 0);
  }
  return added ? Made(Integers{callAgain(*q.call, {q.arg(0), added}, q.call->attrs), {*data}}) : std::nullopt;
}

/// A product of integers; the scales of both sides multiply.
Made product(const FakeQuantized& q, const char* op, int64_t axis) {
  const Affine *a = q.affine(0), *b = q.affine(1);
  if (!a || !b) return std::nullopt;
  const Expr out = callOp(op, {q.arg(0), q.arg(1), a->zero, b->zero, a->scale, b->scale},
                          attrsWith(*q.call, {{"out_dtype", ir::strAttr("int32")}}));
  return Integers{out, {productOf(*a, *b, axis)}};
}

int64_t channelAxis(const Call& conv) {
  const std::string_view out = textAttrOf(conv, "out_layout");
  const auto layout = Layout::parse(out.empty() ? textAttrOf(conv, "data_layout") : out);
  return static_cast<int64_t>(layout ? layout->find('C').value_or(1) : 1);
}

Made conv2D(const FakeQuantized& q) { return product(q, "qnn.conv2d", channelAxis(*q.call)); }
Made conv2DTranspose(const FakeQuantized& q) { return product(q, "qnn.conv2d_transpose", channelAxis(*q.call)); }
Made dense(const FakeQuantized& q) { return product(q, "qnn.dense", 1); }

Made batchMatmul(const FakeQuantized& q) {
  const Affine* a = q.affine(0);
  Made out = a ? product(q, "qnn.batch_matmul", a->axis) : std::nullopt;
  if (out) out->affines[0].zero = int32(0);
  return out;
}

Made concatenate(const FakeQuantized& q) {
  const auto hit = q.known.find(q.arg(0).get());
  if (hit == q.known.end() || !q.result) return std::nullopt;
  std::vector<Expr> scales, zeros;
  for (const Affine& each : hit->second) {
    scales.push_back(each.scale);
    zeros.push_back(each.zero);
  }
  const Expr out =
      callOp("qnn.concatenate",
             {q.arg(0), tupleOf(std::move(scales)), tupleOf(std::move(zeros)), q.result->scale, q.result->zero},
             q.call->attrs);
  return Integers{out, {*q.result}};
}

Made clipped(const FakeQuantized& q) {
  const Affine* affine = q.affine(0);
  const TensorType* data = tensorOf(q.arg(0));
  if (!affine || !data || !hasConstants(*affine)) return std::nullopt;
  const double low = realAttrOf(*q.call, "a_min"), high = realAttrOf(*q.call, "a_max");
  const int64_t count = constantData(affine->scale)->count();
  if (count == 1) {
    const double scale = constantData(affine->scale)->at(0), zero = constantData(affine->zero)->at(0);
    return Integers{clip(q.arg(0), std::trunc(low / scale + zero), std::trunc(high / scale + zero)), {*affine}};
  }
  auto bound = [&](double end) {
    const auto [least, most] = rangeOf(affine->dtype);
    return along(*affine, data->shape.size(), count, affine->dtype,
                 [&, least = least, most = most](double s, double z) {
                   return std::clamp(std::round(end / s) + z, least, most);
                 });
  };
  const Expr above = callOp("maximum", {q.arg(0), bound(low)});
  return Integers{callOp("minimum", {above, bound(high)}), {*affine}};
}

Made relu(const FakeQuantized& q) {
  const Affine* affine = q.affine(0);
  const TensorType* data = tensorOf(q.arg(0));
  if (!affine || !data) return std::nullopt;
  const Expr zero = hasConstants(*affine) ? along(*affine, data->shape.size(), constantData(affine->scale)->count(),
                                                  affine->dtype, [](double, double z) { return z; })
                                          : cast(affine->zero, affine->dtype);
  return Integers{callOp("maximum", {q.arg(0), zero}), {*affine}};
}

Made leakyRelu(const FakeQuantized& q) {
  const Affine* from = q.affine(0);
  if (!from || !q.result) return std::nullopt;
  return Integers{
      callOp("qnn.leaky_relu", {q.call, from->scale, from->zero, q.result->scale, q.result->zero}, q.call->attrs),
      {*from}};
}

Made pad(const FakeQuantized& q) {
  const Affine *data = q.affine(0), *value = q.affine(1);
  if (!data) return std::nullopt;
  Expr with = q.arg(1);
  if (!value) {
    with = quantizeConstant(with, *data, -1);
  } else if (!identical(*data, *value)) {
    with = requantize(with, *value, *data, data->dtype, value->axis);
  }
  return with ? Made(Integers{callAgain(*q.call, {q.arg(0), with}, q.call->attrs), {*data}}) : std::nullopt;
}

Made mean(const FakeQuantized& q) {
  const Affine* affine = q.affine(0);
  if (!affine) return std::nullopt;
  const Expr out = callAgain(*q.call, {cast(q.arg(0), DataType::Int(32))}, q.call->attrs);
  return Integers{cast(out, affine->dtype), {*affine}};
}

/// The operands of an operator with two, a constant among them in integers too, and what the result stands for.
struct Operands {
  Expr lhs, rhs;
  Affine ofLhs, ofRhs, result;
};
std::optional<Operands> operandsOf(const FakeQuantized& q) {
  const Affine *lhs = q.affine(0), *rhs = q.affine(1);
  if ((!lhs && !rhs) || !q.result) return std::nullopt;
  Operands out{q.arg(0), q.arg(1), lhs ? *lhs : *rhs, rhs ? *rhs : *lhs, *q.result};
  if (!lhs) out.lhs = quantizeConstant(out.lhs, *rhs, -1);
  if (!rhs) out.rhs = quantizeConstant(out.rhs, *lhs, -1);
  if (!out.lhs || !out.rhs) return std::nullopt;
  if (out.ofLhs.dtype != out.result.dtype) out.result = out.ofLhs;
  return out;
}

Made binary(const FakeQuantized& q, const char* op) {
  const auto o = operandsOf(q);
  if (!o || !isScalarConstant(o->result.scale) || !isScalarConstant(o->result.zero)) return std::nullopt;
  const Expr out = callOp(
      op,
      {o->lhs, o->rhs, o->ofLhs.scale, o->ofLhs.zero, o->ofRhs.scale, o->ofRhs.zero, o->result.scale, o->result.zero},
      {{"lhs_axis", ir::intAttr(o->ofLhs.axis)}, {"rhs_axis", ir::intAttr(o->ofRhs.axis)}});
  return Integers{out, {o->result}};
}

Made add(const FakeQuantized& q) {
  const auto o = operandsOf(q);
  if (!o) return std::nullopt;
  const Ref<HostTensor> zero = constantData(o->result.zero);
  bool isPlain = nearlySame(o->ofLhs, o->ofRhs) && o->ofLhs.dtype == DataType::Int(32) &&
                 nearlySame(o->ofLhs.scale, o->result.scale) && nearlySame(o->ofLhs.zero, o->result.zero) && zero;
  for (int64_t i = 0; isPlain && i < zero->count(); ++i) isPlain = zero->at(i) == 0;
  if (isPlain) return Integers{callOp("add", {o->lhs, o->rhs}), {o->ofLhs}};
  return binary(q, "qnn.add");
}
Made subtract(const FakeQuantized& q) { return binary(q, "qnn.subtract"); }
Made multiply(const FakeQuantized& q) { return binary(q, "qnn.mul"); }

/// minimum and maximum: of values that stand for the same.
Made ofSame(const FakeQuantized& q) {
  auto o = operandsOf(q);
  if (!o) return std::nullopt;
  auto suited = [&](const Expr& data, const Affine& from) {
    return identical(from, o->result) ? data : requantize(data, from, o->result, o->result.dtype, from.axis);
  };
  const Expr lhs = suited(o->lhs, o->ofLhs);
  return Integers{callAgain(*q.call, {lhs, suited(o->rhs, o->ofRhs)}, q.call->attrs), {o->result}};
}

/// A function with a quantized operator of its own.
Made function(const FakeQuantized& q) {
  const Affine* from = q.affine(0);
  if (!from || !q.result) return std::nullopt;
  std::string_view name = calledOperator(q.call)->name;
  if (name.starts_with("nn.")) name.remove_prefix(3);
  return Integers{callOp("qnn." + std::string(name),
                         {q.arg(0), from->scale, from->zero, q.result->scale, q.result->zero}, q.call->attrs),
                  {*q.result}};
}

struct Row {
  std::string_view op;
  FakeQuantizationRule rule;
  bool optional = false;
};
constexpr std::array kRows = {
    Row{"qnn.dequantize", dequantize},
    Row{"qnn.quantize", quantize},
    Row{"reshape", identity},
    Row{"squeeze", identity},
    Row{"strided_slice", identity},
    Row{"transpose", identity},
    Row{"expand_dims", identity},
    Row{"nn.max_pool2d", identity},
    Row{"nn.batch_flatten", identity},
    Row{"nn.depth_to_space", identity},
    Row{"max", identity},
    Row{"min", identity},
    Row{"image.resize2d", identity},
    Row{"broadcast_to", identity},
    Row{"take", identity},
    Row{"topk", topk},
    Row{"split", split},
    Row{"nn.avg_pool2d", avgPool2D},
    Row{"nn.adaptive_avg_pool1d", widePool},
    Row{"nn.global_avg_pool2d", widePool},
    Row{"nn.bias_add", biasAdd},
    Row{"nn.conv2d", conv2D},
    Row{"nn.conv2d_transpose", conv2DTranspose},
    Row{"nn.dense", dense},
    Row{"nn.batch_matmul", batchMatmul},
    Row{"concatenate", concatenate},
    Row{"clip", clipped},
    Row{"nn.relu", relu},
    Row{"nn.leaky_relu", leakyRelu},
    Row{"nn.pad", pad},
    Row{"mean", mean},
    Row{"add", add},
    Row{"subtract", subtract},
    Row{"multiply", multiply},
    Row{"minimum", ofSame},
    Row{"maximum", ofSame},
    Row{"sqrt", function},
    Row{"rsqrt", function},
    Row{"exp", function},
    Row{"erf", function},
    Row{"sigmoid", function},
    Row{"hardswish", function},
    Row{"tanh", function},
    Row{"abs", function},
    Row{"log", function},
    Row{"nn.softmax", function, true},
};

}  // namespace

FakeQuantizationRule fakeQuantizationRule(std::string_view op, const std::vector<std::string>& optional) {
  for (const Row& row : kRows) {
    if (row.op != op) continue;
    return !row.optional || std::find(optional.begin(), optional.end(), op) != optional.end() ? row.rule : nullptr;
  }
  return nullptr;
}

}  // namespace rx::relay
