// The relations between the types of an operator's arguments and its result, one function a family of operators.
#pragma once

#include <optional>
#include <string>

#include "core/relay/dims.h"
#include "core/relay/op_table.h"
#include "core/relay/solver.h"

namespace rx::relay {

/// What a relation sees of a call, and how it answers.
class Relating {
 public:
  Relating(Solver& solver, Solver::Relates& what) : solver_(&solver), what_(&what) {}

  const Call& call() const { return *what_->call; }
  /// The operator's name; what is no call of one asks for an item of a tuple.
  std::string_view op() const {
    const OpRow* row = calledOperator(what_->call);
    return row ? row->name : "item";
  }
  size_t inputs() const { return what_->inputs; }
  /// The outermost part of an argument's type as far as it is known; the result follows the arguments.
  Type type(size_t i) const { return solver_->outermost(what_->types[i]); }  ///< null: nothing is asked of the result
  Type resolved(size_t i) const { return solver_->resolve(what_->types[i]); }
  bool isKnown(size_t i) const {
    const Type now = type(i);
    return now && !isa<IncompleteType>(now);
  }
  /// The argument as a tensor. Null where it is unknown, or none: then `stop` is the outcome.
  Ref<TensorType> tensor(size_t i);
  /// The same, of so many dimensions.
  Ref<TensorType> tensor(size_t i, size_t rank);
  /// The argument as a tuple of tensors that are all known; nothing where it is not: then `stop` is the outcome.
  std::optional<std::vector<Ref<TensorType>>> tensors(size_t i);
  Outcome stop() const { return stop_; }

  /// Says why the relation does not hold, and what the tensors among its arguments are, each at its place; of tuples
  /// the items that are named.
  Outcome refuse(std::string message, std::initializer_list<size_t> items = {});
  /// Says what an argument or the result is.
  bool assign(size_t i, const Type& type);
  Outcome result(const Type& type);
  Outcome result(Dims shape, DataType dtype);
  Outcome resultTuple(std::vector<Type> items);

  NodeRef attr(std::string_view name) const { return attrOf(call(), name); }
  int64_t intAttr(std::string_view name, int64_t fallback = 0) const { return intAttrOf(call(), name, fallback); }
  bool isNone(std::string_view name) const;
  std::string_view text(std::string_view name) const { return textAttrOf(call(), name); }
  /// Dimensions of a list, or of one value.
  Dims dimsAttr(std::string_view name) const;
  /// The first of them; not known where there is none.
  Dim dimAttr(std::string_view name) const;
  std::vector<int64_t> intsAttr(std::string_view name) const;
  /// An element type given as text; the fallback where it is empty.
  DataType dtypeAttr(std::string_view name, DataType fallback) const;
  /// An axis counted from the front; nothing (and a finding) where the rank has none.
  std::optional<size_t> axis(int64_t axis, size_t rank);
  /// The constant that an argument is; null where it is none.
  Ref<HostTensor> constant(size_t i) const;

 private:
  Solver* solver_;
  Solver::Relates* what_;
  Outcome stop_ = Outcome::Wait;
};

namespace relation {
/// For operators whose types are not inferred here.
Outcome Unknown(Relating& r);
#define RX_RELAY_RELATION(Name) Outcome Name(Relating& r);
#include "core/relay/relations.def"
}  // namespace relation

}  // namespace rx::relay
