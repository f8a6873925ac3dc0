// Well-formedness of Relax functions; private to core/analysis.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "core/analysis/findings.h"
#include "core/analysis/well_formed.h"
#include "core/op/infer.h"
#include "core/op/lattice.h"

namespace rx::analysis {

class RelaxChecker : public op::FunctionLookup {
 public:
  RelaxChecker(const ir::IRModule& module, const WellFormedOptions& options, Findings& findings);
  void check(const relax::GlobalVar& name, const relax::Function& function);
  ir::BaseFunc functionOf(const relax::GlobalVar* var) const override { return module_.find(var); }
  bool missesConstants() const override { return module_.facts.missingConstants > 0; }

 private:
  /// Where a variable may be used.
  struct Visible {
    uint32_t functionDepth;
    uint32_t dataflow;  ///< the dataflow block, 0 = none
  };
  /// Work that waits: nesting costs list entries, never stack.
  struct Task {
    enum Kind : uint8_t { Blocks, Bindings, EndBlock, Value, EnterScope, LeaveScope, EndFunction } kind;
    const Node* node = nullptr;
    size_t at = 0;
    size_t block = 0;  ///< of Bindings: one-based place in the body
  };
  struct Scope {
    size_t vars, symbols;
  };
  struct FunctionState {
    const relax::Function* function;
    bool pure;          ///< no impure call may be in it
    uint32_t dataflow;  ///< number of the open dataflow block, 0 = none
  };

  void run();
  void step(Task task);
  void beginFunction(const relax::Function& function);
  void checkParams(const relax::Function& function);
  void blocks(const Task& task);
  void bindings(const Task& task);
  void binding(const relax::BindingNode& binding);
  void varBinding(const relax::VarBinding& binding);
  void matchCast(const relax::MatchCast& binding);
  void define(const relax::Var& var, Span span);
  Scope enter() const { return {vars_.mark(), symbols_.mark()}; }

  // Expressions: what may be bound, and leaves.
  void value(const relax::Expr& e);
  void leaf(const relax::Expr& e, std::string_view role);
  void use(const relax::Var& var, Span span);
  void useGlobal(const relax::GlobalVar& var, Span span, bool called);
  void call(const relax::Call& call);
  void callPurity(const relax::Call& call);
  /// What a text says against what follows from it: a warning where it is of a time when nobody compared the two.
  void contradiction(Span span, std::string rule, std::string message);
  void callStructInfo(const relax::Call& call);
  void callTir(const relax::Call& call);
  void callTirInplace(const relax::Call& call, const Array<relax::StructInfo>& outputs, const relax::Tuple& args);
  /// What a kernel takes and gives beside what its call says. `places`: for each output the input that it lies in, or
  /// -1.
  void callKernel(const relax::Call& call, const relax::Tuple& inputs, const relax::FuncStructInfo& signature,
                  const Array<relax::StructInfo>& outputs, const std::vector<int64_t>& places);

  // StructInfo and symbols.
  enum class Mode { Use, Define };
  void sinfo(const relax::StructInfo& info, Mode mode, Span span);
  void defineSymbols(const Node& info);
  void prim(const tir::PrimExpr& e, Span span);
  void useSymbol(const tir::Var& var, Span span);
  void form(const Node& info, Span span);
  /// What was found right in one scope is checked again in another.
  void forgetChecked() {
    lastInfo_ = nullptr;
    checkedTuples_.clear();
  }
  bool ok() const { return errors_ == 0; }

  const ir::IRModule& module_;
  const WellFormedOptions& options_;
  Findings& findings_;
  op::InferContext context_;
  std::vector<Task> tasks_;
  std::vector<FunctionState> functions_;
  ScopedMap<relax::Var, Visible> vars_;
  ScopedMap<tir::Var, bool> symbols_;
  PointerMap<relax::Var, const relax::GlobalVar*> boundIn_;  ///< all of the module: each binds once
  std::unordered_map<const tir::Var*, const relax::GlobalVar*> symbolOf_;
  std::unordered_set<const Node*> reported_;       ///< undefined variables, once each
  PointerMap<Node, bool> formed_;                  ///< StructInfo whose form was checked
  std::unordered_set<const Node*> checkedTuples_;  ///< StructInfo of tuples found right in this scope
  std::vector<Scope> scopes_;
  std::vector<const Node*> infos_;              ///< StructInfo that waits, in sinfo()
  std::vector<const relax::ExprNode*> leaves_;  ///< values that wait, in leaf()
  const relax::GlobalVar* name_ = nullptr;
  const Node* lastInfo_ = nullptr;  ///< checked last in this scope
  uint32_t dataflowBlocks_ = 0;
  size_t errors_ = 0;  ///< of the binding being checked: a call of wrong arguments is not deduced
};

}  // namespace rx::analysis
