#include "core/relay/compiler_regions.h"

#include "core/relay/rewrite.h"

namespace rx::relay {

bool isRegionBegin(const Expr& expr) { return isCallOf(expr, "annotation.compiler_begin"); }
bool isRegionEnd(const Expr& expr) { return isCallOf(expr, "annotation.compiler_end"); }

Regions::Regions(const Expr& root) {
  for (const Expr& expr : postOrder(root)) add(expr);
}

Regions::Id Regions::of(const Expr& expr) const {
  const auto hit = ids_.find(expr.get());
  return hit == ids_.end() ? kNone : rootOf(hit->second);
}

Regions::Id Regions::rootOf(Id id) const {
  while (parents_[static_cast<size_t>(id)] != id) id = parents_[static_cast<size_t>(id)];
  return id;
}

std::vector<Expr> Regions::inputs(Id id) const {
  std::vector<Expr> out;
  for (const Expr& begin : begins_[static_cast<size_t>(id)]) {
    if (of(as<Call>(begin)->args[0]) != id) out.push_back(as<Call>(begin)->args[0]);
  }
  return out;
}

void Regions::merge(Id from, Id into) {
  parents_[static_cast<size_t>(from)] = into;
  auto& begins = begins_[static_cast<size_t>(from)];
  auto& all = begins_[static_cast<size_t>(into)];
  all.insert(all.end(), begins.begin(), begins.end());
  begins.clear();
}

void Regions::add(const Expr& expr) {
  if (isRegionBegin(expr)) {
    ids_[expr.get()] = static_cast<Id>(parents_.size());
    parents_.push_back(static_cast<Id>(parents_.size()));
    compilers_.emplace_back(textAttrOf(*as<Call>(expr), "compiler"));
    begins_.push_back({expr});
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
