// Products of matrices.
#include <map>

#include "core/op/families.h"
#include "core/op/rules.h"

namespace rx::op {

namespace {

Inferred inferMatmul(const Call& call, InferContext& context) {
  RX_TRY(a, tensorAt(call, 0));
  RX_TRY(b, tensorAt(call, 1));
  DataType type = typeAttr(call, "out_dtype");
  if (type.isVoid()) {
    RX_TRY(common, commonType(call, a->dtype, b->dtype));
    type = common;
  }
  const Device device = commonDevice(a->vdevice, b->vdevice);
  if (a->ndim == 0 || b->ndim == 0) return refuse(call, "a scalar can not be multiplied as a matrix");
  if (!knownRank(*a) || !knownRank(*b)) return tensorOfRank(kUnknownDim, type, device);
  const bool rowVector = a->ndim == 1, columnVector = b->ndim == 1;
  const int64_t rank = std::max<int64_t>({a->ndim, b->ndim, 2}) - (rowVector ? 1 : 0) - (columnVector ? 1 : 0);
  const auto* x = as<ShapeExpr>(a->shape);
  const auto* y = as<ShapeExpr>(b->shape);
  if (!x || !y) return tensorOfRank(rank, type, device);
  const PrimExpr& inner = x->values.back();
  const PrimExpr& other = y->values[columnVector ? 0 : y->values.size() - 2];
  if (matchValues(inner, other, context) == Match::Different) {
    return refuse(call, fmt::format("the last dimension of x1 is {}, but x2 has {} rows (shapes {} and {})",
                                    primText(inner), primText(other), shapeText(x->values), shapeText(y->values)));
  }
  // A square right-hand matrix leaves the shape of the left side as it is.
  if (b->ndim == 2 && a->ndim >= 2 && plainlyEqual(x->values.back(), y->values.back())) {
    return withType(infoAt(call, 0), *a, type, device);
  }
  auto batch = [](const Array<PrimExpr>& dims) { return dims.span().first(dims.size() < 2 ? 0 : dims.size() - 2); };
  RX_TRY(dims, broadcast(call, batch(x->values), batch(y->values), context));
  if (!dims) return tensorOfRank(rank, type, device);
  if (!rowVector) dims->push_back(x->values[x->values.size() - 2]);
  if (!columnVector) dims->push_back(y->values.back());
  return tensor(std::move(*dims), type, device);
}

/// Subscripts of one operand: before and after the ellipsis.
struct Subscripts {
  std::string before, after;
  bool ellipsis = false;
  size_t letters() const { return before.size() + after.size(); }
};

Result<std::vector<Subscripts>> readSubscripts(const Call& call, std::string_view text) {
  std::vector<Subscripts> all(1);
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ' ') continue;
    if (c == ',') {
      all.emplace_back();
    } else if (text.substr(i, 3) == "...") {
      if (all.back().ellipsis) return refuse(call, "an operand has more than one ellipsis in the subscripts");
      all.back().ellipsis = true;
      i += 2;
    } else if (std::isalpha(static_cast<unsigned char>(c))) {
      (all.back().ellipsis ? all.back().after : all.back().before) += c;
    } else {
      return refuse(call, fmt::format("the subscripts hold '{}'", c));
    }
  }
  return all;
}

/// Letters of a result that the subscripts do not state: those that occur once, in alphabetical order.
Subscripts implicitOutput(const std::vector<Subscripts>& inputs) {
  std::map<char, int> count;
  Subscripts out;
  for (const Subscripts& input : inputs) {
    for (char c : input.before + input.after) ++count[c];
    out.ellipsis = out.ellipsis || input.ellipsis;
  }
  for (auto [c, n] : count) {
    if (n == 1) (out.ellipsis ? out.after : out.before) += c;
  }
  return out;
}

