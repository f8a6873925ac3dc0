#include "views/panels/values/tensor_page.h"

#include <QStringList>
#include <algorithm>
#include <limits>

#include "views/models/value_text.h"

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

void TensorPage::setTensor(const ElementSource& source, std::vector<qint64> shape, const std::vector<qint64>& at) {
  const int rank = static_cast<int>(shape.size());
  if (shape.size() != shape_.size()) {
    rowAxis_ = rank == 0 ? -1 : rank == 1 ? 0 : rank - 2;
    columnAxis_ = rank < 2 ? -1 : rank - 1;
  }
  source_ = source;
  shape_ = std::move(shape);
  fixed_.assign(shape_.size(), 0);
  row_ = column_ = 0;
  if (fits(at)) place(at);
  ready_ = false;
  slice_ = {};
  const bool empty = std::find(shape_.begin(), shape_.end(), 0) != shape_.end();
  if (source_.reference != 0 && !empty) return ask();
  answered_ = ++asked_;
  Q_EMIT changed();
}

bool TensorPage::setAxes(int rows, int columns, const std::vector<qint64>& wanted) {
  const int rank = static_cast<int>(shape_.size());
  if (rows < 0 || rows >= rank || columns >= rank || (rank > 1 && (columns < 0 || rows == columns))) return false;
  if (rows == rowAxis_ && columns == columnAxis_) return true;
  const std::vector<qint64> now = fits(wanted) ? wanted : at();
  rowAxis_ = rows;
  columnAxis_ = rank > 1 ? columns : -1;
  fixed_ = now;
  place(now);
  if (source_.reference != 0) ask();
  return true;
}

void TensorPage::ask() {
  std::vector<qint64> begin = fixed_, extent(shape_.size(), 1);
  const auto span = [&](int axis, qint64 from, qint64 most) {
    if (axis < 0) return;
    const auto i = static_cast<size_t>(axis);
    begin[i] = from;
    extent[i] = std::min(most, shape_[i] - from);
  };
  span(rowAxis_, row_, kRows);
  span(columnAxis_, column_, kColumns);
  const quint64 ticket = ++asked_;
  debug_->fetchSlice(source_, begin, extent, this, [this, ticket, begin, extent](const TensorSlice& slice) {
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
  return rowAxis_ < 0 ? 1 : static_cast<int>(slice_.extent[static_cast<size_t>(rowAxis_)]);
}

int TensorPage::columnCount() const {
  if (!ready_ || slice_.values.empty()) return 0;
  return columnAxis_ < 0 ? 1 : static_cast<int>(slice_.extent[static_cast<size_t>(columnAxis_)]);
}

/// Number of a cell in the slice, which the engine sends in the order of the axes.
qint64 TensorPage::cell(int row, int column) const {
  return rowAxis_ <= columnAxis_ || columnAxis_ < 0 ? qint64{row} * columnCount() + column
                                                    : qint64{column} * rowCount() + row;
}

double TensorPage::value(int row, int column) const {
  const auto i = static_cast<size_t>(cell(row, column));
  return i < slice_.values.size() ? slice_.values[i] : std::numeric_limits<double>::quiet_NaN();
}

QByteArray TensorPage::bytes(int row, int column) const {
  const auto count = static_cast<qint64>(slice_.values.size());
  if (count == 0 || slice_.bytes.isEmpty() || slice_.bytes.size() % count != 0) return {};
  const qint64 width = slice_.bytes.size() / count;
  return slice_.bytes.mid(cell(row, column) * width, width);
}

std::vector<qint64> TensorPage::indexOf(int row, int column) const {
  std::vector<qint64> index = fixed_;
  if (rowAxis_ >= 0) index[static_cast<size_t>(rowAxis_)] = row_ + row;
  if (columnAxis_ >= 0) index[static_cast<size_t>(columnAxis_)] = column_ + column;
  return index;
}

QString TensorPage::indexText(int row, int column) const { return views::indexText(indexOf(row, column)); }

std::vector<qint64> TensorPage::at() const { return indexOf(0, 0); }

bool TensorPage::setIndex(int axis, qint64 index) {
  if (axis < 0 || axis >= static_cast<int>(shape_.size()) || axis == rowAxis_ || axis == columnAxis_) return false;
  if (index < 0 || index >= shape_[static_cast<size_t>(axis)]) return false;
  qint64& now = fixed_[static_cast<size_t>(axis)];
  if (now == index) return true;
  now = index;
  ask();
  return true;
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

bool TensorPage::fits(const std::vector<qint64>& index) const {
  if (index.size() != shape_.size()) return false;
  for (size_t d = 0; d < index.size(); ++d)
    if (index[d] < 0 || index[d] >= shape_[d]) return false;
  return true;
}

void TensorPage::place(const std::vector<qint64>& index) {
  fixed_ = index;
  row_ = rowAxis_ < 0 ? 0 : index[static_cast<size_t>(rowAxis_)] / kRows * kRows;
  column_ = columnAxis_ < 0 ? 0 : index[static_cast<size_t>(columnAxis_)] / kColumns * kColumns;
}

bool TensorPage::holds(const std::vector<qint64>& index) const {
  if (!fits(index)) return false;
  for (size_t d = 0; d < index.size(); ++d) {
    const auto axis = static_cast<int>(d);
    if (axis == rowAxis_      ? index[d] / kRows * kRows != row_
        : axis == columnAxis_ ? index[d] / kColumns * kColumns != column_
                              : index[d] != fixed_[d])
      return false;
  }
  return true;
}

bool TensorPage::goTo(const std::vector<qint64>& index) {
  if (!fits(index)) return false;
  if (holds(index)) return true;
  place(index);
  ask();
  return true;
}

}  // namespace rx::views
