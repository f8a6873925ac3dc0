#include "views/panels/list_view.h"

#include <QAbstractItemModel>
#include <QAbstractItemView>
#include <QApplication>
#include <QClipboard>
#include <QEvent>
#include <QHeaderView>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QKeySequence>
#include <QPainter>
#include <QPalette>
#include <QStyle>
#include <QToolTip>
#include <algorithm>

#include "views/models/row_model.h"
#include "views/panels/corner_find.h"
#include "views/panels/panel.h"
#include "views/theme/fonts.h"
#include "views/theme/icons.h"
#include "views/theme/kind_mark.h"

namespace rx::views {
namespace {

QList<QByteArray> iconsOf(const QModelIndex& index) {
  const QByteArray names = index.data(kIconRole).toByteArray();
  return names.isEmpty() ? QList<QByteArray>() : names.split(' ');
}
int iconSide(const QStyleOptionViewItem& option) { return option.fontMetrics.height() * 9 / 10; }
// Of a cell with a bar: letters that its number takes, and that its bar takes where there is room.
constexpr int kNumberLetters = 8, kBarLetters = 8;
// Of words beside a name, and of the name, where there is little room.
constexpr int kWordLetters = 16, kNameLetters = 24;

/// Shows the whole text of a cell or of the title of a column that has no room for it, where there is no other tip.
class CellTips : public QObject {
 public:
  explicit CellTips(QTreeView* view) : QObject(view), view_(view) {
    view->viewport()->installEventFilter(this);
    view->header()->viewport()->installEventFilter(this);
  }
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() != QEvent::ToolTip || !view_->model()) return QObject::eventFilter(watched, event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const QString text = watched == view_->viewport() ? cutCell(help->pos()) : cutTitle(help->pos());
    if (!text.isEmpty())
      QToolTip::showText(help->globalPos(), QStringLiteral("<qt>%1</qt>").arg(text.toHtmlEscaped()), view_);
    return !text.isEmpty();
  }

 private:
  QString cutCell(const QPoint& at) const {
    const QModelIndex index = view_->indexAt(at);
    const bool own = !index.isValid() || !index.data(Qt::ToolTipRole).toString().isEmpty();
    const bool whole = own || view_->sizeHintForIndex(index).width() <= view_->visualRect(index).width();
    return whole ? QString() : index.data().toString();
  }
  QString cutTitle(const QPoint& at) const {
    const int column = view_->header()->logicalIndexAt(at);
    const bool whole = column < 0 || view_->header()->sectionSizeHint(column) <= view_->header()->sectionSize(column);
    return whole ? QString() : view_->model()->headerData(column, Qt::Horizontal).toString();
  }
  QTreeView* view_;
};

constexpr int kLastRows = 4;

/// Qt measures the rows in sight alone, but numbers grow along a list: the last rows of a column count too.
int widthOf(const QAbstractItemView& view, const QHeaderView& header, int column) {
  int width = std::max(view.sizeHintForColumn(column), header.sectionSizeHint(column));
  const int rows = view.model()->rowCount();
  for (int row = std::max(0, rows - kLastRows); row < rows; ++row)
    width = std::max(width, view.sizeHintForIndex(view.model()->index(row, column)).width());
  return width;
}

int markSide(const QStyleOptionViewItem& option) { return std::max(7, option.fontMetrics.ascent() * 2 / 3); }
int markWidth(const QStyleOptionViewItem& option) { return markSide(option) + option.fontMetrics.averageCharWidth(); }

}  // namespace

void CellDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
  QStyledItemDelegate::initStyleOption(option, index);
  if (index.data(kMonospaceRole).toBool()) option->font = fixedFont(option->font);
  // A selected row keeps the cell's own colour where that says something, and the theme keeps it legible.
  if (const QVariant ink = index.data(Qt::ForegroundRole); ink.isValid())
    option->palette.setColor(QPalette::HighlightedText, ink.value<QColor>());
}

