#include "core/relay/passes/to_relax_types.h"

#include <fmt/format.h>

#include "core/relay/dims.h"
#include "core/support/stack.h"

namespace rx::relay {

namespace {

/// Gives a dimension of any size a symbol; null: it stays unknown.
using Namer = std::function<tir::PrimExpr()>;

relax::StructInfo tensorInfo(const TensorType& type, const Namer& namer) {
  std::vector<tir::PrimExpr> dims;
  for (const tir::PrimExpr& dim : type.shape) {
    tir::PrimExpr known = dim ? widened(dim) : namer();
    if (!known) return make<relax::TensorStructInfo>(type.dtype, static_cast<int64_t>(type.shape.size()));
    dims.push_back(std::move(known));
  }
  return relax::tensorSinfo(dims, type.dtype);
}

relax::StructInfo infoWith(const Type& type, const Namer& namer) {
  if (const auto* tensor = as<TensorType>(type)) return tensorInfo(*tensor, namer);
  const auto* tuple = as<TupleType>(type);
  if (!tuple) return relax::objectSinfo();
  std::vector<relax::StructInfo> fields;
  for (const Type& item : tuple->items) fields.push_back(withStack([&] { return infoWith(item, namer); }));
  return relax::tupleSinfo(Array<relax::StructInfo>(std::move(fields)));
}

}  // namespace

relax::StructInfo infoOf(const Type& type) {
  return infoWith(type, [] { return tir::PrimExpr(); });
}

relax::StructInfo infoOfParam(const Type& type, std::string_view name) {
  int count = 0;
  return infoWith(type, [&]() -> tir::PrimExpr {
    return make<tir::Var>(Str(fmt::format("{}_{}", name, count++)), DataType::Int(64));
  });
}

Type typeOfInfo(const relax::StructInfo& info) {
  if (const auto* tensor = as<relax::TensorStructInfo>(info)) {
    const auto* shape = as<relax::ShapeExpr>(tensor->shape);
    if (shape) {
      std::vector<tir::PrimExpr> dims;
      for (const tir::PrimExpr& each : shape->values) dims.push_back(known(each) ? dim(*known(each)) : each);
      return tensorType(dims, tensor->dtype);
    }
    if (tensor->ndim < 0) return nullptr;
    return make<TensorType>(Array<tir::PrimExpr>(std::vector<tir::PrimExpr>(static_cast<size_t>(tensor->ndim))),
                            tensor->dtype);
  }
  const auto* tuple = as<relax::TupleStructInfo>(info);
  if (!tuple) return nullptr;
  std::vector<Type> items;
  for (const relax::StructInfo& item : tuple->items) {
    Type type = withStack([&] { return typeOfInfo(item); });
    if (!type) return nullptr;
    items.push_back(std::move(type));
  }
  return make<TupleType>(Array<Type>(std::move(items)));
}

bool isObject(const Type& type) { return !isa<TensorType>(type) && !isa<TupleType>(type); }

}  // namespace rx::relay
