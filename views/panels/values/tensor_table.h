// A tensor as a table of numbers with its statistics, one page at a time.
#pragma once

#include <QAbstractTableModel>
#include <QWidget>

#include "views/panels/values/tensor_page.h"
#include "views/theme/palette.h"

class QHBoxLayout;
class QLabel;
class QSpinBox;
class QTableView;
class QToolButton;

namespace rx::views {

/// Cells of the page; NaN and Inf are marked by colour, weight and their word.
class TensorTableModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  explicit TensorTableModel(TensorPage* page, QObject* parent = nullptr);
  void setPalette(const Palette& palette);
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  QModelIndex indexOf(qint64 row, qint64 column) const;
  /// The page has another content.
  void refresh();

 private:
  TensorPage* page_;
  Palette palette_;
  int rows_ = 0;
  int columns_ = 0;
};

class TensorTable : public QWidget {
  Q_OBJECT

 public:
  explicit TensorTable(DebugSession* debug, QWidget* parent = nullptr);
  void setTheme(const Palette& palette);
  /// Shows a value; one that is not a tensor, or not known, as a sentence. `absent` says why there is none.
  void setValue(const ValueSummary& value, const QString& absent);
  /// Whether title and statistics stand above the numbers.
  void setStatisticsVisible(bool visible);
  TensorPage* page() const { return page_; }
  QTableView* table() const { return table_; }
  /// Head and page as tab-separated text.
  QString dump() const;

 private:
  void refresh();
  void showHead();
  void makeIndexBoxes();
  void copySelection();
  QToolButton* addButton(Qt::ArrowType arrow, const QString& tip, int rows, int columns);
  ValueSummary value_;
  Palette palette_;
  TensorPage* page_;
  TensorTableModel* model_;
  QLabel* title_;
  QLabel* stats_;
  QLabel* message_;
  QLabel* where_;
  QToolButton* bad_;
  QTableView* table_;
  QHBoxLayout* controls_;
  QHBoxLayout* indices_;
  std::vector<QSpinBox*> boxes_;
  std::vector<QToolButton*> turns_;
  bool goToBad_ = false;
};

}  // namespace rx::views
