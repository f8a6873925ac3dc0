// Search everything: one list for commands, passes, samples, panels and files, and for what the stages hold (names,
// operators, shapes, types, symbols, constants, text). It lies over the window (no window of its own); chips or a first
// letter choose a kind; Escape closes it; its last row keeps everything that was found in the Results panel.
#pragma once

#include <QAbstractListModel>
#include <QFrame>
#include <QPointer>
#include <functional>
#include <vector>

#include "views/models/search_job.h"
#include "views/shell/desk.h"

class QLabel;
class QLineEdit;
class QListView;

namespace rx::views {

class Commands;
class SearchChips;

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
/// The entries with what was found in the stages behind the first few of them, each kind with a few of its hits; names
/// that the entries have already are left out.
std::vector<PaletteEntry> withHits(std::vector<PaletteEntry> entries, const std::vector<SearchHit>& hits,
                                   const QString& typed, int selectedStage);

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
  /// True while a search over the stages runs for what was typed.
  bool busy() const { return isVisible() && job_->busy(); }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  void search(const QString& typed);
  void refill();
  /// Hides it; who had the focus has it again.
  void leave();
  void run(const QModelIndex& index);
  bool moveBy(int key);
  Desk& desk_;
  Commands* commands_;
  QLineEdit* edit_;
  SearchChips* chips_;
  QListView* list_;
  QLabel* says_;
  PaletteModel* model_;
  SearchJob* job_;
  std::vector<PaletteEntry> all_;
  std::vector<PaletteEntry> ranked_;  // of `all_` for what was typed
  HitList hits_;
  QPointer<QWidget> focus_;  // who had it before, and gets it back
  bool moved_ = false;       // the user went to a row: what arrives later leaves it where it is
};

}  // namespace rx::views
