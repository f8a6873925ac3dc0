#include "core/transform/shape_slots.h"

#include <algorithm>

#include "core/arith/equal.h"
#include "core/ir/reflect.h"

namespace rx::transform {

namespace {

/// Calls `found` for every outermost symbolic expression below a node, in table order.
void forEachExpr(const Node& root, const std::function<void(const tir::PrimExpr&)>& found) {
  walk(root, Into::Parts, [&](const Node& node) {
    const auto* expr = as<tir::ExprNode>(&node);
    if (!expr) return true;
    found(tir::PrimExpr(expr));
    return false;
  });
}

}  // namespace

ShapeSlots::ShapeSlots(const relax::Function& function) {
  auto collect = [this](const tir::PrimExpr& expr) { add(expr); };
  for (const relax::VarRef& param : function.params) {
    if (param->sinfo) forEachExpr(*param->sinfo, collect);
  }
  forEachExpr(*function.body, collect);
  if (function.retSinfo) forEachExpr(*function.retSinfo, collect);
}

size_t ShapeSlots::add(const tir::PrimExpr& expr) {
  // Only integers are shapes; strings and floating-point values are constants of other kinds.
  if (isa<tir::IntImm>(expr) || isa<tir::FloatImm>(expr) || isa<tir::StringImm>(expr)) return slots_.size();
  size_t hash = arith::hashExpr(expr);
  auto [first, last] = byHash_.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    if (arith::sameExpr(slots_[it->second].expr, expr)) return it->second;
  }
  ShapeSlot slot;
  slot.expr = expr;
  slot.isVar = isa<tir::Var>(expr);
  size_t index = slots_.size();
  slots_.push_back(slot);
  byHash_.emplace(hash, index);
  if (!slot.isVar) {
    std::vector<size_t> needs;
    for (const tir::VarRef& var : arith::freeVars(expr)) needs.push_back(add(var));
    slots_[index].needs = std::move(needs);
  }
  return index;
}

size_t ShapeSlots::indexOf(const tir::PrimExpr& expr) const {
  auto [first, last] = byHash_.equal_range(arith::hashExpr(expr));
  for (auto it = first; it != last; ++it) {
    if (arith::sameExpr(slots_[it->second].expr, expr)) return it->second;
  }
  RX_ASSERT(false, "a symbolic expression has no slot in the shape heap");
  return 0;
}

void ShapeSlots::store(size_t index) {
  slots_[index].computed = true;
  stored_.push_back(index);
}

std::vector<size_t> ShapeSlots::takeReady() {
  std::vector<size_t> position(slots_.size(), 0);  // of a variable among those just stored, from 1
  for (size_t i = 0; i < stored_.size(); ++i) position[stored_[i]] = i + 1;
  std::vector<std::pair<size_t, size_t>> found;
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].computed || slots_[i].isVar) continue;
    bool all = true;
    size_t completed = 0;
    for (size_t need : slots_[i].needs) {
      all &= slots_[need].computed;
      completed = std::max(completed, position[need]);
    }
    if (all) found.emplace_back(completed, i);
  }
  stored_.clear();
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.first != b.first ? a.first < b.first : a.second > b.second; });
  std::vector<size_t> out;
  for (const auto& [completed, slot] : found) out.push_back(slot);
  return out;
}

std::vector<bool> ShapeSlots::snapshot() const {
  std::vector<bool> computed;
  for (const ShapeSlot& slot : slots_) computed.push_back(slot.computed);
  return computed;
}

void ShapeSlots::restore(const std::vector<bool>& computed) {
  for (size_t i = 0; i < slots_.size(); ++i) slots_[i].computed = computed[i];
}

}  // namespace rx::transform
