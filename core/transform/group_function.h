// The function that a group of bindings becomes: its parameters, what it computes, what it gives back.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "core/build/mutator.h"

namespace rx::transform {

class GroupFunction : private build::Mutator {
 public:
  /// With `liftConstants` constants become parameters, else they stay in the function.
  GroupFunction(Str pass, build::ModuleContext& context, bool liftConstants)
      : Mutator(std::move(pass), &context), liftConstants_(liftConstants) {}

  /// A binding of the group, in the order of the text. One that is seen outside its block is an output.
  void append(const relax::Binding& binding);
  /// Something outside the group uses this variable.
  void addOutput(const relax::VarRef& var);

  /// The function with these attributes and Primitive, with symbols of its own; it returns the output, or a tuple of
  /// them. Null where there is none.
  Result<relax::FunctionRef> create(const ir::Attrs& attrs);
  const std::vector<relax::VarRef>& outputs() const { return outputs_; }
  const std::vector<relax::Binding>& bindings() const { return bindings_; }
  /// What the function is called with, after create().
  const std::vector<relax::Expr>& arguments() const { return arguments_; }
  /// The binding of the group whose field of a tuple became this argument of create(), null where it is none.
  const relax::VarBinding* fieldBinding(const relax::Expr& argument) const;
  /// "fused_matmul_add", after what is called in it.
  const std::string& nameHint() const { return name_; }

 protected:
  relax::Expr visit(const relax::Expr& expr) override;
  void visitVarBinding(const Ref<relax::VarBinding>& binding) override;

 private:
  void appendCall(const relax::Call& call);
  void appendField(const relax::VarBinding& binding, const relax::TupleGetItem& field);
  /// Makes a parameter of an expression that is not of this group.
  void need(const relax::Expr& expr);
  void addParameter(relax::Expr argument, relax::VarRef param);
  /// Tuples of which only some fields are used give way to these fields.
  void splitTuples();
  /// Symbols that no parameter defines come in as one shape.
  void addSymbols();

  bool liftConstants_;
  std::string name_ = "fused";
  std::vector<relax::Binding> bindings_;
  std::unordered_set<const relax::Var*> defined_;
  std::vector<relax::VarRef> outputs_;
  std::unordered_map<const relax::Var*, relax::Expr> results_;  ///< of outputs, when the function is created
  std::vector<relax::Expr> arguments_;
  std::vector<relax::VarRef> params_;
  std::unordered_map<const Node*, relax::VarRef> paramOf_;
  int64_t constants_ = 0;
  /// Tuples that are parameters and of which single fields are used so far, with the bindings of these fields.
  std::unordered_map<const Node*, std::vector<const relax::VarBinding*>> fieldsUsed_;
  std::unordered_map<const Node*, const relax::VarBinding*> fieldBindings_;  ///< by argument
  std::unordered_map<const Node*, std::unordered_map<int64_t, relax::VarRef>> fieldParams_;
};

}  // namespace rx::transform
