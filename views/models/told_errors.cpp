#include "views/models/told_errors.h"

#include <QCoreApplication>
#include <QJsonArray>

#include "views/theme/qt_text.h"

namespace rx::views {

std::vector<ToldError> toldErrors(const QJsonObject& answer) {
  std::vector<ToldError> errors;
  const QJsonArray diagnostics = answer["diagnostics"].toArray();
  for (const QJsonValue& each : diagnostics) {
    if (each["severity"].toString() != QLatin1String("error")) continue;
    ToldError& told = errors.emplace_back();
    told.what = errorAt({}, each["rule"].toString().toStdString(), each["message"].toString().toStdString());
    told.what.context = each["context"].toString().toStdString();
    told.what.fix = each["fix"].toString().toStdString();
    const QJsonArray notes = each["notes"].toArray();
    for (const QJsonValue& note : notes) told.what.notes.push_back({note["message"].toString().toStdString(), {}});
    told.file = each["file"].toString();
    told.line = each["line"].toInt();
    told.column = each["column"].toInt();
  }
  return errors;
}

QString whyNoAnswer(const QJsonObject& answer, const QByteArray& output) {
  if (const std::vector<ToldError> errors = toldErrors(answer); !errors.empty())
    return qtText(errors.front().what.message);
  const QString said = QString::fromUtf8(output).trimmed().section('\n', 0, 0);
  return said.isEmpty() ? QCoreApplication::translate("ToldErrors", "the program that runs ended without a word")
                        : said;
}

}  // namespace rx::views
