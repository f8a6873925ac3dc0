// Title of a dock that stands alone: the panel's name, float and close. A tabbed dock has its tab instead.
#pragma once

#include <QWidget>

class QDockWidget;
class QLabel;
class QToolButton;

namespace rx::views {

class DockTitle : public QWidget {
  Q_OBJECT

 public:
  explicit DockTitle(QDockWidget* dock);
  /// Tabbed docks show the bare line under their tabs.
  void setTabbed(bool tabbed);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return sizeHint(); }

 protected:
  void paintEvent(QPaintEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  QDockWidget* dock_;
  QToolButton* float_;
  QToolButton* close_;
  void setIcons();
  bool tabbed_ = false;
};

}  // namespace rx::views
