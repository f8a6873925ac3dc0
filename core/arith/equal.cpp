#include "core/arith/equal.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <unordered_set>

#include "core/arith/parts.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/support/short_memory.h"

namespace rx::arith {

using namespace tir;

namespace {

/// What a node says without its children; children are compared by the caller.
bool sameHead(const Node& a, const Node& b) {
  if (a.kind() != b.kind()) return false;
  if (const auto* op = as<relax::Op>(&a)) return op->name == as<relax::Op>(&b)->name;
  if (const auto* global = as<relax::GlobalVar>(&a)) return global->name == as<relax::GlobalVar>(&b)->name;
  const auto* x = as<ExprNode>(&a);
  if (!x) return false;
  const auto* y = as<ExprNode>(&b);
  if (x->dtype != y->dtype || isa<Var>(x)) return false;
  if (const auto* imm = as<IntImm>(&a)) return imm->value == as<IntImm>(&b)->value;
  if (const auto* imm = as<FloatImm>(&a)) {
    return std::bit_cast<uint64_t>(imm->value) == std::bit_cast<uint64_t>(as<FloatImm>(&b)->value);
  }
  if (const auto* imm = as<StringImm>(&a)) return imm->value == as<StringImm>(&b)->value;
  return !isa<Reduce>(&a);
}

size_t mix(size_t seed, size_t value) { return seed ^ (value + 0x9e3779b97f4a7c15ULL + (seed << 6) + (seed >> 2)); }

}  // namespace

namespace {

/// `budget` bounds the visits (0 = none left means "not the same"); pairs are remembered once there are many, so that
/// shared parts are compared once.
bool sameWithin(const PrimExpr& a, const PrimExpr& b, size_t budget) {
  if (a == b) return true;
  // Most comparisons end at the heads.
  if (!a || !b || budget == 0 || !sameHead(*a, *b)) return false;
  constexpr size_t kRemember = 128;
  ShortMemory<1024> memory;
  std::pmr::vector<std::pair<const Node*, const Node*>> open(memory.resource());
  open.reserve(16);
  open.push_back({a.get(), b.get()});
  std::unordered_map<const Node*, const Node*> seen;
  std::vector<const Node*> left, right;
  for (size_t visits = 0; !open.empty(); ++visits) {
    auto [x, y] = open.back();
    open.pop_back();
    if (x == y) continue;
    if (visits >= budget || !x || !y || !sameHead(*x, *y)) return false;
    if (visits > kRemember) {
      auto [entry, fresh] = seen.emplace(x, y);
      if (!fresh && entry->second == y) continue;
    }
    if (const auto* binary = as<BinaryNode>(x)) {
      const auto* other = as<BinaryNode>(y);
      open.push_back({binary->a.get(), other->a.get()});
      open.push_back({binary->b.get(), other->b.get()});
      continue;
    }
    if (isLeaf(*x)) continue;
    left.clear();
    right.clear();
    appendChildren(*x, Into::Parts, left);
    appendChildren(*y, Into::Parts, right);
    if (left.size() != right.size()) return false;
    for (size_t i = 0; i < left.size(); ++i) open.push_back({left[i], right[i]});
  }
  return true;
}

}  // namespace

bool sameExpr(const PrimExpr& a, const PrimExpr& b) { return sameWithin(a, b, std::numeric_limits<size_t>::max()); }
bool quicklySame(const PrimExpr& a, const PrimExpr& b, size_t visits) { return sameWithin(a, b, visits); }

bool sameExprs(std::span<const PrimExpr> a, std::span<const PrimExpr> b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!sameExpr(a[i], b[i])) return false;
  }
  return true;
}

namespace {

/// Mixes in what the node says itself; true where its parts say the rest.
bool hashHead(const Node& node, size_t& hash) {
  hash = mix(hash, static_cast<size_t>(node.kind()));
  if (const auto* imm = as<IntImm>(&node)) {
    hash = mix(hash, static_cast<size_t>(imm->value));
  } else if (const auto* real = as<FloatImm>(&node)) {
    hash = mix(hash, std::bit_cast<uint64_t>(real->value));
  } else if (const auto* text = as<StringImm>(&node)) {
    hash = mix(hash, std::hash<Str>()(text->value));
  } else if (const auto* op = as<relax::Op>(&node)) {
    hash = mix(hash, std::hash<Str>()(op->name));
  } else if (const auto* global = as<relax::GlobalVar>(&node)) {
    hash = mix(hash, std::hash<Str>()(global->name));
  } else if (isa<Var>(&node) || !isa<ExprNode>(&node) || isa<Reduce>(&node)) {
    hash = mix(hash, std::hash<const void*>()(&node));
  } else {
    return true;
  }
  return false;
}

}  // namespace

size_t hashExpr(const PrimExpr& expr) {
  size_t hash = 0;
  if (!hashHead(*expr, hash)) return hash;
  ShortMemory<512> memory;
  std::pmr::vector<const Node*> open(memory.resource());
  open.reserve(16);
  const auto later = [&](const Node* part) { open.push_back(part); };
  eachPart(*expr, later);
  // The first nodes tell expressions apart well enough, and make the hash of a deep expression cheap.
  constexpr int kNodes = 48;
  for (int visits = 1; !open.empty() && visits < kNodes; ++visits) {
    const Node* node = open.back();
    open.pop_back();
    if (!node) {
      hash = mix(hash, 1);
    } else if (hashHead(*node, hash)) {
      eachPart(*node, later);
    }
  }
  return hash;
}

PrimExpr substitute(const PrimExpr& expr, const VarMap& map) {
  if (map.empty() || !expr) return expr;
  NodeRef result = rewriteNodes(
      expr, Into::Parts,
      [&](const NodeRef& node) -> NodeRef {
        const auto* var = as<Var>(node);
        if (!var) return nullptr;
        auto found = map.find(var);
        return found == map.end() ? node : NodeRef(found->second);
      },
      [](const NodeRef& node) { return node; });
  return rx::cast<ExprNode>(result);
}

std::vector<VarRef> freeVars(const PrimExpr& expr) {
  std::vector<VarRef> found;
  if (!expr || (isLeaf(*expr) && !isa<Var>(expr))) return found;
  if (auto var = refAs<Var>(expr)) return {std::move(var)};
  // A few variables are looked through; of other nodes only those in several places can be met again.
  constexpr size_t kFew = 16;
  std::unordered_set<const Node*> seen;
  const auto isNew = [&](const Node& node) {
    if (isa<Var>(&node) && found.size() < kFew)
      return std::none_of(found.begin(), found.end(), [&](const VarRef& var) { return var.get() == &node; });
    return (node.unique() && !isa<Var>(&node)) || seen.insert(&node).second;
  };
  std::vector<const Node*> open{expr.get()}, children;
  while (!open.empty()) {
    const Node* node = open.back();
    open.pop_back();
    if (!node || isa<Buffer>(node) || !isNew(*node)) continue;
    if (const auto* var = as<Var>(node)) {
      found.emplace_back(var);
      if (found.size() == kFew)
        for (const VarRef& known : found) seen.insert(known.get());
    }
    children.clear();
    appendChildren(*node, Into::Parts, children);
    open.insert(open.end(), children.rbegin(), children.rend());
  }
  return found;
}

}  // namespace rx::arith
