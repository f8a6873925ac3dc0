// The frame of the program: one tab a document, each with a window, a selection and a debug session of its own. With
// one document the bar of tabs is not seen.
#pragma once

#include <QTabBar>
#include <QWidget>
#include <functional>
#include <memory>
#include <vector>

#include "views/shell/desk.h"

class QJsonObject;
class QStackedWidget;

namespace rx::views {

class MainWindow;

/// A document with its controllers and its window; made by the program, which knows the real controllers.
class Workplace {
 public:
  virtual ~Workplace() = default;
  virtual MainWindow& window() = 0;
  /// The file that is being opened, or, where none is, the one that is open; empty for none.
  virtual QString path() const = 0;
};

class DocumentTabs : public QWidget, public TabHost {
  Q_OBJECT

 public:
  using Make = std::function<std::unique_ptr<Workplace>()>;
  /// Begins with one empty tab.
  DocumentTabs(Settings* settings, Make make, QWidget* parent = nullptr);
  ~DocumentTabs() override;

  MainWindow& current() const;
  /// Opens the documents that were open when the program ended last; false when there were none.
  bool restoreLast();
  /// Shows the place of a link that came from elsewhere, in the tab where its file is open, else in one of its own, and
  /// comes to the front.
  void showLink(const QString& link);

  // TabHost
  QString openTab(const QString& path) override;
  QString closeTab() override;
  void nextTab(bool forward) override;
  int tabCount() const override { return static_cast<int>(places_.size()); }
  QString saveSession(const QString& path) override;
  QString openSession(const QString& path) override;

 Q_SIGNALS:
  void currentChanged();

 protected:
  void closeEvent(QCloseEvent* event) override;

 private:
  MainWindow& addTab();
  void removeTab(int index);
  void showTab(int index);
  void moveTab(int from, int to);
  void nameTabs();
  QByteArray session() const;
  QString restore(const QByteArray& json);
  MainWindow& tabFor(const QJsonObject& part, const std::vector<const MainWindow*>& restored);
  /// The tab that is seen where nothing is open in it, else a new one.
  MainWindow& freeTab();
  void bringUp(const MainWindow& window);
  Settings* settings_;
  Make make_;
  QTabBar* bar_;
  QStackedWidget* pages_;
  std::vector<std::unique_ptr<Workplace>> places_;
};

}  // namespace rx::views
