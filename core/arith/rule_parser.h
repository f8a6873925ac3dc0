// The parsed form of the rules (see pattern.h).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/ir/node.h"

namespace rx::arith {

/// What a function of the rule language asks or makes.
enum class RuleFunction : uint8_t {
  Zero,
  One,
  Lo,
  Hi,
  Exact,
  Coeff,
  Base,
  Power2,
  AtLeast,
  Below,
  Equal,
  Prove,
  Pure,
  Scaled,
  VScale,
  Fixed
};

/// A node of a pattern, result or condition.
struct RulePart {
  enum class What : uint8_t { Slot, Number, Truth, Node, Function };
  What what = What::Slot;
  Kind kind = Kind::kCount;  ///< of a Node
  RuleFunction function = RuleFunction::Zero;
  uint8_t slot = 0;
  uint8_t count = 0;  ///< of parts
  int64_t number = 0;
  std::array<uint16_t, 3> parts{};
};

/// What a slot stands for.
enum class SlotType : uint8_t { Any, Int, Float };
struct SlotName {
  std::string_view name;
  SlotType type;
};
inline constexpr SlotName kSlots[] = {
    {"x", SlotType::Any},  {"y", SlotType::Any},  {"z", SlotType::Any},  {"b1", SlotType::Any},
    {"b2", SlotType::Any}, {"s1", SlotType::Any}, {"s2", SlotType::Any}, {"lanes", SlotType::Any},
    {"c1", SlotType::Int}, {"c2", SlotType::Int}, {"c3", SlotType::Int}, {"f1", SlotType::Float},
};
inline constexpr size_t kSlotCount = std::size(kSlots);

/// Parts of many rules in one list; a part is named by its place in it.
using RuleParts = std::vector<RulePart>;

/// Appends the parts of a text and returns its root. The tables are ours: a text that can not be read is an assertion.
uint16_t parseRuleText(std::string_view text, RuleParts& parts);

}  // namespace rx::arith