Result<Dims> einsumShape(const Call& call, const std::vector<const Array<PrimExpr>*>& shapes,
                         const std::vector<Subscripts>& inputs, const Subscripts& output, InferContext& context) {
  std::map<char, PrimExpr> lengths;
  Dims free;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Array<PrimExpr>& dims = *shapes[i];
    const Subscripts& input = inputs[i];
    if (dims.size() < input.letters() || (!input.ellipsis && dims.size() != input.letters())) {
      return refuse(
          call, fmt::format("operand {} has {} dimensions, its subscripts name {}", i, dims.size(), input.letters()));
    }
    auto put = [&](char c, const PrimExpr& dim) -> Result<Unit> {
      auto [hit, fresh] = lengths.emplace(c, dim);
      if (fresh || isConstInt(dim, 1)) return Unit{};
      const PrimExpr before = hit->second;
      const bool constant = tir::asInt(before).has_value(), constantToo = tir::asInt(dim).has_value();
      if (isConstInt(before, 1)) {
        hit->second = dim;
      } else if (constant && constantToo && !plainlyEqual(before, dim)) {
        return refuse(call, fmt::format("subscript '{}' is {} and {}", c, primText(before), primText(dim)));
      } else if (!equalValues(before, dim, context) && !constantToo) {
        // A symbol may be 1 or the constant; of two symbols the larger one is the length.
        hit->second = constant ? dim : arith::max(before, dim);
      }
      return Unit{};
    };
    const size_t tail = dims.size() - input.after.size();
    for (size_t k = 0; k < input.before.size(); ++k) RX_CHECK(put(input.before[k], dims[k]));
    for (size_t k = 0; k < input.after.size(); ++k) RX_CHECK(put(input.after[k], dims[tail + k]));
    if (input.ellipsis) {
      const Dims part(dims.begin() + input.before.size(), dims.begin() + tail);
      RX_TRY(joined, broadcast(call, free, part, context));
      if (joined) free = std::move(*joined);
    }
  }
  Dims out;
  auto take = [&](const std::string& letters) -> Result<Unit> {
    for (char c : letters) {
      auto hit = lengths.find(c);
      if (hit == lengths.end()) return refuse(call, fmt::format("subscript '{}' of the result is in no operand", c));
      out.push_back(hit->second);
    }
    return Unit{};
  };
  RX_CHECK(take(output.before));
  if (output.ellipsis) out.insert(out.end(), free.begin(), free.end());
  RX_CHECK(take(output.after));
  return out;
}

Inferred inferEinsum(const Call& call, InferContext& context) {
  RX_TRY(infos, tensorTupleAt(call, 0));
  if (infos.empty()) return refuse(call, "at least one operand is needed");
  DataType type = infos[0]->dtype;
  bool ranks = true;
  for (const TensorStructInfo* info : infos) {
    if (info->dtype != type) {
      return refuse(call, fmt::format("all operands must have the same type, but they are {} and {}", dtypeText(type),
                                      dtypeText(info->dtype)));
    }
    ranks = ranks && knownRank(*info);
  }
  const Device device = commonDevice(infos);
  std::string_view text = strAttr(call, "subscripts");
  const size_t arrow = text.find("->");
  RX_TRY(inputs, readSubscripts(call, text.substr(0, arrow)));
  if (inputs.size() != infos.size()) {
    return refuse(call, fmt::format("{} operands are given, the subscripts name {}", infos.size(), inputs.size()));
  }
  Subscripts output = implicitOutput(inputs);
  if (arrow != text.npos) {
    RX_TRY(stated, readSubscripts(call, text.substr(arrow + 2)));
    if (stated.size() != 1) return refuse(call, "the subscripts name more than one result");
    output = stated[0];
  }
  std::vector<const Array<PrimExpr>*> shapes;
  for (const TensorStructInfo* info : infos) {
    const Array<PrimExpr>* dims = dimsOf(*info);
    if (!dims)
      return tensorOfRank(output.ellipsis || !ranks ? kUnknownDim : static_cast<int64_t>(output.letters()), type,
                          device);
    shapes.push_back(dims);
  }
  RX_TRY(dims, einsumShape(call, shapes, inputs, output, context));
  return tensor(std::move(dims), type, device);
}

Inferred inferOuter(const Call& call, InferContext&) {
  RX_TRY(a, tensorAt(call, 0));
  RX_TRY(b, tensorAt(call, 1));
  RX_CHECK(needRank(call, 0, 1));
  RX_CHECK(needRank(call, 1, 1));
  RX_TRY(type, commonType(call, a->dtype, b->dtype));
  const Device device = commonDevice(a->vdevice, b->vdevice);
  const Array<PrimExpr>* x = dimsOf(*a);
  const Array<PrimExpr>* y = dimsOf(*b);
  if (!x || !y) return tensorOfRank(2, type, device);
  return tensor({(*x)[0], (*y)[0]}, type, device);
}

constexpr OpSpec kRows[] = {
    {"relax.matmul", "x1: expr, x2: expr, out_dtype: dtype = 'void'", inferMatmul,
     "Matrix product of the last two dimensions, the others broadcast."},
    {"relax.einsum", "operands: tuple, subscripts: str", inferEinsum, "Einstein summation."},
    {"relax.outer", "x1: expr, x2: expr", inferOuter, "Outer product of two vectors."},
};

}  // namespace

std::span<const OpSpec> linearAlgebraOps() { return kRows; }

}  // namespace rx::op
