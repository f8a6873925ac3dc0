// How large tensors are whose type is there as text.
#pragma once

#include <QString>
#include <optional>

namespace rx::views {

struct TensorSize {
  qint64 elements = -1;
  qint64 bytes = -1;
};

/// Of a shape and a data type as rows have them: "(64, 3, 7, 7)", "float32". -1 where a dimension is symbolic, the type
/// is unknown, or the number does not fit.
TensorSize tensorSize(const QString& shape, const QString& dtype);

/// Shape and data type of a constant from what rows call it, which may be its StructInfo:
/// `R.Tensor((3, 3), dtype="float32")`. A scalar has the shape "()".
struct ConstantType {
  QString shape, dtype;
};
std::optional<ConstantType> constantType(const QString& name);

}  // namespace rx::views
