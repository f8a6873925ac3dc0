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
  const TypeData* typeOf(const GlobalTypeVar& name) const;
};

class FunctionInference {
 public:
  FunctionInference(const Surroundings& around, const relax::GlobalVar& name, const CancelToken& cancel)
      : around_(around), name_(name), cancel_(cancel) {}
  Result<Unit> run(const FunctionRef& function);
  /// The function with the types that were found (infer_rebuild.cpp).
  FunctionRef rebuilt(const FunctionRef& function, Declare declare);
  /// The function's own type, once it ran.
  Type functionType(const FunctionRef& function) { return solver_.resolve(*types_.find(function.get())); }

 private:
  /// An expression whose operands are entered; these lie on the stack of all.
  struct Frame {
    Expr expr;
    size_t first, next, end;
  };
  static Type open() { return make<IncompleteType>(); }

  bool collect(const FunctionRef& function);
  void enter(const Expr& expr);
  void beforeOperand(const Frame& frame);
  bool namesMemory(const Let& let);
  Type leafType(const Expr& expr);
  Type nodeType(const Frame& frame);
  Type known(const Expr& expr) const { return *types_.find(expr.get()); }
  void setType(const Expr& expr, Type type);
  Type varType(const VarRef& var);
  Type globalType(const relax::GlobalVar& global);
  Type constantType(const Constant& constant);
  Type constructorType(const Constructor& constructor);
  Type operatorValue(const Ref<Op>& op);
  Type callType(const Ref<Call>& call);
  Type operatorCall(const Ref<Call>& call, const OpRow& row);
  Type itemType(const Ref<TupleGetItem>& item);
  Type functionLiteral(const Function& function);
  Type matchType(const Match& match);
  void fitPatterns(const Match& match);
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
  std::vector<Expr> operands_;
  PointerMap<Node, Type> types_;
  std::unordered_map<const Node*, std::vector<Type>> typeArgs_;
  std::vector<std::pair<Expr, Type>> order_;  ///< the entries of types_, operands first
  Type own_;                                  ///< of the function that is inferred, for calls of itself
};

}  // namespace rx::relay
