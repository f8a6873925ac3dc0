// Reductions: sum, mean, variance, arg-reductions, collapse_sum; and matmul, einsum-free.
#include <fmt/format.h>

#include <algorithm>

#include "core/legalize/families.h"
#include "core/op/make_call.h"

namespace rx::legalize {

using namespace te;

std::optional<std::vector<size_t>> reduceAxes(const std::optional<std::vector<int64_t>>& axes, size_t rank) {
  std::vector<size_t> out;
  if (!axes) {
    for (size_t i = 0; i < rank; ++i) out.push_back(i);
    return out;
  }
  for (int64_t axis : *axes) {
    auto normal = normalAxis(axis, rank);
    if (!normal) return std::nullopt;
    out.push_back(*normal);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

namespace {

/// How the indices of a reduction's input follow from those of its output.
struct Reduction {
  Shape shape;
  std::vector<IterRef> iters;
  std::vector<int> source;  ///< per input dimension: an output axis, or -1 - index of an iteration

  Reduction(const Tensor& x, const std::vector<size_t>& axes, bool keepdims) {
    for (size_t i = 0; i < x.rank(); ++i) {
      bool reduced = std::find(axes.begin(), axes.end(), i) != axes.end();
      if (!reduced) {
        source.push_back(static_cast<int>(shape.size()));
        shape.push_back(x.dim(i));
        continue;
      }
      source.push_back(-1 - static_cast<int>(iters.size()));
      iters.push_back(reduceAxis(x.dim(i), "k" + std::to_string(i)));
      if (keepdims) shape.push_back(tir::intImm(1, x.dim(i)->dtype));
    }
  }
  Indices input(const Indices& out) const {
    Indices in;
    for (int s : source) in.push_back(s >= 0 ? out[static_cast<size_t>(s)] : varOf(iters[static_cast<size_t>(-1 - s)]));
    return in;
  }
};

}  // namespace

Tensor reduceStage(Lowering& l, const Tensor& x, const std::vector<size_t>& axes, bool keepdims, Reducer reducer,
                   std::string name) {
  Reduction r(x, axes, keepdims);
  if (name.empty()) name = x.buffer->name.string() + "_red";
  auto body = [&](const Indices& i) { return r.iters.empty() ? x(r.input(i)) : reducer(x(r.input(i)), r.iters); };
  return l.graph.compute(r.shape, body, {name});
}

PrimExpr elementsOver(const Tensor& x, const std::vector<size_t>& axes, DataType dtype) {
  PrimExpr count = i64(1);
  for (size_t axis : axes) count = arith::mul(count, x.dim(axis));
  return arith::cast(dtype, count);
}

Tensor meanStage(Lowering& l, const Tensor& x, const std::vector<size_t>& axes, bool keepdims) {
  Tensor total = reduceStage(l, x, axes, keepdims, sum);
  return binaryStage(l, operandOf(total), operandOf(elementsOver(x, axes, x.dtype())), arith::div, "T_divide");
}

namespace {

template <Reducer F, const auto& kName>
Outcome reduction(Lowering& l) {
  Tensor x = l.arg(0);
  auto axes = reduceAxes(l.ints("axis"), x.rank());
  if (!axes) return refuse(l.call, "an axis is out of range");
  return l.finish(kName, reduceStage(l, x, *axes, l.boolAttr("keepdims"), F));
}

/// The number of elements is the product of the shape as a tensor.
Outcome size(Lowering& l) {
  relax::Expr shape = l.builder.emit(op::makeCall("relax.shape_of", {l.call.args[0]}));
  auto step = [&](const char* name, const relax::Expr& of) -> Outcome {
    relax::Expr call = l.builder.normalize(op::makeCall(name, {of}));
    return legalizeCall(*as<relax::Call>(call), l.builder);
  };
  RX_TRY(dims, step("relax.shape_to_tensor", shape));
  return step("relax.prod", l.builder.emit(dims));
}

Outcome mean(Lowering& l) {
  Tensor x = l.arg(0);
  auto axes = reduceAxes(l.ints("axis"), x.rank());
  if (!axes) return refuse(l.call, "an axis is out of range");
  return l.finish("mean", meanStage(l, x, *axes, l.boolAttr("keepdims")));
}

Tensor varianceStage(Lowering& l, const Tensor& x, const std::vector<size_t>& axes, bool keepdims) {
  Tensor center = meanStage(l, x, axes, true);
  Tensor difference = binaryStage(l, operandOf(x), operandOf(center), arith::sub, "T_subtract");
  Tensor square = binaryStage(l, operandOf(difference), operandOf(difference), arith::mul, "T_multiply");
  return meanStage(l, square, axes, keepdims);
}

Outcome variance(Lowering& l) {
  Tensor x = l.arg(0);
  auto axes = reduceAxes(l.ints("axis"), x.rank());
  if (!axes) return refuse(l.call, "an axis is out of range");
  return l.finish("variance", varianceStage(l, x, *axes, l.boolAttr("keepdims")));
}

Outcome deviation(Lowering& l) {
  Tensor x = l.arg(0);
  auto axes = reduceAxes(l.ints("axis"), x.rank());
  if (!axes) return refuse(l.call, "an axis is out of range");
  if (!x.dtype().isFloat()) return refuse(l.call, "floats are needed");
  Tensor variance = varianceStage(l, x, *axes, l.boolAttr("keepdims"));
  return l.finish("std", unaryStage(l, variance, [](PrimExpr e) { return math("sqrt", std::move(e)); }));
}

/// The position of the largest or smallest element: pairs of position and value, ties to the smaller position.
template <bool kMax>
Outcome argReduction(Lowering& l) {
  Tensor x = l.arg(0);
  auto axis = l.optionalInt("axis");
  auto axes = reduceAxes(axis ? std::optional(std::vector<int64_t>{*axis}) : std::nullopt, x.rank());
  if (!axes) return refuse(l.call, "the axis is out of range");
  Reduction r(x, *axes, l.boolAttr("keepdims"));
  std::string name = x.buffer->name.string() + "_red";
  DataType index = DataType::Int(64);
  auto combine = [](const std::vector<PrimExpr>& a, const std::vector<PrimExpr>& b) {
    PrimExpr better = kMax ? arith::gt(a[1], b[1]) : arith::lt(a[1], b[1]);
    PrimExpr tie = arith::logicalAnd(arith::eq(a[1], b[1]), arith::lt(a[0], b[0]));
    return std::vector<PrimExpr>{arith::select(arith::logicalOr(better, tie), a[0], b[0]),
                                 arith::select(better, a[1], b[1])};
  };
  std::vector<PrimExpr> start{arith::constantInt(index, -1),
                              kMax ? arith::minValue(x.dtype()) : arith::maxValue(x.dtype())};
  auto bodies = [&](const Indices& i) {
    PrimExpr position = i64(0);
    for (size_t k = 0; k < r.iters.size(); ++k) {
      const PrimExpr& extent = r.iters[k]->dom->extent;
      position = k == 0 ? varOf(r.iters[k]) : arith::add(arith::mul(position, extent), varOf(r.iters[k]));
    }
    return reduceTuple({position, x(r.input(i))}, start, r.iters, combine);
  };
  std::vector<Tensor> pair = l.graph.computeMany(r.shape, bodies, {name + "_temp"});
  Tensor first = l.graph.compute(r.shape, [&](const Indices& i) { return pair[0](i); }, {name});
  return l.finish(kMax ? "argmax" : "argmin", first);
}

/// Sums over the dimensions that the target does not have or has as 1.
Tensor collapseStage(Lowering& l, const Tensor& x, const Shape& target) {
  std::vector<size_t> axes, squeezed;
  size_t shift = x.rank() - target.size();
  for (size_t i = 0; i < x.rank(); ++i) {
    bool missing = i < shift;
    if (missing || (isConstOne(target[i - shift]) && !isConstOne(x.dim(i)))) axes.push_back(i);
  }
  // Dimensions of 1 in the target stay in the result.
  Shape shape = target;
  std::vector<IterRef> iters;
  std::vector<int> source;
  for (size_t i = 0; i < x.rank(); ++i) {
    bool reduced = std::find(axes.begin(), axes.end(), i) != axes.end();
    source.push_back(reduced ? -1 - static_cast<int>(iters.size()) : static_cast<int>(i - shift));
    if (reduced) iters.push_back(reduceAxis(x.dim(i), "k" + std::to_string(i)));
  }
  auto body = [&](const Indices& out) {
    Indices in;
    for (int s : source) in.push_back(s >= 0 ? out[static_cast<size_t>(s)] : varOf(iters[static_cast<size_t>(-1 - s)]));
    return iters.empty() ? x(in) : sum(x(in), iters);
  };
  return l.graph.compute(shape, body, {x.buffer->name.string() + "_red"});
}

Outcome collapse(Lowering& l) {
  Tensor x = l.arg(0);
  auto target = l.resultShape();
  if (!target || target->size() > x.rank()) return refuse(l.call, "the shape to sum to is not known");
  return l.finish("collapse_sum", collapseStage(l, x, *target));
}

/// `turned`: the last two dimensions of the right operand stand the other way round.
Outcome matrixProduct(Lowering& l, std::string_view name, bool turned) {
  Tensor a = l.arg(0), b = l.arg(1);
  if (a.dtype().isVoid() || b.dtype().isVoid()) {
    l.builder.report(errorAt(l.call.span, "legalize.dtype",
                             fmt::format("relax.matmul can not be lowered: the element type of its {} is not known",
                                         a.dtype().isVoid() ? "left operand" : "right operand")));
    return relax::Expr();
  }
  if (a.rank() == 0 || b.rank() == 0) return refuse(l.call, "an operand has no dimensions");
  bool vectorA = a.rank() == 1, vectorB = b.rank() == 1;
  Shape prefixA = a.dims(), prefixB = b.dims();
  prefixA.resize(vectorA ? 0 : a.rank() - 2);
  prefixB.resize(vectorB ? 0 : b.rank() - 2);
  auto prefix = broadcastShape(l.analyzer, prefixA, prefixB);
  if (!prefix) return refuse(l.call, "the leading dimensions do not broadcast");
  Shape shape = *prefix;
  if (!vectorA) shape.push_back(a.dim(a.rank() - 2));
  if (!vectorB) shape.push_back(b.dim(b.rank() - (turned ? 2 : 1)));
  DataType type = l.dtypeAttr("out_dtype");
  if (type.isVoid()) type = l.resultType();
  if (type.isVoid()) type = a.dtype();
  IterRef k = reduceAxis(a.dim(a.rank() - 1), "k");
  auto body = [&](const Indices& i) {
    auto lead = [&](const Shape& own) {
      Indices out;
      size_t shift = prefix->size() - own.size();
      for (size_t d = 0; d < own.size(); ++d) {
        bool one = isConstOne(own[d]) && !l.analyzer.canProveEqual((*prefix)[shift + d], own[d]);
        out.push_back(one ? i64(0) : i[shift + d]);
      }
      return out;
    };
    Indices left = lead(prefixA), right = lead(prefixB);
    size_t at = prefix->size();
    if (!vectorA) left.push_back(i[at++]);
    left.push_back(varOf(k));
    right.push_back(varOf(k));
    if (!vectorB) right.insert(turned ? right.end() - 1 : right.end(), i[at]);
    return sum(arith::mul(arith::cast(type, a(left)), arith::cast(type, b(right))), {k});
  };
  return l.finish(name, l.graph.compute(shape, body, {std::string(name), {"i"}}));
}

Outcome matmul(Lowering& l) { return matrixProduct(l, "matmul", false); }

constexpr char kSum[] = "sum", kMaxName[] = "max", kMinName[] = "min", kProd[] = "prod";

constexpr LegalizeRow kRows[] = {
    {"relax.sum", reduction<sum, kSum>},
    {"relax.max", reduction<maximum, kMaxName>},
    {"relax.min", reduction<minimum, kMinName>},
    {"relax.prod", reduction<product, kProd>},
    {"relax.size", size},
    {"relax.mean", mean},
    {"relax.variance", variance},
    {"relax.std", deviation},
    {"relax.argmax", argReduction<true>},
    {"relax.argmin", argReduction<false>},
    {"relax.collapse_sum_to", collapse},
    {"relax.collapse_sum_like", collapse},
    {"relax.matmul", matmul},
};

}  // namespace

std::span<const LegalizeRow> reduceRows() { return kRows; }

Result<relax::Expr> legalizeTransposedMatmul(const relax::Call& matmul, build::BlockBuilder& builder) {
  Lowering lowering(matmul, builder);
  return matrixProduct(lowering, "NT_matmul", true);
}

}  // namespace rx::legalize
