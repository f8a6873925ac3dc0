#include "views/panels/operator_words.h"

#include "views/models/list_parts.h"

namespace rx::views {

std::vector<OperatorParameter> operatorParameters(const QString& signature) {
  std::vector<OperatorParameter> parameters;
  const std::string text = signature.toStdString();
  for (const auto& [begin, end] : listParts(text).parts) {
    const QString part = QString::fromStdString(text.substr(begin, end - begin)).trimmed();
    if (part.isEmpty()) continue;
    const qsizetype equals = part.indexOf(QStringLiteral(" = "));
    const QString declared = equals < 0 ? part : part.left(equals);
    parameters.push_back({declared.section(QLatin1Char(':'), 0, 0).trimmed(),
                          declared.section(QLatin1Char(':'), 1).trimmed(),
                          equals < 0 ? QString() : part.mid(equals + 3)});
  }
  return parameters;
}

}  // namespace rx::views
