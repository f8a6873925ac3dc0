#include "views/panels/bisect/bisect_reason.h"

#include <QPushButton>
#include <QTextDocumentFragment>
#include <QVBoxLayout>

#include "views/models/numbers.h"
#include "views/panels/bare_scroll_area.h"
#include "views/panels/bisect/lifetime_chart.h"
#include "views/panels/flow_layout.h"
#include "views/panels/rich_label.h"

namespace rx::views {
namespace {

QString rowHtml(const QString& name, const std::vector<QString>& numbers) {
  QString row = QStringLiteral("<tr><td>%1</td>").arg(name.toHtmlEscaped());
  for (const QString& number : numbers) row += QStringLiteral("<td align=right>&nbsp;&nbsp;%1</td>").arg(number);
  return row + QStringLiteral("</tr>");
}

/// What became of the bytes of a value.
QString overwrittenHtml(const OverwrittenValue& over, const ComparedValue& reader) {
  return BisectReason::tr(
             "<p><b>%2 overwrites %1</b></p><p>%1 is written, then %2 is written to the same %3 bytes of "
             "storage %4, from %5 to %6, and only then %7 reads %1.</p>")
             .arg(over.binding.toHtmlEscaped(), over.by.toHtmlEscaped(), grouped(over.bytes))
             .arg(over.storage)
             .arg(grouped(over.offset), grouped(over.offset + over.bytes), reader.binding.toHtmlEscaped()) +
         QStringLiteral("<table cellspacing=2>") +
         rowHtml(BisectReason::tr("%1 as made").arg(over.binding), over.made) +
         rowHtml(BisectReason::tr("as %1 reads it").arg(reader.binding), over.read) + QStringLiteral("</table>") +
         BisectReason::tr("<p>From element %1 on.</p>").arg(over.element);
}

QString reasonHtml(const BisectReport& report, const StageOutcome& guilty) {
  const ComparedValue* first = guilty.first();
  if (!first || guilty.values.empty())
    return QStringLiteral("<p><b>%1</b></p><p>%2</p>").arg(guilty.name.toHtmlEscaped(), report.outcome.toHtmlEscaped());
  if (!first->overwritten.binding.isEmpty()) return overwrittenHtml(first->overwritten, *first);
  QString html = BisectReason::tr("<p><b>%1 is the first that is off</b></p>").arg(first->binding.toHtmlEscaped());
  return html + QStringLiteral("<p>%1</p>").arg((report.why.isEmpty() ? report.outcome : report.why).toHtmlEscaped());
}

}  // namespace

BisectReason::BisectReason(Commands* commands, QWidget* parent)
    : QWidget(parent), commands_(commands), said_(new RichLabel(this)), chart_(new LifetimeChart(this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 4);
  // The buttons stay in sight where the reason is longer than the room for it.
  QScrollArea* area = bareScrollArea(this);
  auto* body = new QWidget(area);
  auto* parts = new QVBoxLayout(body);
  parts->setContentsMargins(8, 4, 8, 4);
  parts->addWidget(said_);
  parts->addWidget(chart_);
  parts->addStretch(1);
  area->setWidget(body);
  column->addWidget(area, 1);
  auto* ways = new FlowLayout;
  ways->setContentsMargins(8, 0, 8, 0);
  ways->setSpacing(4);
  debug_ = addWay(tr("Debug Stage"), "pass.goTo");
  debug_->setProperty("primary", true);
  diff_ = addWay(tr("Diff at the Line"), "pipeline.diff");
  connect(debug_, &QPushButton::clicked, this, [this] { commands_->run("debug.start"); });
  disable_ = addWay(tr("Switch Off This Pass"), "pass.disable");
  auto* reproducer = new QPushButton(tr("Write a Reproducer…"), this);
  connect(reproducer, &QPushButton::clicked, this, [this] { commands_->run("debug.reproducer"); });
  for (QPushButton* way : {debug_, diff_, disable_, reproducer}) ways->addWidget(way);
  column->addLayout(ways);
}

QPushButton* BisectReason::addWay(const QString& label, const QString& command) {
  auto* button = new QPushButton(label, this);
  connect(button, &QPushButton::clicked, this, [this, command] { commands_->run(command, {QString::number(stage_)}); });
  return button;
}

void BisectReason::setReport(const BisectReport& report) {
  stage_ = report.guilty;
  const StageOutcome* guilty = report.stage(stage_);
  setVisible(guilty != nullptr);
  if (!guilty) return;
  said_->setHtml(reasonHtml(report, *guilty));
  const ComparedValue* first = guilty->first();
  chart_->setValue(first ? first->overwritten : OverwrittenValue(), first ? first->binding : QString());
  diff_->setEnabled(stage_ > 0);
  debug_->setText(tr("Debug Stage %1").arg(stage_));
  disable_->setVisible(commands_->enabled("pass.disable"));
}

QString BisectReason::text() const {
  const QString said = QTextDocumentFragment::fromHtml(said_->text()).toPlainText();
  return chart_->isVisibleTo(this) ? said + '\n' + chart_->text() : said;
}

}  // namespace rx::views
