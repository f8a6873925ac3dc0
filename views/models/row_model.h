// A table model over a vector of rows, its columns given as data. The models of the flat lists (registers, stack,
// breakpoints, problems, ...) are this class with a table of columns each.
#pragma once

#include <QAbstractTableModel>
#include <QByteArray>
#include <QColor>
#include <QFont>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "views/theme/palette.h"

namespace rx::views {

/// How a cell looks; colours come from the theme, so that no state is told by colour alone: `mark` is a text in front.
enum class CellTone : uint8_t { Normal, Grey, Accent, Good, Warning, Error };

inline QColor toneColor(const Palette& palette, CellTone tone) {
  switch (tone) {
    case CellTone::Normal:
      return palette.text;
    case CellTone::Grey:
      return palette.grey;
    case CellTone::Accent:
      return palette.accent;
    case CellTone::Good:
      return palette.good;
    case CellTone::Warning:
      return palette.warning;
    case CellTone::Error:
      return palette.error;
  }
  return palette.text;
}

/// Roles beside Qt's.
enum RowRole : int {
  kMonospaceRole = Qt::UserRole + 1,  // bool: fixed-width cell
  kCurrentRole,                       // bool: the row where the machine stands
  kBadgeRole,                         // bool: text drawn as a chip
  kIconRole,                          // names of icons, parted by blanks, drawn instead of the text
  kKindRole,                          // OpKind as int: its mark is drawn in front of the text
  kDotRole,                           // bool: a dot behind the text says that it changed since the last stop
  kBarRole,                           // double, 0 to 1: a bar of that part of the cell behind the text
};

template <class Row>
struct Column {
  const char* title;
  QString (*text)(const Row& row);
  bool rightAligned = false;
  bool monospace = false;
  CellTone (*tone)(const Row& row) = nullptr;
  QString (*tip)(const Row& row) = nullptr;
  bool (*badge)(const Row& row) = nullptr;
  const char* (*icons)(const Row& row) = nullptr;  // the text stays what is read aloud and dumped; null for none
  OpKind (*kind)(const Row& row) = nullptr;
  bool (*dot)(const Row& row) = nullptr;
  double (*bar)(const Row& row) = nullptr;
};

/// A model with colours; the view tells it when the theme is another one.
class ThemedModel : public QAbstractTableModel {
 public:
  using QAbstractTableModel::QAbstractTableModel;
  virtual void setPalette(const Palette& palette) = 0;
};

template <class Row>
class RowModel : public ThemedModel {
 public:
  using Columns = std::span<const Column<Row>>;
  RowModel(Columns columns, QObject* parent) : ThemedModel(parent), columns_(columns) {}

  /// Replaces the rows; views keep their selection where rows are only changed in place.
  void setRows(std::vector<Row> rows) {
    if (rows.size() == rows_.size() && !rows.empty()) {
      rows_ = std::move(rows);
      Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
      return;
    }
    beginResetModel();
    rows_ = std::move(rows);
    endResetModel();
  }
  /// Shows rows that somebody else keeps, for at least as long as this, and behind them some of its own. Nothing is
  /// copied: it is to be called again whenever they have changed. `others` where they are those of something else.
  /// Where they are the same ones, the view is to be drawn anew by whoever calls: told that any may have changed, it
  /// would look at each. Whether they are others, of which the view was told.
  bool showKept(const std::vector<Row>& rows, std::vector<Row> behind, bool others) {
    const bool same = !others && kept_ == &rows && shown_ == rows.size() && rows_.size() == behind.size();
    if (!same) beginResetModel();
    kept_ = &rows;
    shown_ = rows.size();
    rows_ = std::move(behind);
    if (!same) endResetModel();
    return !same;
  }
  /// Its own rows.
  const std::vector<Row>& rows() const { return rows_; }
  /// Null where there is none, or a kept one is gone.
  const Row* row(const QModelIndex& index) const {
    if (!index.isValid() || index.row() >= rowCount()) return nullptr;
    const auto number = static_cast<size_t>(index.row());
    if (number >= shown_) return &rows_[number - shown_];
    return number < kept_->size() ? &(*kept_)[number] : nullptr;
  }
  void setPalette(const Palette& palette) override {
    if (palette_ == &palette) return;
    palette_ = &palette;
    if (shown_ == 0 && !rows_.empty()) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
  }
  /// Row where the machine stands, -1 for none.
  void setCurrentRow(int row) {
    if (row == current_) return;
    for (const int changed : {std::exchange(current_, row), row})
      if (changed >= 0 && changed < rowCount())
        Q_EMIT dataChanged(index(changed, 0), index(changed, columnCount() - 1));
  }
  int currentRow() const { return current_; }

  int rowCount(const QModelIndex& parent = {}) const override {
    return parent.isValid() ? 0 : static_cast<int>(shown_ + rows_.size());
  }
  int columnCount(const QModelIndex& parent = {}) const override {
    return parent.isValid() ? 0 : static_cast<int>(columns_.size());
  }
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    const Column<Row>& column = columns_[static_cast<size_t>(section)];
    if (role == Qt::DisplayRole) return QString::fromUtf8(column.title);
    if (role == Qt::TextAlignmentRole) return alignment(column);
    return {};
  }
  QVariant data(const QModelIndex& index, int role) const override {
    const Row* found = row(index);
    if (!found || index.column() >= columnCount()) return {};
    const Column<Row>& column = columns_[static_cast<size_t>(index.column())];
    switch (role) {
      case Qt::DisplayRole:
        return column.text(*found);
      case Qt::TextAlignmentRole:
        return alignment(column);
      case Qt::ForegroundRole:
        return toneColor(*palette_, column.tone ? column.tone(*found) : CellTone::Normal);
      case Qt::ToolTipRole:
        return column.tip ? column.tip(*found) : QVariant();
      case Qt::BackgroundRole:
        return index.row() == current_ ? QVariant(palette_->currentLine) : QVariant();
      case kMonospaceRole:
        return column.monospace;
      case kBadgeRole:
        return column.badge && column.badge(*found);
      case kIconRole:
        return column.icons ? QVariant(QByteArray(column.icons(*found))) : QVariant();
      case kKindRole:
        return column.kind ? QVariant(static_cast<int>(column.kind(*found))) : QVariant();
      case kDotRole:
        return column.dot && column.dot(*found);
      case kBarRole:
        return column.bar ? QVariant(column.bar(*found)) : QVariant();
      case kCurrentRole:
        return index.row() == current_;
      default:
        return {};
    }
  }

 private:
  static QVariant alignment(const Column<Row>& column) {
    return QVariant(Qt::Alignment((column.rightAligned ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter));
  }
  Columns columns_;
  const std::vector<Row>* kept_ = nullptr;
  size_t shown_ = 0;  // of the kept ones
  std::vector<Row> rows_;
  const Palette* palette_ = &Palette::lightTheme();
  int current_ = -1;
};

/// The table as text, one row a line, cells parted by tabs: what panels dump. `more` says what a view draws in a row
/// beside its cells; what is empty at the end of that is left out.
QString modelText(const QAbstractItemModel& model, const std::function<QStringList(const QModelIndex&)>& more = {});

}  // namespace rx::views
