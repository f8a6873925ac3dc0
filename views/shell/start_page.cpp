#include "views/shell/start_page.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "views/models/samples.h"
#include "views/panels/bare_scroll_area.h"
#include "views/panels/panel.h"
#include "views/shell/style.h"
#include "views/theme/palette.h"

namespace rx::views {
namespace {

QLabel* heading(const QString& text, QWidget* parent, double scale) {
  auto* label = new QLabel(text, parent);
  QFont font = label->font();
  font.setPointSizeF(font.pointSizeF() * scale);
  font.setBold(true);
  label->setFont(font);
  return label;
}

}  // namespace

StartPage::StartPage(Desk& desk, Commands* commands, QWidget* parent)
    : QWidget(parent), desk_(desk), commands_(commands), failure_(new QLabel(this)) {
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  failure_->setWordWrap(true);
  failure_->setTextFormat(Qt::PlainText);
  failure_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  failure_->setMargin(10);
  auto* scroll = bareScrollArea(this);
  outer->addWidget(failure_);
  outer->addWidget(scroll);
  connect(&desk.settings, &Settings::recentFilesChanged, this, &StartPage::rebuild, Qt::QueuedConnection);
  connect(&desk.document, &Document::stateChanged, this, &StartPage::rebuild, Qt::QueuedConnection);
  connect(&desk.document, &Document::problemsChanged, this, &StartPage::rebuild, Qt::QueuedConnection);
  rebuild();
}

void StartPage::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  // Hidden, it is made anew before it is seen again: the document changes its state then. Not at once, since the
  // application walks over its widgets to tell them of the palette.
  if (event->type() == QEvent::PaletteChange && isVisible())
    QMetaObject::invokeMethod(this, &StartPage::rebuild, Qt::QueuedConnection);
}

void StartPage::addLink(QVBoxLayout* column, const QString& title, const QString& detail, const QString& command,
                        const QStringList& arguments) {
  auto* row = new QWidget(lists_);
  auto* line = new QHBoxLayout(row);
  line->setContentsMargins(0, 0, 0, 0);
  auto* button = new QPushButton(title, row);
  // As wide as the longest name among the samples, so that what they are stands in one column.
  button->setMinimumWidth(fontMetrics().averageCharWidth() * 24);
  if (texts_.isEmpty()) markPrimary(button);  // the first one: what one comes for
  auto* label = new QLabel(detail, row);
  label->setWordWrap(true);
  label->setTextFormat(Qt::PlainText);
  QPalette grey = label->palette();
  grey.setColor(QPalette::WindowText, Palette::forQt(palette()).grey);
  label->setPalette(grey);
  line->addWidget(button);
  line->addWidget(label, 1);
  column->addWidget(row);
  texts_ << title + '\t' + detail;
  connect(button, &QPushButton::clicked, this, [this, command, arguments] { commands_->run(command, arguments); });
}

void StartPage::rebuild() {
  const Palette& theme = Palette::forQt(palette());
  const bool failed = desk_.document.state() == Document::State::Failed;
  QStringList why;
  if (failed) {
    why << tr("%1 does not open. Nothing was changed.").arg(desk_.document.path());
    for (const ProblemRow& problem : desk_.document.problems()) why << problemText(problem);
  }
  failure_->setText(why.mid(0, 12).join('\n'));
  failure_->setVisible(failed);
  failure_->setStyleSheet(QStringLiteral("color: %1; background: %2").arg(theme.error.name(), theme.errorFill.name()));
  texts_ = why;
  auto* scroll = findChild<QScrollArea*>();
  lists_ = new QWidget;
  auto* column = new QVBoxLayout(lists_);
  const int letter = fontMetrics().averageCharWidth();
  column->setContentsMargins(letter * 6, letter * 4, letter * 6, letter * 4);
  column->addWidget(heading(QStringLiteral("relaxscope"), lists_, 1.8));
  auto* about = new QLabel(
      tr("See, step and ship a Relax module: every pass one at a time, then every instruction, with every value."),
      lists_);
  about->setWordWrap(true);
  column->addWidget(about);
  column->addSpacing(letter);
  addLink(column, tr("Open…  Ctrl+O"), tr("a module as TVMScript text, a sample, or a folder of dumped stages"), "file.open", {});
  addLink(column, tr("Search everything…"), tr("Ctrl+Shift+P, from anywhere"), "view.palette", {});
  addLink(column, tr("Take the tour"), tr("six steps on a sample: read, step, find the first NaN, go back"), "help.tour", {});
  column->addSpacing(letter * 2);
  column->addWidget(heading(tr("Samples"), lists_, 1.2));
  const std::vector<SampleRow> samples = sampleRows();
  for (const SampleRow& sample : samples) addLink(column, sample.name, sample.help, "file.sample", {sample.name});
  if (samples.empty())
    column->addWidget(
        new QLabel(tr("The samples folder is not beside the program; RELAXSCOPE_SAMPLES may name it."), lists_));
  column->addSpacing(letter * 2);
  column->addWidget(heading(tr("Recent files"), lists_, 1.2));
  const QStringList recent = desk_.settings.recentFiles();
  for (const QString& file : recent) addLink(column, placeTitle(file), file, "file.open", {file});
  if (recent.isEmpty())
    column->addWidget(new QLabel(tr("None yet. A file that was opened stands here the next time."), lists_));
  column->addStretch();
  scroll->setWidget(lists_);
}

QString StartPage::dump() const { return texts_.join('\n'); }

}  // namespace rx::views
