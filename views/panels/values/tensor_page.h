// One page of a tensor: which part is looked at, asked for and there. No widgets.
#pragma once

#include <QObject>
#include <optional>

#include "views/models/debug_session.h"

namespace rx::views {

/// The rectangle of a tensor that two axes span where every other axis is held at an index. At first the last two axes
/// are rows and columns; a vector is one column, a scalar one cell.
class TensorPage : public QObject {
  Q_OBJECT

 public:
  explicit TensorPage(DebugSession* debug, QObject* parent = nullptr);

  /// Asks for the page of a value of that shape that holds `at` (its first one without); a source without a reference
  /// forgets what is shown.
  void setTensor(const ElementSource& source, std::vector<qint64> shape, const std::vector<qint64>& at = {});
  const ElementSource& source() const { return source_; }
  bool busy() const { return asked_ != answered_; }
  /// What is shown. Its `error` says why there is nothing.
  const TensorSlice& slice() const { return slice_; }
  /// True once an answer for the present tensor came.
  bool ready() const { return ready_; }
  const std::vector<qint64>& shape() const { return shape_; }

  /// The axes that are rows and columns; -1 for none.
  int rowAxis() const { return rowAxis_; }
  int columnAxis() const { return columnAxis_; }
  /// Takes other axes and the page of `at` (without one: of where the present page begins); false for axes that the
  /// tensor does not have.
  bool setAxes(int rows, int columns, const std::vector<qint64>& at = {});

  int rowCount() const;
  int columnCount() const;
  qint64 firstRow() const { return row_; }
  qint64 firstColumn() const { return column_; }
  qint64 totalRows() const { return rowAxis_ < 0 ? 1 : shape_[static_cast<size_t>(rowAxis_)]; }
  qint64 totalColumns() const { return columnAxis_ < 0 ? 1 : shape_[static_cast<size_t>(columnAxis_)]; }
  double value(int row, int column) const;
  /// The bytes of a cell of the page as they lie in memory; empty where the page shows distances.
  QByteArray bytes(int row, int column) const;
  /// Index of a cell of the page.
  std::vector<qint64> indexOf(int row, int column) const;
  /// "[0, 3, 17]" of a cell of the page.
  QString indexText(int row, int column) const;
  /// An index for every axis; those of rows and columns are where the page begins.
  std::vector<qint64> at() const;

  /// Holds an axis that is neither rows nor columns at an index; false for any other axis, and an index that is not
  /// there.
  bool setIndex(int axis, qint64 index);
  /// Pages down or up (rows) and right or left (columns), by -1, 0 or 1.
  void turn(int rows, int columns);
  bool canTurn(int rows, int columns) const;
  /// Whether the page holds an element, and turning to the page that does; false when the tensor has none such.
  bool holds(const std::vector<qint64>& index) const;
  bool goTo(const std::vector<qint64>& index);

  static constexpr qint64 kRows = 128;
  static constexpr qint64 kColumns = 64;

 Q_SIGNALS:
  void changed();

 private:
  bool fits(const std::vector<qint64>& index) const;
  void place(const std::vector<qint64>& index);
  qint64 cell(int row, int column) const;
  void ask();
  DebugSession* debug_;
  ElementSource source_;
  quint64 asked_ = 0;
  quint64 answered_ = 0;
  bool ready_ = false;
  TensorSlice slice_;
  std::vector<qint64> shape_;
  std::vector<qint64> fixed_;  // an index for every axis
  int rowAxis_ = -1;
  int columnAxis_ = -1;
  qint64 row_ = 0;
  qint64 column_ = 0;
};

/// "(17, 512)" -> 17, 512; nothing where it is not a list of numbers.
std::optional<std::vector<qint64>> shapeOf(const QString& text);

}  // namespace rx::views
