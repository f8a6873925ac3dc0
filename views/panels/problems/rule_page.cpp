#include "views/panels/problems/rule_page.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTextCursor>
#include <QVBoxLayout>

#include "core/support/rule_help.h"
#include "views/theme/fonts.h"

namespace rx::views {

RulePage::RulePage(QWidget* parent) : QWidget(parent), title_(new QLabel(this)), body_(new QPlainTextEdit(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 4, 8, 4);
  layout->setSpacing(4);
  auto* head = new QHBoxLayout;
  auto* close = new QPushButton(tr("Close"), this);
  head->addWidget(title_, 1);
  head->addWidget(close);
  layout->addLayout(head);
  layout->addWidget(body_);
  body_->setReadOnly(true);
  body_->setFrameShape(QFrame::NoFrame);
  constexpr int kLeastLines = 6;  // the example stands below what the rule says
  body_->setMinimumHeight(fontMetrics().height() * kLeastLines);
  body_->setFont(fixedFont(font()));
  body_->setAccessibleName(tr("What the rule means"));
  setFocusProxy(body_);
  connect(close, &QPushButton::clicked, this, &QWidget::hide);
  hide();
}

bool RulePage::showRule(const QString& rule) {
  const std::string name = rule.toStdString();
  const RuleHelp* help = ruleHelp(name);
  if (!help) return false;
  rule_ = rule;
  const QString text = QString::fromStdString(ruleHelpText(name, *help, 0));
  title_->setText(tr("What %1 means").arg(rule));
  body_->setPlainText(text.section("\n\n", 1));
  body_->moveCursor(QTextCursor::Start);
  show();
  return true;
}

QString RulePage::text() const { return isHidden() ? QString() : title_->text() + '\n' + body_->toPlainText(); }

void RulePage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  Q_EMIT cameOrWent();
}

void RulePage::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  Q_EMIT cameOrWent();
}

void RulePage::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) return hide();
  QWidget::keyPressEvent(event);
}

}  // namespace rx::views
