// How the text of Relay writes the graph of a function: what gets a line of its own, in which order, and under which
// name. What prints the text and what numbers its lines ask here.
#pragma once

#include <string>
#include <unordered_map>

#include "core/ir/relay.h"
#include "core/ir/text_bindings.h"

namespace rx::relay {

/// Whether an expression is written where it is used and never bound: variables, numbers, names.
bool isLeaf(const relax::ExprNode& expr);
/// What has its line before that of a node; blocks inside of it are written with it.
std::vector<Expr> boundBefore(const Expr& expr);
/// Of how many nodes expressions are a part, where these may be several: such an expression gets a name.
std::unordered_map<const Node*, uint32_t> partsOf(const Expr& root);

/// Names as the text of a module gives them, each once: first the parameters of `main`, which values are given to by
/// their names, then in the order of their definitions.
class TextNames {
 public:
  explicit TextNames(const ir::IRModule& module);
  /// Of a lone expression or function.
  TextNames() = default;
  /// Of a variable where it is bound: "%x", "%x1".
  std::string define(const Var& var);
  /// Of an expression that no `let` names: "%0", "%1".
  std::string number() { return "%" + std::to_string(count_++); }

 private:
  std::unordered_map<std::string, uint32_t> taken_;
  std::unordered_map<const Var*, std::string> params_;  ///< of main
  uint32_t count_ = 0;
};

/// Where the functions of a module were written, whatever became of them.
class WrittenFunctions {
 public:
  explicit WrittenFunctions(const ir::IRModule& module);
  /// The source binding that an expression is, called `name`. Nothing where a pass made it of nothing written.
  Array<OriginSite> siteOf(const relax::ExprNode& expr, const Str& name) const;

 private:
  struct Head {
    Span span;  ///< of the name
    Str name;
  };
  std::vector<Head> heads_;  ///< in the order of their places
};

/// The functions of Relay of a module, each at its place in `all`: every node that has a line of its own, and what the
/// blocks give.
void bindings(const ir::IRModule& module, std::vector<ir::TextFunction>* all);
/// What an expression says.
ir::TextValue textValue(const relax::ExprNode& expr);

}  // namespace rx::relay
