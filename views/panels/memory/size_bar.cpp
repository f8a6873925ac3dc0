#include "views/panels/memory/size_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <QSpinBox>
#include <algorithm>

namespace rx::views {
namespace {

constexpr size_t kMostSymbols = 3;  // more have no room beside what the plan says
constexpr int kMost = 1 << 24;      // of a size
constexpr int kTimes = 8;           // how far beyond a size its slider goes

}  // namespace

SizeBar::SizeBar(QWidget* parent) : QWidget(parent), row_(new QHBoxLayout(this)) {
  row_->setContentsMargins(0, 0, 0, 0);
}

void SizeBar::setSymbols(const std::vector<SymbolRow>& symbols, const SymbolSizes& sizes) {
  const size_t count = std::min(symbols.size(), kMostSymbols);
  bool same = held_.size() == count;
  for (size_t i = 0; i < count && same; ++i) same = held_[i].name == symbols[i].name;
  if (!same) {
    for (const Held& held : held_) held.box->deleteLater();
    held_.clear();
    for (size_t i = 0; i < count; ++i) add(symbols[i].name);
  }
  for (const Held& held : held_) {
    const auto size = sizes.find(held.name);
    const int value = size == sizes.end() ? 1 : static_cast<int>(std::clamp<qint64>(size->second, 1, kMost));
    const QSignalBlocker number(held.number), slider(held.slider);
    held.number->setValue(value);
    // The range stays while one drags: it would run away under the pointer.
    if (value > held.slider->maximum() || held.slider->maximum() == 1)
      held.slider->setMaximum(std::clamp(value * kTimes, kTimes * 2, kMost));
    held.slider->setValue(value);
  }
  setVisible(count > 0);
}

void SizeBar::add(const QString& name) {
  auto* box = new QWidget(this);
  auto* row = new QHBoxLayout(box);
  row->setContentsMargins(0, 0, 0, 0);
  auto* label = new QLabel(name, box);
  Held held{name, box, new QSpinBox(box), new QSlider(Qt::Horizontal, box)};
  held.number->setRange(1, kMost);
  held.number->setAccessibleName(tr("Size of %1").arg(name));
  held.slider->setRange(1, 1);
  held.slider->setMinimumWidth(fontMetrics().averageCharWidth() * 12);
  held.slider->setAccessibleName(tr("Size of %1").arg(name));
  held.slider->setToolTip(tr("What is planned for another %1").arg(name));
  label->setBuddy(held.number);
  row->addWidget(label);
  row->addWidget(held.number);
  row->addWidget(held.slider);
  const auto choose = [this, name](int size) { Q_EMIT chosen(name, size); };
  connect(held.number, &QSpinBox::valueChanged, this, choose);
  connect(held.slider, &QSlider::valueChanged, this, choose);
  row_->addWidget(box);
  box->show();
  held_.push_back(held);
}

}  // namespace rx::views
