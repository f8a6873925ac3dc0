#include "views/panels/steps/steps_panel.h"

#include <QEvent>
#include <QStandardItemModel>
#include <QVBoxLayout>
#include <algorithm>

#include "views/models/document.h"
#include "views/panels/list_view.h"
#include "views/theme/palette.h"

namespace rx::views {
namespace {

enum Column : int { kNumber, kTitle, kColumns };

}  // namespace

StepsPanel::StepsPanel(const PanelContext& context, QWidget* parent)
    : Panel(parent),
      context_(context),
      shown_(context.kernel),
      model_(new QStandardItemModel(this)),
      view_(new ListView(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(view_);
  model_->setColumnCount(kColumns);
  view_->setModel(model_);
  view_->setHeaderHidden(true);
  view_->setStretchColumn(kTitle);
  view_->setEmptyText(tr("What becomes of a kernel, step by step, stands here while its stages are shown: select a "
                         "kernel and press %1.")
                          .arg(context.commands->label(QStringLiteral("kernel.stages"))));
  view_->setAccessibleName(tr("Steps of the kernel"));
  setFocusProxy(view_);
  connect(view_, &ListView::picked, this, [this](const QModelIndex& index) {
    const KernelStepRow& row = rows_[static_cast<size_t>(index.row())];
    if (row.stage >= 0) context_.commands->run("kernel.step", {QString::number(row.stage)});
  });
  connect(view_, &ListView::chosen, this, [this] { context_.commands->run("view.panel", {"kernel"}); });
  connect(shown_, &KernelShown::changed, this, [this] { want(); });
  refresh();
}

void StepsPanel::catchUp(unsigned) { refresh(); }

void StepsPanel::changeEvent(QEvent* event) {
  Panel::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) mark();
}

void StepsPanel::refresh() {
  if (shown_->listing() != listing_) {
    listing_ = shown_->listing();
    rows_ = listing_ ? kernelSteps(*listing_) : std::vector<KernelStepRow>();
    model_->setRowCount(0);
    for (const KernelStepRow& row : rows_) {
      auto* number = new QStandardItem(row.number > 0 ? QString::number(row.number) : QString());
      number->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
      auto* title = new QStandardItem(
          row.heading && !row.rest.isEmpty() ? QStringLiteral("%1  %2").arg(row.title, row.rest) : row.title);
      if (!row.heading) title->setToolTip(row.rest.isEmpty() ? row.title : row.rest);
      for (QStandardItem* item : {number, title}) {
        item->setEditable(false);
        if (row.stage < 0) item->setSelectable(false);
        QFont font = view_->font();
        font.setBold(row.heading);
        item->setFont(font);
      }
      model_->appendRow({number, title});
    }
    view_->fitColumns();
  }
  mark();
  Q_EMIT titleChanged(listing_ ? tr("Steps · %1").arg(listing_->name) : tr("Steps"));
}

/// The stages in sight are tinted; the one that was chosen last is the current row.
void StepsPanel::mark() {
  const Palette& theme = Palette::forQt(palette());
  const std::vector<int>& stages = shown_->stages();
  int current = -1;
  for (int i = 0; i < static_cast<int>(rows_.size()); ++i) {
    const KernelStepRow& row = rows_[static_cast<size_t>(i)];
    const bool inSight = row.stage >= 0 && !row.looksUp && std::ranges::find(stages, row.stage) != stages.end();
    // Of several with one text the last is what it is after.
    if (row.stage >= 0 && row.stage == shown_->current() && !row.looksUp) current = i;
    for (int column = 0; column < kColumns; ++column) {
      QStandardItem* item = model_->item(i, column);
      item->setBackground(inSight ? QBrush(theme.use) : QBrush());
      item->setForeground(row.looksUp || (row.stage < 0 && !row.heading) || column == kNumber ? theme.grey
                                                                                              : theme.text);
    }
  }
  const QModelIndex index = current < 0 ? QModelIndex() : model_->index(current, 0);
  // What somebody picked stays where it stands: another row may show the same text.
  const QModelIndex at = view_->currentIndex();
  const bool same = at.isValid() && rows_[static_cast<size_t>(at.row())].stage == shown_->current();
  if (!same) view_->setCurrentIndex(index);
}

QStringList StepsPanel::menuCommands() const { return {"kernel.step", "kernel.stepBack", "-", "kernel.trace"}; }

QString StepsPanel::dump() const {
  QString all;
  const std::vector<int>& stages = shown_->stages();
  for (const KernelStepRow& row : rows_) {
    const bool inSight = row.stage >= 0 && !row.looksUp && std::ranges::find(stages, row.stage) != stages.end();
    all += row.heading      ? QStringLiteral("%1  %2").arg(row.title, row.rest).trimmed()
           : row.number > 0 ? QStringLiteral("%1 %2 %3").arg(inSight ? ">" : " ").arg(row.number, 3).arg(row.title)
                            : QStringLiteral("%1     %2").arg(inSight ? ">" : " ", row.title);
    all += '\n';
  }
  return all;
}

}  // namespace rx::views
