#include "core/relay/solver.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/ir/reflect.h"
#include "core/ir/structural_equal.h"
#include "core/relay/dims.h"
#include "core/relay/relations.h"
#include "core/relay/text.h"
#include "core/support/stack.h"

namespace rx::relay {

namespace {
enum : uint8_t { kWaiting, kReady, kDone };
}

Type substitute(const Type& type, const std::unordered_map<const Node*, Type>& variables) {
  if (!type || variables.empty()) return type;
  return refAs<TypeNode>(rewriteNodes(
      type, Into::Parts,
      [&](const NodeRef& node) -> NodeRef {
        const auto hit = variables.find(node.get());
        return hit == variables.end() ? nullptr : hit->second;
      },
      nullptr));
}

const IncompleteType* Solver::root(const Type& type) const {
  const auto* open = as<IncompleteType>(type);
  while (open) {
    const Type* hit = known_.find(open);
    if (!hit) return open;
    const auto* next = as<IncompleteType>(*hit);
    if (!next) return nullptr;
    open = next;
  }
  return nullptr;
}

Type Solver::outermost(const Type& type) const {
  const Type* now = &type;  // copied once: counts of references are most of the work else
  while (const auto* open = as<IncompleteType>(*now)) {
    const Type* hit = known_.find(open);
    if (!hit) break;
    now = hit;
  }
  return *now;
}

Type Solver::resolve(const Type& type) {
  if (!type) return nullptr;
  Type now = outermost(type);
  if (isa<TensorType>(now) && dims_.empty()) return now;  // nothing within it is open
  // What stands for an open type may hold open types that became known later.
  for (;;) {
    bool replaced = false;
    const NodeRef next = rewriteNodes(
        now, Into::Parts,
        [&](const NodeRef& node) -> NodeRef {
          if (const auto* symbol = as<tir::Var>(node)) {
            const auto hit = dims_.find(symbol);
            return hit == dims_.end() ? nullptr : NodeRef(hit->second);
          }
          if (!isa<IncompleteType>(node)) return nullptr;
          Type known = outermost(refAs<TypeNode>(node));
          replaced = replaced || !isa<IncompleteType>(known);
          return known;
        },
        nullptr);
    now = refAs<TypeNode>(next);
    if (!replaced) return now;
  }
}

void Solver::openTypes(const Type& type, std::vector<const IncompleteType*>& out) {
  const Type resolved = resolve(type);
  if (isa<TensorType>(resolved)) return;
  walk(*resolved, Into::Parts, [&](const Node& node) {
    if (const auto* open = as<IncompleteType>(&node)) out.push_back(open);
    return true;
  });
}

bool Solver::occurs(const IncompleteType* open, const Type& type) {
  std::vector<const IncompleteType*> inside;
  openTypes(type, inside);
  return std::find(inside.begin(), inside.end(), open) != inside.end();
}

void Solver::set(const IncompleteType* open, const Type& type) {
  kept_.push_back(Type(open));
  known_.set(open, type);
  const auto hit = waitingFor_.find(open);
  if (hit == waitingFor_.end()) return;
  for (uint32_t i : hit->second) {
    if (state_[i] == kWaiting) {
      state_[i] = kReady;
      ready_.push_back(i);
    }
  }
  waitingFor_.erase(hit);
}

/// Where a chain of open types ended in `before`, it now ends in what is known better.
void Solver::updated(const Type& before, const Type& now) {
  const auto* open = as<IncompleteType>(before);
  while (open) {
    const Type* end = known_.find(open);
    const auto* next = end ? as<IncompleteType>(*end) : nullptr;
    if (!next) known_.set(open, now);
    open = next;
  }
}

Type Solver::unify(const Type& lhs, const Type& rhs, const Asked& asked) {
  if (Type both = fitted(lhs, rhs)) return both;
  Diagnostic finding = errorAt(
      asked.place, "relay.type-mismatch",
      fmt::format("the types {} and {} do not fit: {}", typeText(resolve(lhs)), typeText(resolve(rhs)), asked.why));
  auto note = [&](const char* what, const Span& from) {
    if (from.known() && !(from == asked.place)) finding.notes.push_back({what, from});
  };
  note("the first comes from here", asked.first);
  note("the second comes from here", asked.second);
  refuse(std::move(finding));
  return nullptr;
}

Type Solver::unifyParts(const Type& lhs, const Type& rhs) {
  return withStack([&]() -> Type {
    if (lhs == rhs) return outermost(lhs);
    const IncompleteType* openLhs = root(lhs);
    const IncompleteType* openRhs = root(rhs);
    const Type l = outermost(lhs), r = outermost(rhs);
    if (openLhs && openLhs == openRhs) return l;
    if (openLhs) {
      if (occurs(openLhs, r)) return nullptr;
      set(openLhs, r);
      return r;
    }
    if (openRhs) {
      if (occurs(openRhs, l)) return nullptr;
      set(openRhs, l);
      return l;
    }
    if (l == r) return l;
    const Type both = unifyKnown(l, r);
    if (!both) return nullptr;
    if (both != l) updated(lhs, both);
    if (both != r) updated(rhs, both);
    return both;
  });
}

bool Solver::unifyAll(const Array<Type>& lhs, const Array<Type>& rhs, std::vector<Type>& out) {
  if (lhs.size() != rhs.size()) return false;
  for (size_t i = 0; i < lhs.size(); ++i) {
    out.push_back(unifyParts(lhs[i], rhs[i]));
    if (!out.back()) return false;
  }
  return true;
}

Type Solver::unifyKnown(const Type& lhs, const Type& rhs) {
  if (lhs->kind() != rhs->kind()) return nullptr;
  std::vector<Type> parts;
  if (const auto* tensor = as<TensorType>(lhs)) return unifyTensors(*tensor, *as<TensorType>(rhs));
  if (const auto* function = as<FuncType>(lhs)) return unifyFunctions(*function, *as<FuncType>(rhs));
  if (const auto* tuple = as<TupleType>(lhs)) {
    if (!unifyAll(tuple->items, as<TupleType>(rhs)->items, parts)) return nullptr;
    return std::equal(parts.begin(), parts.end(), tuple->items.begin()) ? lhs : make<TupleType>(Array<Type>(parts));
  }
  if (const auto* made = as<TypeCall>(lhs)) {
    const auto* other = as<TypeCall>(rhs);
    if (!structuralEqual(made->func, other->func) || !unifyAll(made->args, other->args, parts)) return nullptr;
    return std::equal(parts.begin(), parts.end(), made->args.begin()) ? lhs
                                                                      : make<TypeCall>(made->func, Array<Type>(parts));
  }
  if (const auto* ref = as<RefType>(lhs)) {
    const Type value = unifyParts(ref->value, as<RefType>(rhs)->value);
    if (!value) return nullptr;
    return value == ref->value ? lhs : make<RefType>(value);
  }
  return structuralEqual(lhs, rhs) ? lhs : nullptr;
}

bool Solver::unifyDims(const tir::PrimExpr& lhs, const tir::PrimExpr& rhs, tir::PrimExpr& out) {
  auto end = [&](tir::PrimExpr dim) {
    for (const auto* symbol = as<tir::Var>(dim); symbol; symbol = as<tir::Var>(dim)) {
      const auto hit = dims_.find(symbol);
      if (hit == dims_.end()) break;
      dim = hit->second;
    }
    return dim;
  };
  const tir::PrimExpr l = end(lhs), r = end(rhs);
  out = l;
  if (!l || !r) {
    out = nullptr;
    return true;
  }
  if (same(l, r)) return true;
  if (const auto* symbol = as<tir::Var>(l); symbol && known(r)) {
    dims_[symbol] = out = r;
    return true;
  }
  if (const auto* symbol = as<tir::Var>(r); symbol && known(l)) {
    dims_[symbol] = l;
    return true;
  }
  return false;
}

Type Solver::unifyTensors(const TensorType& lhs, const TensorType& rhs) {
  if (lhs.dtype != rhs.dtype || lhs.shape.size() != rhs.shape.size()) return nullptr;
  std::vector<tir::PrimExpr> dims(lhs.shape.size());
  bool likeLhs = true;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (!unifyDims(lhs.shape[i], rhs.shape[i], dims[i])) return nullptr;
    likeLhs = likeLhs && dims[i] == lhs.shape[i];
  }
  return likeLhs ? Type(&lhs) : tensorType(dims, lhs.dtype);
}

