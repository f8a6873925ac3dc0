// NarrowDataType: indices in the narrowest type that holds them. A loop variable is narrowed when everything that is
// computed from it fits; constants and conversions follow in the places of indices.
#include <algorithm>

#include "core/arith/canon.h"
#include "core/arith/fold.h"
#include "core/arith/state.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/canon_rewriter.h"
#include "core/lower/index_types.h"
#include "core/lower/pass_functions.h"
#include "core/pass/options.h"

namespace rx::lower {

using namespace tir;

namespace {

/// Bits that each variable of a range, integer constant and conversion needs, over all places where it stands.
class BitsNeeded : public Rewriter {
 public:
  explicit BitsNeeded(int target)
      : target_(target), limits_(arith::boundOfType(DataType::Int(static_cast<uint8_t>(target)))) {}

  /// The narrowed type; nothing where the node keeps its own.
  std::optional<DataType> narrowed(const ExprNode* node) const {
    const auto found = bits_.find(node);
    if (found == bits_.end() || found->second == node->dtype.bits) return std::nullopt;
    DataType type = node->dtype;
    type.bits = static_cast<uint8_t>(found->second);
    return type;
  }

 protected:
  /// Definitions need no bits of their own: only what uses them counts.
  Stmt visit(const Stmt& statement) override {
    if (const auto* loop = as<For>(statement)) {
      range(loop->loopVar, loop->min, loop->extent);
      for (const PrimExpr& bound : {loop->min, loop->extent, loop->step}) rewrite(bound);
      rewrite(loop->body);
      return statement;
    }
    if (const auto* attribute = as<AttrStmt>(statement)) {
      const auto* axis = as<IterVar>(attribute->node);
      const bool threads = attribute->key == "thread_extent" || attribute->key == "virtual_thread";
      if (axis && threads) range(axis->var, arith::constantInt(attribute->value->dtype, 0), attribute->value);
      rewrite(attribute->value);
      rewrite(attribute->body);
      return statement;
    }
    if (const auto* block = as<Block>(statement)) {
      for (const auto& axis : block->iterVars) range(axis->var, axis->dom->min, axis->dom->extent);
    }
    return parts(statement);
  }

  NodeRef enter(const NodeRef& node) override {
    if (const auto* axis = as<IterVar>(node)) {
      for (const PrimExpr& bound : {axis->dom->min, axis->dom->extent}) measure(bound);
      return node;
    }
    const auto expr = refAs<ExprNode>(node);
    if (!expr) return nullptr;
    measure(expr);
    return node;
  }

 private:
  void range(const VarRef& var, const PrimExpr& min, const PrimExpr& extent) {
    canon_.bind(var, min, extent);
    ranged_[var.get()] = extent->dtype.bits;
  }

  /// Each part needs the bits of the widest expression around it, up to the next load.
  void measure(const PrimExpr& root) {
    std::vector<std::pair<PrimExpr, int>> open{{root, target_}};
    std::vector<const Node*> parts;
    while (!open.empty()) {
      auto [expr, bits] = std::move(open.back());
      open.pop_back();
      if (expr->dtype.isInt()) {
        const arith::ConstIntBound bound = canon_.boundOf(expr);
        const bool fits = expr->dtype.bits <= target_ || (bound.min >= limits_.min && bound.max <= limits_.max);
        bits = std::max(bits, fits ? target_ : 64);
        note(expr.get(), bits);
      }
      if (isa<BufferLoad>(expr)) bits = target_;
      if (const auto* reduce = as<Reduce>(expr)) {
        for (const auto& axis : reduce->axis) range(axis->var, axis->dom->min, axis->dom->extent);
      }
      parts.clear();
      appendChildren(*expr, Into::Parts, parts);
      for (const Node* part : parts) {
        if (const auto* operand = as<ExprNode>(part)) open.emplace_back(PrimExpr(operand), bits);
      }
    }
  }

  void note(const ExprNode* expr, int bits) {
    if (const auto* var = as<Var>(expr)) {
      const auto ranged = ranged_.find(var);
      if (ranged == ranged_.end()) return;
      bits = std::min(bits, ranged->second);
    } else if (isa<IntImm>(expr) || isa<Cast>(expr)) {
      bits = std::min<int>(bits, expr->dtype.bits);
    } else {
      return;
    }
    int& known = bits_[expr];
    known = std::max(known, bits);
  }

  const int target_;
  const arith::ConstIntBound limits_;
  arith::Canon canon_{effectOfCall};
  std::unordered_map<const Var*, int> ranged_;
  std::unordered_map<const ExprNode*, int> bits_;
};

class Narrower : public IndexTypes {
 public:
  Narrower(const BitsNeeded& needs, int target) : needs_(needs), target_(target) {}

 protected:
  bool comparesIndices() const override { return false; }
  DataType offsetType(DataType given) const override {
    given.bits = static_cast<uint8_t>(std::min<int>(given.bits, target_));
    return given;
  }
  VarRef variable(const VarRef& var) override {
    const auto type = needs_.narrowed(var.get());
    return type ? typed(var, *type) : nullptr;
  }
  PrimExpr constant(const Ref<IntImm>& number) override {
    const auto type = indexed() ? needs_.narrowed(number.get()) : std::nullopt;
    return type ? intImm(number->value, *type) : PrimExpr(number);
  }
  PrimExpr conversion(const Ref<Cast>& node, PrimExpr value) override {
    if (const auto type = indexed() ? needs_.narrowed(node.get()) : std::nullopt) {
      return value->dtype == *type ? value : PrimExpr(make<Cast>(*type, value));
    }
    return value == node->value ? PrimExpr(node) : PrimExpr(make<Cast>(node->dtype, value));
  }
  /// Where one operand was narrowed and the other was not, both are seen as indices.
  PrimExpr mixed(const Ref<BinaryNode>& given, const PrimExpr&, const PrimExpr&) override {
    return arith::makeBinary(given->kind(), indexOf(given->a), indexOf(given->b));
  }

 private:
  const BitsNeeded& needs_;
  const int target_;
};

}  // namespace

Result<PrimFuncRef> narrowDataType(const PrimFuncRef& func, Scope& scope) {
  const int64_t target = pass::numberOf(scope.options, "target_bits");
  if (target != 8 && target != 16 && target != 32 && target != 64) {
    return fail("pass.option-value", "target_bits of NarrowDataType must be 8, 16, 32 or 64");
  }
  BitsNeeded needs(static_cast<int>(target));
  needs.rewrite(func->body);
  auto body = Narrower(needs, static_cast<int>(target)).run(func->body);
  if (!body) return fail(body.diagnostics());
  return unlessSame(func, withBody(func, *body));
}

}  // namespace rx::lower
