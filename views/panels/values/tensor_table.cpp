#include "views/panels/values/tensor_table.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSpinBox>
#include <QTableView>
#include <QToolButton>
#include <algorithm>
#include <cmath>

#include "views/models/numbers.h"
#include "views/theme/fonts.h"

namespace rx::views {
namespace {

QString badText(const ValueSummary& value) {
  QStringList parts;
  if (value.nan > 0) parts += grouped(value.nan) + QStringLiteral(" NaN");
  if (value.inf > 0) parts += grouped(value.inf) + QStringLiteral(" Inf");
  return parts.join(QStringLiteral(", "));
}

QFont monospace(const QWidget* widget) { return fixedFont(widget->font()); }

}  // namespace

TensorTableModel::TensorTableModel(TensorPage* page, QObject* parent)
    : QAbstractTableModel(parent), page_(page), palette_(Palette::lightTheme()) {}

void TensorTableModel::setPalette(const Palette& palette) {
  palette_ = palette;
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

QVariant TensorTableModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rows_ || index.column() >= columns_) return {};
  const double value = page_->value(index.row(), index.column());
  const bool bad = !std::isfinite(value);
  switch (role) {
    case Qt::DisplayRole:
      return shortNumber(value);
    case Qt::TextAlignmentRole:
      return int(Qt::AlignRight | Qt::AlignVCenter);
    case Qt::ForegroundRole:
      return bad ? QVariant(palette_.error) : QVariant();
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

QVariant TensorTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (role == Qt::ForegroundRole) return palette_.grey;
  if (role == Qt::TextAlignmentRole) return int(Qt::AlignRight | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  return grouped(section + (orientation == Qt::Horizontal ? page_->firstColumn() : page_->firstRow()));
}

QModelIndex TensorTableModel::indexOf(qint64 row, qint64 column) const {
  return index(static_cast<int>(row - page_->firstRow()), static_cast<int>(column - page_->firstColumn()));
}

TensorTable::TensorTable(DebugSession* debug, QWidget* parent)
    : QWidget(parent),
      palette_(Palette::forQt(palette())),
      page_(new TensorPage(debug, this)),
      model_(new TensorTableModel(page_, this)),
      title_(new QLabel(this)),
      stats_(new QLabel(this)),
      message_(new QLabel(this)),
      where_(new QLabel(this)),
      bad_(new QToolButton(this)),
      table_(new QTableView(this)) {
  auto* column = new QVBoxLayout(this);
  const int gap = fontMetrics().height() / 3;
  column->setContentsMargins(0, gap, 0, 0);
  column->setSpacing(gap / 2);
  for (QLabel* label : {title_, stats_, message_}) {
    label->setContentsMargins(gap, 0, gap, 0);
    label->setWordWrap(true);
    label->setTextFormat(Qt::RichText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  }
  column->addWidget(title_);
  column->addWidget(stats_);
  controls_ = new QHBoxLayout;
  controls_->setContentsMargins(gap, 0, gap, 0);
  indices_ = new QHBoxLayout;
  controls_->addLayout(indices_);
  controls_->addWidget(where_, 1);
  bad_->setText(tr("First NaN or Inf"));
  bad_->setToolTip(tr("Go to the first element that is not finite"));
  controls_->addWidget(bad_);
  addButton(Qt::UpArrow, tr("Rows before"), -1, 0);
  addButton(Qt::DownArrow, tr("Rows after"), 1, 0);
  addButton(Qt::LeftArrow, tr("Columns before"), 0, -1);
  addButton(Qt::RightArrow, tr("Columns after"), 0, 1);
  column->addLayout(controls_);
  column->addWidget(table_, 1);
  column->addWidget(message_, 1);
  message_->setAlignment(Qt::AlignCenter);
  message_->setAutoFillBackground(true);
  table_->setModel(model_);
  table_->setAccessibleName(tr("Values of the tensor"));
  table_->setShowGrid(false);
  table_->setWordWrap(false);
  table_->setSelectionMode(QAbstractItemView::ContiguousSelection);
  table_->horizontalHeader()->setHighlightSections(false);
  table_->verticalHeader()->setHighlightSections(false);
  table_->setTabKeyNavigation(false);
  auto* copy = new QAction(tr("Copy"), table_);
  copy->setShortcut(QKeySequence::Copy);
  copy->setShortcutContext(Qt::WidgetShortcut);
  table_->addAction(copy);
  table_->setContextMenuPolicy(Qt::ActionsContextMenu);
  connect(copy, &QAction::triggered, this, &TensorTable::copySelection);
  connect(bad_, &QToolButton::clicked, this, [this] { goToBad_ = page_->goTo(value_.firstBad); });
  connect(page_, &TensorPage::changed, this, &TensorTable::refresh);
  setFocusProxy(table_);
  setTheme(palette_);
  refresh();
}

QToolButton* TensorTable::addButton(Qt::ArrowType arrow, const QString& tip, int rows, int columns) {
  auto* button = new QToolButton(this);
  button->setArrowType(arrow);
  button->setToolTip(tip);
  button->setAccessibleName(tip);
  button->setAutoRaise(true);
  button->setProperty("rows", rows);
  button->setProperty("columns", columns);
  connect(button, &QToolButton::clicked, this, [this, rows, columns] { page_->turn(rows, columns); });
  controls_->addWidget(button);
  turns_.push_back(button);
  return button;
}

void TensorTable::setTheme(const Palette& palette) {
  palette_ = palette;
  model_->setPalette(palette);
  QPalette colors = palette.toQt();
  colors.setColor(QPalette::Window, palette.base);
  colors.setColor(QPalette::WindowText, palette.grey);
  message_->setPalette(colors);
  const QFont font = monospace(this);
  table_->setFont(font);
  table_->horizontalHeader()->setFont(font);
  table_->verticalHeader()->setFont(font);
  const QFontMetrics metrics(font);
  table_->verticalHeader()->setDefaultSectionSize(qRound(metrics.height() * 1.3));
  table_->verticalHeader()->setMinimumSectionSize(metrics.height());
  table_->horizontalHeader()->setDefaultSectionSize(metrics.horizontalAdvance(QStringLiteral("-0.000000e+00")));
  showHead();
}

void TensorTable::setValue(const ValueSummary& value, const QString& absent) {
  const bool same = value.known == value_.known && value.reference == value_.reference && value.step == value_.step &&
                    value.reference == page_->reference();
  value_ = value;
  message_->setText(value.known ? QString() : absent.toHtmlEscaped());
  goToBad_ = false;
  const auto shape = shapeOf(value.shape);
  if (!same)
    page_->setTensor(value.known && value.isTensor && shape ? value.reference : 0,
                     shape.value_or(std::vector<qint64>()));
  showHead();
  refresh();
}

void TensorTable::setStatisticsVisible(bool visible) {
  title_->setVisible(visible);
  stats_->setVisible(visible);
}

void TensorTable::showHead() {
  const QString grey = palette_.grey.name(), error = palette_.error.name();
  auto pair = [&](const QString& label, const QString& value, bool isBad = false) {
    return QStringLiteral("<span style='color:%1'>%2</span>&nbsp;<span style='color:%3'>%4</span>")
        .arg(grey, label.toHtmlEscaped(), isBad ? error : palette_.text.name(), value.toHtmlEscaped());
  };
  if (!value_.known) {
    title_->clear();
    stats_->clear();
    return;
  }
  title_->setText(QStringLiteral("<b>%1</b> %2").arg(value_.variable.toHtmlEscaped(), value_.text.toHtmlEscaped()));
  QStringList facts;
  if (value_.isTensor && value_.finite > 0) {
    facts += pair(tr("min"), shortNumber(value_.min));
    facts += pair(tr("max"), shortNumber(value_.max));
    facts += pair(tr("mean"), shortNumber(value_.mean));
  }
  if (value_.isTensor) {
    facts += pair(tr("elements"), grouped(value_.count));
    facts += pair(tr("size"), bytesText(value_.bytes));
  }
  if (value_.bad()) facts += pair(tr("not finite"), badText(value_), true);
  stats_->setText(facts.join(QStringLiteral(" &nbsp; ")));
}

void TensorTable::makeIndexBoxes() {
  const auto& shape = page_->shape();
  const size_t wanted = page_->leading().size();
  while (boxes_.size() > wanted) {
    boxes_.back()->deleteLater();
    boxes_.pop_back();
  }
  while (boxes_.size() < wanted) {
    const size_t dimension = boxes_.size();
    auto* box = new QSpinBox(this);
    box->setAccessibleName(tr("Index of dimension %1").arg(dimension));
    box->setToolTip(box->accessibleName());
    connect(box, &QSpinBox::valueChanged, this, [this, dimension](int value) { page_->setLeading(dimension, value); });
    indices_->addWidget(box);
    boxes_.push_back(box);
  }
  for (size_t d = 0; d < wanted && d < shape.size(); ++d) {
    const QSignalBlocker quiet(boxes_[d]);
    boxes_[d]->setRange(0, static_cast<int>(std::clamp<qint64>(shape[d] - 1, 0, 1 << 30)));
    boxes_[d]->setValue(static_cast<int>(page_->leading()[d]));
  }
}

void TensorTable::refresh() {
  const bool tensor = value_.known && value_.isTensor;
  const QString error = page_->slice().error;
  const bool hasCells = tensor && page_->ready() && page_->rowCount() > 0;
  model_->refresh();
  table_->setVisible(hasCells);
  message_->setVisible(!hasCells);
  if (tensor && !hasCells) {
    message_->setText(!error.isEmpty()        ? tr("Not available: %1").arg(error).toHtmlEscaped()
                      : page_->busy()         ? tr("Reading the values…")
                      : value_.count == 0     ? tr("The tensor has no elements.")
                      : value_.reference == 0 ? tr("Only the statistics of this value were recorded.")
                                              : QString());
  }
  if (hasCells) makeIndexBoxes();
  for (size_t i = 0; i < boxes_.size(); ++i) boxes_[i]->setVisible(hasCells && i < page_->leading().size());
  where_->setVisible(hasCells);
  if (hasCells) {
    const auto range = [](const QString& what, qint64 first, int count, qint64 total) {
      return count == total
                 ? QStringLiteral("%1 %2").arg(grouped(total), what)
                 : tr("%1 %2–%3 of %4").arg(what, grouped(first), grouped(first + count - 1), grouped(total));
    };
    where_->setText(range(tr("rows"), page_->firstRow(), page_->rowCount(), page_->totalRows()) + QStringLiteral(", ") +
                    range(tr("columns"), page_->firstColumn(), page_->columnCount(), page_->totalColumns()));
  }
  bad_->setVisible(hasCells && !value_.firstBad.empty());
  for (QToolButton* button : turns_) {
    const int rows = button->property("rows").toInt(), columns = button->property("columns").toInt();
    const bool several = rows ? page_->totalRows() > TensorPage::kRows : page_->totalColumns() > TensorPage::kColumns;
    button->setVisible(hasCells && several);
    button->setEnabled(page_->canTurn(rows, columns));
  }
  if (hasCells && goToBad_ && !page_->busy()) {
    goToBad_ = false;
    const auto& bad = value_.firstBad;
    const qint64 row = bad.empty() ? 0 : bad[bad.size() == 1 ? 0 : bad.size() - 2];
    const QModelIndex cell = model_->indexOf(row, bad.size() < 2 ? 0 : bad.back());
    table_->setCurrentIndex(cell);
    table_->scrollTo(cell, QAbstractItemView::PositionAtCenter);
  }
  if (hasCells) {
    // As wide as the widest number of the page, so that most columns fit.
    const QFontMetrics metrics(table_->font());
    int width = metrics.horizontalAdvance(QStringLiteral("0000"));
    for (int r = 0; r < std::min(page_->rowCount(), 64); ++r)
      for (int c = 0; c < page_->columnCount(); ++c)
        width = std::max(width, metrics.horizontalAdvance(shortNumber(page_->value(r, c))));
    table_->horizontalHeader()->setDefaultSectionSize(width + metrics.averageCharWidth() * 2);
  }
}

void TensorTable::copySelection() {
  const QItemSelection selection = table_->selectionModel()->selection();
  if (selection.isEmpty()) return;
  QString text;
  const QItemSelectionRange& range = selection.first();
  for (int r = range.top(); r <= range.bottom(); ++r) {
    QStringList cells;
    for (int c = range.left(); c <= range.right(); ++c) cells += QString::number(page_->value(r, c), 'g', 9);
    text += cells.join(QLatin1Char('\t')) + QLatin1Char('\n');
  }
  QGuiApplication::clipboard()->setText(text);
}

QString TensorTable::dump() const {
  if (!value_.known || !value_.isTensor)
    return (value_.known ? value_.variable + ' ' + value_.text : message_->text()) + '\n';
  QString text = value_.variable + QLatin1Char(' ') + value_.text;
  if (value_.finite > 0)
    text += QStringLiteral("  min %1  max %2  mean %3")
                .arg(shortNumber(value_.min), shortNumber(value_.max), shortNumber(value_.mean));
  if (value_.bad()) text += QStringLiteral("  ") + badText(value_);
  text += QLatin1Char('\n');
  if (page_->rowCount() == 0) return text + message_->text() + QLatin1Char('\n');
  for (int r = 0; r < page_->rowCount(); ++r) {
    QStringList cells;
    for (int c = 0; c < page_->columnCount(); ++c) cells += shortNumber(page_->value(r, c));
    text += cells.join(QLatin1Char('\t')) + QLatin1Char('\n');
  }
  return text;
}

}  // namespace rx::views
