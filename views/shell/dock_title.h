// The strip over a dock: the title of a dock that stands alone, and the buttons at the end of its strip or of the strip
// of its tabs.
#pragma once

#include <QWidget>

class QDockWidget;
class QToolButton;

namespace rx::views {

/// Float and close of a dock.
class DockButtons : public QWidget {
  Q_OBJECT

 public:
  explicit DockButtons(QWidget* parent);
  void setDock(QDockWidget* dock);
  QDockWidget* dock() const { return dock_; }

 Q_SIGNALS:
  void floatWanted(QDockWidget* dock);
  void closeWanted(QDockWidget* dock);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QToolButton* float_;
  QToolButton* close_;
  QDockWidget* dock_ = nullptr;
};

class DockTitle : public QWidget {
  Q_OBJECT

 public:
  explicit DockTitle(QDockWidget* dock);
  DockButtons* buttons() const { return buttons_; }
  /// Tabbed docks show the bare line under their tabs, and so do those that need no title.
  void setTabbed(bool tabbed);
  /// Whether the panel has the focus, which the line on top says.
  void setFocused(bool focused);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return sizeHint(); }

 protected:
  void changeEvent(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  QDockWidget* dock_;
  DockButtons* buttons_;
  bool tabbed_ = false;
  bool focused_ = false;
  mutable QSize hint_;  // of a title; Qt asks for it hundreds of times while docks are moved
};

}  // namespace rx::views