Type Solver::unifyFunctions(const FuncType& lhs, const FuncType& rhs) {
  if (lhs.argTypes.size() != rhs.argTypes.size()) return nullptr;
  if (lhs.typeParams.size() < rhs.typeParams.size()) return unifyFunctions(rhs, lhs);
  std::unordered_map<const Node*, Type> renamed;
  for (size_t i = 0; i < lhs.typeParams.size(); ++i) {
    renamed[lhs.typeParams[i].get()] =
        i < rhs.typeParams.size() ? Type(rhs.typeParams[i]) : Type(make<IncompleteType>());
  }
  const Type ret = unifyParts(substitute(lhs.retType, renamed), rhs.retType);
  if (!ret) return nullptr;
  std::vector<Type> args;
  for (size_t i = 0; i < lhs.argTypes.size(); ++i) {
    args.push_back(unifyParts(substitute(lhs.argTypes[i], renamed), rhs.argTypes[i]));
    if (!args.back()) return nullptr;
  }
  return make<FuncType>(rhs.typeParams, Array<Type>(std::move(args)), ret);
}

Type Solver::relate(Relation relation, Ref<Call> call, std::vector<Type> inputs) {
  Relates relates{relation, std::move(call), std::move(inputs), 0};
  relates.inputs = relates.types.size();
  relates.types.push_back(nullptr);
  Type& result = relates.types.back();
  Relating relating(*this, relates);
  const Outcome outcome = relation(relating);
  if (outcome == Outcome::Refused) return nullptr;
  // What the arguments say at once needs no open type, and nothing that waits for it.
  if (outcome == Outcome::Done && result) return result;
  if (!result) result = make<IncompleteType>();
  const Type open = result;
  ready_.push_back(static_cast<uint32_t>(relations_.size()));
  relations_.push_back(std::move(relates));
  state_.push_back(kReady);
  return open;
}

bool Solver::solve(const CancelToken& cancel) {
  while (!ready_.empty()) {
    if (cancel.cancelled()) {
      refuse(errorAt({}, "relay.cancelled", "type inference was cancelled"));
      return false;
    }
    const uint32_t i = ready_.front();
    ready_.pop_front();
    state_[i] = kWaiting;
    Relates& what = relations_[i];
    Relating relating(*this, what);
    switch (what.relation(relating)) {
      case Outcome::Done:
      case Outcome::Refused:
        state_[i] = kDone;
        break;
      case Outcome::Wait: {
        std::vector<const IncompleteType*> open;
        for (const Type& type : what.types) openTypes(type, open);
        for (const IncompleteType* type : open) waitingFor_[type].push_back(i);
        break;
      }
    }
  }
  return true;
}

std::vector<const Solver::Relates*> Solver::waiting() const {
  std::vector<const Relates*> out;
  for (size_t i = 0; i < relations_.size(); ++i) {
    if (state_[i] == kWaiting) out.push_back(&relations_[i]);
  }
  return out;
}

}  // namespace rx::relay
