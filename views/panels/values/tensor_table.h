// The page of a tensor as a table of numbers.
#pragma once

#include <QAbstractTableModel>
#include <QWidget>

#include "views/panels/values/number_format.h"
#include "views/panels/values/tensor_study.h"
#include "views/theme/palette.h"

class QHBoxLayout;
class QItemSelectionRange;
class QLabel;
class QTableView;
class QToolButton;

namespace rx::views {

/// Cells of the page; NaN and Inf are marked by colour, weight and their word.
class TensorTableModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  explicit TensorTableModel(TensorPage* page, QObject* parent = nullptr);
  void setPalette(const Palette& palette);
  void setFormat(NumberFormat format);
  NumberFormat format() const { return format_; }
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  /// Whether the user may write numbers into the cells; what is written is told, and shown when the run has it.
  void setEditable(bool editable) { editable_ = editable; }
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  /// The cell of an element; invalid where the page does not hold it.
  QModelIndex cellOf(const std::vector<qint64>& element) const;
  QString cellText(int row, int column) const;
  /// The page has another content.
  void refresh();

 Q_SIGNALS:
  /// A number was written into the cell of an element ("[0, 3]").
  void edited(const QString& element, const QString& text);

 private:
  TensorPage* page_;
  Palette palette_;
  NumberFormat format_ = NumberFormat::Decimal;
  bool editable_ = false;
  int rows_ = 0;
  int columns_ = 0;
};

class TensorTable : public QWidget {
  Q_OBJECT

 public:
  explicit TensorTable(TensorStudy* study, QWidget* parent = nullptr);
  void setTheme(const Palette& palette);
  void setFormat(NumberFormat format);
  /// Why there is no value, for when there is none.
  void setAbsent(const QString& sentence);
  QTableView* table() const { return table_; }
  TensorTableModel* model() const { return model_; }
  /// The selected cells, or the whole page where fewer than two are: tab-separated, or as a Python text.
  QString cellsText() const;
  QString numpyText() const;
  /// The page as tab-separated text, or the sentence that stands in its place.
  QString dump() const;

 private:
  void refresh();
  void fitColumns();
  void showCurrent();
  QItemSelectionRange chosen() const;
  QToolButton* addButton(QHBoxLayout* bar, Qt::ArrowType arrow, const QString& tip, int rows, int columns);
  TensorStudy* study_;
  TensorPage* page_;
  TensorTableModel* model_;
  QLabel* message_;
  QLabel* where_;
  QWidget* turner_;
  QTableView* table_;
  QString absent_;
  std::vector<QToolButton*> turns_;
  bool showing_ = false;  // the selection is set by us, not by the user
};

}  // namespace rx::views
