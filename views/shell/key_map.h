// Which keys run which command: the keys of the command table, a preset over them, and a user's own over both.
#pragma once

#include <QHash>
#include <QString>
#include <QStringList>
#include <vector>

#include "views/shell/command.h"

namespace rx::views {

class Settings;

/// Names of the presets; the first is the command table's own keys.
QStringList keyPresets();

class KeyMap {
 public:
  explicit KeyMap(const Settings& settings) : settings_(settings) { load(); }
  /// Reads preset and own keys again.
  void load();
  /// Keys of a row in portable text ("Ctrl+F5"), the first of them for labels.
  QStringList keys(const Command& row) const;
  /// Rows that share a key although they can be enabled together, as sentences.
  QStringList conflicts() const;

 private:
  const Settings& settings_;
  QHash<QString, QString> own_;  // id to keys; an empty text takes the keys away
};

/// A command as lists show it: with the keys that run it now.
struct KeyedCommand {
  const Command* command = nullptr;
  QString keys;  // "F10, Shift+F10"
};
std::vector<KeyedCommand> withKeys(const std::vector<const Command*>& commands, const Settings& settings);

/// What a settings store keeps of keys.
QString keyPreset(const Settings& settings);
QHash<QString, QString> ownKeys(const Settings& settings);
void setKeyPreset(Settings& settings, const QString& preset);
/// Keys of the user's own for a command; null gives it back the preset's.
void setOwnKeys(Settings& settings, const QString& id, const QString& keys);

}  // namespace rx::views
