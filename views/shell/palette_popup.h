// The command palette: one list for commands, functions, bindings, passes, samples and panels. It lies over the window
// (no window of its own), opens with a prefix (@ names, # passes, : line) and closes with Escape.
#pragma once

#include <QAbstractListModel>
#include <QFrame>
#include <functional>
#include <vector>

#include "views/shell/desk.h"

class QLineEdit;
class QListView;

namespace rx::views {

class Commands;

struct PaletteEntry {
  QString kind;  // "command", "function", "binding", "pass", "sample", "panel", "file"
  QString title;
  QString detail;  // help, StructInfo, ...
  QString key;
  QString words;
  QString command;
  QStringList arguments;
  bool enabled = true;
};

/// Everything that can be reached now.
std::vector<PaletteEntry> paletteEntries(const Desk& desk);
/// Entries for what was typed, best first; at most `limit`.
std::vector<PaletteEntry> rankedEntries(const std::vector<PaletteEntry>& all, const QString& typed, int limit);

class PaletteModel : public QAbstractListModel {
  Q_OBJECT

 public:
  enum Role : int { kDetailRole = Qt::UserRole + 1, kKeyRole, kKindRole, kEnabledRole };
  using QAbstractListModel::QAbstractListModel;
  void setEntries(std::vector<PaletteEntry> entries);
  const PaletteEntry* entry(const QModelIndex& index) const;
  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

 private:
  std::vector<PaletteEntry> entries_;
};

class PalettePopup : public QFrame {
  Q_OBJECT

 public:
  PalettePopup(Desk& desk, Commands* commands, QWidget* window);
  void open(const QString& prefix);
  QString dump() const;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  void refill(const QString& typed);
  void run(const QModelIndex& index);
  Desk& desk_;
  Commands* commands_;
  QLineEdit* edit_;
  QListView* list_;
  PaletteModel* model_;
  std::vector<PaletteEntry> all_;
};

}  // namespace rx::views
