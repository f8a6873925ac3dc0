#include "views/panels/values/tensor_table.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QScopedValueRollback>
#include <QTableView>
#include <QToolButton>
#include <algorithm>
#include <cmath>

#include "views/models/numbers.h"
#include "views/theme/fonts.h"

namespace rx::views {

TensorTableModel::TensorTableModel(TensorPage* page, QObject* parent)
    : QAbstractTableModel(parent), page_(page), palette_(Palette::lightTheme()) {}

void TensorTableModel::setPalette(const Palette& palette) {
  palette_ = palette;
  if (rows_ > 0 && columns_ > 0) Q_EMIT dataChanged(index(0, 0), index(rows_ - 1, columns_ - 1));
}

void TensorTableModel::setFormat(NumberFormat format) {
  format_ = format;
  if (rows_ > 0 && columns_ > 0) Q_EMIT dataChanged(index(0, 0), index(rows_ - 1, columns_ - 1));
}

void TensorTableModel::refresh() {
  beginResetModel();
  rows_ = page_->rowCount();
  columns_ = page_->columnCount();
  endResetModel();
}

int TensorTableModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : rows_; }
int TensorTableModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : columns_; }

QString TensorTableModel::cellText(int row, int column) const {
  return numberText(page_->value(row, column), page_->bytes(row, column), format_);
}

QVariant TensorTableModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rows_ || index.column() >= columns_) return {};
  const double value = page_->value(index.row(), index.column());
  const bool bad = !std::isfinite(value);
  switch (role) {
    case Qt::DisplayRole:
      return cellText(index.row(), index.column());
    case Qt::EditRole:
      return bad ? shortNumber(value) : QString::number(value, 'g', 17);
    case Qt::TextAlignmentRole:
      return int(Qt::AlignRight | Qt::AlignVCenter);
    case Qt::ForegroundRole:
      return bad ? palette_.error : palette_.text;
    case Qt::BackgroundRole:
      return bad ? QVariant(palette_.errorFill) : QVariant();
    case Qt::ToolTipRole:
    case Qt::AccessibleTextRole:
      return QStringLiteral("%1 = %2").arg(page_->indexText(index.row(), index.column()),
                                           bad ? shortNumber(value) : QString::number(value, 'g', 17));
    default:
      return {};
  }
}

Qt::ItemFlags TensorTableModel::flags(const QModelIndex& index) const {
  const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
  return editable_ && index.isValid() ? flags | Qt::ItemIsEditable : flags;
}

bool TensorTableModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  const QString text = value.toString().trimmed();
  if (role != Qt::EditRole || !editable_ || text.isEmpty() || text == data(index, Qt::EditRole).toString())
    return false;
  Q_EMIT edited(page_->indexText(index.row(), index.column()), text);
  return true;
}

QVariant TensorTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (role == Qt::ForegroundRole) return palette_.grey;
  if (role == Qt::TextAlignmentRole) return int(Qt::AlignRight | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  return grouped(section + (orientation == Qt::Horizontal ? page_->firstColumn() : page_->firstRow()));
}

QModelIndex TensorTableModel::cellOf(const std::vector<qint64>& element) const {
  if (!page_->holds(element)) return {};
  const auto along = [&](int axis, qint64 first) {
    return axis < 0 ? 0 : static_cast<int>(element[static_cast<size_t>(axis)] - first);
  };
  const int row = along(page_->rowAxis(), page_->firstRow());
  const int column = along(page_->columnAxis(), page_->firstColumn());
  return row < rows_ && column < columns_ ? index(row, column) : QModelIndex();
}