QSize CellDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
  QSize size = QStyledItemDelegate::sizeHint(option, index);
  const int letter = option.fontMetrics.averageCharWidth();
  if (index.data(kBadgeRole).toBool()) size.rwidth() += letter * 2;
  if (const int icons = iconsOf(index).size(); icons > 0) size.setWidth(icons * (iconSide(option) + 2) + letter);
  if (index.data(kKindRole).isValid()) size.rwidth() += markWidth(option);
  if (index.data(kDotRole).toBool()) size.rwidth() += letter * 2;
  if (index.data(kBarRole).isValid()) size.setWidth(letter * (kNumberLetters + kBarLetters));
  return size;
}

void CellDelegate::paintChip(QPainter* painter, const QStyleOptionViewItem& cell, const QString& text) const {
  const Palette& theme = Palette::forQt(cell.palette);
  const int space = cell.fontMetrics.averageCharWidth();
  const int height = cell.fontMetrics.height() + 2;
  const QRect chip(cell.rect.left() + space / 2, cell.rect.center().y() - height / 2 + 1,
                   std::min(cell.fontMetrics.horizontalAdvance(text) + 2 * space, cell.rect.width() - space), height);
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(Qt::NoPen);
  painter->setBrush(theme.warningFill);
  painter->drawRoundedRect(chip, height / 2.0, height / 2.0);
  painter->setPen(theme.warning);
  painter->setFont(cell.font);
  painter->drawText(chip, Qt::AlignCenter, cell.fontMetrics.elidedText(text, Qt::ElideRight, chip.width() - space));
}

/// The number at the right, and in what is left of the cell the bar, from its left side.
void CellDelegate::paintBar(QPainter* painter, const QStyleOptionViewItem& cell, const QString& text,
                            double part) const {
  const Palette& theme = Palette::forQt(cell.palette);
  const int letter = cell.fontMetrics.averageCharWidth();
  const QRect inner = cell.rect.adjusted(letter / 2, 0, -letter / 2, 0);
  const int room = inner.width() - kNumberLetters * letter;
  if (room > letter) {
    const int height = cell.fontMetrics.ascent() * 3 / 4;
    const double wide = std::max(1.0, room * std::clamp(part, 0.0, 1.0));
    painter->fillRect(QRectF(inner.left(), inner.center().y() - height / 2.0 + 1, wide, height),
                      theme.of(OpKind::Compute).bar);
  }
  painter->setFont(cell.font);
  painter->setPen(theme.text);
  painter->drawText(inner, Qt::AlignRight | Qt::AlignVCenter, text);
}

void CellDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  const QList<QByteArray> icons = iconsOf(index);
  const bool chip = index.data(kBadgeRole).toBool();
  const QVariant kind = index.data(kKindRole);
  const bool dot = index.data(kDotRole).toBool();
  const QVariant bar = index.data(kBarRole);
  if (!chip && icons.isEmpty() && !kind.isValid() && !dot && !bar.isValid())
    return QStyledItemDelegate::paint(painter, option, index);
  QStyleOptionViewItem cell = option;
  initStyleOption(&cell, index);
  const Palette& theme = Palette::forQt(option.palette);
  const QString text = cell.text;
  cell.text.clear();
  QApplication::style()->drawControl(QStyle::CE_ItemViewItem, &cell, painter, cell.widget);
  painter->save();
  painter->setClipRect(option.rect);
  const int letter = cell.fontMetrics.averageCharWidth();
  if (bar.isValid()) {
    paintBar(painter, cell, text, bar.toDouble());
  } else if (chip && !text.isEmpty()) {
    paintChip(painter, cell, text);
  } else if (!icons.isEmpty()) {
    const QColor ink = index.data(Qt::ForegroundRole).value<QColor>();
    const int side = iconSide(option);
    QRect box(cell.rect.left() + letter / 2, cell.rect.center().y() - side / 2 + 1, side, side);
    for (const QByteArray& name : icons) {
      icon(name.constData(), name == "arrow" ? theme.text : ink).paint(painter, box);
      box.translate(side + 2, 0);
    }
  } else {
    if (kind.isValid()) {
      const int side = markSide(option);
      drawKindMark(*painter, static_cast<OpKind>(kind.toInt()), theme,
                   QRectF(cell.rect.left() + letter / 2.0, cell.rect.center().y() - side / 2.0 + 1, side, side));
      cell.rect.setLeft(cell.rect.left() + markWidth(option));
    }
    cell.state &= ~(QStyle::State_Selected | QStyle::State_MouseOver);
    cell.backgroundBrush = Qt::NoBrush;
    cell.text = text;
    QApplication::style()->drawControl(QStyle::CE_ItemViewItem, &cell, painter, cell.widget);
    if (dot) {
      const int at = cell.rect.left() + cell.fontMetrics.horizontalAdvance(text) + letter + letter / 2;
      drawKindMark(*painter, KindMark::Disc, theme.accent,
                   QRectF(at, cell.rect.center().y() - letter / 2.0 + 1, letter, letter));
    }
  }
  painter->restore();
}

