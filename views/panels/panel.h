// views/panels: what a dock is. A panel has its own folder views/panels/<id> with its widget (and, where there is logic
// beyond display, a controller without widgets); it is listed in one row of views/shell/panel_table.cpp.
#pragma once

#include <QPointer>
#include <QStringList>
#include <QWidget>

#include "views/panels/refresh_queue.h"

namespace rx::views {

class Document;
class KernelShown;
class KnownSizes;
class ListView;
class LitQuery;
class Notes;
class ProfileBoard;
class Selection;
class DebugSession;

/// Runs rows of the command table. Panels use it for their buttons, so that a button does what menu and key do.
class Commands {
 public:
  virtual ~Commands() = default;
  /// False when the command does not exist or is not enabled now.
  virtual bool run(const QString& id, const QStringList& arguments = {}) = 0;
  virtual bool enabled(const QString& id) const = 0;
  /// Title and key of a command for labels: "Continue F5".
  virtual QString label(const QString& id) const = 0;
};

/// What every panel gets; all outlive the panel.
struct PanelContext {
  Document* document = nullptr;
  Selection* selection = nullptr;
  DebugSession* debug = nullptr;
  Commands* commands = nullptr;
  Notes* notes = nullptr;
  LitQuery* lit = nullptr;
  KnownSizes* sizes = nullptr;  // null where nobody knows any
  // Of panels that are made for them by a window: never null there.
  ProfileBoard* profiles = nullptr;
  KernelShown* kernel = nullptr;
};

class Panel : public QWidget {
  Q_OBJECT

 public:
  using QWidget::QWidget;
  /// The content as text: the script's `dump`, and "copy panel as text".
  virtual QString dump() const = 0;
  // A panel with lists finds in the one that has the focus, else in its first; panels with texts have their own find.
  /// Opens the panel's find bar (Ctrl+F); false when it has none.
  virtual bool showFind();
  /// Find next (F3) or previous; false when the panel has no find or nothing was found.
  virtual bool findNext(bool forward);
  /// Finds a text at once (the script's `edit.find TEXT`): selects the first match; the number of matches, -1 when the
  /// panel has no find.
  virtual int find(const QString& text);
  /// Small, whatever stands in the panel: what one comes to show does not make the window larger.
  QSize minimumSizeHint() const override;
  /// Where the line of the caret stands in this panel: cards keep clear of it. Null where there is no text.
  virtual QRect caretRect() const { return {}; }
  /// Where the panel waits for its turn; without one it shows at once what it is told of.
  void setQueue(RefreshQueue* queue) { queue_ = queue; }
  /// A panel that nobody sees leaves its work for when it is shown; this does it now, and what comes of it as soon as
  /// it comes. It is busy until that is done.
  void bringUpToDate();
  /// What the queue calls: shows what is waited for, unless the panel was hidden meanwhile.
  void takeTurn();
  /// True while the panel waits for its turn, or still computes what it shows; the script runner waits for `settled`.
  virtual bool busy() const { return wanted_ != 0; }
  /// Rows of the context menu of what is selected in the panel: ids of the command table, arguments after blanks, a
  /// title of its own after a "|" ("view.panel ir|Show in IR"), "-" for a line. The window adds what every panel has.
  virtual QStringList menuCommands() const { return {}; }
  /// Commands of the panel itself ("graph.fit"), by the part after the panel's id; false when unknown or refused. Of a
  /// panel that does not know "copy" the list copies its current row.
  bool command(const QString& name, const QStringList& arguments);

 Q_SIGNALS:
  void settled();
  /// A better title for the tab ("IR · main"); the id stays.
  void titleChanged(const QString& title);
  /// Something for a toast.
  void message(const QString& text);
  /// The context menu is wanted at a place of the screen: by a right click or the Menu key on anything in the panel
  /// that has no menu of its own. Panels that draw themselves select what is there and then ask for it.
  void menuWanted(const QPoint& global);

 protected:
  /// Does a command; all that the panel was told of before is shown by then.
  virtual bool obey(const QString& /*name*/, const QStringList& /*arguments*/) { return false; }
  /// Asks for parts of the panel to be shown anew, as bits that only the panel knows: when it is its turn, and where
  /// nobody sees the panel, when somebody does.
  void want(unsigned parts = 1);
  /// Shows the parts that were asked for since the last time.
  virtual void catchUp(unsigned /*parts*/) {}
  /// Whether the title of the tab speaks of the content: then the panel is never left behind.
  virtual bool titleCounts() const { return false; }
  void contextMenuEvent(QContextMenuEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  bool isLookedAt() const { return isVisible() || asked_ || titleCounts(); }
  void catchUpNow();
  ListView* listToSearch() const;
  QPointer<RefreshQueue> queue_;
  unsigned wanted_ = 0;
  bool asked_ = false;  // somebody wants to know what it shows, hidden or not
};

}  // namespace rx::views
