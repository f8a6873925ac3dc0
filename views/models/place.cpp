#include "views/models/place.h"

#include <QFileInfo>
#include <QRegularExpression>
#include <QUrl>
#include <QUrlQuery>

namespace rx::views {
namespace {

constexpr auto kScheme = "relaxscope";

bool readInt(const QUrlQuery& query, const QString& key, int* value) {
  if (!query.hasQueryItem(key)) return true;
  bool ok = false;
  const int read = query.queryItemValue(key).toInt(&ok);
  if (!ok || read < -1) return false;
  *value = read;
  return true;
}

}  // namespace

bool sameSpot(const Place& a, const Place& b) {
  return a.stage == b.stage && a.function == b.function && a.binding == b.binding && a.variable == b.variable;
}

QString linkOf(const Place& place, const QString& file) {
  QUrlQuery query;
  const auto add = [&query](const char* key, const QString& value) {
    query.addQueryItem(QString::fromLatin1(key), QString::fromLatin1(QUrl::toPercentEncoding(value)));
  };
  if (!file.isEmpty()) add("file", file);
  add("stage", QString::number(place.stage));
  if (!place.function.isEmpty()) add("function", place.function);
  if (place.binding >= 0) add("binding", QString::number(place.binding));
  if (!place.variable.isEmpty()) add("variable", place.variable);
  if (place.step >= 0) add("step", QString::number(place.step));
  QUrl url;
  url.setScheme(kScheme);
  url.setHost("open");
  url.setQuery(query);
  return url.toString(QUrl::FullyEncoded);
}

bool isLink(const QString& text) { return text.startsWith(QString::fromLatin1(kScheme) + QLatin1Char(':')); }

QString absoluteLink(const QString& link) {
  Place place;
  QString file;
  if (!placeOfLink(link, &place, &file)) return {};
  return linkOf(place, file.isEmpty() ? file : QFileInfo(file).absoluteFilePath());
}

bool placeOfLink(const QString& link, Place* place, QString* file) {
  const QUrl url(link, QUrl::StrictMode);
  if (!url.isValid() || url.scheme() != kScheme || url.host() != "open") return false;
  const QUrlQuery query(url);
  Place read;
  if (!readInt(query, "stage", &read.stage) || !readInt(query, "binding", &read.binding) ||
      !readInt(query, "step", &read.step) || read.stage < 0) {
    return false;
  }
  read.function = query.queryItemValue("function", QUrl::FullyDecoded);
  read.variable = query.queryItemValue("variable", QUrl::FullyDecoded);
  *file = query.queryItemValue("file", QUrl::FullyDecoded);
  *place = read;
  return true;
}

QString shellWord(const QString& text) {
  static const QRegularExpression kPlain("^[A-Za-z0-9_./=+:@%,-]+$");
  if (kPlain.match(text).hasMatch()) return text;
  QString inner = text;
  return '\'' + inner.replace("'", "'\\''") + '\'';
}

}  // namespace rx::views
