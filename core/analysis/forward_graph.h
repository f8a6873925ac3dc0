// Which bindings use which, forwards: the graph on which operators are fused.
#pragma once

#include <unordered_map>
#include <vector>

#include "core/analysis/op_pattern.h"
#include "core/ir/module.h"

namespace rx::analysis {

/// A use of a variable by the binding of another, which reads it as its pattern says.
struct ForwardEdge {
  uint32_t to;
  OpPattern pattern;
};

struct ForwardNode {
  const Node* node;  ///< what computes it: in Relax the variable that is bound to it
  OpPattern pattern = OpPattern::Opaque;
  bool outside = false;  ///< seen outside its dataflow block, so that it has to be computed for itself
  std::vector<ForwardEdge> uses;
};

/// True for a function that fusion or partitioning made and that is not looked into again: with the attribute Primitive
/// or Codegen.
bool isFusedFunction(const ir::BaseFuncNode& function);
/// The PrimFunc behind a call_tir or call_tir_inplace; null for other calls and where the module does not have it.
const tir::PrimFunc* kernelOf(const relax::Call& call, const ir::IRModule& module);
/// What a call hands its callee: of call_tir and call_tir_inplace the fields of the tuple, else all its arguments.
const Array<relax::Expr>& kernelArguments(const relax::Call& call);

/// Nodes are parameters and bound variables of all functions that are not fused already, in the order of the text.
/// A match_cast has no edge from its value: nothing is fused over it.
class ForwardGraph {
 public:
  explicit ForwardGraph(const ir::IRModule& module);
  const std::vector<ForwardNode>& nodes() const { return nodes_; }

 private:
  void addFunction(const relax::Function& function);
  void addBinding(const relax::VarBinding& binding);
  uint32_t addNode(const relax::Var* var, OpPattern pattern, bool outside);
  /// From every variable in the expression.
  void addUses(const relax::Expr& expr, uint32_t user, OpPattern pattern);

  const ir::IRModule& module_;
  std::vector<ForwardNode> nodes_;
  std::unordered_map<const relax::Var*, uint32_t> index_;
  std::unordered_map<const relax::Var*, bool> packed_;  ///< parameters behind num_input, which may hold many weights
};

}  // namespace rx::analysis
