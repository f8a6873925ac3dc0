#include "views/panels/kernel/stage_row.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <algorithm>

#include "views/theme/icons.h"

namespace rx::views {

StageRow::StageRow(QWidget* parent)
    : QWidget(parent),
      row_(new QHBoxLayout(this)),
      back_(addButton("previous", tr("The stage before"))),
      forth_(addButton("next", tr("The next stage"))),
      place_(new QLabel(this)) {
  row_->setContentsMargins(6, 2, 6, 2);
  row_->setSpacing(3);
  back_->setIcon(icon("previous"));
  forth_->setIcon(icon("next"));
  row_->addStretch(1);
  row_->addWidget(back_);
  row_->addWidget(place_);
  row_->addWidget(forth_);
  setMinimumWidth(1);
}

QToolButton* StageRow::addButton(const QString& name, const QString& help) {
  auto* button = new QToolButton(this);
  button->setToolTip(help);
  button->setAccessibleName(help);
  connect(button, &QToolButton::clicked, this, [this, name] { Q_EMIT wanted(name); });
  return button;
}

void StageRow::setListing(const KernelListing* kernel) {
  for (QToolButton* button : kinds_) button->deleteLater();
  kinds_.clear();
  QStringList known;
  for (const KernelStageText& stage : kernel ? kernel->stages : std::vector<KernelStageText>()) {
    // What a primitive makes is a step on the way to a stage.
    if (known.contains(stage.stage) || stage.stage == QLatin1String("step")) continue;
    known << stage.stage;
    QToolButton* button = addButton(stage.stage, tr("Shows the last stage of its kind: %1").arg(stage.title));
    button->setObjectName(stage.stage);
    button->setText(stage.title);
    button->setToolButtonStyle(Qt::ToolButtonTextOnly);
    button->setCheckable(true);
    row_->insertWidget(static_cast<int>(kinds_.size()), button);
    kinds_.push_back(button);
  }
  setVisible(kernel != nullptr);
}

void StageRow::setInSight(const KernelListing& kernel, const std::vector<int>& stages, int current) {
  for (QToolButton* button : kinds_)
    button->setChecked(std::any_of(stages.begin(), stages.end(), [&](int stage) {
      return kernel.stages[static_cast<size_t>(stage)].stage == button->objectName();
    }));
  const auto count = static_cast<int>(kernel.stages.size());
  place_->setText(tr("%1 of %2").arg(current + 1).arg(count));
  back_->setEnabled(current > 0);
  forth_->setEnabled(current + 1 < count);
}

}  // namespace rx::views
