// Rewriting of expression graphs: each node once, children first, without native recursion. Sharing stays.
#pragma once

#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/ir/relay.h"

namespace rx::relay {

/// Rebuilds a graph bottom-up. `pre` may give what stands for a node, which is then not entered (null: enter); `post`
/// gets the node as it was and rebuilt, and gives what stands in its place. Unchanged parts stay the same objects.
NodeRef rewriteGraph(const NodeRef& root, const std::function<NodeRef(const NodeRef&)>& pre,
                     const std::function<NodeRef(const NodeRef& before, const NodeRef& rebuilt)>& post);

/// The expression nodes of a graph, operands first, each once; bodies of functions, branches and clauses are entered.
/// Types and attributes are not.
std::vector<Expr> postOrder(const Expr& root);
/// Names of the module's functions that an expression uses, in that order; its nodes hold them.
std::vector<std::string_view> globalsIn(const Expr& root);
/// The expressions that a node is made of, in the order of their evaluation: arguments before what is called.
void appendOperands(const Node& node, std::vector<Expr>& out);
/// The same, which the node keeps.
void appendOperands(const Node& node, std::vector<const relax::ExprNode*>& out);
/// The expression with other operands, in that order; the very same node when none differs.
Expr withOperands(const Expr& expr, std::span<const Expr> operands);
/// A copy of a node that can be copied (no operator, global name or constructor) without a type, which is the caller's
/// own to change until others see it.
relax::ExprNode* copyOf(const relax::ExprNode& node);
/// Variables that the graph uses and does not bind, in the order of their first use.
std::vector<VarRef> freeVariables(const Expr& root);

/// The graph with expressions replaced, in what replaces them too. No replacement may lead back to what it replaces.
Expr replaceExprs(const Expr& root, const std::unordered_map<const Node*, Expr>& by);

}  // namespace rx::relay
