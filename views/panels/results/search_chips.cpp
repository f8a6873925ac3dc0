#include "views/panels/results/search_chips.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QToolButton>

#include "views/models/search.h"

namespace rx::views {

SearchChips::SearchChips(QLineEdit* edit, bool onlyStages, QWidget* parent) : QWidget(parent), edit_(edit) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(3);
  for (const SearchFilter& filter : searchFilters()) {
    const bool all = !*filter.prefix;
    if (onlyStages && !all && filter.kinds == 0) continue;
    auto* chip = new QToolButton(this);
    chip->setText(QString::fromUtf8(filter.title));
    chip->setToolTip(all ? QString::fromUtf8(filter.help) : tr("Type %1").arg(QString::fromUtf8(filter.help)));
    chip->setCheckable(true);
    chip->setAutoRaise(true);
    chip->setFocusPolicy(Qt::NoFocus);  // Tab in the field goes through them
    const int number = static_cast<int>(chips_.size());
    connect(chip, &QToolButton::clicked, this, [this, number] { choose(number); });
    row->addWidget(chip);
    chips_.push_back(chip);
    prefixes_.push_back(QString::fromUtf8(filter.prefix));
  }
  row->addStretch();
  connect(edit, &QLineEdit::textChanged, this, &SearchChips::follow);
  follow();
}

void SearchChips::step(int by) {
  const int count = static_cast<int>(chips_.size());
  for (int i = 0; i < count; ++i) {
    if (chips_[static_cast<size_t>(i)]->isChecked()) return choose((i + by + count) % count);
  }
}

void SearchChips::choose(int number) {
  const QString prefix = prefixes_[static_cast<size_t>(number)];
  QString text = edit_->text();
  const QString old = QString::fromUtf8(filterOf(text).prefix);
  if (old != prefix) text = prefix + text.mid(old.size());
  edit_->setText(text);
  edit_->setFocus();
  follow();
}

void SearchChips::follow() {
  const QString on = QString::fromUtf8(filterOf(edit_->text()).prefix);
  for (size_t i = 0; i < chips_.size(); ++i) chips_[i]->setChecked(prefixes_[i] == on);
}

}  // namespace rx::views
