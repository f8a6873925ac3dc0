#include "views/panels/values/axis_bar.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <algorithm>

#include "views/models/numbers.h"
#include "views/panels/flow_layout.h"
#include "views/panels/values/tensor_page.h"

namespace rx::views {

AxisBar::AxisBar(TensorPage* page, QWidget* parent)
    : QWidget(parent),
      page_(page),
      line_(new FlowLayout(this)),
      rows_(new QComboBox(this)),
      columns_(new QComboBox(this)) {
  line_->setContentsMargins(0, 0, 0, 0);
  line_->setSpacing(fontMetrics().height() / 3);
  rows_->setAccessibleName(tr("Axis of the rows"));
  columns_->setAccessibleName(tr("Axis of the columns"));
  line_->addWidget(rowsPart_ = named(tr("rows"), rows_));
  line_->addWidget(columnsPart_ = named(tr("columns"), columns_));
  connect(rows_, &QComboBox::activated, this, [this] { takeAxes(true); });
  connect(columns_, &QComboBox::activated, this, [this] { takeAxes(false); });
  refresh();
}

/// A box behind its name, which no line is broken between.
QWidget* AxisBar::named(const QString& name, QComboBox* box) {
  auto* part = new QWidget(this);
  auto* parts = new QHBoxLayout(part);
  parts->setContentsMargins(0, 0, 0, 0);
  parts->setSpacing(line_->spacing());
  parts->addWidget(new QLabel(name, part));
  parts->addWidget(box);
  for (QWidget* one : {part, static_cast<QWidget*>(box)}) one->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
  return part;
}

/// The axis that was the other one makes room: choosing the rows' axis for the columns turns the picture.
void AxisBar::takeAxes(bool rowsChanged) {
  int rows = rows_->currentData().toInt(), columns = columns_->currentData().toInt();
  if (rows == columns) (rowsChanged ? columns : rows) = rowsChanged ? page_->rowAxis() : page_->columnAxis();
  Q_EMIT turned(rows, columns);
}

void AxisBar::fillAxes(QComboBox* box, int chosen) {
  const QSignalBlocker quiet(box);
  box->clear();
  for (size_t axis = 0; axis < page_->shape().size(); ++axis)
    box->addItem(tr("axis %1 (%2)").arg(axis).arg(grouped(page_->shape()[axis])), static_cast<int>(axis));
  box->setCurrentIndex(chosen);
}

void AxisBar::makeSliders(size_t count) {
  while (sliders_.size() > count) {
    sliders_.back().box->deleteLater();
    sliders_.pop_back();
  }
  while (sliders_.size() < count) {
    const size_t number = sliders_.size();
    auto* box = new QWidget(this);
    Held held{box, new QLabel(box), new QSlider(Qt::Horizontal, box), new QLabel(box)};
    held.slider->setFixedWidth(fontMetrics().height() * 4);
    connect(held.slider, &QSlider::valueChanged, this, [this, number](int index) {
      if (number < heldAxes_.size()) Q_EMIT this->held(heldAxes_[number], index);
    });
    auto* parts = new QHBoxLayout(box);
    parts->setContentsMargins(0, 0, 0, 0);
    parts->setSpacing(line_->spacing());
    for (QWidget* part :
         {static_cast<QWidget*>(held.name), static_cast<QWidget*>(held.slider), static_cast<QWidget*>(held.value)})
      parts->addWidget(part);
    line_->addWidget(box);
    box->show();
    sliders_.push_back(held);
  }
}

void AxisBar::refresh() {
  const auto& shape = page_->shape();
  const bool several = shape.size() > 2;
  fillAxes(rows_, page_->rowAxis());
  fillAxes(columns_, page_->columnAxis());
  for (QWidget* part : {rowsPart_, columnsPart_}) part->setVisible(shape.size() > 1);
  heldAxes_.clear();
  for (int axis = 0; axis < static_cast<int>(shape.size()); ++axis)
    if (axis != page_->rowAxis() && axis != page_->columnAxis()) heldAxes_.push_back(axis);
  makeSliders(several ? heldAxes_.size() : 0);
  const std::vector<qint64> at = page_->at();
  for (size_t i = 0; i < sliders_.size(); ++i) {
    const auto axis = static_cast<size_t>(heldAxes_[i]);
    const Held& held = sliders_[i];
    const QSignalBlocker quiet(held.slider);
    held.name->setText(tr("axis %1").arg(axis));
    held.slider->setAccessibleName(tr("Index of axis %1").arg(axis));
    held.slider->setRange(0, static_cast<int>(std::clamp<qint64>(shape[axis] - 1, 0, 1 << 30)));
    held.slider->setValue(static_cast<int>(at[axis]));
    held.value->setText(tr("%1 of %2").arg(grouped(at[axis]), grouped(shape[axis])));
  }
}

}  // namespace rx::views
