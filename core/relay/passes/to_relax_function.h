// One function of Relay, in A-normal form and with types, as one of Relax. Private to the translation.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "core/build/block_builder.h"
#include "core/ir/relay_bindings.h"
#include "core/relay/passes/to_relax_call.h"
#include "core/support/stack.h"

namespace rx::relay {

/// Which functions have effects: those that use references, or call what they know nothing of, or such functions, and
/// those that such functions stand in.
class Effects {
 public:
  /// `module` holds the functions that are asked for.
  explicit Effects(const ir::IRModule& module);
  bool isPure(std::string_view global) const;
  /// Of a function in a function, too.
  bool isPure(const Function& function) const { return !impure_.contains(&function); }

 private:
  const ir::IRModule& module_;
  std::unordered_set<const Node*> impure_;
};

/// What the translation of a function sees of its module.
struct RelaxModule {
  const ir::IRModule& source;
  build::ModuleContext& target;
  Effects effects;
  WrittenFunctions written;
};

class FunctionTranslation {
 public:
  FunctionTranslation(RelaxModule& module, Str name)
      : module_(module), name_(std::move(name)), builder_(&module.target) {}
  Result<relax::FunctionRef> run(const FunctionRef& function);
  /// The signature before the body is known.
  static relax::StructInfo signatureOf(const Function& function, bool pure);

 private:
  relax::FunctionRef function(const Function& function, bool pure, ir::Attrs attrs);
  /// The value of a chain of bindings, which are emitted; that of the last one is not.
  relax::Expr body(Expr expr);
  relax::SeqRef block(const Expr& expr);
  /// What stands inside of a value has places of its own; what follows has that of the value again.
  template <class Make>
  auto inside(Make make);
  /// `isResult`: the variable is the value of the chain of bindings, which is seen outside of its block.
  void bind(const Let& let, bool isResult);
  relax::Expr value(const Let& let);
  relax::Expr operand(const Expr& expr);
  std::vector<relax::Expr> operands(const Array<Expr>& exprs);

  relax::Expr callValue(const Ref<Call>& call);
  relax::Expr operatorCall(const Ref<Call>& call, const OpRow& row);
  relax::Expr closureCall(const Ref<Call>& call);
  relax::Expr construct(const Constructor& constructor, const std::vector<relax::Expr>& fields);
  relax::Expr functionValue(const Let& let, const Function& function);
  /// A function that calls an operator or constructor with its parameters.
  relax::Expr asFunction(const Expr& callee);
  relax::Expr ifValue(const If& node);
  /// The first clause from `first` on that fits.
  relax::Expr matchValue(const Match& match, size_t first, const relax::Expr& data);
  void bindPattern(const PatternNode& pattern, const relax::Expr& data);
  relax::Expr field(const relax::Expr& data, size_t index, const Type& type);
  int64_t tagOf(const Constructor& constructor) const;
  /// What a pattern asks of a value, as rx.variant.fits reads it.
  void appendShape(const PatternNode& pattern, std::vector<tir::PrimExpr>& out) const;

  relax::Expr packed(std::string_view name, std::vector<relax::Expr> args, const relax::StructInfo& result, bool pure);
  /// The value with what its type says of it, where its StructInfo says less.
  relax::Expr checked(const relax::Expr& value, const Type& type);
  relax::Expr emit(const relax::Expr& value, Str name = {});
  relax::Expr refuse(Span place, std::string message);
  /// Whether a body is a chain of operators, which a dataflow block can hold.
  static bool isStraight(const Expr& body);

  RelaxModule& module_;
  Str name_;
  build::BlockBuilder builder_;
  std::unordered_map<const Node*, relax::Expr> values_;  ///< of variables
  std::unordered_map<const Node*, Expr> constants_;      ///< variables that are bound to constants
  Span span_;
};

template <class Make>
auto FunctionTranslation::inside(Make make) {
  const OriginRef origin = builder_.origin();
  const Span place = span_;
  auto made = withStack(make);
  builder_.setOrigin(origin);
  span_ = place;
  return made;
}

}  // namespace rx::relay
