#include "core/relay/emit.h"

#include "core/relay/solver.h"

namespace rx::relay {

namespace {

template <class T>
Expr withType(T* node, const Type& type) {
  node->sinfo = type;
  return Ref<T>(node);
}

Type constantType(const HostTensor& data) {
  Dims dims;
  for (int64_t extent : data.shape()) dims.push_back(dim(extent));
  return tensorType(dims, data.dtype());
}

/// The checked type; before types were inferred, the one that is declared.
Type knownType(const Expr& expr) {
  if (Type type = typeOf(expr)) return type;
  const auto* var = as<Var>(expr);
  if (var) return var->typeAnnotation;
  const auto* constant = as<Constant>(expr);
  if (!constant || !constant->data) return nullptr;
  return constantType(*constant->data);
}

/// What the relation of its operator says of a call, null where that is not known or refused.
Type relatedType(const Ref<Call>& call) {
  const OpRow& row = *calledOperator(call);
  std::vector<Type> types;
  for (const Expr& arg : call->args) {
    types.push_back(knownType(arg));
    if (!types.back()) return nullptr;
  }
  Solver solver;
  const Type result = solver.relate(row.relation, call, std::move(types));
  if (!result || !solver.solve({}) || !solver.findings().empty()) return nullptr;
  const Type found = solver.resolve(result);
  return isa<IncompleteType>(found) ? nullptr : found;
}

Expr typedCall(const Expr& op, std::vector<Expr> args, const ir::Attrs& attrs) {
  const OpRow& row = rowOf(*as<Op>(op));
  ir::Attrs given = attrs;
  for (const AttrField& field : row.attrs->fields) {
    if (!field.fallback && !ir::attrOf(given, field.name)) given = ir::withAttr(given, Str(field.name), ir::nullAttr());
  }
  auto* call = new Call(op, Array<Expr>(std::move(args)), withoutDefaults(*row.attrs, given));
  const Ref<Call> made(call);
  call->sinfo = relatedType(made);
  return made;
}

}  // namespace

Expr callOp(std::string_view op, std::vector<Expr> args, const ir::Attrs& attrs) {
  return typedCall(operatorNamed(op), std::move(args), attrs);
}

Expr callOp(std::string_view op, std::vector<Expr> args, NamedAttrs attrs) {
  std::vector<std::pair<Str, NodeRef>> entries;
  for (const auto& [key, value] : attrs) {
    if (value) entries.emplace_back(Str(key), value);
  }
  return callOp(op, std::move(args), entries.empty() ? nullptr : make<ir::DictAttrs>(entries));
}

Expr callAgain(const Call& call, std::vector<Expr> args, const ir::Attrs& attrs) {
  const Expr made = typedCall(call.op, std::move(args), attrs);
  auto* copy = new Call(*as<Call>(made));
  copy->span = call.span;
  return Ref<Call>(copy);
}

ir::Attrs attrsWith(const Call& call, NamedAttrs replaced) {
  ir::Attrs out = call.attrs;
  for (const auto& [key, value] : replaced) out = ir::withAttr(out, Str(key), value);
  return out;
}

Expr tupleOf(std::vector<Expr> items) {
  std::vector<Type> types;
  for (const Expr& item : items) types.push_back(knownType(item));
  const bool all = std::all_of(types.begin(), types.end(), [](const Type& type) { return type != nullptr; });
  return withType(new Tuple(Array<Expr>(std::move(items))),
                  all ? Type(make<TupleType>(Array<Type>(std::move(types)))) : nullptr);
}

Expr itemOf(const Expr& tuple, int64_t index) {
  const Type known = knownType(tuple);
  const auto* type = as<TupleType>(known);
  const bool inside = type && index >= 0 && static_cast<size_t>(index) < type->items.size();
  return withType(new TupleGetItem(tuple, index), inside ? type->items[static_cast<size_t>(index)] : nullptr);
}

Expr constantOf(const Ref<HostTensor>& data) { return withType(new Constant(data), constantType(*data)); }

Expr number(double value, DataType dtype) {
  return constantOf(dtype.isIntegral() ? HostTensor::scalarInt(dtype, static_cast<int64_t>(value))
                                       : HostTensor::scalar(dtype, value));
}

Expr integers(std::span<const int64_t> values, DataType dtype) {
  const auto made = HostTensor::fromInts({static_cast<int64_t>(values.size())}, dtype, values);
  RX_ASSERT(made, "a vector of {} integers", values.size());
  return constantOf(*made);
}

Expr reals(std::span<const double> values, DataType dtype) {
  const auto made = HostTensor::fromDoubles({static_cast<int64_t>(values.size())}, dtype, values);
  RX_ASSERT(made, "a vector of {} numbers", values.size());
  return constantOf(*made);
}

Expr cast(const Expr& data, DataType dtype) { return callOp("cast", {data}, {{"dtype", dtypeAttr(dtype)}}); }

Expr reshape(const Expr& data, std::vector<int64_t> shape) {
  return callOp("reshape", {data}, {{"newshape", ir::intArrayAttr(shape)}});
}

Expr expandBias(const Expr& bias, size_t rank, size_t axis) {
  const auto after = static_cast<int64_t>(rank - axis - 1);
  if (after == 0) return bias;
  return callOp("expand_dims", {bias}, {{"axis", ir::intAttr(1)}, {"num_newaxis", ir::intAttr(after)}});
}

const TensorType* tensorOf(const Expr& expr) {
  // The expression holds its type.
  if (!expr) return nullptr;
  const auto* var = expr->sinfo ? nullptr : as<Var>(expr);
  return var ? as<TensorType>(var->typeAnnotation) : as<TensorType>(expr->sinfo);
}

std::optional<std::vector<int64_t>> extentsOf(const Expr& expr) {
  const TensorType* type = tensorOf(expr);
  if (!type) return std::nullopt;
  std::vector<int64_t> out;
  for (const Dim& each : type->shape) {
    const auto extent = known(each);
    if (!extent) return std::nullopt;
    out.push_back(*extent);
  }
  return out;
}

Ref<HostTensor> constantData(const Expr& expr) {
  const auto* constant = as<Constant>(expr);
  return constant ? constant->data : nullptr;
}

bool isScalarConstant(const Expr& expr) {
  const Ref<HostTensor> data = constantData(expr);
  return data && data->rank() == 0;
}

bool sameScalars(const Expr& a, const Expr& b) {
  const Ref<HostTensor> x = constantData(a), y = constantData(b);
  return x && y && x->rank() == 0 && x->identical(*y);
}

std::optional<std::vector<int64_t>> intsOf(const NodeRef& value) {
  std::vector<int64_t> out;
  auto add = [&](const NodeRef& item) {
    const auto whole = wholeOf(item);
    if (whole) out.push_back(*whole);
    return whole.has_value();
  };
  const auto* list = as<ir::ArrayAttr>(value);
  if (!list) return add(value) ? std::optional(out) : std::nullopt;
  for (const NodeRef& item : list->items) {
    if (!add(item)) return std::nullopt;
  }
  return out;
}

std::optional<std::vector<int64_t>> intsAttrOf(const Call& call, std::string_view name) {
  return intsOf(attrOf(call, name));
}

double realAttrOf(const Call& call, std::string_view name, double fallback) {
  const NodeRef value = attrOf(call, name);
  if (const auto* real = as<ir::FloatAttr>(value)) return real->value;
  const auto* number = as<ir::IntAttr>(value);
  return number ? static_cast<double>(number->value) : fallback;
}

NodeRef shapeAttr(std::span<const Dim> shape) {
  std::vector<NodeRef> items;
  for (const Dim& each : shape) {
    const auto extent = known(each);
    const bool isPlain = extent && widthOf(each).bits <= 32;
    items.push_back(isPlain ? ir::intAttr(*extent) : each ? NodeRef(each) : ir::strAttr("?"));
  }
  return ir::arrayAttr(std::move(items));
}

NodeRef dtypeAttr(DataType dtype) { return ir::strAttr(Str(dtype.str())); }

}  // namespace rx::relay
