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

constexpr int kMargin = 2;      // letters before the text of a change
constexpr uint32_t kAbove = 3;  // rows above a change that are in sight

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
  QThreadPool::globalInstance()->start(
      [this, job, collapsed = collapsed_, texts = std::move(texts), likeness = std::move(likeness)] {
        const auto [left, right] = texts();
        const LineLikeness like = likeness ? likeness() : LineLikeness();
        auto diff = diffTexts(*left, *right, job->cancel, likeness ? &like : nullptr);
        if (!diff || !qApp) return;
        auto made = comparedTexts(std::move(*diff), left, right);
        auto rows = std::make_shared<ComparedRows>(comparedRows(*made, collapsed, {}));
        // Cancelling and accepting happen on the thread of the widgets, so `this` is alive where it was not cancelled.
        QMetaObject::invokeMethod(qApp, [this, job, made, rows] {
          if (!job->cancel.cancelled()) accept(made, std::move(*rows));
        });
      });
}

/// What only the views read is theirs from now on.
void DiffView::accept(const std::shared_ptr<ComparedTexts>& made, ComparedRows rows) {
  job_.reset();
  std::shared_ptr<const ComparedTexts> before = std::exchange(shown_, made);
  expanded_.clear();
  currentChange_ = -1;
  left_->setBuffer(made->left, {});
  left_->setDiffTones(std::move(made->leftTones), std::move(made->diff.leftWords));
  right_->setBuffer(made->right, {});
  right_->setDiffTones(std::move(made->rightTones), std::move(made->diff.rightWords));
  unified_->setBuffer(made->mergedBuffer, {});
  unified_->setDiffTones(std::move(made->merged.tones), std::move(made->merged.words));
  unified_->setSideNumbers(std::move(made->numbers));
  if (rows.collapsed == collapsed_) {
    showRows(std::move(rows));
  } else {
    showRows();
  }
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
  if (shown_) showRows(comparedRows(*shown_, collapsed_, expanded_));
}

void DiffView::showRows(ComparedRows rows) {
  collapsedRows_ = std::move(rows.collapsedRows);
  collapsedFrom_ = std::move(rows.collapsedFrom);
  viewRows_ = std::move(rows.viewRows);
  left_->setRows(std::move(rows.left));
  right_->setRows(std::move(rows.right));
  unified_->setRows(std::move(rows.unified));
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
