// The docks: every panel of the table in a dock, copies of panels, locks, the layouts and undo of what changes them.
#pragma once

#include <QHash>
#include <QMainWindow>
#include <QMap>
#include <QPointer>
#include <QTimer>
#include <functional>
#include <vector>

#include "views/panels/panel.h"
#include "views/shell/dock_layouts.h"
#include "views/shell/layout_history.h"
#include "views/shell/panel_lock.h"

namespace rx::views {

class DockTabs;
class LinkedPanels;

class DockArea : public QMainWindow {
  Q_OBJECT

 public:
  DockArea(const PanelContext& context, QWidget* parent);
  ~DockArea() override;

  // A panel is known by its id of the panel table; a copy of it by the id with a number: "graph.2".
  Panel* panel(const QString& id) const;
  QStringList ids() const;
  QString idOf(const Panel* panel) const;
  bool showPanel(const QString& id);
  /// The same for what passes, as a failure does: `lowerPassing` brings back the tab that was in front of it, unless
  /// somebody has gone elsewhere, or to the panel by itself, since.
  bool showPassing(const QString& id);
  void lowerPassing();
  bool hidePanel(const QString& id);
  /// Hides the panels that are tabs of the same place.
  bool hideOthers(const QString& id);
  /// Pulls a panel out of the window, or puts it back.
  bool floatPanel(const QString& id);
  /// Another instance of a panel beside it, as a tab; its id, empty when there is no such panel.
  QString duplicate(const QString& id);
  /// Lets a panel keep a stage, a function or a binding; None lets it follow the selection again.
  /// The lock keeps the selected stage, or another one that is named.
  bool lock(const QString& id, LockKind kind, int stage = -1);
  const PanelLock* lockOf(const Panel* panel) const;
  /// Of a panel and its copies, the one that shows a place: the one that is locked to it most closely, else one that
  /// follows the selection and is in sight, else any that follows it; empty where all are locked to other places.
  QString panelShowing(const QString& id, const Place& place) const;
  /// Makes a panel a tab of the place where panels of an area stand; false when no panel stands there.
  bool movePanel(const QString& id, PanelArea area);

  /// The panel with the focus; the one that had it last, else the IR text, when none has.
  Panel* focused() const;
  /// Of the instances of a panel the one that has the focus or had it last; the first one where none had it or that one
  /// is not to be seen. Null when there is no such panel.
  Panel* current(const QString& id) const;
  /// Two graphs side by side, each locked to a stage, of which each shows what differs from the other. A pair that is
  /// there shows the stages.
  void pairGraphs(int left, int right);
  /// Graph and text of two stages of a function: a stage a column, the graph over its text.
  void pairForms(int left, int right);
  /// Shows panels side by side in this order, out of any tabs; false when one of them is none.
  bool standInRow(const QStringList& ids);
  void focusNext(bool forward);
  QAction* toggleAction(const QString& id) const;

  /// Arranges the docks as in a built-in layout; false when there is none of that name.
  bool applyBuiltIn(const QString& name);
  /// Where the text and the graph stand and what lies below them: the ground of toasts and cards, in this widget.
  QRect middle() const;
  /// The rest of the width to the right of the text, as high as all.
  QRect besideText() const;
  /// The arrangement with the copies that stand in it, and its restoring under the name of the layout it belongs to.
  QByteArray arrangement() const;
  bool restoreArrangement(const QByteArray& state, const QString& name);
  /// Name of the layout that was applied last.
  QString layoutName() const { return layout_; }
  /// True while the arrangement is that of a built-in layout, untouched.
  bool isBuiltIn() const { return follows_; }
  bool canUndo() const { return history_.canUndo(); }
  bool canRedo() const { return history_.canRedo(); }
  void undoLayout();
  void redoLayout();

 Q_SIGNALS:
  void message(const QString& text);
  void settled();
  void layoutChanged();
  /// A panel was made after the start: a copy, or one that was locked or let go.
  void panelMade(Panel* panel);
  /// A panel's context menu is wanted at a place of the screen, or that of its tab.
  void menuWanted(Panel* panel, const QPoint& global);
  void tabMenuWanted(Panel* panel, const QPoint& global);

 protected:
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool event(QEvent* event) override;

 private:
  struct Slot {
    const PanelRow* row;
    QString id;
    QDockWidget* dock;
    Panel* panel;
    PanelLock* lock = nullptr;
    QString title;  // as the panel says
  };
  const Slot* slot(const QString& id) const;
  Slot* slot(const QObject* dockOrPanel);
  Slot& addDock(const PanelRow& row, const QString& id);
  void setPanel(Slot& slot);
  void showTitle(const Slot& slot);
  void removeCopy(const QString& id);
  void remember(Panel* panel);
  /// Panels of these ids, locked to one stage, and a copy beside each, locked to another.
  void pair(const QStringList& kinds, int left, int right);
  /// Id of the copy that a pair has beside a panel; empty where it has none.
  QString copyOf(const QString& kind) const;
  void shareForms();
  void endPair();
  /// Puts a dock to the right of another one, out of any tabs.
  void standBeside(QDockWidget* left, QDockWidget* right);
  void arrange(const Layout& layout);
  void shareSizes();
  /// Gives what stands behind other tabs, or is hidden among them, the size that it has in front.
  void sizeBehind();
  bool isNarrow() const;
  /// Does something that changes the arrangement so that it can be undone. `keepsShares` for what leaves the places of
  /// a built-in layout as they are.
  void change(const std::function<void()>& deed, bool keepsShares = false);
  void updateStrips();
  /// A dock that stands for a place: one that is neither hidden nor floating; null when there is none.
  QDockWidget* shownIn(const Layout& layout, size_t cell) const;
  PanelContext context_;
  std::vector<Slot> slots_;
  DockTabs* tabs_;
  RefreshQueue* refreshes_;
  Panel* lastFocused_ = nullptr;
  QMap<QString, QString> passing_;      // ids of panels that are raised for now, and of what was in front there
  QHash<QString, QString> lastOfKind_;  // ids of the instances that had the focus last, by the id of the table
  QPointer<LinkedPanels> pair_;
  QStringList pairedCopies_;  // ids of the second panels of the pair
  QString layout_;
  QTimer stripsSoon_;     // updates the strips once for all that changes in an event
  bool follows_ = false;  // the proportions follow the window's size until the user changes them
  bool narrow_ = false;
  bool arranging_ = false;
  LayoutHistory history_;
};

}  // namespace rx::views
