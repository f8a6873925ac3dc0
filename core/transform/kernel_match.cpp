#include "core/transform/kernel_match.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/ir/structural_equal.h"

namespace rx::transform {

using tir::PrimExpr;

namespace {

/// A nest as a kernel of its own: its buffers are parameters in the order in which they occur.
tir::PrimFuncRef alone(const tir::Stmt& nest) {
  std::vector<tir::VarRef> params;
  std::vector<tir::BufferRef> buffers;
  std::unordered_set<const Node*> seen;
  walk(*nest, Into::Parts, [&](const Node& node) {
    const auto* buffer = as<tir::Buffer>(&node);
    if (buffer && seen.insert(buffer).second) {
      params.push_back(make<tir::Var>(Str("p"), DataType::Handle(), nullptr));
      buffers.emplace_back(buffer);
    }
    return !buffer;
  });
  return make<tir::PrimFunc>(Array<tir::VarRef>(std::move(params)), Array<tir::BufferRef>(std::move(buffers)), nest,
                             nullptr);
}

/// The sizes of loops and buffers, in the order of the text.
std::vector<PrimExpr> sizesOf(const tir::PrimFunc& nest) {
  std::vector<PrimExpr> sizes;
  for (const tir::BufferRef& buffer : nest.buffers)
    sizes.insert(sizes.end(), buffer->shape.begin(), buffer->shape.end());
  walk(*nest.body, Into::Parts, [&](const Node& node) {
    if (const auto* loop = as<tir::For>(&node)) sizes.push_back(loop->extent);
    return !isa<tir::ExprNode>(&node);
  });
  return sizes;
}

using Values = std::unordered_map<const Node*, PrimExpr>;

/// The pattern with what its variables stand for; those that stand for nothing are factors and summands to be left out.
tir::Stmt filled(const tir::Stmt& pattern, const std::unordered_set<const Node*>& variables, const Values& values) {
  auto unknown = [&](const PrimExpr& expr) { return variables.contains(expr.get()) && !values.contains(expr.get()); };
  auto leave = [&](const NodeRef& node) -> NodeRef {
    const auto value = values.find(node.get());
    if (value != values.end()) return value->second;
    const auto* binary = isa<tir::Mul>(node) || isa<tir::Add>(node) ? as<tir::BinaryNode>(node) : nullptr;
    if (binary && unknown(binary->a)) return binary->b;
    return binary && unknown(binary->b) ? NodeRef(binary->a) : node;
  };
  return cast<tir::StmtNode>(rewriteNodes(pattern, Into::Parts, nullptr, leave));
}

bool matches(const tir::Stmt& nest, const tir::PrimFunc& pattern) {
  const std::vector<tir::Stmt> nests = nestsOf(pattern);
  if (nests.size() != 1) return false;
  std::unordered_set<const Node*> variables;
  for (size_t i = 0; i < pattern.params.size(); ++i) {
    if (!pattern.buffers[i]) variables.insert(pattern.params[i].get());
  }
  const tir::PrimFuncRef kernel = alone(nest);
  const std::vector<PrimExpr> have = sizesOf(*kernel), asked = sizesOf(*alone(nests[0]));
  if (have.size() != asked.size()) return false;
  Values values;
  for (size_t i = 0; i < have.size(); ++i) {
    if (variables.contains(asked[i].get())) values.emplace(asked[i].get(), have[i]);
  }
  return structuralEqual(alone(filled(nests[0], variables, values)), kernel);
}

}  // namespace

std::vector<tir::Stmt> nestsOf(const tir::PrimFunc& kernel) {
  const auto* root = as<tir::BlockRealize>(kernel.body);
  if (!root || !root->block->iterVars.empty()) return {};
  const auto* all = as<tir::SeqStmt>(root->block->body);
  return all ? all->seq.vector() : std::vector<tir::Stmt>{root->block->body};
}

size_t matchedNests(const tir::PrimFunc& kernel, std::span<const tir::PrimFuncRef> patterns) {
  size_t count = 0;
  for (const tir::Stmt& nest : nestsOf(kernel)) {
    const bool known = isa<tir::For>(nest) && std::any_of(patterns.begin(), patterns.end(),
                                                          [&](const auto& pattern) { return matches(nest, *pattern); });
    if (!known) break;
    ++count;
  }
  return count;
}

}  // namespace rx::transform