ListView::ListView(QWidget* parent) : QTreeView(parent) {
  setRootIsDecorated(false);
  setIndentation(0);
  setUniformRowHeights(true);
  setAllColumnsShowFocus(true);
  setSelectionBehavior(QAbstractItemView::SelectRows);
  setEditTriggers(QAbstractItemView::NoEditTriggers);
  setItemDelegate(new CellDelegate(this));
  new CellTips(this);
  setTextElideMode(Qt::ElideRight);
  header()->setStretchLastSection(false);
  header()->setTextElideMode(Qt::ElideRight);
  // A row is measured for each column; a thousand of them at every stop of a run would hold the window up.
  constexpr int kMeasuredRows = 60;
  header()->setResizeContentsPrecision(kMeasuredRows);
  header()->setMinimumSectionSize(fontMetrics().averageCharWidth() * 2);
  // One click selects whatever the desktop activates by; the arrow alone unfolds.
  setExpandsOnDoubleClick(false);
  connect(this, &QTreeView::clicked, this, &ListView::picked);
  connect(this, &QTreeView::doubleClicked, this, &ListView::chosen);
}

void ListView::setTree() {
  setRootIsDecorated(true);
  setIndentation(fontMetrics().height());
  setHeaderHidden(true);
}

void ListView::setModel(QAbstractItemModel* model) {
  QTreeView::setModel(model);
  connect(model, &QAbstractItemModel::modelReset, this, &ListView::fitColumns);
  fitColumns();
}

void ListView::setStretchColumn(int column) {
  stretch_ = column;
  fitColumns();
}

void ListView::setEmptyText(const QString& text) {
  emptyText_ = text;
  viewport()->update();
}

void ListView::setLessImportant(int column) {
  lessImportant_ = column;
  fitColumns();
}

