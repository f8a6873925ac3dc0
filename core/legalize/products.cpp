// Operators over all pairs of elements: outer, meshgrid, einsum; and bucketize, a search for every element.
#include <algorithm>
#include <map>

#include "core/legalize/families.h"

namespace rx::legalize {

using namespace te;

namespace {

Outcome outer(Lowering& l) {
  Tensor a = l.arg(0), b = l.arg(1);
  if (a.rank() != 1 || b.rank() != 1) return refuse(l.call, "outer takes two vectors");
  auto body = [&](const Indices& i) { return arith::mul(a({i[0]}), b({i[1]})); };
  return l.finish("outer", l.graph.compute({a.dim(0), b.dim(0)}, body, {"T_outer"}));
}

/// One tensor for each vector, in which it runs along its own axis ("xy" swaps the first two).
Outcome meshgrid(Lowering& l) {
  std::vector<Tensor> vectors = l.tensors(l.call.args[0]);
  std::vector<size_t> axis(vectors.size());
  for (size_t i = 0; i < axis.size(); ++i) axis[i] = i;
  if (l.strAttr("indexing") == "xy" && axis.size() > 1) std::swap(axis[0], axis[1]);
  Shape shape(vectors.size());
  for (size_t i = 0; i < vectors.size(); ++i) {
    if (vectors[i].rank() > 1) return refuse(l.call, "meshgrid takes vectors");
    shape[axis[i]] = vectors[i].rank() ? vectors[i].dim(0) : i64(1);
  }
  std::vector<Tensor> grids;
  for (size_t k = 0; k < vectors.size(); ++k) {
    auto body = [&](const Indices& i) { return vectors[k](vectors[k].rank() ? Indices{i[axis[k]]} : Indices{}); };
    grids.push_back(l.graph.compute(shape, body, {"T_meshgrid"}));
  }
  return l.finish("meshgrid", grids);
}

/// The letters of each operand and of the result: "ij,jk->ik". Nothing where it is no such text.
struct Subscripts {
  std::vector<std::string> operands;
  std::string result;
};
std::optional<Subscripts> subscriptsOf(std::string_view text) {
  std::string plain;
  for (char c : text) {
    if (c != ' ') plain += c;
  }
  Subscripts out;
  const size_t arrow = plain.find("->");
  std::string left = plain.substr(0, arrow);
  for (size_t at = 0; at <= left.size();) {
    const size_t comma = std::min(left.find(',', at), left.size());
    out.operands.push_back(left.substr(at, comma - at));
    at = comma + 1;
  }
  if (arrow != std::string::npos) {
    out.result = plain.substr(arrow + 2);
  } else {
    // Without a result: the letters that occur once, in the order of the alphabet.
    for (char c = 'A'; c <= 'z'; ++c) {
      if (std::count(left.begin(), left.end(), c) == 1) out.result += c;
    }
  }
  auto letters = [](const std::string& s) {
    return std::all_of(s.begin(), s.end(), [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
  };
  if (!letters(out.result) || !std::all_of(out.operands.begin(), out.operands.end(), letters)) return std::nullopt;
  return out;
}

Outcome einsum(Lowering& l) {
  std::vector<Tensor> operands = l.tensors(l.call.args[0]);
  auto subscripts = subscriptsOf(l.strAttr("subscripts"));
  if (!subscripts || subscripts->operands.size() != operands.size())
    return refuse(l.call, "not available: subscripts with an ellipsis, or that do not fit the operands");
  std::map<char, PrimExpr> extents;
  for (size_t k = 0; k < operands.size(); ++k) {
    const std::string& letters = subscripts->operands[k];
    if (letters.size() != operands[k].rank()) return refuse(l.call, "the subscripts do not fit the operands");
    for (size_t i = 0; i < letters.size(); ++i) {
      PrimExpr dim = operands[k].dim(i);
      auto [found, isNew] = extents.emplace(letters[i], dim);
      // An extent of 1 is broadcast.
      if (!isNew && tir::asInt(found->second) == 1) found->second = dim;
    }
  }
  Shape shape;
  std::map<char, size_t> place;
  for (char letter : subscripts->result) {
    if (!extents.contains(letter) || !place.emplace(letter, shape.size()).second)
      return refuse(l.call, "a letter of the result stands in no operand, or twice in the result");
    shape.push_back(extents.at(letter));
  }
  std::vector<IterRef> summed;
  std::map<char, PrimExpr> along;
  for (const auto& [letter, extent] : extents) {
    if (place.contains(letter)) continue;
    summed.push_back(reduceAxis(extent, std::string(1, letter)));
    along.emplace(letter, varOf(summed.back()));
  }
  auto body = [&](const Indices& i) {
    PrimExpr product;
    for (size_t k = 0; k < operands.size(); ++k) {
      Indices in;
      for (size_t d = 0; d < operands[k].rank(); ++d) {
        const char letter = subscripts->operands[k][d];
        const bool broadcast = tir::asInt(operands[k].dim(d)) == 1;
        in.push_back(broadcast ? i64(0) : place.contains(letter) ? i[place.at(letter)] : along.at(letter));
      }
      PrimExpr value = operands[k](in);
      product = product ? arith::mul(product, value) : value;
    }
    return summed.empty() ? product : sum(product, summed);
  };
  if (operands.empty()) return refuse(l.call, "there are no operands");
  return l.finish("einsum", l.graph.compute(shape, body, {"T_einsum"}));
}

/// For every element the number of boundaries below it (with `right`: not above it); boundaries are in order.
Outcome bucketize(Lowering& l) {
  Tensor x = l.arg(0), boundaries = l.arg(1);
  if (boundaries.rank() != 1) return refuse(l.call, "the boundaries are a vector");
  const bool right = l.boolAttr("right");
  const DataType type = l.resultType();
  IterRef k = reduceAxis(boundaries.dim(0), "k");
  auto body = [&](const Indices& i) {
    PrimExpr value = x(i), bound = boundaries({varOf(k)});
    PrimExpr below = right ? arith::le(bound, value) : arith::lt(bound, value);
    return sum(arith::cast(type, below), {k});
  };
  return l.finish("bucketize", l.graph.compute(x.dims(), body, {"T_bucketize"}));
}

/// log(exp(a) + exp(b)), around the larger of the two so that nothing overflows.
Outcome logAddExp(Lowering& l) {
  Operand a = l.operand(0), b = l.operand(1);
  auto f = [](PrimExpr x, PrimExpr y) -> PrimExpr {
    PrimExpr distance = math("fabs", arith::sub(x, y));
    PrimExpr tail = math(
        "log", arith::add(tir::floatImm(1, x->dtype), math("exp", arith::sub(tir::floatImm(0, x->dtype), distance))));
    return arith::add(arith::max(x, y), tail);
  };
  if (!l.resultType().isFloat()) return refuse(l.call, "floats are needed");
  if (!broadcastShape(l.analyzer, a.dims(), b.dims())) return relax::Expr();
  return l.finish("log_add_exp", binaryStage(l, a, b, f, "T_log_add_exp"));
}

constexpr LegalizeRow kRows[] = {
    {"relax.outer", outer},         {"relax.meshgrid", meshgrid},     {"relax.einsum", einsum},
    {"relax.bucketize", bucketize}, {"relax.log_add_exp", logAddExp},
};

}  // namespace

std::span<const LegalizeRow> productRows() { return kRows; }

}  // namespace rx::legalize
