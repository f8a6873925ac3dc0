#include "views/panels/ir_text/operator_tip.h"

#include <QCoreApplication>

#include "core/op/op_table.h"

namespace rx::views {
namespace {

QString qt(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

}  // namespace

QString operatorTip(const QString& name) {
  if (name.isEmpty()) return {};
  const op::OpRow* row = op::findOp(name.toStdString());
  if (!row) return {};
  QString tip = QStringLiteral("%1(%2)\n%3").arg(qt(row->name()), qt(row->spec.signature), qt(row->spec.doc));
  if (!row->pure()) tip += QLatin1Char('\n') + QCoreApplication::translate("OperatorTip", "impure");
  if (row->has(op::kDataDependent))
    tip += QLatin1Char('\n') + QCoreApplication::translate("OperatorTip", "the shape of its result depends on values");
  return tip;
}

}  // namespace rx::views
