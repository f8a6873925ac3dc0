// Dock "Diff": the selected stage beside the one before it, beside the stage chosen for comparison, or beside the
// module of another file.
#pragma once

#include "views/models/document.h"
#include "views/panels/diff/stage_match.h"
#include "views/panels/panel.h"
#include "views/text/decorations.h"

class QToolButton;

namespace rx {
class DiffView;
class TextView;
}  // namespace rx

namespace rx::views {

class DiffPanel : public Panel {
  Q_OBJECT

 public:
  DiffPanel(const PanelContext& context, QWidget* parent);
  /// What changed in each function, then the rows that changed, `-` before and `+` after, with what is told of them.
  QString dump() const override;
  QStringList menuCommands() const override;
  bool showFind() override;
  bool findNext(bool forward) override;
  int find(const QString& text) override;
  bool busy() const override;
  /// next, previous, all, changes, sideBySide, unified, ignoreNames [on|off], function NAME, chooseFile.
  bool obey(const QString& name, const QStringList& arguments) override;
  DiffView* view() const { return view_; }

 protected:
  void changeEvent(QEvent* event) override;
  void catchUp(unsigned parts) override;

 private:
  /// What is told at the ends of the lines of one side, made where it is looked at.
  struct SideNotes {
    std::vector<uint32_t> lines;
    std::vector<std::pair<int, int>> pairs;  // of each line: the function of the match, its pair
  };
  struct Matched {
    StageIndexPtr left, right;
    StageMatch match;
    SideNotes leftNotes, rightNotes;
  };
  static Matched matched(StageIndexPtr left, StageIndexPtr right);
  static LineNotes notesOf(const std::shared_ptr<const Matched>& matched, bool ofRight);
  QToolButton* addButton(const QString& text, const QString& tip, const char* command);
  /// The stage on the left: the one chosen, else the one before; -1 where there is none.
  int leftStage() const;
  /// Whether there are two texts to compare.
  bool hasSides() const;
  void showTitle();
  void refresh();
  void compare();
  void takeMatch(std::shared_ptr<const Matched> matched);
  void showNotes();
  /// What is what, by function; none until it is known.
  const std::vector<FunctionMatch>& matches() const;
  void showFunctions();
  bool goToFunction(const QString& name);
  void markForm();
  bool setIgnoreNames(const QStringList& arguments);
  bool chooseFile();
  TextView* focusedView() const;
  QString stageTitle(int stage) const;
  QString leftTitle() const;
  void selectAt(bool ofRight, uint32_t line);

  PanelContext context_;
  DiffView* view_;
  QToolButton* sideBySide_;
  QToolButton* unified_;
  QToolButton* ignoreNames_;
  QToolButton* functions_;
  StageIndexPtr left_, right_;
  std::shared_ptr<const Matched> match_;  // null until it is there
  bool matching_ = false;
  bool namesIgnored_ = false;
};

}  // namespace rx::views
