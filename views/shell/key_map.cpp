#include "views/shell/key_map.h"

#include <QKeySequence>
#include <QSet>

#include "views/shell/settings.h"

namespace rx::views {
namespace {

constexpr const char* kPresetKey = "keyPreset";
constexpr const char* kOwnKey = "keys";

struct PresetRow {
  const char* preset;
  const char* id;
  const char* keys;
};
/// Only what differs from the command table.
constexpr PresetRow kPresetRows[] = {
    {"Visual Studio", "debug.pause", "Ctrl+Alt+Pause; Pause"},
    {"Visual Studio", "edit.goToName", "Ctrl+T; Ctrl+J"},
    {"Visual Studio", "tab.new", ""},
    {"Visual Studio", "edit.back", "Ctrl+-; Alt+Left"},
    {"Visual Studio", "edit.forward", "Ctrl+Shift+-; Alt+Right"},
    {"Visual Studio", "view.smaller", "Alt+-"},
    {"Visual Studio", "bookmark.toggle", "Ctrl+K, Ctrl+K"},
    {"Visual Studio", "view.fullScreen", "Alt+Shift+Return"},
    {"RenderDoc", "pass.next", "Ctrl+Right; Ctrl+]"},
    {"RenderDoc", "pass.previous", "Ctrl+Left; Ctrl+["},
    {"RenderDoc", "edit.goToName", "Ctrl+J; Ctrl+E"},
};

QStringList split(const QString& keys) {
  QStringList parts;
  for (const QString& key : keys.split(';', Qt::SkipEmptyParts)) parts << key.trimmed();
  return parts;
}

/// Pairs that share a key on purpose: they are never enabled together.
bool takeTurns(const QString& a, const QString& b) {
  static const QSet<QString> kRun = {"debug.start", "debug.continue"};
  return kRun.contains(a) && kRun.contains(b);
}

}  // namespace

QStringList keyPresets() {
  QStringList names = {QStringLiteral("relaxscope")};
  for (const PresetRow& row : kPresetRows) {
    if (!names.contains(QLatin1String(row.preset))) names << QString::fromLatin1(row.preset);
  }
  return names;
}

QString keyPreset(const Settings& settings) {
  const QString name = settings.value(kPresetKey).toString();
  return keyPresets().contains(name) ? name : keyPresets().first();
}

QHash<QString, QString> ownKeys(const Settings& settings) {
  QHash<QString, QString> keys;
  const QVariantMap stored = settings.value(kOwnKey).toMap();
  for (auto it = stored.begin(); it != stored.end(); ++it) keys.insert(it.key(), it.value().toString());
  return keys;
}

void setKeyPreset(Settings& settings, const QString& preset) { settings.setValue(kPresetKey, preset); }

void setOwnKeys(Settings& settings, const QString& id, const QString& keys) {
  QVariantMap stored = settings.value(kOwnKey).toMap();
  if (keys.isNull()) {
    stored.remove(id);
  } else {
    stored.insert(id, keys);
  }
  settings.setValue(kOwnKey, stored);
}

void KeyMap::load() {
  own_.clear();
  const QString preset = keyPreset(settings_);
  for (const PresetRow& row : kPresetRows) {
    if (preset == QLatin1String(row.preset)) own_.insert(QString::fromLatin1(row.id), QString::fromLatin1(row.keys));
  }
  own_.insert(ownKeys(settings_));
}

QStringList KeyMap::keys(const Command& row) const {
  const auto own = own_.constFind(QString::fromUtf8(row.id));
  return own == own_.constEnd() ? keysOf(row) : split(*own);
}

std::vector<KeyedCommand> withKeys(const std::vector<const Command*>& commands, const Settings& settings) {
  const KeyMap keys(settings);
  std::vector<KeyedCommand> rows;
  for (const Command* command : commands) rows.push_back({command, keys.keys(*command).join(QStringLiteral(", "))});
  return rows;
}

QStringList KeyMap::conflicts() const {
  QHash<QKeySequence, QString> seen;
  QStringList found;
  for (const Command* row : commandTable()) {
    const QString id = QString::fromUtf8(row->id);
    for (const QString& key : keys(*row)) {
      const QKeySequence sequence(key, QKeySequence::PortableText);
      const auto other = seen.constFind(sequence);
      if (other != seen.constEnd() && !takeTurns(*other, id))
        found << QStringLiteral("%1 runs both %2 and %3: neither works by it")
                     .arg(key, QString::fromUtf8(findCommand(*other)->title), QString::fromUtf8(row->title));
      seen.insert(sequence, id);
    }
  }
  return found;
}

}  // namespace rx::views
