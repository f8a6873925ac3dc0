#include "core/lower/zero_division.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/ir/reflect.h"
#include "core/lower/intrinsics.h"
#include "core/lower/rewriter.h"
#include "core/lower/scope.h"
#include "core/script/print.h"

namespace rx::lower {

using namespace tir;

namespace {

/// The constant that every lane has.
std::optional<int64_t> constantOf(const PrimExpr& expr) {
  const auto* splat = as<Broadcast>(expr);
  return asInt(splat ? splat->value : expr);
}

class DivisorMarker : public Rewriter {
 public:
  explicit DivisorMarker(const std::unordered_set<const Node*>& divisions) : divisions_(divisions) {}

 protected:
  NodeRef rebuilt(const NodeRef& old, const NodeRef& node) override {
    if (!divisions_.contains(old.get())) return node;
    const auto* division = as<BinaryNode>(node);
    const PrimExpr text = make<StringImm>(Str(zeroDivisionText(*as<BinaryNode>(old))));
    const NodeRef parts[] = {division->a, intrinsic(division->b->dtype, "rx_divisor", {division->b, text})};
    return withChildren(node, Into::Parts, parts);
  }

 private:
  const std::unordered_set<const Node*>& divisions_;
};

}  // namespace

bool mayDivideByZero(const BinaryNode& node) {
  static constexpr Kind kDivisions[] = {Kind::tir_Div, Kind::tir_Mod, Kind::tir_FloorDiv, Kind::tir_FloorMod};
  const bool divides = std::find(std::begin(kDivisions), std::end(kDivisions), node.kind()) != std::end(kDivisions);
  return divides && !node.a->dtype.isFloat() && constantOf(node.b).value_or(0) == 0;
}

std::string zeroDivisionText(const BinaryNode& division) {
  // A long expression is told by its beginning.
  constexpr size_t kLongest = 120;
  std::string text = script::printNode(division);
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
  return "an integer is divided by zero: " + text;
}

PrimFuncRef withDivisorsMarked(const PrimFuncRef& function, const std::unordered_set<const Node*>& divisions) {
  return divisions.empty() ? function : withBody(function, DivisorMarker(divisions).rewrite(function->body));
}

}  // namespace rx::lower