void ListView::fitColumns() {
  placeEmptyButton();
  if (!model() || model()->columnCount() == 0 || !isVisible()) return;
  const int columns = model()->columnCount();
  const int letter = fontMetrics().averageCharWidth();
  const int whole = viewport()->width();
  std::vector<int> widths(static_cast<size_t>(columns));
  int least = 12 * letter;  // of the stretched column
  int stretched = 0;        // what it would like
  if (stretch_ < 0) least = 0;
  for (int column = 0; column < columns; ++column) {
    if (isColumnHidden(column) && column != lessImportant_) continue;
    const int content = widthOf(*this, *header(), column) + letter / 2;
    if (column == stretch_) least = std::min(least, stretched = content);
    widths[static_cast<size_t>(column)] = column == stretch_ ? least : content;
  }
  const auto used = [&](bool narrow) {
    int sum = 0;
    for (int column = 0; column < columns; ++column)
      sum += narrow && column == lessImportant_ ? 0 : widths[static_cast<size_t>(column)];
    return sum;
  };
  const auto isNumber = [this](int column) {
    return model()->index(0, column).data(Qt::TextAlignmentRole).value<Qt::Alignment>().testFlag(Qt::AlignRight);
  };
  // Words are cut before their column goes: their beginning says something, that of a number does not.
  int saved = 0;
  if (lessImportant_ >= 0 && !isNumber(lessImportant_))
    saved = std::max(0, widths[static_cast<size_t>(lessImportant_)] - kWordLetters * letter) +
            std::max(0, stretched - kNameLetters * letter);
  const bool narrow = lessImportant_ >= 0 && used(false) - saved - least + stretched > whole;
  if (lessImportant_ >= 0 && isColumnHidden(lessImportant_) != narrow) setColumnHidden(lessImportant_, narrow);
  // Wide columns give up what the stretched one misses, and more of it where that is a name that could not be read
  // otherwise; the tip of a cell has its whole text.
  const auto hasBar = [this](int column) { return model()->index(0, column).data(kBarRole).isValid(); };
  const auto giveUp = [&](int most, int wanted, const auto& gives) {
    for (int column = 0; column < columns; ++column) {
      if (column == stretch_ || !gives(column)) continue;
      int& width = widths[static_cast<size_t>(column)];
      const QString title = model()->headerData(column, Qt::Horizontal).toString();
      const int titled = std::max(most, header()->fontMetrics().horizontalAdvance(title) + letter * 5 / 2);
      const int over = used(narrow) - least + wanted - whole;
      if (over > 0 && width > titled) width = std::max(titled, width - over);
    }
  };
  giveUp(std::max(whole / 4, 8 * letter), stretched, [](int) { return true; });
  // Bars say again what the number beside them says.
  giveUp((kNumberLetters + 1) * letter, std::min(stretched, kNameLetters * letter), hasBar);
  giveUp(10 * letter, std::min(stretched, kNameLetters * letter), [&](int column) { return !isNumber(column); });
  if (stretch_ >= 0) {
    int& width = widths[static_cast<size_t>(stretch_)];
    width = std::max(std::min(width, 12 * letter), width - std::max(0, used(narrow) - whole));
  }
  const int rest = whole - used(narrow);
  for (int column = 0; column < columns; ++column) {
    if (narrow && column == lessImportant_) continue;
    const int width = widths[static_cast<size_t>(column)] + (column == stretch_ ? std::max(0, rest) : 0);
    if (header()->sectionSize(column) != width) header()->resizeSection(column, width);
  }
}

void ListView::changeEvent(QEvent* event) {
  QTreeView::changeEvent(event);
  if (event->type() != QEvent::PaletteChange) return;
  if (auto* themed = dynamic_cast<ThemedModel*>(model())) themed->setPalette(Palette::forQt(palette()));
}

void ListView::resizeEvent(QResizeEvent* event) {
  QTreeView::resizeEvent(event);
  fitColumns();
}

void ListView::showEvent(QShowEvent* event) {
  QTreeView::showEvent(event);
  fitColumns();
}

void ListView::openFind() {
  if (!find_) {
    find_ = new CornerFind(this, [this](bool forward) { findNext(forward); });
    connect(find_, &QLineEdit::textEdited, this, &ListView::find);
  }
  find_->open();
}

bool ListView::holds(const QModelIndex& row) const {
  for (int column = 0; column < model()->columnCount(); ++column) {
    if (row.siblingAtColumn(column).data().toString().contains(pattern_, Qt::CaseInsensitive)) return true;
  }
  return false;
}

QModelIndex ListView::rowAfter(const QModelIndex& row) const {
  if (model()->rowCount(row) > 0) return model()->index(0, 0, row);
  for (QModelIndex at = row; at.isValid(); at = at.parent()) {
    const QModelIndex below = at.siblingAtRow(at.row() + 1);
    if (below.isValid()) return below;
  }
  return model()->index(0, 0);
}

