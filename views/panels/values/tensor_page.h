// One page of a tensor: which part is looked at, asked for and there. No widgets.
#pragma once

#include <QObject>
#include <optional>

#include "views/models/debug_session.h"

namespace rx::views {

/// The last two dimensions are rows and columns; of the others one index each is chosen. A vector is one column, a
/// scalar one cell.
class TensorPage : public QObject {
  Q_OBJECT

 public:
  explicit TensorPage(DebugSession* debug, QObject* parent = nullptr);

  /// Asks for the first page of a value of that shape; reference 0 forgets what is shown.
  void setTensor(int reference, std::vector<qint64> shape);
  int reference() const { return reference_; }
  bool busy() const { return asked_ != answered_; }
  /// What is shown. Its `error` says why there is nothing.
  const TensorSlice& slice() const { return slice_; }
  /// True once an answer for the present tensor came.
  bool ready() const { return ready_; }
  const std::vector<qint64>& shape() const { return shape_; }

  int rowCount() const;
  int columnCount() const;
  qint64 firstRow() const { return row_; }
  qint64 firstColumn() const { return column_; }
  qint64 totalRows() const;
  qint64 totalColumns() const;
  double value(int row, int column) const;
  /// "[0, 3, 17]" of a cell of the page.
  QString indexText(int row, int column) const;
  /// Chosen indices of the leading dimensions.
  const std::vector<qint64>& leading() const { return leading_; }

  void setLeading(size_t dimension, qint64 index);
  /// Pages down or up (rows) and right or left (columns), by -1, 0 or 1.
  void turn(int rows, int columns);
  bool canTurn(int rows, int columns) const;
  /// Turns to the page that holds an element; false when the tensor has none such.
  bool goTo(const std::vector<qint64>& index);

  static constexpr qint64 kRows = 128;
  static constexpr qint64 kColumns = 64;

 Q_SIGNALS:
  void changed();

 private:
  void ask();
  DebugSession* debug_;
  int reference_ = 0;
  quint64 asked_ = 0;
  quint64 answered_ = 0;
  bool ready_ = false;
  TensorSlice slice_;
  std::vector<qint64> shape_;
  std::vector<qint64> leading_;
  qint64 row_ = 0;
  qint64 column_ = 0;
};

/// "(17, 512)" -> 17, 512; nothing where it is not a list of numbers.
std::optional<std::vector<qint64>> shapeOf(const QString& text);

}  // namespace rx::views
