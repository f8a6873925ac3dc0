// The table and tree views of the panels: row heights from the font, chips, fixed-width cells, keyboard throughout.
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QStyledItemDelegate>
#include <QTreeView>

namespace rx::views {

class Commands;
class CornerFind;

/// Draws cells with kBadgeRole as a chip, cells with kIconRole as icons, the mark of kKindRole in front and the dot of
/// kDotRole behind the text, cells with kMonospaceRole in a fixed-width font, and the bar of kBarRole beside a number.
class CellDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;

 private:
  void paintBar(QPainter* painter, const QStyleOptionViewItem& cell, const QString& text, double part) const;
  void paintChip(QPainter* painter, const QStyleOptionViewItem& cell, const QString& text) const;
};

/// The view of every list, table and tree of the panels: whole rows selected, Ctrl+C copies the row. They all act
/// alike: a click or a key that moves the current row selects what it stands for (`picked`), Enter or a double click
/// goes there (`chosen`). A right click selects too, and the menu is the panel's.
class ListView : public QTreeView {
  Q_OBJECT

 public:
  explicit ListView(QWidget* parent = nullptr);
  /// Rows have rows of their own, which the arrow in front of them shows: indented, and without a header.
  void setTree();
  /// The column that takes what the others leave; the others are as wide as their cells (within limits).
  void setStretchColumn(int column);
  /// A column that is left out while the view is too narrow for all.
  void setLessImportant(int column);
  void setModel(QAbstractItemModel* model) override;
  /// Text drawn in the middle while there are no rows: what belongs here and how to get it.
  void setEmptyText(const QString& text);
  QString emptyText() const { return emptyText_; }
  /// Below it a button with a command that brings rows.
  void setEmptyButton(Commands* commands, const QString& id);
  /// Widths from the rows that are there; called when rows were replaced. Of a hidden list when it is shown.
  void fitColumns();
  /// The field of Ctrl+F in the corner: rows that hold its text are found as one types, Enter goes on, Esc closes.
  void openFind();
  /// Makes the first row from the current one on that holds a text in any cell current, in a tree also one that is
  /// folded away; how many rows hold it.
  int find(const QString& text);
  /// The next or previous row with the text of the last find, around the end; false when there is none.
  bool findNext(bool forward);
  /// Puts the cells of the current row on the clipboard, parted by tabs; false where there is none.
  bool copyRow();

 Q_SIGNALS:
  /// Somebody made a row current, by a click, a key or a find; never the panel itself.
  void picked(const QModelIndex& index);
  /// Enter or double click on a row.
  void chosen(const QModelIndex& index);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  bool holds(const QModelIndex& row) const;
  /// The row below or above in the order of the tree, folded or not, around the end.
  QModelIndex rowAfter(const QModelIndex& row) const;
  QModelIndex rowBefore(const QModelIndex& row) const;
  QModelIndex startRow() const;
  void pick(const QModelIndex& row);
  void placeEmptyButton();
  /// Where the text for no rows may stand.
  QRect emptyRect() const;
  CornerFind* find_ = nullptr;
  QPushButton* emptyButton_ = nullptr;
  QString pattern_;
  QString emptyText_;
  int stretch_ = -1;
  int lessImportant_ = -1;
};

}  // namespace rx::views
