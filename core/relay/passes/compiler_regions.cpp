#include "core/relay/passes/compiler_regions.h"

#include "core/relay/rewrite.h"

namespace rx::relay {

bool isRegionBegin(const Expr& expr) { return isCallOf(expr, "annotation.compiler_begin"); }
bool isRegionEnd(const Expr& expr) { return isCallOf(expr, "annotation.compiler_end"); }

Regions::Regions(const Expr& root) {
  for (const Expr& expr : postOrder(root)) add(expr);
}

Regions::Id Regions::of(const Expr& expr) {
  const auto hit = ids_.find(expr.get());
  return hit == ids_.end() ? kNone : rootOf(hit->second);
}

Regions::Id Regions::rootOf(Id id) {
  for (;;) {
    Id& parent = parents_[static_cast<size_t>(id)];
    if (parent == id) return id;
    parent = parents_[static_cast<size_t>(parent)];
    id = parent;
  }
}

std::vector<Expr> Regions::begins(Id id) const {
  std::vector<Expr> out;
  for (; id != kNone; id = next_[static_cast<size_t>(id)]) out.push_back(marks_[static_cast<size_t>(id)]);
  return out;
}

std::vector<Expr> Regions::inputs(Id id) {
  std::vector<Expr> out;
  for (const Expr& begin : begins(id)) {
    if (of(as<Call>(begin)->args[0]) != id) out.push_back(as<Call>(begin)->args[0]);
  }
  return out;
}

void Regions::merge(Id from, Id into) {
  parents_[static_cast<size_t>(from)] = into;
  Id& last = last_[static_cast<size_t>(into)];
  next_[static_cast<size_t>(last)] = from;
  last = last_[static_cast<size_t>(from)];
}

void Regions::add(const Expr& expr) {
  if (isRegionBegin(expr)) {
    const auto id = static_cast<Id>(parents_.size());
    ids_[expr.get()] = id;
    parents_.push_back(id);
    compilers_.emplace_back(textAttrOf(*as<Call>(expr), "compiler"));
    marks_.push_back(expr);
    next_.push_back(kNone);
    last_.push_back(id);
    return;
  }
  if (isRegionEnd(expr)) {
    if (const Id region = of(as<Call>(expr)->args[0]); region != kNone) ids_[expr.get()] = region;
    return;
  }
  if (isa<Function>(expr)) return;
  std::vector<Expr> operands;
  appendOperands(*expr, operands);
  for (const Expr& operand : operands) {
    const Id theirs = isRegionEnd(operand) ? kNone : of(operand), ours = of(expr);
    if (theirs == kNone || theirs == ours) continue;
    if (ours != kNone) merge(theirs, ours);
    if (ours == kNone) ids_[expr.get()] = theirs;
  }
}

}  // namespace rx::relay
