#include "views/panels/ir_text/condition_editor.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>
#include <limits>

#include "views/models/debug_session.h"
#include "views/models/expression_words.h"
#include "views/panels/expression_edit.h"
#include "views/panels/flow_layout.h"
#include "views/theme/palette.h"

namespace rx::views {
namespace {

/// A way to choose among hits, with the sign of the engine's hit conditions.
struct HitWay {
  const char* text;
  const char* op;
};
constexpr HitWay kHitWays[] = {
    {"at every hit", ""}, {"at hit", "=="},    {"from hit", ">="},          {"after hit", ">"},
    {"before hit", "<"},  {"until hit", "<="}, {"every Nth hit, N =", "%"},
};

/// The way and the count of a hit condition; the first way where there is none.
std::pair<int, int> hitWay(const QString& hitCondition) {
  const QString text = hitCondition.trimmed();
  int digits = 0;
  while (digits < text.size() && !text[digits].isDigit()) ++digits;
  const QString op = text.left(digits).trimmed();
  for (int i = 1; i < static_cast<int>(std::size(kHitWays)); ++i)
    if (!text.isEmpty() && op == QLatin1String(op.isEmpty() ? "" : kHitWays[i].op))
      return {i, text.mid(digits).toInt()};
  return {0, 1};
}

constexpr int kLeastField = 24;  // letters of a field that can be written in

QPushButton* button(const QString& text, QWidget* parent) {
  auto* made = new QPushButton(text, parent);
  made->setAutoDefault(false);
  return made;
}

}  // namespace

ConditionEditor::ConditionEditor(const PanelContext& context, const BreakpointRow& row, QWidget* parent)
    : QFrame(parent), context_(context), row_(row) {
  setAutoFillBackground(true);
  setAccessibleName(tr("Breakpoint at %1").arg(row.variable));
  setCursor(Qt::ArrowCursor);
  build();
  fill();
  check();
  connect(context.debug, &DebugSession::stopChanged, this, &ConditionEditor::check);
  connect(context.debug, &DebugSession::stateChanged, this, &ConditionEditor::check);
}

void ConditionEditor::build() {
  auto* rows = new QVBoxLayout(this);
  auto* first = new QHBoxLayout;
  auto* second = new FlowLayout;  // in a narrow text its buttons stand in two lines
  const int letter = fontMetrics().averageCharWidth();
  rows->setContentsMargins(letter, letter * 3 / 4, letter, letter * 3 / 4);
  rows->setSpacing(letter * 3 / 4);
  rows->addLayout(first);
  second->setSpacing(letter * 3 / 4);
  rows->addLayout(second);
  auto* label = new QLabel(tr("Break when"), this);
  condition_ = new ExpressionEdit(context_, this);
  condition_->setFunction(row_.stage, row_.function);
  condition_->setPlaceholderText(tr("always; or an expression such as nan(%1) > 0").arg(row_.variable));
  condition_->setAccessibleName(tr("Condition"));
  label->setBuddy(condition_);
  condition_->setMinimumWidth(letter * kLeastField);
  verdict_ = new QLabel(this);
  first->addWidget(label);
  first->addWidget(condition_, 1);
  first->addWidget(verdict_);
  hits_ = new QComboBox(this);
  hits_->setAccessibleName(tr("Hits"));
  for (const HitWay& way : kHitWays) hits_->addItem(QString::fromLatin1(way.text));
  count_ = new QSpinBox(this);
  count_->setRange(1, std::numeric_limits<int>::max());
  count_->setAccessibleName(tr("Number of hits"));
  log_ = button(tr("Log instead"), this);
  log_->setCheckable(true);
  log_->setToolTip(tr("Writes a message to the log instead of stopping."));
  message_ = new QLineEdit(this);
  message_->setPlaceholderText(tr("message; {expression} is its value"));
  message_->setAccessibleName(tr("Log message"));
  message_->setMinimumWidth(letter * kLeastField);
  auto* remove = button(tr("Remove"), this);
  done_ = button(tr("Done  Enter"), this);
  done_->setProperty("primary", true);
  second->addWidget(hits_);
  second->addWidget(count_);
  second->addWidget(log_);
  second->addWidget(message_);
  second->addWidget(remove);
  second->addWidget(done_);
  connect(condition_, &QLineEdit::textEdited, this, &ConditionEditor::check);
  connect(condition_, &QLineEdit::returnPressed, done_, &QPushButton::click);
  connect(message_, &QLineEdit::textEdited, this, &ConditionEditor::check);
  connect(hits_, &QComboBox::currentIndexChanged, this, [this](int way) { count_->setVisible(way > 0); });
  connect(log_, &QPushButton::toggled, this, &ConditionEditor::showLog);
  connect(remove, &QPushButton::clicked, this, &ConditionEditor::removed);
  connect(done_, &QPushButton::clicked, this, &ConditionEditor::done);
}

void ConditionEditor::fill() {
  const auto [way, count] = hitWay(row_.hitCondition);
  condition_->setText(row_.condition);
  hits_->setCurrentIndex(way);
  count_->setValue(std::max(count, 1));
  count_->setVisible(way > 0);
  message_->setText(row_.logMessage);
  log_->setChecked(!row_.logMessage.isEmpty());
  message_->setVisible(log_->isChecked());
}

BreakpointRule ConditionEditor::rule() const {
  BreakpointRule rule;
  rule.condition = condition_->text().trimmed();
  const HitWay& way = kHitWays[hits_->currentIndex()];
  if (*way.op) rule.hitCondition = QStringLiteral("%1 %2").arg(QLatin1String(way.op)).arg(count_->value());
  if (log_->isChecked()) rule.logMessage = message_->text().trimmed();
  return rule;
}

void ConditionEditor::showLog(bool on) {
  message_->setVisible(on);
  if (on) message_->setFocus();
  check();
}

void ConditionEditor::focusField(const QString& field) {
  if (field == "log") log_->setChecked(true);
  QWidget* wanted = condition_;
  if (field == "log") wanted = message_;
  if (field == "hits") wanted = hits_;
  wanted->setFocus();
  if (wanted == condition_) condition_->selectAll();
}

/// What the condition is now, at the step that is shown; only its form where no run stands.
void ConditionEditor::check() {
  const BreakpointRule rule = this->rule();
  const QString logFault = logMessageFault(rule.logMessage);
  message_->setToolTip(logFault);
  done_->setEnabled(logFault.isEmpty());
  if (rule.condition.isEmpty()) return show({});
  context_.debug->evaluate(rule.condition, this, [this, asked = rule.condition](const WatchRow& row) {
    if (condition_->text().trimmed() == asked) show(row);
  });
}

void ConditionEditor::show(const WatchRow& row) {
  const Palette& theme = Palette::forQt(palette());
  condition_->setFault(row.error, row.errorBegin, row.errorEnd);
  const QString what = row.truth ? tr("true now") : tr("false now");
  const QString whole = !row.error.isEmpty()     ? row.error
                        : !row.known             ? QString()
                        : row.compared.isEmpty() ? what
                                                 : what + QStringLiteral(": ") + row.compared;
  // As much of it as stands beside the field; the tip has all.
  const QRect field = condition_->geometry();
  const int room = width() - field.left() - condition_->minimumWidth() - 2 * layout()->contentsMargins().right();
  const QString shown = fontMetrics().elidedText(whole, Qt::ElideRight, std::max(0, room));
  const QColor& ink = !row.error.isEmpty() ? theme.error : row.truth ? theme.good : theme.grey;
  said_ = whole;
  verdict_->setText(QStringLiteral("<span style='color:%1'>%2</span>").arg(ink.name(), shown.toHtmlEscaped()));
  verdict_->setAccessibleName(whole);
  verdict_->setToolTip(whole);
}

void ConditionEditor::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) return Q_EMIT cancelled();
  const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  if (enter && done_->isEnabled()) return Q_EMIT done();
  event->accept();  // the text below has keys of its own
}

void ConditionEditor::mousePressEvent(QMouseEvent* event) { event->accept(); }

void ConditionEditor::paintEvent(QPaintEvent*) {
  const Palette& theme = Palette::forQt(palette());
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillRect(rect(), theme.base);
  painter.setPen(QPen(theme.accent, 2));
  painter.setBrush(theme.base);
  painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 3, 3);
}

}  // namespace rx::views
