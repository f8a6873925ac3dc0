// Making expressions in passes: calls of operators that know their type at once, numbers, and what is asked of them.
#pragma once

#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "core/relay/dims.h"
#include "core/relay/op_table.h"

namespace rx::relay {

using NamedAttrs = std::initializer_list<std::pair<const char*, NodeRef>>;

/// A call of an operator. Attributes that have their default are left out; the type is known where those of the
/// arguments are.
Expr callOp(std::string_view op, std::vector<Expr> args, NamedAttrs attrs = {});
Expr callOp(std::string_view op, std::vector<Expr> args, const ir::Attrs& attrs);
/// The call with other arguments or attributes, and its type anew.
Expr callAgain(const Call& call, std::vector<Expr> args, const ir::Attrs& attrs);
/// The call's attributes with some replaced.
ir::Attrs attrsWith(const Call& call, NamedAttrs replaced);
/// A tuple and its items with their types, where the parts have theirs.
Expr tupleOf(std::vector<Expr> items);
Expr itemOf(const Expr& tuple, int64_t index);
/// A constant with its type.
Expr constantOf(const Ref<HostTensor>& data);
Expr number(double value, DataType dtype);
Expr integers(std::span<const int64_t> values, DataType dtype);
Expr reals(std::span<const double> values, DataType dtype);

Expr cast(const Expr& data, DataType dtype);
Expr reshape(const Expr& data, std::vector<int64_t> shape);
/// Dimensions of one element after those of `bias`, as far as its axes have to be followed by others in a tensor of
/// `rank` dimensions.
Expr expandBias(const Expr& bias, size_t rank, size_t axis);

/// The type of an expression as a tensor, null where it is another one or not known.
const TensorType* tensorOf(const Expr& expr);
/// Its extents; nothing where one is no integer.
std::optional<std::vector<int64_t>> extentsOf(const Expr& expr);
/// The tensor of a constant, null for all else.
Ref<HostTensor> constantData(const Expr& expr);
/// Whether it is a constant of one number, by its rank.
bool isScalarConstant(const Expr& expr);
/// Whether both are constants of one and the same number and element type.
bool sameScalars(const Expr& a, const Expr& b);
/// Integers of an attribute that is a list or one number; nothing where an item is no integer.
std::optional<std::vector<int64_t>> intsOf(const NodeRef& value);
std::optional<std::vector<int64_t>> intsAttrOf(const Call& call, std::string_view name);
double realAttrOf(const Call& call, std::string_view name, double fallback = 0);
/// An axis counted from the front.
inline size_t positiveAxis(int64_t axis, size_t rank) {
  return static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(rank) : axis);
}
NodeRef dtypeAttr(DataType dtype);
/// Dimensions as an attribute.
NodeRef shapeAttr(std::span<const Dim> shape);

}  // namespace rx::relay
