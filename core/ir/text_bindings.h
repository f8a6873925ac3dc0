// The bindings of functions as the texts of their languages show them: what a debugger stops at, what a view has a row
// for, and where each came from.
#pragma once

#include <vector>

#include "core/ir/module.h"

namespace rx::ir {

/// One binding. Ordinals count those of a function in text order: a binding comes before those inside its value
/// (branches, clauses, the body of a local function).
struct TextBinding {
  const Node* node = nullptr;                 ///< a binding of Relax; of a graph the `let`, or the expression itself
  const relax::ExprNode* value = nullptr;     ///< what it computes or names
  const relax::ExprNode* variable = nullptr;  ///< that it binds; null where an expression is called by a number
  Str name;                                   ///< as the text writes it; "result" of what a block gives
  int parent = -1;                            ///< ordinal of the binding whose value it stands in
  int branch = 0;                             ///< of the sequences in that value the one that it stands in
  int sequence = 0;                           ///< number of that sequence in the function, by where they begin
  Span span;
  Array<OriginSite> sites = {};  ///< what it came from; its own place when it carries none
  Str pass = {};                 ///< the pass that made it, where that is known
};

/// A function whose text binds names to values.
struct TextFunction {
  struct Param {
    Str name;  ///< as callers know it: without what the text may put before a variable
    const relax::ExprNode* variable;
  };
  std::vector<Param> params;
  std::vector<TextBinding> bindings;
  const relax::ExprNode* result = nullptr;  ///< what the function gives
};

/// What the value of a binding says, in the words of its language.
struct TextValue {
  enum class Form : uint8_t { Computes, Arranges, Branches, Function };
  Form form = Form::Computes;
  std::string label;                             ///< "nn.dense", "cell", "if", "tuple"
  std::string op;                                ///< the operator that is called, empty for none
  const relax::GlobalVar* callee = nullptr;      ///< the function of the module that is called
  int64_t item = -1;                             ///< which one of a tuple is taken
  std::vector<const relax::ExprNode*> operands;  ///< what it reads, in text order
  std::vector<const relax::ExprNode*> yields;    ///< what its branches give
  std::vector<const relax::ExprNode*> defines;   ///< variables of its patterns, which hold parts of what it reads
  std::vector<std::string> branches;             ///< what each of its branches is for: "true", "Cons(%h, %t)"
};

/// The functions of Relax of a module, each at its place in `all`.
void relaxBindings(const IRModule& module, std::vector<TextFunction>* all);

/// The functions of a module, each in its own language; nothing of one whose text binds nothing.
std::vector<TextFunction> textFunctions(const IRModule& module);

}  // namespace rx::ir
