#include <fmt/format.h>

#include <cmath>

#include "core/relay/dims.h"
#include "core/relay/metadata_read.h"
#include "core/relay/printer.h"

namespace rx::relay {

namespace {

/// A real number in the fewest digits that give it again, with its suffix.
std::string realText(double value, DataType dtype) {
  const std::string suffix = dtype.bits == 32 ? "f" : "f" + std::to_string(dtype.bits);
  if (std::isnan(value)) return "nanf";
  if (std::isinf(value)) return value < 0 ? "-inff" : "inff";
  return (dtype.bits == 64 ? fmt::format("{}", value) : fmt::format("{}", static_cast<float>(value))) + suffix;
}

/// Whether a scalar of the type has a literal in the text.
bool hasLiteral(DataType dtype, double value) {
  if (dtype.isBool()) return true;
  if (dtype.isInt()) return dtype.bits == 16 || dtype.bits == 32 || dtype.bits == 64;
  const bool special = std::isnan(value) || std::isinf(value);
  return dtype.code == TypeCode::Float && (special ? dtype.bits == 32 : dtype.bits >= 16);
}

}  // namespace

std::string Printer::types(std::span<const Type> types) {
  std::string out;
  for (const Type& item : types) out += (out.empty() ? "" : ", ") + type(item);
  return out;
}

std::string Printer::type(const Type& type) {
  if (const auto* tensor = as<TensorType>(type)) {
    if (tensor->shape.empty()) return tensor->dtype.str();
    std::string dims;
    for (const tir::PrimExpr& dim : tensor->shape) dims += (dims.empty() ? "" : ", ") + dimension(dim);
    return "Tensor[(" + dims + "), " + tensor->dtype.str() + "]";
  }
  if (const auto* tuple = as<TupleType>(type)) {
    return "(" + types(tuple->items) + (tuple->items.size() == 1 ? ",)" : ")");
  }
  if (const auto* function = as<FuncType>(type)) {
    std::string params;
    for (const auto& var : function->typeParams) params += (params.empty() ? "" : ", ") + var->name.string();
    return "fn " + (params.empty() ? "" : "[" + params + "]") + "(" + types(function->argTypes) + ") -> " +
           this->type(function->retType);
  }
  if (const auto* made = as<TypeCall>(type))
    return this->type(refAs<TypeNode>(made->func)) + "[" + types(made->args) + "]";
  if (const auto* ref = as<RefType>(type)) return "ref(" + this->type(ref->value) + ")";
  if (const auto* var = as<TypeVar>(type)) return var->name.string();
  if (const auto* name = as<GlobalTypeVar>(type)) return name->name.string();
  return "_";
}

std::string Printer::dimension(const tir::PrimExpr& dim) {
  if (!dim) return "?";
  const auto value = known(dim);
  if (!value) return metadata_.reference(dim);
  // A reader takes a number of 32 bits that does not fit for one of 64.
  const bool isSaid = widthOf(dim).bits > 32 && *value == static_cast<int32_t>(*value);
  return std::to_string(*value).append(isSaid ? kWideSuffix : "");
}

std::string Printer::constantText(const Constant& constant) {
  if (!constant.data) return marks_.foreign(constant.unresolved.string());
  const HostTensor& data = *constant.data;
  const DataType dtype = data.dtype();
  if (data.rank() != 0) return metadata_.reference(Ref<Constant>(&constant));
  const double real = dtype.isFloat() ? data.at(0) : 0;
  if (!hasLiteral(dtype, real)) return metadata_.reference(Ref<Constant>(&constant));
  if (dtype.isFloat()) return realText(real, dtype);
  const int64_t value = data.intAt(0);
  if (dtype.isBool()) return value ? "True" : "False";
  return std::to_string(value) + (dtype.bits == 32 ? "" : "i" + std::to_string(dtype.bits));
}

std::string Printer::attribute(const NodeRef& value) {
  if (const auto* number = as<ir::IntAttr>(value)) return std::to_string(number->value);
  if (const auto* truth = as<ir::BoolAttr>(value)) return truth->value ? "True" : "False";
  if (const auto* real = as<ir::FloatAttr>(value)) return realText(real->value, DataType::Float(64));
  if (const auto* text = as<ir::StrAttr>(value)) {
    std::string quoted = "\"";
    for (char c : text->value.view()) quoted += c == '"' ? "\\\"" : std::string(1, c);
    return marks_.foreign(quoted + "\"");
  }
  if (isa<ir::NullAttr>(value) || !value) return "None";
  if (const auto* list = as<ir::ArrayAttr>(value)) {
    std::string items;
    for (const NodeRef& item : list->items) items += (items.empty() ? "" : ", ") + attribute(item);
    return "[" + items + "]";
  }
  if (const auto* constant = as<Constant>(value); constant && !constant->data) return constant->unresolved.string();
  if (isa<tir::IntImm>(value)) return dimension(refAs<tir::ExprNode>(value));
  const auto expr = refAs<relax::ExprNode>(value);
  if (expr && texts_.contains(expr.get())) return texts_.at(expr.get());
  return metadata_.reference(value);
}

}  // namespace rx::relay
