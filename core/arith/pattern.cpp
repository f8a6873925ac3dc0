#include "core/arith/pattern.h"

#include <array>
#include <bit>
#include <bitset>
#include <optional>
#include <span>

#include "core/arith/equal.h"
#include "core/arith/fold.h"
#include "core/arith/rule_parser.h"
#include "core/arith/vector.h"
#include "core/ir/all_nodes.h"

namespace rx::arith {

using namespace tir;

namespace {

/// The types that a rule is about: those of the operands of comparisons, else that of the node.
enum class Over : uint8_t { Any, Vector, Index, NotIndex, Unsigned };

struct RuleRow {
  Kind head;
  Over over;
  std::string_view pattern, result, condition;
  bool again;
};
constexpr RuleRow kRows[] = {
#define RX_RULE(Head, Type, from, to, when) {Kind::tir_##Head, Over::Type, from, to, when, false},
#define RX_RULE_AGAIN(Head, Type, from, to, when) {Kind::tir_##Head, Over::Type, from, to, when, true},
#include "core/arith/rules_sum.def"
#define RX_RULE(Head, Type, from, to, when) {Kind::tir_##Head, Over::Type, from, to, when, false},
#define RX_RULE_AGAIN(Head, Type, from, to, when) {Kind::tir_##Head, Over::Type, from, to, when, true},
#include "core/arith/rules_divide.def"
#define RX_RULE(Head, Type, from, to, when) {Kind::tir_##Head, Over::Type, from, to, when, false},
#define RX_RULE_AGAIN(Head, Type, from, to, when) {Kind::tir_##Head, Over::Type, from, to, when, true},
#include "core/arith/rules_order.def"
#define RX_RULE(Head, Type, from, to, when) {Kind::tir_##Head, Over::Type, from, to, when, false},
#define RX_RULE_AGAIN(Head, Type, from, to, when) {Kind::tir_##Head, Over::Type, from, to, when, true},
#include "core/arith/rules_logic.def"
};

constexpr uint16_t kNone = 0xffff;

struct Rule {
  Over over;
  bool again;
  uint16_t pattern, result, condition;
  Kind first = Kind::kCount, second = Kind::kCount;  ///< kinds that the operands must have; kCount = any
};

constexpr auto kKinds = static_cast<size_t>(Kind::kCount);

/// The rules of one head in the order of the table, and of each kind that the first operand may have, those that take
/// it.
struct HeadRules {
  std::vector<Rule> rules;
  struct Share {
    uint16_t begin = 0, end = 0;
  };
  std::vector<uint16_t> places;           ///< in rules, share by share
  std::array<Share, kKinds> ofOperand{};  ///< in places, by kind; kinds that no rule names have one share

  void index() {
    ofOperand.fill(shareOf(Kind::kCount));
    std::bitset<kKinds> named;
    for (const Rule& rule : rules) {
      const auto kind = static_cast<size_t>(rule.first);
      if (rule.first == Kind::kCount || named[kind]) continue;
      named.set(kind);
      ofOperand[kind] = shareOf(rule.first);
    }
  }
  std::span<const uint16_t> about(Kind operand) const {
    const Share share = ofOperand[static_cast<size_t>(operand)];
    return {places.data() + share.begin, places.data() + share.end};
  }

 private:
  Share shareOf(Kind operand) {
    const auto begin = static_cast<uint16_t>(places.size());
    for (size_t i = 0; i < rules.size(); ++i) {
      const bool taken = rules[i].first == Kind::kCount || rules[i].first == operand;
      if (taken) places.push_back(static_cast<uint16_t>(i));
    }
    return {begin, static_cast<uint16_t>(places.size())};
  }
};

/// All rules, parsed once, by head.
struct Rules {
  RuleParts parts;
  std::array<HeadRules, kKinds> byHead;

  Rules() {
    for (const RuleRow& row : kRows) {
      const uint16_t result = parseRuleText(row.result, parts);
      const uint16_t condition = row.condition.empty() ? kNone : parseRuleText(row.condition, parts);
      std::string_view rest = row.pattern;
      while (!rest.empty()) {
        const size_t end = rest.find(';');
        Rule rule{row.over, row.again, parseRuleText(rest.substr(0, end), parts), result, condition};
        const RulePart& head = parts[rule.pattern];
        rule.first = kindNeeded(head.parts[0]);
        if (head.count > 1) rule.second = kindNeeded(head.parts[1]);
        byHead[static_cast<size_t>(row.head)].rules.push_back(rule);
        rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
      }
    }
    for (HeadRules& head : byHead)
      if (!head.rules.empty()) head.index();
  }

