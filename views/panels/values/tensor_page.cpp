#include "views/panels/values/tensor_page.h"

#include <QStringList>
#include <algorithm>
#include <limits>

namespace rx::views {

TensorPage::TensorPage(DebugSession* debug, QObject* parent) : QObject(parent), debug_(debug) {}

std::optional<std::vector<qint64>> shapeOf(const QString& text) {
  QString inside = text.trimmed();
  if (!inside.startsWith(QLatin1Char('(')) || !inside.endsWith(QLatin1Char(')'))) return std::nullopt;
  inside = inside.mid(1, inside.size() - 2);
  std::vector<qint64> shape;
  for (const QString& part : inside.split(QLatin1Char(','), Qt::SkipEmptyParts)) {
    bool ok = false;
    const qint64 extent = part.trimmed().toLongLong(&ok);
    if (part.trimmed().isEmpty()) continue;
    if (!ok || extent < 0) return std::nullopt;
    shape.push_back(extent);
  }
  return shape;
}

void TensorPage::setTensor(int reference, std::vector<qint64> shape) {
  reference_ = reference;
  shape_ = std::move(shape);
  leading_.assign(shape_.size() > 2 ? shape_.size() - 2 : 0, 0);
  row_ = column_ = 0;
  ready_ = false;
  slice_ = {};
  const bool empty = std::find(shape_.begin(), shape_.end(), 0) != shape_.end();
  if (reference_ != 0 && !empty) return ask();
  answered_ = ++asked_;
  Q_EMIT changed();
}

void TensorPage::ask() {
  std::vector<qint64> begin = leading_, extent(leading_.size(), 1);
  if (!shape_.empty()) begin.push_back(row_), extent.push_back(std::min(kRows, totalRows() - row_));
  if (shape_.size() > 1) begin.push_back(column_), extent.push_back(std::min(kColumns, totalColumns() - column_));
  const quint64 ticket = ++asked_;
  debug_->fetchSlice(reference_, begin, extent, this, [this, ticket, begin, extent](const TensorSlice& slice) {
    if (ticket != asked_) return;
    answered_ = ticket;
    ready_ = true;
    slice_ = slice;
    qint64 count = 1;
    for (qint64 e : extent) count *= e;
    if (slice_.error.isEmpty() && (slice_.extent != extent || static_cast<qint64>(slice_.values.size()) != count))
      slice_.error = tr("the engine sent another part than was asked for");
    if (!slice_.error.isEmpty()) slice_.values.clear();
    Q_EMIT changed();
  });
  Q_EMIT changed();
}

int TensorPage::rowCount() const {
  if (!ready_ || slice_.values.empty()) return 0;
  return shape_.empty() ? 1 : static_cast<int>(slice_.extent[shape_.size() == 1 ? 0 : shape_.size() - 2]);
}

int TensorPage::columnCount() const {
  if (!ready_ || slice_.values.empty()) return 0;
  return shape_.size() < 2 ? 1 : static_cast<int>(slice_.extent.back());
}

qint64 TensorPage::totalRows() const { return shape_.empty() ? 1 : shape_[shape_.size() == 1 ? 0 : shape_.size() - 2]; }

qint64 TensorPage::totalColumns() const { return shape_.size() < 2 ? 1 : shape_.back(); }

double TensorPage::value(int row, int column) const {
  const size_t at = static_cast<size_t>(row) * static_cast<size_t>(columnCount()) + static_cast<size_t>(column);
  return at < slice_.values.size() ? slice_.values[at] : std::numeric_limits<double>::quiet_NaN();
}

QString TensorPage::indexText(int row, int column) const {
  QStringList parts;
  for (qint64 i : leading_) parts += QString::number(i);
  if (!shape_.empty()) parts += QString::number(row_ + row);
  if (shape_.size() > 1) parts += QString::number(column_ + column);
  return QStringLiteral("[%1]").arg(parts.join(QStringLiteral(", ")));
}

void TensorPage::setLeading(size_t dimension, qint64 index) {
  if (dimension >= leading_.size() || index < 0 || index >= shape_[dimension] || leading_[dimension] == index) return;
  leading_[dimension] = index;
  ask();
}

bool TensorPage::canTurn(int rows, int columns) const {
  const qint64 row = row_ + rows * kRows, column = column_ + columns * kColumns;
  return ready_ && row >= 0 && column >= 0 && row < totalRows() && column < totalColumns();
}

void TensorPage::turn(int rows, int columns) {
  if (!canTurn(rows, columns)) return;
  row_ += rows * kRows;
  column_ += columns * kColumns;
  ask();
}

bool TensorPage::goTo(const std::vector<qint64>& index) {
  if (!ready_ || index.size() != shape_.size()) return false;
  for (size_t d = 0; d < index.size(); ++d)
    if (index[d] < 0 || index[d] >= shape_[d]) return false;
  for (size_t d = 0; d < leading_.size(); ++d) leading_[d] = index[d];
  if (!index.empty()) row_ = index[index.size() == 1 ? 0 : index.size() - 2] / kRows * kRows;
  if (index.size() > 1) column_ = index.back() / kColumns * kColumns;
  ask();
  return true;
}

}  // namespace rx::views
