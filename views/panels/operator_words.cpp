#include "views/panels/operator_words.h"

#include <QStringList>

namespace rx::views {
namespace {

/// "x: expr" and "axis: int = -1"; commas inside of brackets and texts divide nothing.
QStringList partsOf(const QString& signature) {
  QStringList parts;
  QString one;
  int depth = 0;
  bool quoted = false;
  for (const QChar c : signature) {
    if (c == '\'') quoted = !quoted;
    if (!quoted && (c == '(' || c == '[')) ++depth;
    if (!quoted && (c == ')' || c == ']')) --depth;
    if (c == ',' && depth == 0 && !quoted) {
      parts << one.trimmed();
      one.clear();
    } else {
      one += c;
    }
  }
  if (!one.trimmed().isEmpty()) parts << one.trimmed();
  return parts;
}

}  // namespace

std::vector<OperatorParameter> operatorParameters(const QString& signature) {
  std::vector<OperatorParameter> parameters;
  for (const QString& part : partsOf(signature)) {
    const qsizetype equals = part.indexOf(QStringLiteral(" = "));
    const QString declared = equals < 0 ? part : part.left(equals);
    parameters.push_back({declared.section(QLatin1Char(':'), 0, 0).trimmed(),
                          declared.section(QLatin1Char(':'), 1).trimmed(),
                          equals < 0 ? QString() : part.mid(equals + 3)});
  }
  return parameters;
}

}  // namespace rx::views