 private:
  Kind kindNeeded(uint16_t part) const {
    const RulePart& p = parts[part];
    if (p.what == RulePart::What::Node) return p.kind;
    if (p.what == RulePart::What::Number) return Kind::tir_IntImm;
    return kSlots[p.slot].type == SlotType::Int ? Kind::tir_IntImm : Kind::kCount;
  }
};

const Rules& allRules() {
  static const Rules rules;
  return rules;
}

/// The operands of a node that rules look into; fewer than three end with null.
std::array<const ExprNode*, 3> operandsOf(const ExprNode* node) {
  if (const auto* binary = as<BinaryNode>(node)) return {binary->a.get(), binary->b.get(), nullptr};
  if (const auto* inverse = as<Not>(node)) return {inverse->a.get(), nullptr, nullptr};
  if (const auto* s = as<Select>(node)) return {s->condition.get(), s->trueValue.get(), s->falseValue.get()};
  if (const auto* ramp = as<Ramp>(node)) return {ramp->base.get(), ramp->stride.get(), ramp->lanes.get()};
  if (const auto* spread = as<Broadcast>(node)) return {spread->value.get(), spread->lanes.get(), nullptr};
  return {};
}

/// One attempt to apply a rule.
class Match {
 public:
  Match(const RuleParts& parts, const ExprNode* root, RuleFacts& facts) : parts_(parts), root_(root), facts_(facts) {}

  bool matches(uint16_t index, const ExprNode* node) {
    const RulePart& part = parts_[index];
    switch (part.what) {
      case RulePart::What::Slot:
        return bind(part.slot, node);
      case RulePart::What::Number: {
        const auto* imm = as<IntImm>(node);
        return imm && imm->value == part.number;
      }
      default:
        break;
    }
    if (node->kind() != part.kind) return false;
    const auto operands = operandsOf(node);
    for (size_t i = 0; i < part.count; ++i) {
      if (!matches(part.parts[i], operands[i])) return false;
    }
    return true;
  }

  /// What a condition says; division by zero makes it false.
  bool holds(uint16_t condition) {
    const std::optional<int64_t> value = number(condition);
    return value && *value != 0;
  }

  PrimExpr build(uint16_t index, const PrimExpr& sibling = nullptr);

 private:
  bool bind(uint8_t slot, const ExprNode* node) {
    const ExprNode*& bound = slots_[slot];
    const SlotType type = kSlots[slot].type;
    if (type == SlotType::Int && !isa<IntImm>(node)) return false;
    if (type == SlotType::Float && !isa<FloatImm>(node)) return false;
    if (!bound) {
      bound = node;
      return true;
    }
    if (type == SlotType::Int) return as<IntImm>(bound)->value == as<IntImm>(node)->value;
    return bound == node || sameExpr(PrimExpr(bound), PrimExpr(node));
  }
  std::optional<int64_t> number(uint16_t index);
  std::optional<int64_t> ask(const RulePart& part);
  std::optional<int64_t> combine(Kind kind, int64_t a, int64_t b) const;

