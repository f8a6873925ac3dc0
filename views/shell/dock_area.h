// The docks: every panel of the table in a dock, the built-in layouts, and state that is kept between starts.
#pragma once

#include <QMainWindow>
#include <map>
#include <vector>

#include "views/panels/panel.h"

namespace rx::views {

class DockArea : public QMainWindow {
  Q_OBJECT

 public:
  DockArea(const PanelContext& context, QWidget* parent);

  Panel* panel(const QString& id) const;
  QStringList ids() const;
  bool showPanel(const QString& id);
  bool hidePanel(const QString& id);
  /// The panel with the focus; the one that had it last, else the IR text, when none has.
  Panel* focused() const;
  QString idOf(const Panel* panel) const;
  void focusNext(bool forward);
  /// Arranges the docks as in a built-in layout; false when there is none of that name.
  bool applyBuiltIn(const QString& name);
  /// Restores a state of saveState; the sizes are then its own.
  bool restoreLayout(const QByteArray& state, int version);
  QAction* toggleAction(const QString& id) const;
  /// Where the text and the graph stand and what lies below them: the ground of toasts and cards, in this widget.
  QRect middle() const;
  /// The rest of the width to the right of the text, as high as all.
  QRect besideText() const;

 Q_SIGNALS:
  void message(const QString& text);
  void settled();
  /// A panel's context menu is wanted at a place of the screen.
  void menuWanted(Panel* panel, const QPoint& global);

 protected:
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool event(QEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  struct Slot {
    const PanelRow* row;
    QDockWidget* dock;
    Panel* panel;
  };
  const Slot* slot(const QString& id) const;
  void addDock(const PanelRow& row, const PanelContext& context);
  void arrangeAll();
  void shareSizes();
  /// A dock that stands for an area: one that is neither hidden nor floating; null when there is none.
  QDockWidget* shownIn(PanelArea area) const;
  void updateTitles();
  std::vector<Slot> slots_;
  Panel* lastFocused_ = nullptr;
  QString builtIn_;  // the layout whose proportions follow the window's size; empty once the user changed them
};

/// Names of the built-in layouts.
QStringList builtInLayouts();

}  // namespace rx::views
