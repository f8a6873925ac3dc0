// What commands act on: the controllers, and what only a window can do.
#pragma once

#include <QString>
#include <QStringList>
#include <functional>

#include "views/models/debug_session.h"
#include "views/models/document.h"
#include "views/models/notes.h"
#include "views/models/selection.h"
#include "views/shell/settings.h"
#include "views/shell/step_queue.h"

class QWidget;

namespace rx::views {

class DockArea;
class LitQuery;
class Panel;
class ProfileBoard;
class TabHost;

/// The window's own deeds. The main window does them; tests of the command table have a window that writes them down.
/// Functions that can fail answer why, or an empty text.
class WindowDeeds {
 public:
  virtual ~WindowDeeds() = default;
  virtual QString showDialog(const QString& name) = 0;
  virtual void showPalette(const QString& prefix) = 0;
  virtual QString showPanel(const QString& id) = 0;
  virtual QString hidePanel(const QString& id) = 0;
  virtual QStringList panelIds() const = 0;
  virtual Panel* panel(const QString& id) const = 0;
  /// The panel that has the focus, or the text when none has.
  virtual Panel* focusedPanel() const = 0;
  virtual void focusNextPanel(bool forward) = 0;
  /// The docks, for what commands do to panels and layouts.
  virtual DockArea& docks() const = 0;
  /// Names of the layouts, the built-in ones first; and the one that was applied last.
  virtual QStringList layoutNames() const = 0;
  virtual QString layoutName() const = 0;
  virtual QString applyLayout(const QString& name) = 0;
  virtual QString saveLayout(const QString& name) = 0;
  virtual void applyLook() = 0;  // theme or text size changed in the settings
  virtual void toggleFullScreen() = 0;
  /// A toast: a sentence that needs no answer and goes by itself. `undo` is the command that takes back what it speaks
  /// of, and its arguments.
  virtual void say(const QString& text, const QStringList& undo = {}) = 0;
  /// The same for work that a command started and that failed: the command's line in a script fails with it.
  virtual void sayFailed(const QString& text) = 0;
  /// The card of the last outcome again; why not, where there is none.
  virtual QString showCard() = 0;
  /// What that card says; empty where there is none.
  virtual QString cardText() const = 0;
  virtual void copyText(const QString& text, const QString& what) = 0;
  virtual void quit() = 0;
  /// Begins the tour, goes a step ("next", "back"), or leaves it.
  virtual void tour(const QString& what) = 0;
  /// The part of the window that a picture is made of: a panel's id, or "window"; null when there is no such thing.
  virtual QWidget* pictured(const QString& id) = 0;
  /// Tells that work which a command started goes on (+1) or has ended (-1): a script's line waits for it.
  virtual void countWork(int by) = 0;
  /// The tabs that the window is one of; null where it stands alone.
  virtual TabHost* tabs() const = 0;
  /// Starts `rxs` with arguments beside the window (export and its verification); `busy` until it ended. What it wrote
  /// is said to the user in `words`, as it is where there are none. `told` is given each line of its standard error,
  /// and gives how far the work is, where that line says so.
  virtual QString runTool(const QString& title, const QStringList& arguments,
                          std::function<void(bool ok, const QString& output)> done,
                          const std::function<QString(const QString& output)>& words = {},
                          std::function<Progress(const QByteArray& line)> told = {}) = 0;
  /// What `rxs` is at work for, as it was titled; empty where it is not.
  virtual QString toolTitle() const = 0;
  /// How far that is; nothing where nobody knows.
  virtual Progress toolProgress() const = 0;
  /// Ends that work: `done` is told, and nobody else but by a word.
  virtual void cancelTool() = 0;
};

/// The tabs of documents, where the window stands in one. Functions that can fail answer why, or an empty text.
class TabHost {
 public:
  virtual ~TabHost() = default;
  /// Opens a file in a tab of its own; without a path the start page.
  virtual QString openTab(const QString& path) = 0;
  virtual QString closeTab() = 0;
  virtual void nextTab(bool forward) = 0;
  virtual int tabCount() const = 0;
  /// Writes all documents as they stand, with notes and profiles, to a file, and opens such a file again.
  virtual QString saveSession(const QString& path) = 0;
  virtual QString openSession(const QString& path) = 0;
};

struct Desk {
  Document& document;
  Selection& selection;
  DebugSession& debug;
  Settings& settings;
  StepQueue& steps;
  WindowDeeds& window;
  Notes& notes;
  LitQuery& lit;
  ProfileBoard& profiles;
};

/// The selected function and binding of the selected stage; null when there is none.
const FunctionRow* selectedFunction(const Desk& desk);
const BindingRow* selectedBinding(const Desk& desk);
/// Selects a binding or parameter by its name: of the selected function, else of the first function of the stage that
/// has it. The answer is empty, or why there is none.
QString selectNamedBinding(Desk& desk, const QString& name);
/// Shows a stage: selects it and lets the pipeline run as far as it, if it did not yet.
void goToStage(Desk& desk, int stage);

/// Does `then` once the document has the rows of a stage of the file at `path`; never, where another file opens before
/// or the file does not open. A script's line waits for it.
void whenStage(Desk& desk, const QString& path, int stage, std::function<void()> then);

}  // namespace rx::views