  const RuleParts& parts_;
  const ExprNode* root_;
  RuleFacts& facts_;
  std::array<const ExprNode*, kSlotCount> slots_{};
};

PrimExpr Match::build(uint16_t index, const PrimExpr& sibling) {
  const RulePart& part = parts_[index];
  switch (part.what) {
    case RulePart::What::Slot:
      return PrimExpr(slots_[part.slot]);
    case RulePart::What::Truth:
      return constantInt(root_->dtype, part.number);
    case RulePart::What::Number:
      return constantInt(sibling ? sibling->dtype : root_->dtype, part.number);
    case RulePart::What::Function: {
      const PrimExpr of = build(part.parts[0]);
      const bool one = part.function == RuleFunction::One;
      if (one || part.function == RuleFunction::Zero) return constantInt(of->dtype, one);
      return constantInt(of->dtype,
                         part.function == RuleFunction::Base ? facts_.modularOf(of).base : facts_.boundOf(of).min);
    }
    case RulePart::What::Node:
      break;
  }
  if (part.kind == Kind::tir_Not) return make<Not>(build(part.parts[0]));
  if (part.kind == Kind::tir_Broadcast) return broadcast(build(part.parts[0]), build(part.parts[1]));
  if (part.kind == Kind::tir_Ramp) {
    const PrimExpr base = build(part.parts[0]);
    return ramp(base, build(part.parts[1], base), build(part.parts[2]));
  }
  if (part.kind == Kind::tir_Select) {
    const PrimExpr condition = build(part.parts[0]), yes = build(part.parts[1]);
    return make<Select>(condition, yes, build(part.parts[2], yes));
  }
  const bool numberFirst = parts_[part.parts[0]].what == RulePart::What::Number;
  const PrimExpr b = numberFirst ? build(part.parts[1]) : nullptr;
  const PrimExpr a = build(part.parts[0], b);
  return makeBinary(part.kind, a, b ? b : build(part.parts[1], a));
}

std::optional<int64_t> Match::combine(Kind kind, int64_t a, int64_t b) const {
  const PrimExpr value = tryFold(kind, intImm(a), intImm(b));
  return asInt(value);
}

std::optional<int64_t> Match::ask(const RulePart& part) {
  const PrimExpr of = build(part.parts[0]);
  const auto limit = [&] { return number(part.parts[1]).value_or(0); };
  switch (part.function) {
    case RuleFunction::Lo:
      return facts_.boundOf(of).min;
    case RuleFunction::Hi:
      return facts_.boundOf(of).max;
    case RuleFunction::Exact:
      return facts_.boundOf(of).isConst();
    case RuleFunction::Coeff:
      return facts_.modularOf(of).coeff;
    case RuleFunction::Base:
      return facts_.modularOf(of).base;
    case RuleFunction::Power2:
      return asInt(of) && *asInt(of) > 0 && std::has_single_bit(static_cast<uint64_t>(*asInt(of)));
    case RuleFunction::AtLeast:
      return facts_.isAtLeast(of, limit());
    case RuleFunction::Below:
      return facts_.isBelow(of, limit());
    case RuleFunction::Equal:
      return facts_.isEqual(of, limit());
    case RuleFunction::Prove:
      return facts_.holds(of);
    case RuleFunction::Pure:
      return facts_.writesNothing(of);
    case RuleFunction::Scaled:
      return isa<Mul>(of) && isa<IntImm>(as<Mul>(of)->b);
    case RuleFunction::VScale:
      return usesVScale(of);
    case RuleFunction::Fixed:
      return isa<IntImm>(of);
    default:
      return std::nullopt;
  }
}

std::optional<int64_t> Match::number(uint16_t index) {
  const RulePart& part = parts_[index];
  switch (part.what) {
    case RulePart::What::Slot: {
      const ExprNode* bound = slots_[part.slot];
      if (const auto* real = as<FloatImm>(bound)) return real->value != 0;  // only asked whether it is zero
      const auto* imm = as<IntImm>(bound);
      return imm ? std::optional(imm->value) : std::nullopt;
    }
    case RulePart::What::Number:
    case RulePart::What::Truth:
      return part.number;
    case RulePart::What::Function:
      return ask(part);
    case RulePart::What::Node:
      break;
  }
  const std::optional<int64_t> a = number(part.parts[0]);
  if (!a) return std::nullopt;
  if (part.kind == Kind::tir_Not) return *a == 0;
  if (part.kind == Kind::tir_And && *a == 0) return 0;
  if (part.kind == Kind::tir_Or && *a != 0) return 1;
  const std::optional<int64_t> b = number(part.parts[1]);
  return b ? combine(part.kind, *a, *b) : std::nullopt;
}

bool isOver(Over over, DataType type) {
  const bool wide = (type.bits == 32 || type.bits == 64) && type.isScalar();
  switch (over) {
    case Over::Any:
      return true;
    case Over::Vector:
      return !type.isScalar();
    case Over::Index:
      return wide && type.isInt();
    case Over::NotIndex:
      return !(wide && type.isInt());
    case Over::Unsigned:
      return wide && type.isUInt();
  }
  return false;
}

}  // namespace

Rewritten applyRules(const PrimExpr& node, RuleFacts& facts) {
  const Rules& rules = allRules();
  const auto operands = operandsOf(node.get());
  const bool compares = node->kind() >= Kind::tir_EQ && node->kind() <= Kind::tir_GE;
  const DataType type = compares ? operands[0]->dtype : node->dtype;
  const HeadRules& head = rules.byHead[static_cast<size_t>(node->kind())];
  if (head.rules.empty()) return {};
  for (const uint16_t place : head.about(operands[0]->kind())) {
    const Rule& rule = head.rules[place];
    if (rule.second != Kind::kCount && rule.second != operands[1]->kind()) continue;
    if (!isOver(rule.over, type)) continue;
    Match match(rules.parts, node.get(), facts);
    if (!match.matches(rule.pattern, node.get())) continue;
    if (rule.condition != kNone && !match.holds(rule.condition)) continue;
    return {match.build(rule.result), rule.again};
  }
  return {};
}

}  // namespace rx::arith
