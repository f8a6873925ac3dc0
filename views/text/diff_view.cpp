#include "views/text/diff_view.h"

#include <QCoreApplication>
#include <QFontMetrics>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPalette>
#include <QScrollBar>
#include <QSplitter>
#include <QStackedLayout>
#include <QStackedWidget>
#include <QThreadPool>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

#include "views/text/text_view.h"

namespace rx {

struct DiffView::Job {
  CancelToken cancel;
};

namespace {

constexpr uint32_t kContext = 3;        // equal lines that stay around a change
constexpr int kMargin = 2;              // letters before the text of a change
constexpr uint32_t kAbove = 3;          // rows above a change that are in sight
constexpr uint32_t kCollapseFrom = 10;  // shorter equal stretches stay whole

}  // namespace

DiffView::DiffView(QWidget* parent)
    : QWidget(parent),
      theme_(Palette::forQt(palette())),
      left_(new TextView(this)),
      right_(new TextView(this)),
      unified_(new TextView(this)),
      leftTitle_(new QLabel(this)),
      rightTitle_(new QLabel(this)),
      summary_(new QLabel(this)),
      message_(new QLabel(this)) {
  build();
  connect(left_, &TextView::zoomChanged, right_, &TextView::setZoom);
  connect(right_, &TextView::zoomChanged, left_, &TextView::setZoom);
  connect(unified_, &TextView::zoomChanged, right_, &TextView::setZoom);
  connect(right_, &TextView::zoomChanged, unified_, &TextView::setZoom);
  connect(previous_, &QToolButton::clicked, this, [this] { goToChange(-1); });
  connect(next_, &QToolButton::clicked, this, [this] { goToChange(1); });
  connect(collapse_, &QToolButton::toggled, this, &DiffView::setCollapsed);
  left_->setPartner(right_);
  right_->setPartner(left_);
  for (TextView* view : {left_, right_, unified_}) view->setNotesFollow(true);
  left_->setAccessibleName(tr("Before"));
  right_->setAccessibleName(tr("After"));
  unified_->setAccessibleName(tr("Difference"));
  setTheme(theme_);
}

void DiffView::connectCollapsed(TextView* view) {
  connect(view, &TextView::collapsedActivated, this, [this](uint32_t row) {
    const auto it = std::find(collapsedRows_.begin(), collapsedRows_.end(), row);
    if (it == collapsedRows_.end()) return;
    expanded_.insert(collapsedFrom_[static_cast<size_t>(it - collapsedRows_.begin())]);
    showRows();
  });
}

void DiffView::follow(QScrollBar* from, QScrollBar* to) {
  connect(from, &QScrollBar::valueChanged, this, [this, to](int value) {
    if (syncing_) return;
    syncing_ = true;
    to->setValue(value);
    syncing_ = false;
  });
}

void DiffView::build() {
  auto* head = new QHBoxLayout;
  const int gap = fontMetrics().height() / 3;
  head->setContentsMargins(gap, gap / 2, gap, gap / 2);
  head->addWidget(summary_, 1);
  collapse_ = addButton(Qt::NoArrow, tr("Collapse equal lines"));
  collapse_->setText(tr("Changes only"));
  collapse_->setCheckable(true);
  collapse_->setChecked(true);
  previous_ = addButton(Qt::UpArrow, tr("Previous change (Shift+F7)"));
  next_ = addButton(Qt::DownArrow, tr("Next change (F7)"));
  for (QToolButton* button : {collapse_, previous_, next_}) head->addWidget(button);
  splitter_ = new QSplitter(Qt::Horizontal, this);
  splitter_->setHandleWidth(1);
  splitter_->setChildrenCollapsible(false);
  for (auto [title, view] : {std::pair{leftTitle_, left_}, std::pair{rightTitle_, right_}}) {
    auto* side = new QWidget(splitter_);
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    title->setContentsMargins(gap, gap / 2, gap, gap / 2);
    title->setTextInteractionFlags(Qt::NoTextInteraction);
    QFont bold = title->font();
    bold.setBold(true);
    title->setFont(bold);
    column->addWidget(title);
    column->addWidget(view, 1);
    view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
    splitter_->addWidget(side);
    connectCollapsed(view);
  }
  connect(unified_, &TextView::collapsedActivated, this, [this](uint32_t row) {
    const uint32_t view = viewRows_[merged().lines[unified_->rows().row(row).line].row];
    const auto it = std::find(collapsedRows_.begin(), collapsedRows_.end(), view);
    if (it == collapsedRows_.end()) return;
    expanded_.insert(collapsedFrom_[static_cast<size_t>(it - collapsedRows_.begin())]);
    showRows();
  });
  forms_ = new QStackedWidget(this);
  forms_->addWidget(splitter_);
  forms_->addWidget(unified_);
  auto* body = new QWidget(this);
  auto* column = new QVBoxLayout(body);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(head);
  column->addWidget(forms_, 1);
  message_->setAlignment(Qt::AlignCenter);
  message_->setWordWrap(true);
  message_->setAutoFillBackground(true);
  message_->setMargin(fontMetrics().height());
  stack_ = new QStackedLayout(this);
  stack_->addWidget(body);
  stack_->addWidget(message_);
  setFocusProxy(right_);
  follow(left_->verticalScrollBar(), right_->verticalScrollBar());
  follow(right_->verticalScrollBar(), left_->verticalScrollBar());
  follow(left_->horizontalScrollBar(), right_->horizontalScrollBar());
  follow(right_->horizontalScrollBar(), left_->horizontalScrollBar());
}

DiffView::~DiffView() { cancel(); }

QToolButton* DiffView::addButton(Qt::ArrowType arrow, const QString& tip) {
  auto* button = new QToolButton(this);
  button->setArrowType(arrow);
  button->setAutoRaise(true);
  button->setToolTip(tip);
  button->setAccessibleName(tip);
  return button;
}

void DiffView::setTheme(const Palette& palette) {
  theme_ = palette;
  left_->setTheme(palette);
  right_->setTheme(palette);
  unified_->setTheme(palette);
  QPalette colors = palette.toQt();
  colors.setColor(QPalette::Window, palette.base);
  colors.setColor(QPalette::WindowText, palette.grey);
  message_->setPalette(colors);
  summary_->setPalette(colors);
}

void DiffView::showMessage(const QString& text) {
  message_->setText(text);
  stack_->setCurrentIndex(text.isEmpty() ? 0 : 1);
}

QString DiffView::message() const { return stack_->currentIndex() == 1 ? message_->text() : QString(); }

void DiffView::cancel() {
  if (job_) job_->cancel.cancel();
  job_.reset();
}

void DiffView::compare(TextBufferPtr left, TextBufferPtr right, const QString& leftTitle, const QString& rightTitle) {
  compare([texts = Texts{std::move(left), std::move(right)}] { return texts; }, leftTitle, rightTitle);
}

void DiffView::compare(std::function<Texts()> texts, const QString& leftTitle, const QString& rightTitle,
                       std::function<LineLikeness()> likeness) {
  cancel();
  leftTitle_->setText(leftTitle);
  rightTitle_->setText(rightTitle);
  auto job = std::make_shared<Job>();
  job_ = job;
  summary_->setText(tr("Comparing…"));
  QThreadPool::globalInstance()->start([this, job, texts = std::move(texts), likeness = std::move(likeness)] {
    const auto [left, right] = texts();
    const LineLikeness like = likeness ? likeness() : LineLikeness();
    auto diff = diffTexts(*left, *right, job->cancel, likeness ? &like : nullptr);
    if (!diff || !qApp) return;
    // Cancelling and accepting happen on the thread of the widgets, so `this` is alive where it was not cancelled.
    QMetaObject::invokeMethod(qApp, [this, job, made = comparedTexts(std::move(*diff), left, right)] {
      if (!job->cancel.cancelled()) accept(made);
    });
  });
}

void DiffView::accept(std::shared_ptr<const ComparedTexts> made) {
  job_.reset();
  std::shared_ptr<const ComparedTexts> before = std::exchange(shown_, std::move(made));
  expanded_.clear();
  currentChange_ = -1;
  left_->setBuffer(shown_->left, {});
  left_->setDiffTones(shown_->leftTones, shown_->diff.leftWords);
  right_->setBuffer(shown_->right, {});
  right_->setDiffTones(shown_->rightTones, shown_->diff.rightWords);
  unified_->setBuffer(shown_->mergedBuffer, {});
  unified_->setDiffTones(shown_->merged.tones, shown_->merged.words);
  unified_->setSideNumbers(shown_->numbers);
  showRows();
  showSummary();
  if (!shown_->diff.changes.empty()) goToChange(1);
  QThreadPool::globalInstance()->start([before = std::move(before)]() mutable { before.reset(); });
  Q_EMIT compared();
}

const UnifiedDiff& DiffView::merged() const {
  static const UnifiedDiff kNone;
  return shown_ ? shown_->merged : kNone;
}

void DiffView::setCollapsed(bool collapsed) {
  collapsed_ = collapsed;
  collapse_->setChecked(collapsed);
  expanded_.clear();
  showRows();
}

void DiffView::showRows() {
  if (!diff()) return;
  const auto& rows = diff()->rows;
  std::vector<Row> left, right;
  collapsedRows_.clear();
  collapsedFrom_.clear();
  viewRows_.assign(rows.size(), 0);
  uint32_t nextLeft = 0, nextRight = 0;
  for (uint32_t i = 0; i < rows.size();) {
    uint32_t end = i;
    while (end < rows.size() && !rows[end].changed) ++end;
    const uint32_t from = i == 0 ? i : i + kContext, to = end == rows.size() ? end : end - std::min(end, kContext);
    const bool collapse = collapsed_ && end - i >= kCollapseFrom && to > from + 1 && !expanded_.contains(i);
    const uint32_t stop = std::max(end, i + 1), first = i;
    for (; i < stop; ++i) {
      if (collapse && i >= from && i < to) {
        viewRows_[i] = static_cast<uint32_t>(left.size() - (i > from ? 1 : 0));
        if (i > from) continue;
        collapsedRows_.push_back(static_cast<uint32_t>(left.size()));
        collapsedFrom_.push_back(first);
        left.push_back({RowKind::Collapsed, static_cast<uint32_t>(rows[i].left), to - from});
        right.push_back({RowKind::Collapsed, static_cast<uint32_t>(rows[i].right), to - from});
        continue;
      }
      viewRows_[i] = static_cast<uint32_t>(left.size());
      if (rows[i].left >= 0) nextLeft = static_cast<uint32_t>(rows[i].left);
      if (rows[i].right >= 0) nextRight = static_cast<uint32_t>(rows[i].right);
      left.push_back({rows[i].left >= 0 ? RowKind::Line : RowKind::Filler, nextLeft, 1});
      right.push_back({rows[i].right >= 0 ? RowKind::Line : RowKind::Filler, nextRight, 1});
      if (rows[i].left >= 0) ++nextLeft;
      if (rows[i].right >= 0) ++nextRight;
    }
  }
  left_->setRows(std::move(left));
  right_->setRows(std::move(right));
  showUnifiedRows();
}

/// The same stretches of the comparison stay collapsed in the unified text.
void DiffView::showUnifiedRows() {
  std::vector<Row> rows;
  size_t collapsed = 0;
  for (uint32_t line = 0; line < merged().lines.size(); ++line) {
    const uint32_t row = merged().lines[line].row;
    const uint32_t view = viewRows_[row];
    while (collapsed < collapsedRows_.size() && collapsedRows_[collapsed] < view) ++collapsed;
    const bool hidden = collapsed < collapsedRows_.size() && collapsedRows_[collapsed] == view;
    const bool joins = hidden && !rows.empty() && rows.back().kind == RowKind::Collapsed &&
                       viewRows_[merged().lines[rows.back().line].row] == view;
    if (joins) {
      ++rows.back().count;
    } else {
      rows.push_back({hidden ? RowKind::Collapsed : RowKind::Line, line, 1});
    }
  }
  unified_->setRows(std::move(rows));
}

std::pair<int32_t, int32_t> DiffView::sidesOf(uint32_t unifiedLine) const {
  if (unifiedLine >= merged().lines.size()) return {-1, -1};
  return {merged().lines[unifiedLine].left, merged().lines[unifiedLine].right};
}

void DiffView::setNotes(LineNotes left, LineNotes right) {
  // A line of the unified text has the note of the line that it is.
  std::vector<uint32_t> lines;
  std::array<LineNotes::Cursor, 2> noted{left.cursor(), right.cursor()};
  const std::vector<UnifiedDiff::Line>& all = merged().lines;
  for (uint32_t line = 0; line < all.size(); ++line) {
    const bool ofRight = all[line].right >= 0;
    if (noted[ofRight].reaches(static_cast<uint32_t>(ofRight ? all[line].right : all[line].left)))
      lines.push_back(line);
  }
  unified_->setLineNotes(LineNotes(std::move(lines), [shown = shown_, left, right](uint32_t line) {
    const UnifiedDiff::Line& sides = shown->merged.lines[line];
    const LineNote* note =
        sides.right >= 0 ? right.of(static_cast<uint32_t>(sides.right)) : left.of(static_cast<uint32_t>(sides.left));
    LineNote here = note ? *note : LineNote();
    here.line = line;
    return here;
  }));
  left_->setLineNotes(std::move(left));
  right_->setLineNotes(std::move(right));
}

void DiffView::showSummary() {
  if (!diff()) return;
  if (diff()->changes.empty()) {
    summary_->setText(tr("No difference"));
  } else {
    QStringList parts;
    if (diff()->edited) parts += tr("%n changed", nullptr, static_cast<int>(diff()->edited));
    if (diff()->added) parts += tr("%n added", nullptr, static_cast<int>(diff()->added));
    if (diff()->removed) parts += tr("%n removed", nullptr, static_cast<int>(diff()->removed));
    const QString where = currentChange_ < 0 ? QString() : tr("change %1 of ").arg(currentChange_ + 1);
    summary_->setText(
        tr("%1%2 · lines: %3").arg(where, QString::number(diff()->changes.size()), parts.join(QStringLiteral(", "))));
  }
  previous_->setEnabled(!diff()->changes.empty());
  next_->setEnabled(!diff()->changes.empty());
}

bool DiffView::goToChange(int direction) {
  if (!diff() || diff()->changes.empty()) return false;
  const auto count = static_cast<int>(diff()->changes.size());
  const int next = currentChange_ < 0 ? (direction > 0 ? 0 : count - 1) : (currentChange_ + direction + count) % count;
  showChange(next, diff()->changes[static_cast<size_t>(next)]);
  return true;
}

bool DiffView::goToChangeIn(int32_t DiffRow::*side, uint32_t first, uint32_t last) {
  if (!diff()) return false;
  uint32_t line = 0;  // of that side, before the row
  size_t begun = 0;   // changes
  for (uint32_t row = 0; row < diff()->rows.size(); ++row) {
    if (begun < diff()->changes.size() && diff()->changes[begun] == row) ++begun;
    const bool has = diff()->rows[row].*side >= 0;
    // What only the other side has stands within, where lines of this side are above it and below.
    if (diff()->rows[row].changed && line <= last && (has ? line >= first : line > first))
      return showChange(static_cast<int>(begun) - 1, row), true;
    if (has) ++line;
  }
  return false;
}

void DiffView::showChange(int index, uint32_t first) {
  currentChange_ = index;
  if (isUnified()) {
    QScrollBar* bar = unified_->verticalScrollBar();
    const auto line = std::find_if(merged().lines.begin(), merged().lines.end(),
                                   [&](const UnifiedDiff::Line& merged) { return merged.row >= first; });
    if (line == merged().lines.end()) return;
    const auto at = static_cast<uint32_t>(line - merged().lines.begin());
    const uint32_t row = unified_->rows().rowOf(at);
    unified_->setCaret(unified_->buffer()->lineStart(at));
    bar->setValue(static_cast<int>(unified_->rowTop(row - std::min(row, kContext))));
    return showSummary();
  }
  const qreal top = right_->rowTop(viewRows_[first]);
  QScrollBar* bar = right_->verticalScrollBar();
  const int height = right_->viewport()->height();
  if (top < bar->value() || top + right_->lineHeight() * 2 > bar->value() + height)
    bar->setValue(static_cast<int>(top - right_->lineHeight() * (kContext + 1)));
  for (auto [view, side] : {std::pair{left_, &DiffRow::left}, std::pair{right_, &DiffRow::right}}) {
    // The caret goes where the change begins on that side, so that reading and copying start there.
    const int32_t line = diff()->rows[first].*side;
    const int keep = bar->value();
    if (line >= 0) view->setCaret(view->buffer()->lineStart(static_cast<uint32_t>(line)));
    bar->setValue(keep);
  }
  showFromIndentation(first);
  showSummary();
}

/// Beside each other there is little room: what all lines in sight are indented by leaves it to what changed.
void DiffView::showFromIndentation(uint32_t first) {
  size_t least = std::string_view::npos;
  const auto& rows = diff()->rows;
  const auto inSight =
      static_cast<uint32_t>(right_->viewport()->height() / std::max(1, right_->fontMetrics().height()));
  uint32_t last = first;
  while (last < rows.size() && rows[last].changed) ++last;
  last = std::max(last, std::min(first + inSight, static_cast<uint32_t>(rows.size())));
  for (uint32_t row = first > kAbove ? first - kAbove : 0; row < last; ++row) {
    for (auto [view, side] : {std::pair{left_, &DiffRow::left}, std::pair{right_, &DiffRow::right}}) {
      const int32_t line = rows[row].*side;
      if (line < 0) continue;
      least = std::min(least, view->buffer()->line(static_cast<uint32_t>(line)).find_first_not_of(' '));
    }
  }
  if (least == std::string_view::npos) return;
  const int letter = QFontMetrics(right_->viewport()->font()).averageCharWidth();
  right_->horizontalScrollBar()->setValue(std::max(0, static_cast<int>(least) - kMargin) * letter);
}

void DiffView::setWrapped(bool on) {
  for (TextView* view : {left_, right_, unified_}) view->setWrapped(on);
}

bool DiffView::isUnified() const { return forms_->currentWidget() == unified_; }

void DiffView::setForm(Form form) {
  form_ = form;
  showForm();
}

void DiffView::showForm() {
  // Side by side needs room for the name, the type and the operator of a binding in each.
  constexpr int kLetters = 60;
  const int letter = QFontMetrics(right_->viewport()->font()).averageCharWidth();
  const bool narrow = width() < 2 * kLetters * letter;
  const bool unified = form_ == Form::Unified || (form_ == Form::ByWidth && narrow);
  if (unified == isUnified()) return;
  forms_->setCurrentWidget(unified ? static_cast<QWidget*>(unified_) : splitter_);
  setFocusProxy(unified ? unified_ : right_);
  if (currentChange_ >= 0) showChange(currentChange_, diff()->changes[static_cast<size_t>(currentChange_)]);
  Q_EMIT formShown();
}

void DiffView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  showForm();
}

void DiffView::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_F7) {
    goToChange(event->modifiers() & Qt::ShiftModifier ? -1 : 1);
    return;
  }
  QWidget::keyPressEvent(event);
}

}  // namespace rx
