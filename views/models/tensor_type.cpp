#include "views/models/tensor_type.h"

#include <QRegularExpression>

#include "core/tensor/dtype.h"

namespace rx::views {

TensorSize tensorSize(const QString& shape, const QString& dtype) {
  const std::optional<DataType> type = DataType::parse(dtype.toStdString());
  if (!type || type->isVoid() || !shape.startsWith(QLatin1Char('(')) || !shape.endsWith(QLatin1Char(')'))) return {};
  TensorSize size{1, 0};
  for (const QString& part : shape.mid(1, shape.size() - 2).split(QLatin1Char(','), Qt::SkipEmptyParts)) {
    bool ok = false;
    const qint64 extent = part.trimmed().toLongLong(&ok);
    if (part.trimmed().isEmpty()) continue;
    if (!ok || extent < 0 || __builtin_mul_overflow(size.elements, extent, &size.elements)) return {};
  }
  if (__builtin_mul_overflow(size.elements, qint64{type->bytes()}, &size.bytes)) return {};
  return size;
}

std::optional<ConstantType> constantType(const QString& name) {
  static const QRegularExpression kTensor(QStringLiteral("^R\\.Tensor\\((\\([^()]*\\)).*?\"([a-z0-9_]+)\""));
  const QRegularExpressionMatch match = kTensor.match(name);
  if (!match.hasMatch()) return std::nullopt;
  return ConstantType{match.captured(1), match.captured(2)};
}

}  // namespace rx::views
