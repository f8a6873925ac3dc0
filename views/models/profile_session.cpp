// The profiles of a window in a session file: what rxs wrote of each, compressed, and what it was made of.
#include <QJsonArray>
#include <QJsonObject>
#include <QtEndian>
#include <algorithm>

#include "views/models/profile_board.h"

namespace rx::views {
namespace {

/// Room that the profiles of one document have in a session, in bytes as they are written.
constexpr qsizetype kMostKept = 4 << 20;

QJsonObject kept(const ProfileEntry& entry) {
  return {{"name", entry.name},         {"input", entry.input},
          {"here", entry.here},         {"text", QString::fromLatin1(entry.text.toHex())},
          {"pipeline", entry.pipeline}, {"profile", QString::fromLatin1(qCompress(entry.json).toBase64())}};
}

/// What was compressed; empty where it is nothing of the kind, or says that it is larger than a profile can be.
QByteArray unpacked(const QString& text) {
  const QByteArray packed = QByteArray::fromBase64(text.toLatin1());
  constexpr qsizetype kHead = 4;  // the size comes first
  if (packed.size() < kHead || qFromBigEndian<quint32>(packed.constData()) > kMostProfileBytes) return {};
  return qUncompress(packed);
}

}  // namespace

QJsonObject ProfileBoard::toSession() const {
  QJsonArray profiles;
  qsizetype size = 0;
  int shown = -1, against = -1;
  for (int number = static_cast<int>(entries_.size()) - 1; number >= 0; --number) {
    const QJsonObject entry = kept(entries_[static_cast<size_t>(number)]);
    const qsizetype bytes = entry["profile"].toString().size();
    if (size + bytes > kMostKept) continue;
    size += bytes;
    // The newest is met first and stands last.
    profiles.prepend(entry);
    for (int* place : {&shown, &against})
      if (*place >= 0) ++*place;
    if (number == shown_) shown = 0;
    if (number == against_) against = 0;
  }
  if (profiles.isEmpty()) return {};
  return {{"made", made_}, {"shown", shown}, {"against", against}, {"kept", profiles}};
}

QString ProfileBoard::restore(const QJsonObject& session) {
  std::vector<ProfileEntry> entries;
  QString problem;
  for (const QJsonValue& value : session["kept"].toArray()) {
    const QJsonObject entry = value.toObject();
    QByteArray json = unpacked(entry["profile"].toString());
    const ProfilePtr profile = readProfile(json, &problem);
    if (!profile) return tr("a profile of the session can not be read: %1").arg(problem);
    entries.push_back({profile, entry["name"].toString(), std::move(json), entry["input"].toString(),
                       entry["here"].toBool(), QByteArray::fromHex(entry["text"].toString().toLatin1()),
                       entry["pipeline"].toString()});
  }
  if (entries.empty()) return {};
  const auto numberIn = [&](const char* key) {
    const int number = session[QLatin1String(key)].toInt(-1);
    return number < static_cast<int>(entries.size()) ? std::max(number, -1) : -1;
  };
  shown_ = std::max(numberIn("shown"), 0);
  against_ = numberIn("against") == shown_ ? -1 : numberIn("against");
  made_ = std::max(made_, session["made"].toInt());
  entries_ = std::move(entries);
  choice_ = {};
  scope_ = {};
  Q_EMIT changed();
  return {};
}

}  // namespace rx::views
