// The strips of tabs over docks that share a place: float and close at their end, the line of the focus, menus, closing
// by the middle button. Qt makes and removes the tab bars; this keeps up with them.
#pragma once

#include <QObject>
#include <QPointer>
#include <vector>

class QDockWidget;
class QMainWindow;
class QTabBar;

namespace rx::views {

class DockButtons;

class DockTabs : public QObject {
  Q_OBJECT

 public:
  explicit DockTabs(QMainWindow* area);
  /// The property of a dock that keeps a place of its own: its tab has a pin.
  static constexpr const char* kPinned = "pinned";
  /// Those of a dock that hold its title, and what its tab says where its strip has no room for all titles.
  static constexpr const char* kTitle = "title";
  static constexpr const char* kBrief = "brief";
  /// After docks were shown, hidden or moved, and after the focus went to another panel, which is in `focused`.
  void update(const QDockWidget* focused);
  /// The dock in front of the tabs that a dock is one of, on screen or not; null where it is none.
  QDockWidget* frontOf(const QDockWidget* dock) const;

 Q_SIGNALS:
  void floatWanted(QDockWidget* dock);
  void closeWanted(QDockWidget* dock);
  void menuWanted(QDockWidget* dock, const QPoint& global);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  struct Strip {
    QPointer<QTabBar> bar;
    DockButtons* buttons;
  };
  void adopt(QTabBar* bar);
  void place(const Strip& strip);
  void showPins(QTabBar* bar) const;
  /// Names the tabs of a strip so wide: what a title tells of the content gives way before the name of any panel does.
  void nameTabs(QTabBar* bar, int room) const;
  QDockWidget* dockAt(const QTabBar* bar, int tab) const;
  QMainWindow* area_;
  std::vector<Strip> strips_;
};

}  // namespace rx::views
