// What an empty window shows: the samples, the recent files, and how to begin. Also what went wrong, when a first file
// did not open.
#pragma once

#include <QWidget>

#include "views/shell/desk.h"

class QVBoxLayout;
class QLabel;

namespace rx::views {

class Commands;

class StartPage : public QWidget {
  Q_OBJECT

 public:
  StartPage(Desk& desk, Commands* commands, QWidget* parent);
  QString dump() const;

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void rebuild();
  void addLink(QVBoxLayout* column, const QString& title, const QString& detail, const QString& command,
               const QStringList& arguments);
  Desk& desk_;
  Commands* commands_;
  QLabel* failure_;
  QWidget* lists_ = nullptr;
  QStringList texts_;
};

}  // namespace rx::views
