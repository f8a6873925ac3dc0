#include "core/relay/relations.h"

#include <fmt/format.h>

#include "core/relay/text.h"

namespace rx::relay {

Ref<TensorType> Relating::tensor(size_t i) {
  const Type found = type(i);
  stop_ = Outcome::Wait;
  if (isa<IncompleteType>(found)) return nullptr;
  auto tensor = refAs<TensorType>(found);
  if (!tensor) stop_ = refuse("argument " + std::to_string(i) + " has to be a tensor and is " + typeText(resolved(i)));
  return tensor;
}

Ref<TensorType> Relating::tensor(size_t i, size_t rank) {
  auto found = tensor(i);
  if (!found || found->shape.size() == rank) return found;
  stop_ = refuse("argument " + std::to_string(i) + " has to have " + std::to_string(rank) + " dimensions");
  return nullptr;
}

std::optional<std::vector<Ref<TensorType>>> Relating::tensors(size_t i) {
  const Type found = type(i);
  stop_ = Outcome::Wait;
  if (isa<IncompleteType>(found)) return std::nullopt;
  const auto* tuple = as<TupleType>(found);
  if (!tuple) {
    stop_ = refuse("argument " + std::to_string(i) + " has to be a tuple of tensors and is " + typeText(resolved(i)));
    return std::nullopt;
  }
  std::vector<Ref<TensorType>> out;
  for (const Type& item : tuple->items) {
    const Type known = solver_->outermost(item);
    if (isa<IncompleteType>(known)) return std::nullopt;
    out.push_back(refAs<TensorType>(known));
    if (out.back()) continue;
    stop_ = refuse("the tuple holds " + typeText(solver_->resolve(known)) + ", which is no tensor");
    return std::nullopt;
  }
  return out;
}

Outcome Relating::refuse(std::string message, std::initializer_list<size_t> items) {
  Diagnostic finding = errorAt(call().span, "relay.relation", std::string(op()) + ": " + message);
  auto note = [&](std::string what, const Type& type, const Span& place) {
    if (place.known() && isa<TensorType>(solver_->outermost(type)))
      finding.notes.push_back({what + " is " + typeText(solver_->resolve(type)), place});
  };
  for (size_t i = 0; i < inputs() && i < call().args.size(); ++i) {
    const Expr& argument = call().args[i];
    note("argument " + std::to_string(i), what_->types[i], argument->span);
    // Tuples may be long, and what they hold has places of its own.
    const Type held = type(i);
    const auto* types = as<TupleType>(held);
    const auto* tuple = as<Tuple>(argument);
    for (size_t item : items)
      if (types && item < types->items.size())
        note("item " + std::to_string(item), types->items[item], (tuple ? tuple->items[item] : argument)->span);
  }
  solver_->refuse(std::move(finding));
  return Outcome::Refused;
}

bool Relating::assign(size_t i, const Type& type) {
  if (!what_->types[i]) {
    what_->types[i] = type;
    return true;
  }
  if (solver_->fitted(type, what_->types[i])) return true;
  refuse(fmt::format("{} has to be {} and is {}", i < inputs() ? "argument " + std::to_string(i) : "the result",
                     typeText(solver_->resolve(type)), typeText(resolved(i))));
  return false;
}

Outcome Relating::result(const Type& type) { return assign(inputs(), type) ? Outcome::Done : Outcome::Refused; }

Outcome Relating::result(Dims shape, DataType dtype) {
  for (size_t i = 0; i < shape.size(); ++i) {
    const auto extent = known(shape[i]);
    if (extent && *extent < 0) return refuse(fmt::format("axis {} of the result would have the size {}", i, *extent));
  }
  return result(tensorType(shape, dtype));
}

Outcome Relating::resultTuple(std::vector<Type> items) {
  return result(make<TupleType>(Array<Type>(std::move(items))));
}

bool Relating::isNone(std::string_view name) const {
  const NodeRef value = attr(name);
  return !value || isa<ir::NullAttr>(value);
}

Dims Relating::dimsAttr(std::string_view name) const {
  Dims out;
  const NodeRef value = attr(name);
  auto add = [&](const NodeRef& item) {
    if (const auto* number = as<ir::IntAttr>(item)) {
      out.push_back(dim(number->value));
    } else if (const auto* real = as<ir::FloatAttr>(item)) {
      out.push_back(dimOf(real->value));
    } else {
      out.push_back(refAs<tir::ExprNode>(item));  // "?" is of any size
    }
  };
  if (const auto* list = as<ir::ArrayAttr>(value)) {
    for (const NodeRef& item : list->items) add(item);
  } else if (value && !isa<ir::NullAttr>(value)) {
    add(value);
  }
  return out;
}

std::vector<int64_t> Relating::intsAttr(std::string_view name) const {
  std::vector<int64_t> out;
  for (const Dim& value : dimsAttr(name)) out.push_back(known(value).value_or(0));
  return out;
}

DataType Relating::dtypeAttr(std::string_view name, DataType fallback) const {
  const std::string_view spelt = text(name);
  if (spelt.empty() || spelt == "void") return fallback;
  return DataType::parse(spelt).value_or(fallback);
}

std::optional<size_t> Relating::axis(int64_t axis, size_t rank) {
  const auto count = static_cast<int64_t>(rank);
  if (axis >= -count && axis < count) return static_cast<size_t>(axis < 0 ? axis + count : axis);
  stop_ = refuse("axis " + std::to_string(axis) + " of a tensor with " + std::to_string(rank) + " dimensions");
  return std::nullopt;
}

Dim Relating::dimAttr(std::string_view name) const {
  const Dims given = dimsAttr(name);
  return given.empty() ? Dim() : given.front();
}

Ref<HostTensor> Relating::constant(size_t i) const {
  const auto* constant = i < call().args.size() ? as<Constant>(call().args[i]) : nullptr;
  return constant ? constant->data : nullptr;
}

namespace relation {

Outcome Unknown(Relating& r) { return r.refuse("the type of its result is not inferred here"); }

}  // namespace relation

}  // namespace rx::relay
