// Attention, losses, transposed convolutions.
#include <algorithm>
#include <array>

#include "core/legalize/families.h"

namespace rx::legalize {

using namespace te;

namespace {

/// Batched product of matrices, the second transposed or not.
Tensor batchMatmul(Lowering& l, const Tensor& a, const Tensor& b, bool transposed) {
  PrimExpr columns = b.dim(transposed ? 1 : 2);
  IterRef k = reduceAxis(a.dim(2), "k");
  auto body = [&](const Indices& i) {
    PrimExpr right = transposed ? b({i[0], i[2], varOf(k)}) : b({i[0], varOf(k), i[2]});
    return sum(arith::mul(a({i[0], i[1], varOf(k)}), right), {k});
  };
  ir::Attrs attrs = ir::withAttr(nullptr, "layout_free_placeholders", ir::arrayAttr({NodeRef(b.buffer)}));
  std::string name = transposed ? "T_batch_matmul_NT" : "T_batch_matmul_NN";
  return l.graph.compute({a.dim(0), a.dim(1), columns}, body, {name, {"b", "i", "j"}, attrs});
}

/// Below the diagonal shifted by `offset`; zero above.
Tensor lowerTriangle(Lowering& l, const Tensor& x, const PrimExpr& offset) {
  auto body = [&](const Indices& i) {
    PrimExpr inside = arith::ge(i[1], arith::sub(i[2], offset));
    return arith::select(inside, x(i), arith::constantInt(x.dtype(), 0));
  };
  return l.graph.compute(x.dims(), body, {"trilu", {"i"}});
}

Tensor maskedSoftmax(Lowering& l, const Tensor& p, const PrimExpr& offset) {
  Tensor masked = lowerTriangle(l, p, offset);
  Tensor top = reduceStage(l, masked, {2}, true, maximum);
  Tensor shifted = binaryStage(l, operandOf(masked), operandOf(top), arith::sub, "T_subtract");
  Tensor powers = unaryStage(l, shifted, [](PrimExpr e) { return math("exp", std::move(e)); });
  Tensor kept = lowerTriangle(l, powers, offset);
  Tensor total = reduceStage(l, kept, {2}, true, sum);
  return binaryStage(l, operandOf(kept), operandOf(total), arith::div, "T_divide");
}

Outcome attention(Lowering& l) {
  Tensor q = l.arg(0), k = l.arg(1), v = l.arg(2), bias;
  if (l.argCount() > 3) bias = l.arg(3);
  if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4 || (bias && bias.rank() != 4)) {
    return refuse(l.call, "attention wants four dimensions: batch, sequence, head, element");
  }
  if (!q.dtype().isFloat()) return refuse(l.call, "attention wants floating-point numbers");
  PrimExpr batch = q.dim(0), length = q.dim(1), heads = q.dim(2), width = q.dim(3);
  PrimExpr keys = k.dim(1), outWidth = v.dim(3), rows = l.analyzer.simplify(arith::mul(batch, heads));
  auto perHead = [&](const Tensor& t, const PrimExpr& sequence, const PrimExpr& size) {
    return reshapeStage(l, transposeStage(l, t, {0, 2, 1, 3}), {rows, sequence, size});
  };
  Tensor qh = perHead(q, length, width), kh = perHead(k, keys, width), vh = perHead(v, keys, outWidth);
  Tensor p = batchMatmul(l, qh, kh, true);
  NodeRef scale = ir::attrOf(l.call.attrs, "scale");
  if (scale && !isa<ir::NullAttr>(scale)) {
    Operand factor = operandOf(arith::constant(p.dtype(), l.floatAttr("scale", 1)));
    p = binaryStage(l, operandOf(p), factor, arith::mul, "T_multiply");
  } else {
    Operand root = operandOf(math("sqrt", arith::cast(p.dtype(), width)));
    p = binaryStage(l, operandOf(p), root, arith::div, "T_divide");
  }
  if (bias) {
    p = reshapeStage(l, p, {batch, heads, length, keys});
    p = binaryStage(l, operandOf(p), operandOf(bias), arith::add, "T_add");
    p = reshapeStage(l, p, {rows, length, keys});
  }
  std::string_view mask = l.strAttr("causal_mask");
  Tensor s;
  if (mask.empty()) {
    s = softmaxStage(l, p, 2);
  } else {
    PrimExpr offset = i64(0);
    if (mask == "BottomRight") {
      PrimExpr difference = l.analyzer.simplify(arith::sub(length, keys));
      offset = arith::select(arith::ge(difference, i64(0)), difference, arith::neg(difference));
    }
    s = maskedSoftmax(l, p, offset);
  }
  Tensor o = reshapeStage(l, batchMatmul(l, s, vh, false), {batch, heads, length, outWidth});
  return l.finish(bias ? "attention_bias" : "attention", transposeStage(l, o, {0, 2, 1, 3}));
}

Outcome nllLoss(Lowering& l) {
  Tensor prediction = l.arg(0), target = l.arg(1), weight;
  bool weighted = l.argCount() > 2;
  PrimExpr classes = prediction.dim(prediction.rank() > 1 ? 1 : 0);
  if (weighted) {
    weight = l.arg(2);
  } else {
    PrimExpr one = arith::constantInt(prediction.dtype(), 1);
    weight = l.graph.compute({classes}, [&](const Indices&) { return one; }, {"T_full"});
  }
  int64_t ignored = l.intAttr("ignore_index", -100);
  PrimExpr zero = arith::constantInt(prediction.dtype(), 0);
  auto counted = [&](const Indices& i) { return arith::ne(arith::cast(DataType::Int(64), target(i)), i64(ignored)); };
  auto loss = [&](const Indices& i) {
    Indices in = i;
    in.insert(in.begin() + (prediction.rank() > 1 ? 1 : 0), target(i));
    PrimExpr value = arith::mul(arith::neg(prediction(in)), weight({target(i)}));
    return arith::select(counted(i), value, zero);
  };
  Tensor losses = l.graph.compute(target.dims(), loss, {"nll_loss"});
  std::vector<size_t> axes;
  for (size_t i = 0; i < losses.rank(); ++i) axes.push_back(i);
  auto total = [&](const Tensor& t) { return axes.empty() ? t : reduceStage(l, t, axes, false, sum); };
  std::string_view reduction = l.strAttr("reduction");
  Tensor out = losses;
  if (reduction == "sum") {
    out = total(losses);
  } else if (reduction == "mean") {
    auto counts = [&](const Indices& i) { return arith::select(counted(i), weight({target(i)}), zero); };
    Tensor weights = l.graph.compute(target.dims(), counts, {"nll_loss"});
    out = binaryStage(l, operandOf(total(losses)), operandOf(total(weights)), arith::div, "T_divide");
  }
  return l.finish(weighted ? "nll_loss" : "nll_loss_without_weight", out);
}

/// Elements `stride` apart, zeros between them.
Tensor dilate(Lowering& l, const Tensor& x, const std::vector<int64_t>& strides, std::string name) {
  Shape shape = x.dims();
  for (size_t i = 0; i < x.rank(); ++i) {
    if (strides[i] == 1) continue;
    shape[i] = l.analyzer.simplify(arith::add(arith::mul(arith::sub(x.dim(i), i64(1)), i64(strides[i])), i64(1)));
  }
  auto body = [&](const Indices& i) {
    Indices in = i;
    PrimExpr inside;
    for (size_t k = 0; k < x.rank(); ++k) {
      if (strides[k] == 1) continue;
      in[k] = arith::floorDiv(i[k], i64(strides[k]));
      PrimExpr test = arith::eq(arith::floorMod(i[k], i64(strides[k])), i64(0));
      inside = inside ? arith::logicalAnd(inside, test) : test;
    }
    return inside ? ifThenElse(inside, x(in), arith::constantInt(x.dtype(), 0)) : x(in);
  };
  return l.graph.compute(shape, body, {std::move(name), {"i"}});
}

struct TransposedKind {
  std::string_view spatial, data, kernel;
  const char* function;
  const char* flipped;  ///< the kernel with its channels exchanged and its windows turned round
  std::array<const char*, 3> axes, windows;
};

Outcome transposedConvolution(Lowering& l, const TransposedKind& kind) {
  Tensor x = l.arg(0), w = l.arg(1);
  size_t spatial = kind.spatial.size();
  auto strides = l.ints("strides"), padding = l.ints("padding"), dilation = l.ints("dilation");
  auto extra = l.ints("output_padding");
  std::string_view out = l.strAttr("out_layout");
  int64_t groups = l.intAttr("groups", 1);
  auto result = l.resultShape();
  bool plain = l.strAttr("data_layout") == kind.data && l.strAttr("kernel_layout") == kind.kernel &&
               (out.empty() || out == kind.data);
  bool sizes = strides && padding && extra && strides->size() == spatial && padding->size() == 2 * spatial &&
               extra->size() == spatial && result && groups > 0;
  bool dense = dilation && std::all_of(dilation->begin(), dilation->end(), [](int64_t d) { return d == 1; });
  if (!plain || !sizes || !dense) return refuse(l.call, "a transposed convolution of this form can not be lowered");
  DataType type = l.dtypeAttr("out_dtype");
  if (type.isVoid()) type = l.resultType();
  std::vector<int64_t> steps{1, 1};
  steps.insert(steps.end(), strides->begin(), strides->end());
  Tensor spread = dilate(l, x, steps, "data_dilate");
  Shape before{i64(0), i64(0)}, after{i64(0), i64(0)};
  for (size_t s = 0; s < spatial; ++s) {
    PrimExpr reach = arith::sub(w.dim(2 + s), i64(1));
    before.push_back(l.analyzer.simplify(arith::sub(reach, i64((*padding)[s]))));
    after.push_back(l.analyzer.simplify(arith::add(arith::sub(reach, i64((*padding)[spatial + s])), i64((*extra)[s]))));
  }
  Tensor padded = padStage(l, spread, before, after, arith::constantInt(x.dtype(), 0), "data_pad");
  Shape flipped = w.dims();
  flipped[0] = w.dim(1);
  flipped[1] = x.dim(1);  // as TVM takes them, from the data
  auto flip = [&](const Indices& i) {
    Indices in{i[1], i[0]};
    for (size_t s = 0; s < spatial; ++s) {
      in.push_back(arith::sub(arith::sub(w.dim(2 + s), i64(1)), i[2 + s]));
    }
    return w(in);
  };
  std::vector<std::string> turned{"o", "i"};
  for (size_t s = 0; s < spatial; ++s) turned.push_back(kind.axes[s]);
  Tensor kernel = l.graph.compute(flipped, flip, {kind.flipped, turned});
  PrimExpr inPerGroup = l.analyzer.simplify(arith::floorDiv(x.dim(1), i64(groups)));
  IterRef dc = reduceAxis(inPerGroup, "dc");
  std::vector<IterRef> reduce{dc};
  for (size_t s = 0; s < spatial; ++s) reduce.push_back(reduceAxis(w.dim(2 + s), kind.windows[s]));
  auto body = [&](const Indices& i) {
    PrimExpr channel = varOf(dc), row = i[1];
    if (groups > 1) {
      PrimExpr group = arith::mul(arith::floorDiv(i[1], w.dim(1)), inPerGroup);
      channel = arith::add(group, varOf(dc));
      row = arith::floorMod(i[1], w.dim(1));
    }
    Indices from{i[0], channel}, weight{row, channel};
    for (size_t s = 0; s < spatial; ++s) {
      from.push_back(arith::add(i[2 + s], varOf(reduce[1 + s])));
      weight.push_back(varOf(reduce[1 + s]));
    }
    return sum(arith::mul(arith::cast(type, padded(from)), arith::cast(type, kernel(weight))), reduce);
  };
  std::vector<std::string> names{"b", "c"};
  for (size_t s = 0; s < spatial; ++s) names.push_back(kind.axes[s]);
  return l.finish(kind.function, l.graph.compute(*result, body, {"compute", names}));
}

Outcome conv1dTranspose(Lowering& l) {
  return transposedConvolution(l, {"W", "NCW", "IOW", "conv1d_transpose", "kernel", {"w"}, {"dw"}});
}
Outcome conv2dTranspose(Lowering& l) {
  return transposedConvolution(
      l, {"HW", "NCHW", "IOHW", "conv2d_transpose", "kernel_transform", {"h", "w"}, {"dh", "dw"}});
}
Outcome conv3dTranspose(Lowering& l) {
  return transposedConvolution(
      l, {"DHW", "NCDHW", "IODHW", "conv3d_transpose", "kernel_transform", {"d", "h", "w"}, {"dd", "dh", "dw"}});
}

constexpr LegalizeRow kRows[] = {
    {"relax.nn.attention", attention},
    {"relax.nn.attention_bias", attention},
    {"relax.nn.nll_loss", nllLoss},
    {"relax.nn.conv1d_transpose", conv1dTranspose},
    {"relax.nn.conv2d_transpose", conv2dTranspose},
    {"relax.nn.conv3d_transpose", conv3dTranspose},
};

}  // namespace

std::span<const LegalizeRow> attentionRows() { return kRows; }

}  // namespace rx::legalize
