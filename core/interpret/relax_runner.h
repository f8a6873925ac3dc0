// The interpreter of Relax: bindings in a loop, calls of functions and branches as frames on the heap.
#pragma once

#include <unordered_map>

#include "core/interpret/program.h"

namespace rx::interpret {

/// A symbolic variable's value and who bound it first.
struct Symbol {
  int64_t value;
  std::string boundBy;
};

/// What one activation of a function sees. Shared by its branches and by local functions made in it.
struct Environment : Object {
  Ref<Environment> outer;
  mutable std::unordered_map<const relax::Var*, Value> vars;
  mutable std::unordered_map<const tir::Var*, Symbol> symbols;
  const Value* find(const relax::Var* var) const;
  const Symbol* symbol(const tir::Var* var) const;
};
using Env = Ref<Environment>;

class RelaxRunner {
 public:
  RelaxRunner(ir::Module module, const Options& options) : module_(std::move(module)), options_(completed(options)) {}

  Result<Value> callGlobal(std::string_view name, std::span<const Value> args);
  /// Any callable value with its arguments, to its end.
  Result<Value> apply(const Value& callee, std::vector<Value> args);
  /// Value of an expression; calls in it run to their end.
  Result<Value> eval(const relax::Expr& expr, const Env& env);

  // What the rows of relax_ops.cpp use.
  Result<int64_t> evalInt(const tir::PrimExpr& expr, const Env& env);
  Result<Value> evalPrim(const tir::PrimExpr& expr, const Env& env);
  Result<std::vector<Value>> evalAll(std::span<const relax::Expr> exprs, const Env& env);
  /// Fresh tensors for a StructInfo of tensors.
  Result<Value> allocate(const relax::StructInfo& info, const Env& env);
  Result<Value> newTensor(std::vector<int64_t> shape, DataType dtype);
  Result<Value> runKernel(const tir::PrimFunc& function, std::span<const Value> args);
  Result<Value> callPacked(std::string_view name, std::span<const Value> args);
  ir::BaseFunc functionOf(const relax::Expr& callee) const;

 private:
  struct Frame {
    relax::SeqRef seq;
    Env env;
    size_t block = 0, binding = 0;
    int depth = 0;
  };
  Result<Value> loop(Frame first);
  /// Starts a call as a frame, or gives its value at once.
  struct Started {
    std::optional<Frame> frame;
    Value value;
  };
  Result<Started> start(const relax::Expr& expr, const Frame& from);
  Result<Started> startApply(const Value& callee, std::vector<Value> args, int depth);
  Result<Frame> enter(const relax::FunctionRef& function, std::span<const Value> args, const Env& outer, int depth);
  /// Checks a value against a StructInfo and binds the symbols that it defines. `what` names it: "parameter x".
  Result<Unit> bind(const relax::StructInfo& info, const Value& value, const std::string& what, const Env& env,
                    bool check);
  Result<Unit> bindDim(const tir::PrimExpr& dim, int64_t actual, const std::string& what, int64_t axis, const Env& env,
                       bool check);
  Result<Value> operatorCall(const relax::Call& call, const Env& env);
  Result<Value> legalized(const relax::Call& call, std::vector<Value> args);
  void finishBinding(Frame& frame, const relax::Binding& binding, Value value);

  ir::Module module_;
  const Options options_;
  std::unordered_map<const tir::PrimFunc*, std::pair<tir::PrimFuncRef, Program>> programs_;
  int64_t steps_ = 0;
  int depth_ = 0;
};

/// Operators that the interpreter runs itself. The call's arguments are values already.
using OperatorFn = Result<Value> (*)(RelaxRunner&, const relax::Call&, std::vector<Value> args, const Env&);
OperatorFn findOperator(std::string_view name);
/// Shape and type of a value, as a leaf expression that stands for it. Tensors become parameters of `params`.
relax::Expr describe(const Value& value, std::vector<relax::VarRef>& params, std::vector<Value>& values);

}  // namespace rx::interpret