TensorTable::TensorTable(TensorStudy* study, QWidget* parent)
    : QWidget(parent),
      study_(study),
      page_(study->page()),
      model_(new TensorTableModel(page_, this)),
      message_(new QLabel(this)),
      where_(new QLabel(this)),
      turner_(new QWidget(this)),
      table_(new QTableView(this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(table_, 1);
  column->addWidget(message_, 1);
  column->addWidget(turner_);
  auto* bar = new QHBoxLayout(turner_);
  bar->setContentsMargins(fontMetrics().height() / 3, 0, 0, 0);
  bar->addWidget(where_, 1);
  addButton(bar, Qt::UpArrow, tr("Rows before"), -1, 0);
  addButton(bar, Qt::DownArrow, tr("Rows after"), 1, 0);
  addButton(bar, Qt::LeftArrow, tr("Columns before"), 0, -1);
  addButton(bar, Qt::RightArrow, tr("Columns after"), 0, 1);
  message_->setAlignment(Qt::AlignCenter);
  message_->setWordWrap(true);
  message_->setTextFormat(Qt::PlainText);
  message_->setMargin(fontMetrics().height() / 2);
  message_->setAutoFillBackground(true);
  table_->setModel(model_);
  table_->setAccessibleName(tr("Values of the tensor"));
  table_->setShowGrid(false);
  table_->setWordWrap(false);
  table_->setFrameShape(QFrame::NoFrame);
  table_->setSelectionMode(QAbstractItemView::ContiguousSelection);
  table_->horizontalHeader()->setHighlightSections(false);
  table_->verticalHeader()->setHighlightSections(false);
  table_->setTabKeyNavigation(false);
  table_->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed);
  connect(study_, &TensorStudy::changed, this, &TensorTable::refresh);
  connect(study_, &TensorStudy::currentMoved, this, &TensorTable::showCurrent);
  connect(table_->selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex& cell) {
    if (!showing_ && cell.isValid()) study_->setCurrent(page_->indexOf(cell.row(), cell.column()));
  });
  setFocusProxy(table_);
  setTheme(Palette::forQt(palette()));
  refresh();
}

QToolButton* TensorTable::addButton(QHBoxLayout* bar, Qt::ArrowType arrow, const QString& tip, int rows, int columns) {
  auto* button = new QToolButton(turner_);
  button->setArrowType(arrow);
  button->setToolTip(tip);
  button->setAccessibleName(tip);
  button->setAutoRaise(true);
  button->setProperty("rows", rows);
  button->setProperty("columns", columns);
  connect(button, &QToolButton::clicked, this, [this, rows, columns] { page_->turn(rows, columns); });
  bar->addWidget(button);
  turns_.push_back(button);
  return button;
}

void TensorTable::setTheme(const Palette& palette) {
  model_->setPalette(palette);
  QPalette colors = palette.toQt();
  colors.setColor(QPalette::Window, palette.base);
  colors.setColor(QPalette::WindowText, palette.grey);
  message_->setPalette(colors);
  where_->setPalette(colors);
  const QFont font = fixedFont(this->font());
  table_->setFont(font);
  table_->horizontalHeader()->setFont(font);
  table_->verticalHeader()->setFont(font);
  const QFontMetrics metrics(font);
  table_->verticalHeader()->setDefaultSectionSize(qRound(metrics.height() * 1.3));
  table_->verticalHeader()->setMinimumSectionSize(metrics.height());
  fitColumns();
}

void TensorTable::setFormat(NumberFormat format) {
  model_->setFormat(format);
  fitColumns();
}

void TensorTable::setAbsent(const QString& sentence) {
  absent_ = sentence;
  refresh();
}

void TensorTable::refresh() {
  const ValueSummary& value = study_->value();
  const bool tensor = value.known && value.isTensor;
  const QString error = page_->slice().error;
  const bool hasCells = tensor && page_->ready() && page_->rowCount() > 0;
  {
    const QScopedValueRollback quiet(showing_, true);
    model_->refresh();
  }
  table_->setVisible(hasCells);
  message_->setVisible(!hasCells);
  message_->setText(!value.known           ? absent_
                    : !tensor              ? value.text
                    : !error.isEmpty()     ? tr("Not available: %1").arg(error)
                    : page_->busy()        ? tr("Reading the values…")
                    : value.count == 0     ? tr("The tensor has no elements.")
                    : value.reference == 0 ? tr("Only the statistics of this value were recorded.")
                                           : QString());
  const bool several = page_->totalRows() > TensorPage::kRows || page_->totalColumns() > TensorPage::kColumns;
  turner_->setVisible(hasCells && several);
  if (hasCells && several) {
    const auto range = [](const QString& what, qint64 first, int count, qint64 total) {
      return count == total
                 ? QStringLiteral("%1 %2").arg(grouped(total), what)
                 : tr("%1 %2–%3 of %4").arg(what, grouped(first), grouped(first + count - 1), grouped(total));
    };
    where_->setText(range(tr("rows"), page_->firstRow(), page_->rowCount(), page_->totalRows()) + QStringLiteral(", ") +
                    range(tr("columns"), page_->firstColumn(), page_->columnCount(), page_->totalColumns()));
  }
  for (QToolButton* button : turns_)
    button->setEnabled(page_->canTurn(button->property("rows").toInt(), button->property("columns").toInt()));
  if (!hasCells) return;
  fitColumns();
  showCurrent();
}

