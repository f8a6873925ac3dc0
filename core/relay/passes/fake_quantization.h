// What operators on quantized values become: rules of the pass FakeQuantizationToInteger. Private to core/relay.
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/relay/emit.h"

namespace rx::relay {

/// How integers stand for reals: (value - zero) * scale, along an axis where these are vectors.
struct Affine {
  Expr scale, zero;
  DataType dtype;
  int64_t axis = -1;
};
/// The same of a tuple: one for each item.
using Affines = std::vector<Affine>;

/// What a rule made, and what it stands for.
struct Integers {
  Expr expr;
  Affines affines;
};

/// A call whose arguments are integers already, and what is known of them.
struct FakeQuantized {
  const Ref<Call>& call;
  const std::unordered_map<const Node*, Affines>& known;
  const Affine* result;  ///< what the region gives; null where nothing says so
  const Call* user;      ///< the quantize that the region ends with; null where it has none

  const Expr& arg(size_t i) const { return call->args[i]; }
  const Affine* affine(const Expr& expr) const {
    const auto hit = known.find(expr.get());
    return hit == known.end() || hit->second.size() != 1 ? nullptr : hit->second.data();
  }
  const Affine* affine(size_t i) const { return affine(call->args[i]); }
};
/// Nothing where the call can not be computed in integers.
using FakeQuantizationRule = std::optional<Integers> (*)(const FakeQuantized&);

/// The rule of an operator, null where it has none. `optional`: names of operators whose rules count only when named.
FakeQuantizationRule fakeQuantizationRule(std::string_view op, const std::vector<std::string>& optional);

}  // namespace rx::relay
