// Dock "Inspector": everything about the selected thing, with links to what it names and pictures of its value.
#pragma once

#include "views/panels/inspector/inspection.h"
#include "views/panels/inspector/inspection_html.h"

class QLineEdit;
class QPushButton;
class QScrollArea;
class QHBoxLayout;
class QVBoxLayout;

namespace rx::views {

class BarList;
class CornerFind;
class RichLabel;
class ValuePictures;

class InspectorPanel : public Panel {
  Q_OBJECT

 public:
  InspectorPanel(const PanelContext& context, QWidget* parent);
  QString dump() const override;
  bool busy() const override;
  /// follow TARGET: what a click on a link does; root: goes to where the NaN or Inf comes from; filter TEXT: of the
  /// parameters; operator NAME: lights the calls of an operator.
  bool obey(const QString& name, const QStringList& arguments) override;
  QStringList menuCommands() const override;
  bool showFind() override;
  bool findNext(bool forward) override;
  int find(const QString& text) override;
  /// The texts of the sections, as they stand below each other.
  QString html() const;
  ValuePictures* pictures() const { return pictures_; }
  QPushButton* rootButton() const { return root_; }

 protected:
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void catchUp(unsigned parts) override;

 private:
  void refresh();
  void render(const Inspection& inspection);
  /// Those of a large function are counted on a worker; null until they are there.
  std::shared_ptr<const FunctionCalls> callsOfShown(const StageIndexPtr& stage, const FunctionRow& function);
  /// Below the others of its column, of which there are two where the panel is wide.
  void place(QWidget* part, bool beside);
  bool isWide() const;
  RichLabel* textBlock(size_t number);
  bool follow(const QString& target);
  bool goTo(const QStringList& parts);
  bool lightOperator(const QString& name);
  /// A match of the find in a text of the column.
  struct Match {
    RichLabel* text;
    int place;
  };
  std::vector<Match> matches() const;
  void reveal(const Match& match);
  PanelContext context_;
  QScrollArea* scroll_;
  QWidget* content_;
  QHBoxLayout* columns_;
  QVBoxLayout* column_;
  QVBoxLayout* side_;
  std::vector<RichLabel*> texts_;
  ValuePictures* pictures_;
  QPushButton* root_;
  QLineEdit* filter_;
  BarList* bars_;
  Inspection shown_;
  bool past_ = false;  // the pictures are of a run that is past
  MarkPictures marks_;
  InspectionWish wish_;
  struct Counted {
    StageIndexPtr stage;  // keeps the function
    const FunctionRow* function = nullptr;
    std::shared_ptr<const FunctionCalls> calls;  // null while they are counted
  };
  Counted counted_;
  CornerFind* find_ = nullptr;
  QString pattern_;
  size_t match_ = 0;  // the one that is marked
};

}  // namespace rx::views
