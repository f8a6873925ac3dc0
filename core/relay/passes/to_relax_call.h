// One call of an operator on its way to Relax: its arguments as values of Relax, its attributes, and what makes the
// calls of Relax that stand for it. Private to the translation.
#pragma once

#include <initializer_list>
#include <optional>

#include "core/build/block_builder.h"
#include "core/legalize/lowering.h"
#include "core/op/make_call.h"
#include "core/relay/dims.h"
#include "core/relay/op_table.h"

namespace rx::relay {

class CallTranslation;
/// Writes what a call stands for; the result is bound by who asked.
using TranslateFn = relax::Expr (*)(CallTranslation&);

/// A row of to_relax.def.
struct TranslateRow {
  std::string_view op;  ///< of Relay
  TranslateFn run;
  std::string_view relax;  ///< the operator of Relax that it is, or is made with; may be empty
  /// The attributes that become parameters of that operator: "axis", "a_min=min" where the name differs.
  std::string_view attrs;
};
/// Null where an operator has no translation.
const TranslateRow* findTranslation(std::string_view op);
std::span<const TranslateRow> allTranslations();

class CallTranslation {
 public:
  using Expr = relax::Expr;
  /// `call` has constants in the place of the variables that are bound to them.
  CallTranslation(Ref<Call> call, std::vector<Expr> args, const TranslateRow& row, build::BlockBuilder& builder)
      : call_(std::move(call)), args_(std::move(args)), row_(row), builder_(builder) {}

  const TranslateRow& row() const { return row_; }
  build::BlockBuilder& builder() { return builder_; }
  size_t count() const { return args_.size(); }
  const Expr& arg(size_t i) const { return args_[i]; }
  const std::vector<Expr>& args() const { return args_; }
  /// The fields of an argument that is a tuple.
  std::vector<Expr> fields(size_t i);
  /// Says why the call can not be written; what is given has no further meaning.
  Expr refuse(std::string message);
  bool failed() const { return builder_.failed(); }

  // Attributes.
  NodeRef attr(std::string_view name) const { return attrOf(*call_, name); }
  bool isNone(std::string_view name) const;
  int64_t integer(std::string_view name, int64_t fallback = 0) const { return intAttrOf(*call_, name, fallback); }
  bool flag(std::string_view name) const { return integer(name) != 0; }
  double real(std::string_view name) const;
  std::string_view text(std::string_view name) const { return textAttrOf(*call_, name); }
  /// Numbers of a list, or one number; nothing where it is None.
  std::optional<std::vector<int64_t>> numbers(std::string_view name) const;
  /// An element type given as text; the fallback where it is empty.
  DataType typeAttr(std::string_view name, DataType fallback) const;
  /// An axis counted from the front.
  size_t axis(std::string_view name, size_t rank) const;

  // What is known of values.
  static DataType dtype(const Expr& value);
  static size_t rank(const Expr& value);
  /// The dimensions; those that are not known get symbols, by a match_cast that `value` becomes.
  Dims dims(Expr& value);
  Dims dims(size_t i) { return dims(args_[i]); }
  /// The value, checked when it runs to have these dimensions where that is not known.
  Expr matched(const Expr& value, const Dims& dims);
  static std::optional<std::vector<int64_t>> constantDims(const Expr& value);
  Ref<HostTensor> constant(size_t i) const;
  /// The numbers of an argument that is a constant.
  std::optional<std::vector<int64_t>> constantNumbers(size_t i) const;
  std::optional<double> constantReal(size_t i) const;
  /// What the operator's relation says of the result, in the symbols of the arguments.
  Type resultType();
  Dims resultDims();
  DataType resultDtype() const;
  const Ref<Call>& call() const { return call_; }

  // Making. Each is bound to a variable.
  /// The call of an operator, as a text of Relax would have it; without "relax.".
  Expr make(std::string_view op, std::vector<NodeRef> args, std::initializer_list<op::Keyword> attrs = {});
  Expr make(std::string_view op, const std::vector<NodeRef>& args, std::span<const op::Keyword> attrs);
  /// The operator of the row with the attributes of the row; `given` go before those.
  Expr makeRow(std::vector<NodeRef> args, std::vector<op::Keyword> given = {});
  Expr cast(const Expr& value, DataType type);
  Expr scalar(double value, DataType type);
  Expr vector(std::span<const int64_t> values, DataType type = DataType::Int(64));
  Expr reshape(const Expr& value, const Dims& shape);
  Expr permute(const Expr& value, std::span<const int64_t> axes);
  Expr full(const Dims& shape, const Expr& value);
  Expr broadcast(const Expr& value, const Dims& shape);
  Expr slice(const Expr& value, size_t axis, const Dim& begin, const Dim& end, int64_t step = 1);
  Expr item(const Expr& tuple, size_t i);
  Expr tuple(std::vector<Expr> items);
  /// The numbers 0, 1, … of a type.
  Expr range(const Dim& count, DataType type);
  /// The elements of a vector of integers as symbols.
  Dims symbolsOf(const Expr& vector);
  static Expr shape(const Dims& dims);
  /// Makes the shapes of values that are broadcast with each other fit for sure: where only a run knows whether a
  /// dimension is 1, it is broadcast first.
  /// The last `own` dimensions are left alone.
  void align(std::vector<Expr>& values, size_t own = 0);
  /// A kernel of its own: `write` gives its results from the arguments as tensors.
  using Write = std::function<std::vector<te::Tensor>(legalize::Lowering&, const std::vector<te::Tensor>&)>;
  Expr kernel(std::string_view name, std::vector<Expr> args, const Write& write);

 private:
  Expr bind(const Expr& value);

  Ref<Call> call_;
  std::vector<Expr> args_;
  const TranslateRow& row_;
  build::BlockBuilder& builder_;
};

}  // namespace rx::relay

namespace rx::relay::translate {

/// The dimensions of Relax are of 64 bits.
inline Dim dim(int64_t value) { return wideDim(value); }

}  // namespace rx::relay::translate
