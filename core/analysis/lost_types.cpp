#include "core/analysis/lost_types.h"

#include <fmt/format.h>

#include <optional>
#include <unordered_map>

#include "core/ir/reflect.h"
#include "core/op/sinfo_text.h"

namespace rx::analysis {

namespace {

using Bindings = std::vector<const relax::BindingNode*>;

Bindings bindingsOf(const relax::Function& function) {
  Bindings bindings;
  walk(function, Into::Parts, [&](const Node& node) {
    if (isa<relax::BindingNode>(&node)) bindings.push_back(static_cast<const relax::BindingNode*>(&node));
    return !isa<tir::ExprNode>(&node);
  });
  return bindings;
}

/// How much is known of the extents: nothing, how many there are, each of them.
int extentsKnown(bool all, int64_t ndim) { return all ? 2 : ndim >= 0 ? 1 : 0; }

/// Whether `now` says less than `was` of the same value. Tuples are taken apart without recursion.
bool saysLess(const relax::StructInfo& was, const relax::StructInfo& now) {
  std::vector<std::pair<relax::StructInfo, relax::StructInfo>> left{{was, now}};
  while (!left.empty()) {
    const auto [a, b] = left.back();
    left.pop_back();
    if (!a || !b || a == b) continue;
    // A closure is an object that was a function, and an empty tuple is what a call gives that gives nothing.
    const auto* fields = as<relax::TupleStructInfo>(a);
    const bool wasKnown =
        !isa<relax::ObjectStructInfo>(a) && !isa<relax::FuncStructInfo>(a) && !(fields && fields->items.empty());
    if (isa<relax::ObjectStructInfo>(b) && wasKnown) return true;
    if (a->kind() != b->kind()) continue;
    if (const auto* tensor = as<relax::TensorStructInfo>(a)) {
      const auto* other = as<relax::TensorStructInfo>(b);
      const bool hadAll = isa<relax::ShapeExpr>(tensor->shape), hasAll = isa<relax::ShapeExpr>(other->shape);
      if (extentsKnown(hasAll, other->ndim) < extentsKnown(hadAll, tensor->ndim)) return true;
      if (other->dtype.isVoid() && !tensor->dtype.isVoid()) return true;
    } else if (const auto* shape = as<relax::ShapeStructInfo>(a)) {
      const auto* other = as<relax::ShapeStructInfo>(b);
      if (extentsKnown(other->known, other->ndim) < extentsKnown(shape->known, shape->ndim)) return true;
    } else if (fields) {
      const auto* other = as<relax::TupleStructInfo>(b);
      for (size_t i = 0; i < std::min(fields->items.size(), other->items.size()); ++i)
        left.emplace_back(fields->items[i], other->items[i]);
    }
  }
  return false;
}

/// A binding by what it keeps from pass to pass: its name and the source bindings it came from. Names alone are too
/// many of one kind: every call that gives nothing is bound to `_`.
struct Identity {
  std::string_view name;
  const Array<OriginSite>* sites;  // at least one
  bool operator==(const Identity& other) const {
    return name == other.name && std::equal(sites->begin(), sites->end(), other.sites->begin(), other.sites->end());
  }
};
struct IdentityHash {
  size_t operator()(const Identity& identity) const {
    const OriginSite& first = (*identity.sites)[0];
    size_t hash = std::hash<std::string_view>()(identity.name);
    for (const size_t part : {std::hash<Str>()(first.function), size_t{first.block}, size_t{first.binding}})
      hash = hash * 1000003 + part;
    return hash;
  }
};

/// None where nothing is known of the binding's origin.
std::optional<Identity> identityOf(const relax::BindingNode& binding) {
  if (!binding.origin || binding.origin->sites.empty()) return std::nullopt;
  return Identity{binding.var->name.view(), &binding.origin->sites};
}

void addLost(std::string_view function, const relax::Function& before, const relax::Function& after,
             std::vector<Diagnostic>& found) {
  std::unordered_map<Identity, Bindings, IdentityHash> known;
  for (const relax::BindingNode* binding : bindingsOf(before))
    if (const auto identity = identityOf(*binding)) known[*identity].push_back(binding);
  for (const relax::BindingNode* binding : bindingsOf(after)) {
    const auto identity = identityOf(*binding);
    const auto same = identity ? known.find(*identity) : known.end();
    if (same == known.end()) continue;
    for (const relax::BindingNode* old : same->second) {
      if (old->var == binding->var) continue;
      if (!saysLess(old->var->sinfo, binding->var->sinfo)) break;
      Diagnostic lost = warningAt(binding->span, "pass.lost-type",
                                  fmt::format("{} was {} and is {} now", binding->var->name.view(),
                                              op::sinfoText(old->var->sinfo), op::sinfoText(binding->var->sinfo)));
      lost.context = fmt::format("{}, binding {}", function, binding->var->name.view());
      found.push_back(std::move(lost));
      break;
    }
  }
}

}  // namespace

std::vector<Diagnostic> lostTypes(const ir::IRModule& before, const ir::IRModule& after) {
  std::vector<Diagnostic> found;
  for (size_t i = 0; i < after.size(); ++i) {
    const auto* now = as<relax::Function>(after.functions[i]);
    const ir::BaseFunc old = before.find(after.vars[i]->name);
    const auto* was = as<relax::Function>(old);
    if (now && was && now != was) addLost(after.vars[i]->name.view(), *was, *now, found);
  }
  return found;
}

}  // namespace rx::analysis
