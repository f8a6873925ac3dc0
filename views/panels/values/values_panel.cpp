#include "views/panels/values/values_panel.h"

#include <QClipboard>
#include <QComboBox>
#include <QEvent>
#include <QGuiApplication>
#include <QMenu>
#include <QPalette>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

#include "views/models/document.h"
#include "views/models/numbers.h"
#include "views/models/selection.h"
#include "views/models/value_text.h"
#include "views/panels/bare_scroll_area.h"
#include "views/panels/flow_layout.h"
#include "views/panels/path_dialog.h"
#include "views/panels/rich_label.h"
#include "views/panels/run_theme.h"
#include "views/panels/run_watch.h"
#include "views/panels/values/axis_bar.h"
#include "views/panels/values/histogram_view.h"
#include "views/panels/values/item_list.h"
#include "views/panels/values/opened_item.h"
#include "views/panels/values/plot_view.h"
#include "views/panels/values/selected_value.h"
#include "views/panels/values/tensor_table.h"
#include "views/theme/icons.h"

namespace rx::views {
namespace {

constexpr std::array kPictures = {"heat", "image", "line"};
constexpr std::array kDistances = {"absolute", "relative", "ulp"};

/// Number of a word in a list, -1 when it is not in it.
int numberOf(std::span<const char* const> words, const QString& word) {
  for (size_t i = 0; i < words.size(); ++i)
    if (word == QLatin1String(words[i])) return static_cast<int>(i);
  return -1;
}

/// Numbers of a command; empty when one is none.
std::vector<qint64> numbersOf(const QStringList& words) {
  std::vector<qint64> numbers;
  for (const QString& word : words) {
    bool ok = false;
    numbers.push_back(word.toLongLong(&ok));
    if (!ok) return {};
  }
  return numbers;
}

}  // namespace

struct ValuesPanel::CommandRow {
  const char* name;
  bool (*run)(ValuesPanel& panel, const QStringList& arguments);
};

const ValuesPanel::CommandRow ValuesPanel::kCommands[] = {
    {"format",
     [](ValuesPanel& p, const QStringList& a) {
       const int format = numberOf(numberFormatNames(), a.value(0));
       if (format < 0) return false;
       p.format_->setCurrentIndex(format);
       p.table_->setFormat(static_cast<NumberFormat>(format));
       return true;
     }},
    {"picture", [](ValuesPanel& p, const QStringList& a) { return p.pictureCommand(a); }},
    {"axes",
     [](ValuesPanel& p, const QStringList& a) {
       const auto axes = numbersOf(a);
       return axes.size() == 2 && p.turn(static_cast<int>(axes[0]), static_cast<int>(axes[1]));
     }},
    {"hold",
     [](ValuesPanel& p, const QStringList& a) {
       const auto numbers = numbersOf(a);
       return numbers.size() == 2 && p.study_->page()->setIndex(static_cast<int>(numbers[0]), numbers[1]);
     }},
    {"goTo",
     [](ValuesPanel& p, const QStringList& a) {
       p.study_->setCurrent(numbersOf(a));
       return p.study_->current() == numbersOf(a);
     }},
    {"nextBad",
     [](ValuesPanel& p, const QStringList&) {
       if (!p.next_->isEnabled()) return false;
       p.study_->find({});
       return true;
     }},
    {"previousBad",
     [](ValuesPanel& p, const QStringList&) {
       if (!p.previous_->isEnabled()) return false;
       ElementQuery query;
       query.forward = false;
       p.study_->find(query);
       return true;
     }},
    {"largest",
     [](ValuesPanel& p, const QStringList&) {
       if (!p.study_->survey() || p.study_->survey()->largest.empty()) return false;
       p.study_->setCurrent(p.study_->survey()->largest);
       return true;
     }},
    {"logarithmic",
     [](ValuesPanel& p, const QStringList& a) {
       const bool on = a.isEmpty() ? !p.histogram_->logarithmic() : a[0] == QLatin1String("on");
       p.logarithmic_->setChecked(on);
       p.histogram_->setLogarithmic(on);
       return true;
     }},
    {"compare", [](ValuesPanel& p, const QStringList& a) { return p.compareCommand(a); }},
    {"distance",
     [](ValuesPanel& p, const QStringList& a) {
       const int distance = numberOf(kDistances, a.value(0));
       if (distance < 0) return false;
       p.distance_->setCurrentIndex(distance);
       p.refresh();
       return true;
     }},
    {"copy", [](ValuesPanel& p, const QStringList& a) { return p.copyCommand(a); }},
    {"item", [](ValuesPanel& p, const QStringList& a) { return p.itemCommand(a); }},
    {"set", [](ValuesPanel& p, const QStringList& a) { return p.setCommand(a); }},
};

ValuesPanel::ValuesPanel(const PanelContext& context, QWidget* parent)
    : Panel(parent),
      context_(context),
      study_(new TensorStudy(context.debug, this)),
      table_(new TensorTable(study_, this)),
      opened_(new OpenedItem(context, this)),
      items_(new ItemList(this)),
      axes_(new AxisBar(study_->page(), this)),
      histogram_(new HistogramView(this)),
      plane_(new PlaneView(this)),
      plot_(new PlotView(this)),
      pictures_(new QStackedWidget(this)),
      head_(new RichLabel(this)),
      percentiles_(new RichLabel(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(makeHead());
  layout->addWidget(makeBody(), 1);
  setFocusProxy(table_);
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::Base);
  const auto soon = [this] {
    showTitle();
    want();
  };
  connect(context.selection, &Selection::changed, this, soon);
  watchRun(context.debug, this, soon);
  connect(context.document, &Document::opened, this, soon);
  connect(context.debug, &DebugSession::tracedShown, this, soon);
  connect(table_->model(), &TensorTableModel::edited, this, &ValuesPanel::set);
  connect(opened_, &OpenedItem::changed, this, &ValuesPanel::refresh);
  connect(items_, &ItemList::opened, this, &ValuesPanel::openItem);
  connect(items_, &ItemList::wanted, this, [this](int series, int number) {
    opened_->fetch(number, items_,
                   [this, series, number](const ValueSummary& value) { items_->setItem(series, number, value); });
  });
  connect(study_, &TensorStudy::changed, this, &ValuesPanel::display);
  connect(study_, &TensorStudy::currentMoved, this, &ValuesPanel::display);
  connect(axes_, &AxisBar::turned, this, &ValuesPanel::turn);
  connect(axes_, &AxisBar::held, this, [this](int axis, qint64 index) { study_->page()->setIndex(axis, index); });
  connect(histogram_, &HistogramView::picked, study_, &TensorStudy::find);
  connect(plane_, &PlaneView::picked, this, [this](qint64 row, qint64 column) {
    const PlaneQuery query = study_->planeOfPage(1, 1);
    std::vector<qint64> index = study_->page()->at();
    if (query.rowAxis >= 0) index[static_cast<size_t>(query.rowAxis)] = row;
    if (query.columnAxis >= 0) index[static_cast<size_t>(query.columnAxis)] = column;
    study_->setCurrent(index);
  });
  connect(plot_, &PlotView::picked, this, [this](qint64 column) {
    std::vector<qint64> index = study_->current().empty() ? study_->page()->at() : study_->current();
    const int axis = study_->planeOfPage(1, 1).columnAxis;
    if (axis >= 0) index[static_cast<size_t>(axis)] = column;
    study_->setCurrent(index);
  });
  applyTheme();
  showTitle();
  refresh();
}

QComboBox* ValuesPanel::makeChoice(const QStringList& words, const QString& name, const QString& command) {
  auto* box = new QComboBox(this);
  box->addItems(words);
  box->setAccessibleName(name);
  box->setToolTip(name);
  connect(box, &QComboBox::activated, this, [this, command](int) {
    const auto* chosen = qobject_cast<QComboBox*>(sender());
    this->command(command, {chosen->currentData().toString()});
  });
  return box;
}

QToolButton* ValuesPanel::makeButton(const QString& text, const QString& tip, const QString& command,
                                     const QStringList& arguments) {
  auto* button = new QToolButton(this);
  button->setText(text);
  button->setToolTip(tip);
  button->setAutoRaise(true);
  connect(button, &QToolButton::clicked, this, [this, command, arguments] { this->command(command, arguments); });
  tools_.push_back(button);
  return button;
}

QWidget* ValuesPanel::makeHead() {
  auto* head = new QWidget(this);
  auto* column = new QVBoxLayout(head);
  const int gap = fontMetrics().height() / 3;
  column->setContentsMargins(gap, gap, gap, gap);
  column->setSpacing(gap);
  head_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  column->addWidget(head_);
  auto* bar = new FlowLayout;
  bar->setSpacing(gap);
  column->addLayout(bar);
  out_ = makeButton(tr("Out"), tr("Go back to the tuple that holds this item"), "item", {QStringLiteral("up")});
  out_->setIcon(icon("out"));
  out_->setAccessibleName(out_->text());
  tools_.pop_back();  // it is of use where no tensor is shown too
  bar->addWidget(out_);
  bar->addWidget(axes_);
  tools_.push_back(axes_);
  previous_ = makeButton(tr("Previous bad"), tr("Go to the element before that is NaN or Inf"), "previousBad");
  next_ = makeButton(tr("Next bad"), tr("Go to the next element that is NaN or Inf"), "nextBad");
  kind_ = makeChoice({tr("Heat map"), tr("Image"), tr("Line")}, tr("Kind of picture"), "picture");
  format_ = makeChoice({tr("Decimal"), tr("Scientific"), tr("Hex"), tr("Bits")}, tr("Format of the numbers"), "format");
  distance_ = makeChoice({tr("Absolute"), tr("Relative"), tr("ULP")}, tr("How differences are measured"), "distance");
  for (size_t i = 0; i < kPictures.size(); ++i) kind_->setItemData(static_cast<int>(i), kPictures[i]);
  for (size_t i = 0; i < kDistances.size(); ++i) distance_->setItemData(static_cast<int>(i), kDistances[i]);
  for (size_t i = 0; i < numberFormatNames().size(); ++i)
    format_->setItemData(static_cast<int>(i), numberFormatNames()[i]);
  previous_->setIcon(icon("up"));
  next_->setIcon(icon("down"));
  for (QToolButton* button : {previous_, next_}) {
    button->setAccessibleName(button->text());
    button->setToolButtonStyle(Qt::ToolButtonIconOnly);
  }
  compare_ = makeButton(tr("Compare…"), tr("Compare with another value, or with an array of a file"), "compare");
  logarithmic_ =
      makeButton(tr("Log counts"), tr("Heights of the histogram as logarithms of the counts"), "logarithmic");
  logarithmic_->setCheckable(true);
  for (QWidget* tool :
       {static_cast<QWidget*>(previous_), static_cast<QWidget*>(next_), static_cast<QWidget*>(kind_),
        static_cast<QWidget*>(format_), static_cast<QWidget*>(distance_), static_cast<QWidget*>(compare_)})
    bar->addWidget(tool);
  tools_.push_back(kind_);
  tools_.push_back(format_);
  return head;
}

QWidget* ValuesPanel::makeBody() {
  splitter_ = new QSplitter(Qt::Horizontal, this);
  splitter_->setChildrenCollapsible(false);
  splitter_->setHandleWidth(1);
  splitter_->setMinimumHeight(fontMetrics().height());  // in a low panel it gives way before a tool is cut
  pictures_->addWidget(plane_);
  pictures_->addWidget(plot_);
  side_ = new QWidget(splitter_);
  // What a low panel has no room for is scrolled to; its tool stays in sight.
  auto* side = bareScrollArea(side_);
  side->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  side->setFocusPolicy(Qt::NoFocus);
  side->viewport()->setAutoFillBackground(false);
  auto* shown = new QWidget(side);
  side->setWidget(shown);
  shown->setAutoFillBackground(false);
  auto* column = new QVBoxLayout(shown);
  const int gap = fontMetrics().height() / 3;
  column->setContentsMargins(gap, 0, gap, 0);
  column->setSpacing(gap);
  column->addWidget(histogram_, 1);
  column->addWidget(percentiles_);
  auto* whole = new QVBoxLayout(side_);
  whole->setContentsMargins(0, 0, 0, gap);
  whole->setSpacing(gap);
  whole->addWidget(side, 1);
  whole->addWidget(logarithmic_, 0, Qt::AlignRight);
  percentiles_->setTextInteractionFlags(Qt::NoTextInteraction);
  splitter_->addWidget(items_);
  splitter_->addWidget(table_);
  splitter_->addWidget(pictures_);
  splitter_->addWidget(side_);
  constexpr int kTableLetters = 28;  // three columns of numbers: the pictures give way before that
  table_->setMinimumWidth(fontMetrics().averageCharWidth() * kTableLetters);
  for (int i = 0; i < 4; ++i) splitter_->setStretchFactor(i, i <= 1 ? 3 : 2);
  return splitter_;
}

void ValuesPanel::applyTheme() {
  const Palette theme = runTheme(*context_.debug, *this);
  table_->setTheme(theme);
  histogram_->setTheme(theme);
  plane_->setTheme(theme);
  plot_->setTheme(theme);
}

void ValuesPanel::changeEvent(QEvent* event) {
  Panel::changeEvent(event);
  if (event->type() != QEvent::PaletteChange && event->type() != QEvent::FontChange) return;
  applyTheme();
  showHead();
}

/// Where there is no room for all three the picture gives way first, then the histogram.
void ValuesPanel::resizeEvent(QResizeEvent* event) {
  Panel::resizeEvent(event);
  display();
}

void ValuesPanel::showEvent(QShowEvent* event) {
  Panel::showEvent(event);
  display();
}

void ValuesPanel::showTitle() {
  const ValueSummary value = opened_->value().value;
  Q_EMIT titleChanged(value.known ? tr("Values · %1").arg(value.variable) : tr("Values"));
}

void ValuesPanel::catchUp(unsigned) { refresh(); }

void ValuesPanel::refresh() {
  if (const bool past = !context_.debug->pastOf().isEmpty(); std::exchange(past_, past) != past) applyTheme();
  const SelectedValue selected = opened_->value();
  const QString function = context_.selection->place().function;
  const QString variable = function + QLatin1Char('/') + selected.value.variable;
  if (variable != otherOf_) other_ = {};
  otherOf_ = variable;
  table_->setAbsent(selected.absent);
  table_->model()->setEditable(context_.debug->canSetValues() && !other_.any());
  const auto distance = static_cast<Distance>(std::max(0, distance_->currentIndex()));
  items_->setItems(selected.value.items, selected.value.count, past_);
  study_->setValue(selected.value, sourceOf(context_, function, selected.value, other_, distance));
}

void ValuesPanel::display() {
  const ValueSummary& value = study_->value();
  const bool tensor = value.known && value.isTensor && value.count > 0 && value.reference != 0;
  const int em = fontMetrics().height();
  const bool tuple = value.known && !value.isTensor && !value.items.empty();
  items_->setVisible(tuple);
  table_->setVisible(!tuple);
  setFocusProxy(tuple ? static_cast<QWidget*>(items_) : table_);
  for (QWidget* tool : tools_) tool->setVisible(tensor);
  out_->setVisible(!opened_->path().empty());
  distance_->setVisible(tensor && study_->source().compares());
  pictures_->setVisible(tensor && width() >= em * 46);
  side_->setVisible(tensor && width() >= em * 28);
  const TensorSurvey* survey = study_->survey();
  const bool compares = study_->source().compares();
  const qint64 inf = compares ? (survey ? survey->positiveInf : 0) : value.inf;
  const qint64 nan = compares ? 0 : value.nan;
  previous_->setEnabled(nan + inf > 0);
  next_->setEnabled(nan + inf > 0);
  axes_->refresh();
  histogram_->setSurvey(survey && survey->error.isEmpty() ? survey : nullptr, nan, inf);
  percentiles_->setHtml(percentilesText());
  showHead();
  if (tensor) showPicture();
  showMark();
  if (!busy()) Q_EMIT settled();
}

HeatScale ValuesPanel::scale() const {
  const TensorSurvey* survey = study_->survey();
  if (study_->source().compares()) return survey ? scaleOf(0, survey->high) : HeatScale{0, 1};
  const ValueSummary& value = study_->value();
  return picture_ == Picture::Image ? HeatScale{value.min, value.max} : scaleOf(value.min, value.max);
}

std::vector<PlaneQuery> ValuesPanel::wantedPlanes() const {
  constexpr int kMost = 256;
  constexpr int kLine = 1024;
  PlaneQuery query = study_->planeOfPage(kMost, kMost);
  const auto rank = static_cast<int>(query.at.size());
  if (picture_ == Picture::Line) {
    const std::vector<qint64>& at = study_->current().empty() ? study_->page()->at() : study_->current();
    query = {-1, query.columnAxis, at, 1, kLine};
    if (query.columnAxis >= 0) query.at[static_cast<size_t>(query.columnAxis)] = 0;
    return {query};
  }
  const int channels = rank - 3;
  const bool colors = picture_ == Picture::Image && channels >= 0 && query.rowAxis == rank - 2 &&
                      query.columnAxis == rank - 1 && study_->page()->shape()[static_cast<size_t>(channels)] == 3;
  if (!colors) return {query};
  std::vector<PlaneQuery> queries(3, query);
  for (size_t i = 0; i < queries.size(); ++i) queries[i].at[static_cast<size_t>(channels)] = static_cast<qint64>(i);
  return queries;
}

void ValuesPanel::showPicture() {
  if (!pictures_->isVisible()) return study_->wantPlanes({});  // nobody looks
  const std::vector<PlaneQuery> wanted = wantedPlanes();
  study_->wantPlanes(wanted);
  std::vector<const TensorPlane*> planes;
  for (const PlaneQuery& query : wanted) planes.push_back(study_->plane(query));
  const bool line = picture_ == Picture::Line;
  pictures_->setCurrentWidget(line ? static_cast<QWidget*>(plot_) : plane_);
  if (line) return plot_->setLine(planes.front());
  const TensorPlane* first = planes.front();
  plane_->setEmptyText(!first                    ? tr("Reading…")
                       : !first->error.isEmpty() ? tr("Not available: %1").arg(first->error)
                                                 : QString());
  plane_->setPlanes(planes, scale(), picture_ == Picture::Image ? PlaneView::Mode::Image : PlaneView::Mode::Heat);
  plane_->setToolTip(first && first->sampled ? tr("A sample of the elements: the plane has too many.") : QString());
}

void ValuesPanel::showMark() {
  const std::vector<qint64>& at = study_->current();
  const PlaneQuery query = study_->planeOfPage(1, 1);
  const auto along = [&](int axis) { return axis < 0 ? 0 : at[static_cast<size_t>(axis)]; };
  const bool here = !at.empty() && study_->page()->holds(at);
  plane_->setMark(here ? along(query.rowAxis) : -1, here ? along(query.columnAxis) : -1);
  plot_->setMark(here ? along(query.columnAxis) : -1);
  const QModelIndex cell = table_->model()->cellOf(at);
  histogram_->setMark(cell.isValid() ? std::optional(study_->page()->value(cell.row(), cell.column())) : std::nullopt);
}

void ValuesPanel::compareWith(const Compared& other) {
  other_ = other;
  refresh();
}

/// The marked element stays in sight.
bool ValuesPanel::turn(int rows, int columns) { return study_->page()->setAxes(rows, columns, study_->current()); }

/// Of an .npz without the name of an array the first that has the shape of the value.
void ValuesPanel::compareWithFile(const QString& path, const QString& array) {
  if (!array.isEmpty() || path.endsWith(QLatin1String(".npy"))) return compareWith({{}, path, array});
  const QString variable = study_->value().variable;
  ++waiting_;
  context_.debug->fetchArrays(path, this, [this, path, variable](const QString&, const std::vector<ArrayRow>& arrays) {
    --waiting_;
    if (study_->value().variable != variable) return;
    const auto fits = std::find_if(arrays.begin(), arrays.end(),
                                   [&](const ArrayRow& row) { return row.shape == study_->page()->shape(); });
    compareWith({{}, path, fits != arrays.end() ? fits->name : arrays.empty() ? QString() : arrays.front().name});
  });
}

bool ValuesPanel::compareCommand(const QStringList& arguments) {
  if (!study_->value().known || !study_->value().isTensor) return false;
  if (arguments.isEmpty()) {
    openCompareMenu();
    return true;
  }
  if (arguments[0] == QLatin1String("off")) {
    compareWith({});
    return true;
  }
  if (arguments[0] == QLatin1String("file")) {
    if (arguments.size() < 2) return false;
    compareWithFile(arguments[1], arguments.value(2));
    return true;
  }
  const Compared other{arguments[0], {}, {}};
  const auto values = comparableValues(context_, study_->value());
  if (std::find(values.begin(), values.end(), other) == values.end()) return false;
  compareWith(other);
  return true;
}

void ValuesPanel::openCompareMenu() {
  const ValueSummary value = study_->value();
  findComparableArrays(context_, value, this, [this, value](const std::vector<Compared>& arrays) {
    if (study_->value().variable != value.variable) return;
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const auto add = [&](const Compared& other) {
      menu->addAction(other.title(), this, [this, other] { compareWith(other); });
    };
    if (other_.any()) menu->addAction(tr("Show the value by itself"), this, [this] { compareWith({}); });
    menu->addSection(tr("Files beside the module"));
    for (const Compared& other : arrays) add(other);
    menu->addAction(tr("Another file…"), this, [this] {
      askForPath(this, tr("Compare with"), context_.document->folder(), QFileDialog::ExistingFile,
                 tr("NumPy (*.npy *.npz)"), [this](const QString& path) {
                   command("compare", {"file", path});
                 });
    });
    menu->addSection(tr("Values of the same shape"));
    for (const Compared& other : comparableValues(context_, value)) add(other);
    menu->popup(compare_->mapToGlobal(QPoint(0, compare_->height())));
  });
}

bool ValuesPanel::copyCommand(const QStringList& arguments) {
  const QString text = arguments.value(0) == QLatin1String("numpy") ? table_->numpyText() : table_->cellsText();
  if (text.isEmpty()) return false;
  QGuiApplication::clipboard()->setText(text);
  return true;
}

bool ValuesPanel::pictureCommand(const QStringList& arguments) {
  const int picture = numberOf(kPictures, arguments.value(0));
  if (picture < 0) return false;
  kind_->setCurrentIndex(picture);
  picture_ = static_cast<Picture>(picture);
  display();
  return true;
}

bool ValuesPanel::obey(const QString& name, const QStringList& arguments) {
  for (const CommandRow& row : kCommands)
    if (name == QLatin1String(row.name)) return row.run(*this, arguments);
  return false;
}

QString ValuesPanel::dump() const {
  const ValueSummary& value = study_->value();
  if (items_->isVisibleTo(this)) return headText() + QLatin1Char('\n') + items_->dump();
  if (!value.known || !value.isTensor) return (value.known ? headText() : table_->dump().trimmed()) + QLatin1Char('\n');
  QString text = headText() + QLatin1Char('\n');
  if (const QString comparison = comparisonText(); !comparison.isEmpty()) text += comparison + QLatin1Char('\n');
  if (const QString search = searchText(); !search.isEmpty()) text += search + QLatin1Char('\n');
  if (const QModelIndex cell = table_->model()->cellOf(study_->current()); cell.isValid())
    text += tr("element %1\n").arg(cell.data(Qt::ToolTipRole).toString());
  text += table_->dump();
  if (const QString bars = histogram_->text(); !bars.isEmpty()) text += tr("Histogram\n") + bars + QLatin1Char('\n');
  return text;
}

bool ValuesPanel::busy() const { return Panel::busy() || waiting_ > 0 || opened_->busy() || study_->busy(); }

}  // namespace rx::views
