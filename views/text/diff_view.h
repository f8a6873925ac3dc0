// Two texts side by side, scrolled together, with equal stretches collapsed.
#pragma once

#include <QWidget>
#include <functional>
#include <memory>
#include <set>

#include "views/text/compared_texts.h"
#include "views/theme/palette.h"

class QLabel;
class QStackedLayout;
class QScrollBar;
class QSplitter;
class QStackedWidget;
class QToolButton;

namespace rx {

class TextView;

class DiffView : public QWidget {
  Q_OBJECT
 public:
  explicit DiffView(QWidget* parent = nullptr);
  ~DiffView() override;

  void setTheme(const Palette& palette);
  struct Texts {
    TextBufferPtr left, right;
  };
  /// Starts the comparison on a worker, where both texts are made; what is shown stays until it is there. `likeness`,
  /// made there too, says which lines are equal; without it those of one text are.
  void compare(std::function<Texts()> texts, const QString& leftTitle, const QString& rightTitle,
               std::function<LineLikeness()> likeness = {});
  /// The same of texts that are there.
  void compare(TextBufferPtr left, TextBufferPtr right, const QString& leftTitle, const QString& rightTitle);
  /// Shows a text in place of the comparison; empty shows the comparison again.
  void showMessage(const QString& text);
  QString message() const;
  bool busy() const { return bool(job_); }
  /// Null until the first comparison is there.
  const TextDiff* diff() const { return shown_ ? &shown_->diff : nullptr; }
  TextView* left() const { return left_; }
  TextView* right() const { return right_; }

  /// To the next (or previous) change; false when there is none.
  bool goToChange(int direction);
  /// To the first changed row between two lines of one side's text (zero-based, inclusive), which may lie within a
  /// change that began above; false when there is none.
  bool goToChangeIn(int32_t DiffRow::*side, uint32_t first, uint32_t last);
  /// Index of the change last gone to, -1 before.
  int currentChange() const { return currentChange_; }
  void setCollapsed(bool collapsed);
  bool isCollapsed() const { return collapsed_; }
  /// Both sides in one text, or beside each other; by itself it is one text where lines do not fit beside each other.
  enum class Form : uint8_t { ByWidth, SideBySide, Unified };
  void setForm(Form form);
  Form form() const { return form_; }
  bool isUnified() const;
  /// Whether long lines go on below, in all three texts; those of the two sides stay beside one another.
  void setWrapped(bool on);
  TextView* unified() const { return unified_; }
  /// The line of the left or right text that a line of the unified one is; -1 where it is none of that side.
  std::pair<int32_t, int32_t> sidesOf(uint32_t unifiedLine) const;
  /// What stands at the ends of lines, by side: where they were moved from, what they were called.
  void setNotes(LineNotes left, LineNotes right);

 Q_SIGNALS:
  void compared();
  /// One text took the place of two, or two of one.
  void formShown();

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  struct Job;
  void accept(const std::shared_ptr<ComparedTexts>& made, ComparedRows rows);
  const UnifiedDiff& merged() const;
  void build();
  void follow(QScrollBar* from, QScrollBar* to);
  void connectCollapsed(TextView* view);
  void showRows();
  void showRows(ComparedRows rows);
  void showForm();
  void showSummary();
  /// Brings one of its rows into sight.
  void showChange(int index, uint32_t first);
  void showFromIndentation(uint32_t first);
  void cancel();
  QToolButton* addButton(Qt::ArrowType arrow, const QString& tip);

  Palette theme_;
  TextView* left_;
  TextView* right_;
  TextView* unified_;
  QLabel* leftTitle_;
  QLabel* rightTitle_;
  QLabel* summary_;
  QLabel* message_;
  QToolButton* previous_;
  QToolButton* next_;
  QToolButton* collapse_;
  QStackedLayout* stack_;
  QSplitter* splitter_;
  QStackedWidget* forms_;
  Form form_ = Form::ByWidth;
  std::shared_ptr<const ComparedTexts> shown_;
  std::shared_ptr<Job> job_;
  std::set<uint32_t> expanded_;          // first rows of equal stretches that were opened
  std::vector<uint32_t> collapsedRows_;  // view rows that stand for a stretch, and
  std::vector<uint32_t> collapsedFrom_;  // the first row of each
  std::vector<uint32_t> viewRows_;       // view row of each row of the comparison
  bool collapsed_ = true;
  bool syncing_ = false;
  int currentChange_ = -1;
};

}  // namespace rx