/// As wide as the widest number of the page, so that most columns fit.
void TensorTable::fitColumns() {
  const QFontMetrics metrics(table_->font());
  qsizetype longest = 4;
  for (int r = 0; r < std::min(page_->rowCount(), 64); ++r)
    for (int c = 0; c < page_->columnCount(); ++c) longest = std::max(longest, model_->cellText(r, c).size());
  table_->horizontalHeader()->setDefaultSectionSize(metrics.horizontalAdvance(QLatin1Char('0')) *
                                                    static_cast<int>(longest + 2));
}

void TensorTable::showCurrent() {
  const QModelIndex cell = model_->cellOf(study_->current());
  if (!cell.isValid() || table_->currentIndex() == cell) return;
  const QScopedValueRollback quiet(showing_, true);
  table_->setCurrentIndex(cell);
  table_->scrollTo(cell, QAbstractItemView::PositionAtCenter);
}

QItemSelectionRange TensorTable::chosen() const {
  const QItemSelection selection = table_->selectionModel()->selection();
  const bool several = !selection.isEmpty() && (selection.first().width() > 1 || selection.first().height() > 1);
  if (several) return selection.first();
  const int rows = model_->rowCount(), columns = model_->columnCount();
  if (rows == 0 || columns == 0) return {};
  return {model_->index(0, 0), model_->index(rows - 1, columns - 1)};
}

QString TensorTable::cellsText() const {
  const QItemSelectionRange range = chosen();
  if (!range.isValid()) return {};
  QString text;
  for (int r = range.top(); r <= range.bottom(); ++r) {
    QStringList cells;
    for (int c = range.left(); c <= range.right(); ++c)
      cells += model_->format() == NumberFormat::Decimal ? QString::number(page_->value(r, c), 'g', 9)
                                                         : model_->cellText(r, c);
    text += cells.join(QLatin1Char('\t')) + QLatin1Char('\n');
  }
  return text;
}

QString TensorTable::numpyText() const {
  const QItemSelectionRange range = chosen();
  if (!range.isValid()) return {};
  QStringList rows;
  for (int r = range.top(); r <= range.bottom(); ++r) {
    QStringList cells;
    for (int c = range.left(); c <= range.right(); ++c) cells += pythonNumber(page_->value(r, c));
    const QString row = cells.join(QStringLiteral(", "));
    rows += page_->columnAxis() < 0 ? row : QLatin1Char('[') + row + QLatin1Char(']');
  }
  QString text = rows.join(page_->columnAxis() < 0 ? QStringLiteral(", ") : QStringLiteral(",\n          "));
  if (page_->rowAxis() >= 0) text = QLatin1Char('[') + text + QLatin1Char(']');
  const QString dtype = study_->source().compares() ? QStringLiteral("float64") : study_->value().dtype;
  return QStringLiteral("np.array(%1, dtype=%2)").arg(text, numpyDtype(dtype));
}

QString TensorTable::dump() const {
  if (model_->rowCount() == 0) return message_->text() + QLatin1Char('\n');
  QString text;
  for (int r = 0; r < page_->rowCount(); ++r) {
    QStringList cells;
    for (int c = 0; c < page_->columnCount(); ++c) cells += model_->cellText(r, c);
    text += cells.join(QLatin1Char('\t')) + QLatin1Char('\n');
  }
  return text;
}

}  // namespace rx::views
