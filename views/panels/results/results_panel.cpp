#include "views/panels/results/results_panel.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "views/models/lit_query.h"
#include "views/models/numbers.h"
#include "views/models/selection.h"
#include "views/panels/binding_menu.h"
#include "views/panels/list_view.h"
#include "views/panels/results/search_chips.h"

namespace rx::views {
namespace {

using Row = SearchHit;
CellTone grey(const Row&) { return CellTone::Grey; }
constexpr Column<Row> kColumns[] = {
    {"kind", [](const Row& r) { return hitKindName(r.kind); }, false, false, grey},
    {"what", [](const Row& r) { return r.title; }, false, true, nullptr, [](const Row& r) { return r.title; }},
    {"details", [](const Row& r) { return r.detail; }, false, true, grey, [](const Row& r) { return r.detail; }},
    {"place", [](const Row& r) { return r.where(); }},
    {"stage", [](const Row& r) { return r.stages(); }, true},
};

/// The same thing, whatever its row of stages.
bool samePlace(const SearchHit& a, const SearchHit& b) {
  return a.kind == b.kind && a.function == b.function && a.variable == b.variable && a.line == b.line &&
         a.stage <= b.lastStage && b.stage <= a.lastStage;
}

}  // namespace

ResultsPanel::ResultsPanel(const PanelContext& context, QWidget* parent)
    : Panel(parent),
      context_(context),
      edit_(new QLineEdit(this)),
      chips_(new SearchChips(edit_, true, this)),
      count_(new QLabel(this)),
      again_(new QToolButton(this)),
      view_(new ListView(this)),
      model_(new RowModel<SearchHit>(kColumns, this)),
      job_(new SearchJob(context.document, this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* top = new QWidget(this);
  top->setMinimumWidth(1);  // a narrow dock has the field alone; see resizeEvent
  auto* line = new QHBoxLayout(top);
  line->setContentsMargins(4, 3, 8, 3);
  edit_->setPlaceholderText(tr("find in all stages: a name, an operator, (*, 4096), f16, any text"));
  edit_->setAccessibleName(tr("Find in all stages"));
  edit_->setClearButtonEnabled(true);
  edit_->installEventFilter(this);
  line->addWidget(edit_, 1);
  line->addWidget(chips_);
  line->addWidget(count_);
  line->addWidget(again_);
  again_->setAutoRaise(true);
  again_->setToolTip(tr("Adds what the stages hold that came since"));
  column->addWidget(top);
  column->addWidget(view_);
  view_->setModel(model_);
  view_->setStretchColumn(1);
  view_->setLessImportant(2);
  view_->setAccessibleName(tr("Results"));
  setFocusProxy(view_);
  connect(view_, &ListView::picked, this, [this](const QModelIndex& index) {
    if (const SearchHit* hit = model_->row(index))
      context_.commands->run("search.select", revealArguments(*hit, context_.selection->place().stage));
  });
  connect(view_, &ListView::chosen, this, &ResultsPanel::go);
  connect(edit_, &QLineEdit::textChanged, this, [this](const QString& text) { start(readQuery(text)); });
  connect(job_, &SearchJob::found, this, &ResultsPanel::take);
  connect(job_, &SearchJob::finished, this, &ResultsPanel::say);
  connect(job_, &SearchJob::newerChanged, this, &ResultsPanel::sayNewer);
  connect(job_, &SearchJob::outdated, this, [this] { start(job_->query()); });
  connect(again_, &QToolButton::clicked, this, [this] { command(QStringLiteral("again"), {}); });
  connect(context.document, &Document::opened, this, [this] { start(job_->query()); });
  sayNewer();
}

void ResultsPanel::start(const SearchQuery& query) {
  if (!(query == job_->query())) walked_.reset();
  hits_.clear();
  if (context_.lit) context_.lit->set(query);
  model_->setPalette(Palette::forQt(palette()));
  model_->setRows({});
  job_->start(query, context_.selection->place().stage);
  say();
}

void ResultsPanel::take(const std::vector<SearchHit>& hits) {
  const bool first = model_->rowCount() == 0;
  int current = view_->currentIndex().row();
  const bool full = hits_.left() > 0;
  hits_.add(hits);
  if (!full) model_->setRows(hits_.rows());
  if (first) view_->fitColumns();
  // The walk goes on where it was, also when the same search was made again.
  if (current < 0 && walked_) {
    const auto at = std::find_if(hits_.rows().begin(), hits_.rows().end(),
                                 [this](const SearchHit& hit) { return samePlace(hit, *walked_); });
    if (at != hits_.rows().end()) current = static_cast<int>(at - hits_.rows().begin());
  }
  if (current >= 0) view_->setCurrentIndex(model_->index(current, 0));
  say();
}

/// Why what was typed is no pattern.
QString ResultsPanel::refusal() const {
  const StageIndexPtr stage = context_.document->stage(context_.selection->place().stage, false);
  return stage ? refusalOf(*stage, job_->query()) : QString();
}

QString ResultsPanel::whyEmpty() const {
  const QString asked = job_->query().text;
  if (job_->query().empty()) return tr("What a search finds in any stage stands here. F4 goes to the next result.");
  if (job_->busy()) return tr("Searching the stages for %1…").arg(asked);
  return tr("Nothing in the stages fits %1. A shape is written (*, 64), where * is any size.").arg(asked);
}

void ResultsPanel::sayNewer() {
  const int newer = job_->newer();
  again_->setText(newer == 1 ? tr("1 stage newer: search again") : tr("%1 stages newer: search again").arg(newer));
  again_->setAccessibleName(again_->text());
  again_->setVisible(newer > 0);
}

void ResultsPanel::say() {
  const qint64 listed = static_cast<qint64>(hits_.rows().size()), count = listed + hits_.left();
  const QString what = count == 1       ? tr("1 result")
                       : count > listed ? tr("%1 results, %2 listed").arg(grouped(count), grouped(listed))
                                        : tr("%1 results").arg(grouped(count));
  count_->setText(job_->query().empty() ? QString() : job_->busy() ? what + QStringLiteral(" …") : what);
  const QString refused = refusal();
  if (!refused.isEmpty()) count_->setText(tr("no pattern"));
  view_->setEmptyText(!refused.isEmpty() ? refused : whyEmpty());
  Q_EMIT titleChanged(count > 0 ? tr("Results %1").arg(grouped(count)) : tr("Results"));
  sayNewer();
  if (!job_->busy()) Q_EMIT settled();
}

bool ResultsPanel::walk(int by) {
  const int count = model_->rowCount();
  if (count == 0) return false;
  const int at = view_->currentIndex().row();
  const int next = at < 0 ? (by > 0 ? 0 : count - 1) : (at + by + count) % count;
  view_->setCurrentIndex(model_->index(next, 0));
  go(view_->currentIndex());
  return true;
}

void ResultsPanel::go(const QModelIndex& index) {
  const SearchHit* hit = model_->row(index);
  if (!hit) return;
  walked_ = *hit;
  context_.commands->run("search.reveal", revealArguments(*hit, context_.selection->place().stage));
}

bool ResultsPanel::obey(const QString& name, const QStringList& arguments) {
  if (name == QLatin1String("next")) return walk(1);
  if (name == QLatin1String("previous")) return walk(-1);
  if (name == QLatin1String("again")) {
    if (job_->newer() == 0) return false;
    job_->extend();
    return say(), true;
  }
  if (name == QLatin1String("edit")) return edit_->setFocus(), edit_->selectAll(), true;
  if (name == QLatin1String("pattern")) {
    if (!edit_->text().startsWith('?')) edit_->setText(QStringLiteral("? "));
    return edit_->setFocus(), edit_->end(false), true;
  }
  if (arguments.isEmpty()) return false;
  const QString text = arguments.join(' ');
  if (name == QLatin1String("find")) {
    if (edit_->text() == text) start(readQuery(text));
    edit_->setText(text);
    return true;
  }
  if (name != QLatin1String("calls")) return false;
  {
    const QSignalBlocker quiet(edit_);
    edit_->clear();
  }
  edit_->setPlaceholderText(tr("calls of %1").arg(text));
  SearchQuery query;
  query.text = text;
  query.calls = true;
  start(query);
  return true;
}

bool ResultsPanel::eventFilter(QObject* watched, QEvent* event) {
  if (watched != edit_ || event->type() != QEvent::KeyPress) return Panel::eventFilter(watched, event);
  const auto* key = static_cast<QKeyEvent*>(event);
  switch (key->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
      return walk(1), true;
    case Qt::Key_Down:
      view_->setFocus();
      if (!view_->currentIndex().isValid()) view_->setCurrentIndex(model_->index(0, 0));
      return true;
    default:
      return false;
  }
}

/// The chips are there where the field has room beside them; their letters can be typed anywhere.
void ResultsPanel::resizeEvent(QResizeEvent* event) {
  Panel::resizeEvent(event);
  constexpr int kLettersOfField = 34;
  chips_->setVisible(chips_->sizeHint().width() + fontMetrics().averageCharWidth() * kLettersOfField < width());
}

QStringList ResultsPanel::menuCommands() const {
  return QStringList{"search.next", "search.previous", "search.again", "search.find", "-"} + bindingMenu("results");
}

QString ResultsPanel::dump() const {
  if (const QString refused = refusal(); !refused.isEmpty()) return refused + QLatin1Char('\n');
  const QString rows = model_->rowCount() > 0 ? modelText(*model_) : whyEmpty() + QLatin1Char('\n');
  return job_->newer() > 0 ? again_->text() + QLatin1Char('\n') + rows : rows;
}

}  // namespace rx::views
