// Rules of SimplifyExpr for casts and clips.
#include <limits>

#include "core/relay/passes/quantized.h"
#include "core/relay/passes/simplify_rules.h"

namespace rx::relay {

namespace {

/// Whether every value of `from` is one of `to`, as TVM orders the kinds of numbers.
bool widens(DataType from, DataType to) {
  if (from.code == to.code) return from.bits <= to.bits;
  if (from == DataType::BFloat16() || to == DataType::BFloat16()) return false;
  return from.code < to.code && from.bits <= to.bits;
}

std::pair<double, double> numbersOf(DataType dtype) {
  if (dtype.isIntegral()) return rangeOf(dtype);
  double most = std::numeric_limits<double>::max();
  if (dtype == DataType::Float(32)) most = static_cast<double>(std::numeric_limits<float>::max());
  if (dtype == DataType::Float(16)) most = 65504;
  if (dtype == DataType::BFloat16()) most = 3.38953138925153547590470800371487866880e+38;
  return {-most, most};
}

DataType dtypeOf(const Expr& expr) { return as<TensorType>(expr->sinfo)->dtype; }

/// Casts of a clip: those to types that hold what the clip gives are not needed, but for the last.
PatternRewrite castsOfClip(const Expr& root) {
  PatternRewrite out;
  std::vector<Expr> casts;
  Expr at = root;
  for (; isCallOf(at, "cast"); at = as<Call>(at)->args[0]) {
    casts.push_back(at);
    out.inner.push_back(at.get());
  }
  if (casts.empty() || !isCallOf(at, "clip") || !tensorOf(at)) return {};
  out.inner.push_back(at.get());
  const auto* clip = as<Call>(at);
  const double low = realAttrOf(*clip, "a_min"), high = realAttrOf(*clip, "a_max");
  Expr made = at;
  for (auto each = casts.rbegin(); each != casts.rend(); ++each) {
    const auto [least, most] = numbersOf(dtypeOf(*each));
    if (high > most || low < least) made = cast(made, dtypeOf(*each));
  }
  if (dtypeOf(made) != dtypeOf(root)) made = cast(made, dtypeOf(root));
  size_t left = 0;
  for (Expr each = made; each != at; each = as<Call>(each)->args[0]) ++left;
  if (left < casts.size()) out.made = made;
  return out;
}

}  // namespace

std::vector<PatternRule> castRules() {
  const PatternRef same = anyExpr();
  const PatternRule toSame = ruleOf(either({callOf({"cast_like"}, {same, anyExpr()}), callOf({"cast"}, {same})}),
                                    [=](const Call& root, const PatternMatch& match) -> Expr {
                                      const TensorType* type = tensorOf(match[same]);
                                      const auto* result = as<TensorType>(root.sinfo);
                                      return type && result && type->dtype == result->dtype ? match[same] : nullptr;
                                    });
  const PatternRef data = anyExpr();
  const PatternRef first = either({callOf({"cast_like"}, {data, anyExpr()}), callOf({"cast"}, {data})});
  const PatternRule twice = ruleOf(either({callOf({"cast_like"}, {first, anyExpr()}), callOf({"cast"}, {first})}),
                                   [=](const Call& root, const PatternMatch& match) -> Expr {
                                     const TensorType *from = tensorOf(match[data]), *middle = tensorOf(match[first]);
                                     const bool fits = from && middle && widens(from->dtype, middle->dtype);
                                     return fits ? cast(match[data], as<TensorType>(root.sinfo)->dtype) : nullptr;
                                   });
  return {toSame, twice};
}

std::vector<PatternRule> clipRules() {
  const PatternRef data = anyExpr();
  const PatternRule toAll = ruleOf(callOf({"clip"}, {data}), [=](const Call& root, const PatternMatch& match) -> Expr {
    // These clip what they give themselves; the clip says where.
    if (isCallOf(root.args[0], "qnn.requantize") || isCallOf(root.args[0], "qnn.add")) return nullptr;
    const auto [least, most] = numbersOf(as<TensorType>(root.sinfo)->dtype);
    const bool keepsAll = realAttrOf(root, "a_max") >= most && realAttrOf(root, "a_min") <= least;
    return keepsAll ? match[data] : nullptr;
  });
  return {castsOfClip, toAll};
}

std::vector<PatternRule> dequantizedOrderRules() {
  std::vector<PatternRule> out;
  for (std::string_view op : {"argmax", "argmin", "argsort"}) {
    const PatternRef data = anyExpr();
    out.push_back(ruleOf(
        callOf({op}, {callOf({"qnn.dequantize"}, {data, anyExpr(), anyExpr()})}),
        [=](const Call& root, const PatternMatch& match) { return callAgain(root, {match[data]}, root.attrs); }));
  }
  return out;
}

}  // namespace rx::relay
