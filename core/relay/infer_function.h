// Inference of one function. Private to core/relay.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/relay/infer.h"
#include "core/relay/solver.h"

namespace rx::relay {

/// What a function sees of its module: types of its functions, definitions of its types.
struct Surroundings {
  const ir::IRModule& module;
  std::unordered_map<std::string_view, Type> functions;  ///< of those that were inferred, or are declared in full
  bool incomplete = false;                               ///< whether one was refused, so that some types stay open
  const TypeData* typeOf(const GlobalTypeVar& name) const;
};

class FunctionInference {
 public:
  FunctionInference(const Surroundings& around, const relax::GlobalVar& name, const CancelToken& cancel)
      : around_(around), name_(name), cancel_(cancel) {}
  /// Keeps nothing alive: who asks for more than findings holds the function.
  Result<Unit> run(const FunctionRef& function);
  /// The function with the types that were found (infer_rebuild.cpp).
  FunctionRef rebuilt(const FunctionRef& function, Declare declare);
  /// Writes them into the nodes of the function, which nobody else may hold.
  void writeInPlace(Declare declare);
  /// The same of a function with findings: the types of what is known all the same, and no declarations.
  void writeKnown();
  /// The function's own type, once it ran.
  Type functionType() { return solver_.resolve(whole_); }

 private:
  /// An expression whose operands are entered; these lie on the stack of all.
  struct Frame {
    const relax::ExprNode* expr;
    size_t first, next, end;
    bool shared;  ///< it may be met again
  };
  static constexpr size_t kMostFindings = 100;
  static Type open() { return make<IncompleteType>(); }

  bool collect(const FunctionRef& function);
  void enter(const relax::ExprNode& expr);
  void finish(const Frame& frame, Type type);
  void beforeOperand(const Frame& frame);
  bool namesMemory(const Let& let, const Type& value);
  Type leafType(const relax::ExprNode& expr);
  Type nodeType(const Frame& frame);
  /// The type of an operand that was entered.
  const Type& operandType(const Frame& frame, size_t i) const { return order_[typeAt_[frame.first + i]].second; }
  /// Its entry in the order; `shared`: it can be found by the node, too.
  uint32_t setType(const relax::ExprNode& expr, Type type, bool shared);
  Type varType(const VarRef& var);
  /// Refuses a type that names another where the module defines none.
  void checkKind(const Type& declared, const Span& place);
  Type globalType(const relax::GlobalVar& global);
  Type constantType(const Constant& constant);
  Type constructorType(const Constructor& constructor);
  Type operatorValue(const Ref<Op>& op);
  Type callType(const Frame& frame, const Call& call);
  Type operatorCall(const Frame& frame, const Call& call, const OpRow& row);
  Type itemType(const Frame& frame, const TupleGetItem& item);
  Type functionLiteral(const Frame& frame, const Function& function);
  Type matchType(const Frame& frame, const Match& match);
  void fitPatterns(const Match& match, const Type& data);
  /// `data` is where the type comes from.
  void fitPattern(const PatternNode& pattern, const Type& type, const Span& data);
  Ref<FuncType> instantiate(const FuncType& type, std::vector<Type>* args = nullptr);
  std::nullptr_t refuse(Span place, const char* rule, std::string message);
  void checkComplete();

  const Surroundings& around_;
  const relax::GlobalVar& name_;
  CancelToken cancel_;
  Solver solver_;
  std::vector<Frame> stack_;
  std::vector<const relax::ExprNode*> operands_;
  std::vector<uint32_t> typeAt_;  ///< of each of them, once it was entered: its entry in the order
  /// Every expression and its type, operands first.
  std::vector<std::pair<const relax::ExprNode*, Type>> order_;
  /// Entries of expressions that are met more than once; one that a single node holds is its operand, and no more.
  PointerMap<Node, uint32_t> entries_;
  PointerMap<Node, bool> kinds_;  ///< types that checkKind looked at
  std::unordered_map<const Node*, std::vector<Type>> typeArgs_;
  Type own_;    ///< of the function that is inferred, for calls of itself
  Type whole_;  ///< of the function, as inference found it
};

}  // namespace rx::relay