QModelIndex ListView::rowBefore(const QModelIndex& row) const {
  if (row.row() == 0 && row.parent().isValid()) return row.parent();
  QModelIndex at = row.row() > 0 ? row.siblingAtRow(row.row() - 1) : model()->index(model()->rowCount() - 1, 0);
  while (const int below = model()->rowCount(at)) at = model()->index(below - 1, 0, at);
  return at;
}

/// Where a search begins; invalid where there are no rows.
QModelIndex ListView::startRow() const {
  return currentIndex().isValid() ? currentIndex().siblingAtColumn(0) : model()->index(0, 0);
}

int ListView::find(const QString& text) {
  pattern_ = text;
  const QModelIndex start = model() && !text.isEmpty() ? startRow() : QModelIndex();
  if (!start.isValid()) return 0;
  int found = 0;
  QModelIndex first;
  QModelIndex at = start;
  do {
    if (holds(at) && ++found == 1) first = at;
    at = rowAfter(at);
  } while (at != start);
  if (first.isValid()) pick(first);
  return found;
}

bool ListView::findNext(bool forward) {
  const QModelIndex start = model() && !pattern_.isEmpty() ? startRow() : QModelIndex();
  if (!start.isValid()) return false;
  QModelIndex at = start;
  do {
    at = forward ? rowAfter(at) : rowBefore(at);
    if (holds(at)) return pick(at), true;
  } while (at != start);
  return false;
}

void ListView::pick(const QModelIndex& row) {
  setCurrentIndex(row);
  Q_EMIT picked(currentIndex());
}

void ListView::paintEvent(QPaintEvent* event) {
  QTreeView::paintEvent(event);
  if (!model() || model()->rowCount() > 0 || emptyText_.isEmpty()) return;
  QPainter painter(viewport());
  painter.setPen(Palette::forQt(palette()).grey);
  painter.drawText(emptyRect(), Qt::AlignCenter | Qt::TextWordWrap, emptyText_);
}

QRect ListView::emptyRect() const {
  const int space = fontMetrics().averageCharWidth() * 2;
  return viewport()->rect().adjusted(space, space, -space, -space);
}

void ListView::setEmptyButton(Commands* commands, const QString& id) {
  emptyButton_ = new QPushButton(commands->label(id), viewport());
  connect(emptyButton_, &QPushButton::clicked, this, [commands, id] { commands->run(id); });
  placeEmptyButton();
}

void ListView::placeEmptyButton() {
  if (!emptyButton_) return;
  const QRect text = fontMetrics().boundingRect(emptyRect(), Qt::AlignCenter | Qt::TextWordWrap, emptyText_);
  emptyButton_->adjustSize();
  emptyButton_->move(text.center().x() - emptyButton_->width() / 2, text.bottom() + fontMetrics().height());
  emptyButton_->setVisible(model() && model()->rowCount() == 0);
}

bool ListView::copyRow() {
  if (!currentIndex().isValid()) return false;
  QStringList cells;
  for (int column = 0; column < model()->columnCount(); ++column)
    cells << currentIndex().siblingAtColumn(column).data().toString();
  QApplication::clipboard()->setText(cells.join('\t'));
  return true;
}

/// The menu is the panel's, about the row that was clicked: that one is selected as by any click.
void ListView::contextMenuEvent(QContextMenuEvent* event) {
  const QModelIndex index = indexAt(event->pos());
  if (event->reason() == QContextMenuEvent::Mouse && index.isValid()) {
    if (!selectionModel()->isSelected(index)) setCurrentIndex(index);
    Q_EMIT picked(index);
  }
  event->ignore();
}

void ListView::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Copy) && copyRow()) return;
  if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && currentIndex().isValid()) {
    Q_EMIT chosen(currentIndex());
    return;
  }
  // Nothing is left by it here, but a dialog around the list is; Qt would look for a row that begins with it.
  if (event->key() == Qt::Key_Escape) return event->ignore();
  const QPersistentModelIndex before = currentIndex();
  QTreeView::keyPressEvent(event);
  if (currentIndex().isValid() && currentIndex() != before) Q_EMIT picked(currentIndex());
}

}  // namespace rx::views
