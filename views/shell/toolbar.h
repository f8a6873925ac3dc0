// The toolbar: open, the stage, the steps of a run, where it stops, the layout and the search, from rows of the command
// table. Where the window is narrow, the words of the search, the target and keys go first, then names one by one, at
// last the end of a stage's name.
#pragma once

#include <QToolBar>
#include <array>
#include <vector>

#include "views/shell/desk.h"
#include "views/shell/toolbar_button.h"

class QComboBox;
class QLabel;
class QLineEdit;

namespace rx::views {

class Commands;
struct Command;
class KeyMap;
class LayoutSwitch;
struct ToolbarRoom;
enum class SearchRoom : uint8_t;

class Toolbar : public QToolBar {
  Q_OBJECT

 public:
  Toolbar(Desk& desk, Commands* commands, const KeyMap& keys, QWidget* parent);
  /// After any change of state.
  void refresh();
  /// The keys on the buttons and in their tips, after the key map changed.
  void showKeys();
  /// Shows as much of names and keys as the width allows.
  void fit();

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  struct Button {
    const Command* row;
    ToolbarButton* button;
    QAction* place;
    bool named;  // keeps its name where the window is narrow
  };
  void addButton(const char* id, const char* icon, bool named, bool primary);
  void addStage();
  void addStopOn();
  void addTarget();
  void addSearch();
  void refreshStage();
  QString stopsOn(bool whole) const;
  QString searchKey() const;
  ToolbarButton::Shown shownIn(const Button& button, const ToolbarRoom& room) const;
  int widthIn(const ToolbarRoom& room) const;
  int letters(int count) const;
  void measureStages();
  int stageWidth(int most) const;
  QString searchText(SearchRoom room) const;
  int searchWidth(SearchRoom room) const;
  Desk& desk_;
  Commands* commands_;
  const KeyMap& keys_;
  std::vector<Button> buttons_;
  QComboBox* stage_;
  int widestStage_ = 0;  // pixels of the longest name in it
  ToolbarButton* stopOn_;
  std::array<QString, 2> stopWords_;  // where a run stops, in few words and in all
  QLabel* target_;
  QAction* targetPlace_ = nullptr;
  LayoutSwitch* layouts_;
  QLineEdit* search_;
  QAction* searchPlace_ = nullptr;
  ToolbarButton* searchButton_;
  QAction* searchButtonPlace_ = nullptr;
};

}  // namespace rx::views
