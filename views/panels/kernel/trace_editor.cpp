#include "views/panels/kernel/trace_editor.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTextBlock>
#include <QVBoxLayout>

#include "views/theme/fonts.h"

namespace rx::views {
namespace {

/// What stands around the lines in a file, and in front of each.
constexpr const char kHead[] = "# from tvm import s_tir\ndef apply_trace(sch: s_tir.Schedule) -> None:\n";
constexpr int kHeadLines = 2;
constexpr const char kIndent[] = "  ";
constexpr int kIndentColumns = 2;

}  // namespace

TraceEditor::TraceEditor(QWidget* parent)
    : QWidget(parent),
      title_(new QLabel(this)),
      edit_(new QPlainTextEdit(this)),
      problem_(new QLabel(this)),
      apply_(new QPushButton(tr("Apply"), this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(8, 6, 8, 6);
  title_->setWordWrap(true);
  edit_->setFont(fixedFont(edit_->font()));
  edit_->setLineWrapMode(QPlainTextEdit::NoWrap);
  edit_->setTabChangesFocus(true);
  edit_->setAccessibleName(tr("Schedule of the kernel"));
  problem_->setObjectName("traceProblem");
  problem_->setWordWrap(true);
  problem_->setTextFormat(Qt::PlainText);
  problem_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  problem_->hide();
  auto* line = new QHBoxLayout;
  auto* restore = new QPushButton(tr("As the rules made it"), this);
  auto* close = new QPushButton(tr("Close"), this);
  apply_->setProperty("primary", true);
  apply_->setToolTip(tr("Makes the stages of the kernel by this schedule: Ctrl+Return"));
  line->addStretch();
  for (QPushButton* button : {restore, close, apply_}) line->addWidget(button);
  column->addWidget(title_);
  column->addWidget(edit_, 1);
  column->addWidget(problem_);
  column->addLayout(line);
  setFocusProxy(edit_);
  connect(apply_, &QPushButton::clicked, this, &TraceEditor::applied);
  connect(close, &QPushButton::clicked, this, &TraceEditor::closed);
  connect(restore, &QPushButton::clicked, this, &TraceEditor::restore);
  connect(edit_, &QPlainTextEdit::textChanged, this, [this] { setProblem({}); });
}

void TraceEditor::edit(const QString& kernel, const QStringList& trace) {
  rules_ = trace.join(QLatin1Char('\n'));
  title_->setText(
      tr("Schedule of %1, a line a primitive as TVM writes traces. Each line takes the kernel as those above "
         "left it; `rxs schedule --list` says which there are.")
          .arg(kernel));
  if (kernel_ == kernel && !text().isEmpty()) return;
  kernel_ = kernel;
  restore();
}

void TraceEditor::restore() { edit_->setPlainText(rules_); }

void TraceEditor::setText(const QString& text) { edit_->setPlainText(text); }

QString TraceEditor::text() const { return edit_->toPlainText(); }

QByteArray TraceEditor::file() const {
  QByteArray made(kHead);
  for (const QString& line : text().split(QLatin1Char('\n'))) made += kIndent + line.toUtf8() + '\n';
  return made + kIndent + "return\n";
}

void TraceEditor::setProblem(const QString& problem) {
  problem_->setText(problem);
  problem_->setVisible(!problem.isEmpty());
}

void TraceEditor::goTo(int line, int column) {
  const QTextBlock block = edit_->document()->findBlockByNumber(line - 1 - kHeadLines);
  if (!block.isValid()) return;
  QTextCursor cursor(block);
  cursor.setPosition(block.position() + std::clamp(column - 1 - kIndentColumns, 0, block.length() - 1));
  edit_->setTextCursor(cursor);
  edit_->setFocus(Qt::OtherFocusReason);
}

void TraceEditor::setBusy(bool busy) { apply_->setEnabled(!busy); }

void TraceEditor::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) return closed();
  const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  if (enter && event->modifiers().testFlag(Qt::ControlModifier) && apply_->isEnabled()) return applied();
  QWidget::keyPressEvent(event);
}

}  // namespace rx::views
