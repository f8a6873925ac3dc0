// The window: menus, toolbar, docks or the start page, toasts, status bar; and what commands ask of a window.
#pragma once

#include <QJsonObject>
#include <QMainWindow>
#include <QPixmap>
#include <QPointer>
#include <QTimer>

#include "views/models/tool_job.h"
#include "views/panels/panel.h"
#include "views/shell/desk.h"
#include "views/shell/key_map.h"
#include "views/shell/settings.h"
#include "views/shell/step_queue.h"

class QLabel;
class QStackedWidget;

namespace rx::views {

class Actions;
class DockArea;
class LitQuery;
class ProfileBoard;
class OutcomeCards;
class PalettePopup;
class OpeningNews;
class PlaceMover;
class StartPage;
class StatusStrip;
class Toast;
class Tour;
struct ToastContent;
class Toolbar;

class MainWindow : public QMainWindow, public Commands, public WindowDeeds {
  Q_OBJECT

 public:
  /// The controllers outlive the window.
  MainWindow(Document* document, Selection* selection, DebugSession* debug, Settings* settings,
             QWidget* parent = nullptr);
  ~MainWindow() override;

  // Commands
  bool run(const QString& id, const QStringList& arguments = {}) override;
  bool enabled(const QString& id) const override;
  QString label(const QString& id) const override;

  // WindowDeeds
  QString showDialog(const QString& name) override;
  void showPalette(const QString& prefix) override;
  QString showPanel(const QString& id) override;
  QString hidePanel(const QString& id) override;
  QStringList panelIds() const override;
  Panel* panel(const QString& id) const override;
  Panel* focusedPanel() const override;
  void focusNextPanel(bool forward) override;
  /// Gives the focus to the panel that had it last, or to the start page where that is shown.
  void focusContent();
  DockArea& docks() const override { return *docks_; }
  QStringList layoutNames() const override;
  QString layoutName() const override;
  QString applyLayout(const QString& name) override;
  QString saveLayout(const QString& name) override;
  void applyLook() override;
  void toggleFullScreen() override;
  void say(const QString& text, const QStringList& undo = {}) override;
  void sayFailed(const QString& text) override;
  QString showCard() override;
  QString cardText() const override;
  void copyText(const QString& text, const QString& what) override;
  void quit() override;
  void tour(const QString& what) override;
  QWidget* pictured(const QString& id) override;
  void countWork(int by) override { work_ += by; }
  TabHost* tabs() const override { return tabs_; }
  QString runTool(const QString& title, const QStringList& arguments, std::function<void(bool, const QString&)> done,
                  const std::function<QString(const QString&)>& words = {},
                  std::function<Progress(const QByteArray&)> told = {}) override;
  QString toolTitle() const override { return tool_->busy() ? toolTitle_ : QString(); }
  Progress toolProgress() const override { return tool_->busy() ? toolProgress_ : Progress(); }
  void cancelTool() override { tool_->cancel(); }

  // For the frame of tabs
  void setTabs(TabHost* tabs) { tabs_ = tabs; }
  /// Title of what is open, for a tab; empty when nothing is.
  QString documentName() const;
  /// What a session keeps of this document: place, layout, breakpoints, notes. Empty when nothing is open.
  QJsonObject sessionPart();
  /// Whether the document of such a part is open here.
  bool shows(const QJsonObject& part) const;
  /// Opens what `sessionPart` said, or goes to its place where it is open: that keeps what is noted in it. The
  /// answer is why not.
  QString restoreSessionPart(const QJsonObject& part);

  // For the script runner
  Desk& desk() { return desk_; }
  /// Why the last command did not run; empty when it did.
  QString lastError() const { return lastError_; }
  /// True when nothing is at work: document, engine, steps, panels, tools.
  bool settled() const;
  /// Status bar as text, and what was said last.
  QString statusText() const;
  /// Content of a panel, or of "palette", "start", "status", "card", "shortcuts", "dialog"; null when there is no such
  /// thing.
  QString dump(const QString& what) const;
  /// The window as it is on screen, open dialogs laid over it.
  QPixmap picture();
  /// The outcome of the last tool run: empty, or its output when it failed.
  QString toolError() const { return toolError_; }

 protected:
  void closeEvent(QCloseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void buildToolbar();
  void buildMenus();
  void fillRecent();
  void connectControllers();
  void refresh();
  void documentOpened();
  void fileChanged();
  void openFailed(const QString& path, const QString& reason);
  /// Selects a function when the selected one is not in the stage that became ready.
  void chooseFunction(int stage);
  /// Brings the text to the front where a stop is to be seen.
  void raiseText();
  void showOutcome();
  void bringDebugLayout();
  /// Brings a panel to the front and leaves the focus where it is.
  void raisePanel(const QString& id);
  /// A part of the docks as a rectangle of the pages, on which toasts and cards lie.
  QRect inPages(const QRect& part) const;
  QRect cardLine(const QString& panel) const;
  /// Shows a toast and keeps its text in the log.
  void tell(const ToastContent& content);
  /// What a toast says, without one: for scripts and the log.
  void note(const QString& text, LogLine::Kind kind = LogLine::Kind::Note);
  void showPanelMenu(Panel* panel, const QPoint& global);
  void showTabMenu(Panel* panel, const QPoint& global);
  /// Settings that a panel keeps itself.
  void placeRegisters();
  void equip(Panel* panel);
  void restoreState();
  void keepState();
  Settings* settings_;
  StepQueue* steps_;
  Notes* notes_;
  LitQuery* lit_;
  ProfileBoard* profiles_;
  TabHost* tabs_ = nullptr;
  Desk desk_;
  KeyMap keys_;
  Actions* actions_;
  Toolbar* toolbar_ = nullptr;
  QLabel* title_;
  Toast* toast_ = nullptr;
  OutcomeCards* cards_ = nullptr;
  QString said_;  // what was said last, which stays for scripts when its toast is gone
  QStackedWidget* pages_;
  StartPage* start_;
  DockArea* docks_ = nullptr;
  StatusStrip* status_;
  PalettePopup* palettePopup_;
  ToolJob* tool_;
  Tour* tour_ = nullptr;  // made when it is first taken
  QPointer<QWidget> dialog_;
  QTimer refreshed_;         // runs while menus and toolbar are out of date
  bool debugShown_ = false;  // the Debug layout came by itself, which it does once
  QString opened_;           // path and module of the last document, to tell a reload from another one
  QString openedText_;       // and its text
  PlaceMover* mover_;
  OpeningNews* news_;
  QString lastError_;
  QString toolTitle_;
  Progress toolProgress_;
  QString toolError_;
  int work_ = 0;  // that commands started and that has not ended
};

}  // namespace rx::views
