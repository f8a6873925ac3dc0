#include "views/panels/memory/memory_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "views/models/debug_session.h"
#include "views/models/document.h"
#include "views/models/numbers.h"
#include "views/models/run_words.h"
#include "views/models/selection.h"
#include "views/models/value_flow.h"
#include "views/models/worker.h"
#include "views/panels/binding_menu.h"
#include "views/panels/list_view.h"
#include "views/panels/memory/memory_plan_view.h"
#include "views/panels/memory/moment_list.h"
#include "views/panels/memory/size_bar.h"
#include "views/panels/run_watch.h"
#include "views/panels/watch/watch_plot_view.h"

namespace rx::views {

MemoryPanel::MemoryPanel(const PanelContext& context, QWidget* parent)
    : Panel(parent),
      context_(context),
      bar_(new QWidget(this)),
      after_(new QToolButton(bar_)),
      before_(new QToolButton(bar_)),
      run_(new QToolButton(bar_)),
      sizes_(new SizeBar(bar_)),
      summary_(new QLabel(this)),
      both_(new QBoxLayout(QBoxLayout::TopToBottom)),
      model_(new StaleRows<MemoryModel>(this)),
      view_(new ListView(this)),
      plot_(new WatchPlotView(this)),
      planned_(new MemoryPlanView(this)),
      top_(new MomentList(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(makeBar());
  layout->addWidget(summary_);
  layout->addLayout(both_, 1);
  both_->setSpacing(0);
  both_->addWidget(plot_, 2);
  both_->addWidget(view_, 3);
  both_->addWidget(top_, 3);
  both_->addWidget(planned_, 7);
  planned_->hide();
  top_->hide();
  const auto select = [this](int ordinal) {
    const FunctionRow* function = plannedOf_.first ? plannedOf_.first->function(plannedOf_.second) : nullptr;
    const BindingRow* binding = function ? function->binding(ordinal) : nullptr;
    if (binding) context_.selection->selectBinding(function->name, ordinal, binding->name);
  };
  connect(planned_, &MemoryPlanView::picked, this, select);
  connect(top_, &MomentList::picked, this, select);
  summary_->setMargin(fontMetrics().averageCharWidth());
  summary_->setWordWrap(true);
  view_->setModel(model_);
  view_->setStretchColumn(model_->columnCount() - 1);
  view_->setAccessibleName(tr("Memory that is alive"));
  plot_->setNumberText([](double bytes) { return bytesText(static_cast<qint64>(bytes)); });
  plot_->setAccessibleName(tr("Memory over the run"));
  setFocusProxy(view_);
  connect(view_, &ListView::picked, this, &MemoryPanel::pick);
  connect(view_, &ListView::chosen, this, [this](const QModelIndex& index) {
    const StorageRow* row = model_->row(index);
    if (row && row->step >= 0) context_.commands->run("debug.goToStep", {QString::number(row->step)});
  });
  connect(plot_, &WatchPlotView::stepWanted, this,
          [this](int step) { context_.commands->run("debug.goToStep", {QString::number(step)}); });
  constexpr std::chrono::milliseconds kBetweenParts{60};
  more_.setSingleShot(true);
  more_.setInterval(kBetweenParts);
  connect(&more_, &QTimer::timeout, this, [this] {
    const RunState state = context_.debug->state();
    const bool stands = state == RunState::Stopped || state == RunState::Ended;
    // A step goes before the rest of the curve.
    if (!context_.debug->idle()) return more_.start();
    if (isVisible() && !asking_ && stands) ask(MemoryPart::Curve);
  });
  watchRun(context.debug, this, [this] {
    more_.stop();
    want();
  });
  const auto planIsShown = [this] {
    if (plans() || bar_->isVisibleTo(this)) want();
  };
  connect(context.debug, &DebugSession::stateChanged, this, [this] {
    if (context_.debug->state() == RunState::Starting) planWanted_ = false;
  });
  connect(context.selection, &Selection::changed, this, planIsShown);
  connect(context.document, &Document::stageReady, this, planIsShown);
  if (context.sizes) connect(context.sizes, &KnownSizes::changed, this, planIsShown);
  take({});
}

QWidget* MemoryPanel::makeBar() {
  auto* row = new QHBoxLayout(bar_);
  const int letter = fontMetrics().averageCharWidth();
  row->setContentsMargins(letter, letter / 2, letter, 0);
  row->setSpacing(0);
  const struct {
    QToolButton* button;
    QString title, tip, word;
  } choices[] = {{before_, tr("Before planning"), tr("Each buffer in memory of its own"), "before"},
                 {after_, tr("After planning"), tr("Buffers in the pieces that the stage plans"), "after"},
                 {run_, tr("This run"), tr("What is alive at the step that is shown, and over the run"), "run"}};
  for (const auto& choice : choices) {
    choice.button->setText(choice.title);
    choice.button->setToolTip(choice.tip);
    choice.button->setCheckable(true);
    choice.button->setAutoExclusive(true);
    connect(choice.button, &QToolButton::clicked, this, [this, word = choice.word] { command("planned", {word}); });
    row->addWidget(choice.button);
  }
  row->addSpacing(2 * letter);
  row->addWidget(sizes_);
  row->addStretch();
  connect(sizes_, &SizeBar::chosen, this, [this](const QString& symbol, qint64 size) {
    command("size", {symbol, QString::number(size)});
  });
  after_->setChecked(true);
  bar_->hide();
  return bar_;
}

SymbolSizes MemoryPanel::sizesOf(const FunctionRow& function) const {
  return context_.sizes ? context_.sizes->of(function) : SymbolSizes();
}

void MemoryPanel::showChoice(Planned planned) {
  chosen_ = planned;
  planWanted_ = runs();
  plannedOf_ = {};
  want();
}

void MemoryPanel::resizeEvent(QResizeEvent* event) {
  Panel::resizeEvent(event);
  constexpr int kLettersForBoth = 90;
  const bool wide = width() >= kLettersForBoth * fontMetrics().averageCharWidth();
  both_->setDirection(wide ? QBoxLayout::RightToLeft : QBoxLayout::TopToBottom);
  plot_->setSizePolicy(QSizePolicy::Preferred, wide ? QSizePolicy::Expanding : QSizePolicy::Fixed);
}

bool MemoryPanel::runs() const { return context_.debug->state() != RunState::Off || context_.debug->hasTrace(); }

const FunctionRow* MemoryPanel::selectedFunction(StageIndexPtr* stage) const {
  const Place& place = context_.selection->place();
  *stage = context_.document->stage(place.stage, false);
  return *stage ? (*stage)->function(place.function) : nullptr;
}

void MemoryPanel::showBar() {
  const bool planned = planned_->isVisibleTo(this);
  StageIndexPtr stage;
  const FunctionRow* function = runs() ? selectedFunction(&stage) : nullptr;
  const bool possible = function && std::ranges::any_of(function->bindings, [](const BindingRow& binding) {
                          return !binding.writes.empty();
                        });
  bar_->setVisible(planned || possible);
  run_->setVisible(runs());
  (!planned ? run_ : chosen_ == Planned::After ? after_ : before_)->setChecked(true);
  if (!planned) sizes_->hide();
}

bool MemoryPanel::showPlan() {
  const Place& place = context_.selection->place();
  StageIndexPtr stage;
  const FunctionRow* function = plans() ? selectedFunction(&stage) : nullptr;
  const std::pair now(function ? stage : nullptr, function ? function->name : QString());
  SymbolSizes with = function ? sizesOf(*function) : SymbolSizes();
  const bool other = std::exchange(plannedOf_, now) != now;
  if (other || with != plannedWith_) {
    plannedWith_ = std::move(with);
    ++plans_;
    planning_ = function != nullptr;
    // The old picture stays while the same function is planned for other sizes.
    if (other || !planning_) takePlan({});
    if (planning_) plan(stage, function->name);
  }
  const BindingRow* selected = function ? function->binding(place.binding) : nullptr;
  planned_->setSelected(selected ? selected->ordinal : -1);
  return planning_ || planned_->isVisibleTo(this);
}

void MemoryPanel::plan(const StageIndexPtr& stage, const QString& name) {
  runOnWorker(
      *QThreadPool::globalInstance(), this,
      [stage, name, sizes = plannedWith_, planned = chosen_] {
        return memoryPlanOf(*stage->function(name), sizes, planned);
      },
      [this, number = plans_](MemoryPlan made) {
        if (number != plans_) return;
        planning_ = false;
        const bool none = made.buffers.empty();
        takePlan(std::move(made));
        catchUp(0);
        if (!none) Q_EMIT settled();
      });
}

void MemoryPanel::takePlan(MemoryPlan plan) {
  const FunctionRow* function = plannedOf_.first ? plannedOf_.first->function(plannedOf_.second) : nullptr;
  std::vector<QString> names;
  for (const int call : plan.moments) names.push_back(function->bindings[static_cast<size_t>(call)].called);
  const bool shown = !plan.buffers.empty();
  planned_->setPlan(std::move(plan), std::move(names));
  // Who has the focus hands it on before it goes.
  const bool focused = view_->hasFocus() || planned_->hasFocus();
  setFocusProxy(shown ? static_cast<QWidget*>(planned_) : view_);
  planned_->setVisible(shown);
  if (focused) setFocus();
  view_->setVisible(!shown);
  showBar();
  const bool sized = shown && planned_->plan().peak >= 0;
  top_->setVisible(sized);
  if (sized) showTop({});
  if (!shown) return;
  sizes_->setSymbols(function->symbols, plannedWith_);
  plot_->hide();
  summary_->show();
  summary_->setText(planned_->summary());
  Q_EMIT titleChanged(tr("Memory"));
}

void MemoryPanel::catchUp(unsigned) {
  if (showPlan()) return;
  showBar();
  asking_ = true;
  ask(MemoryPart::All);
}

void MemoryPanel::ask(MemoryPart part) {
  more_.stop();
  context_.debug->fetchMemory(part, this, [this, part, number = ++asked_](const MemoryMap& map) {
    if (number != asked_) return;
    part == MemoryPart::All ? take(map) : takeCurve(map);
    if (map.more) more_.start();
    if (std::exchange(asking_, false)) Q_EMIT settled();
  });
}

void MemoryPanel::take(const MemoryMap& map) {
  model_->setPalette(Palette::forQt(palette()));
  model_->setStale(!context_.debug->pastOf().isEmpty());
  model_->setRows(map.storages);
  view_->fitColumns();
  const bool known = map.error.isEmpty() && map.peak > 0;
  none_ = known ? tr("Nothing is alive at step %1.").arg(grouped(context_.debug->stop().step))
                : tr("What a run holds in memory stands here while it is stopped; before that, what a stage plans from "
                     "CallTIRRewrite on.");
  view_->setEmptyText(none_);
  summary_->setVisible(known || !map.error.isEmpty());
  summary_->setText(known ? tr("%1 alive in %2 pieces at step %3 · most at a time %4")
                                    .arg(bytesText(map.live), grouped(static_cast<qint64>(map.storages.size())),
                                         grouped(context_.debug->stop().step), bytesText(map.peak)) +
                                pastText(*context_.debug)
                          : map.error);
  Q_EMIT titleChanged(known ? tr("Memory %1").arg(bytesText(map.live)) : tr("Memory"));
  takeCurve(map);
}

void MemoryPanel::takeCurve(const MemoryMap& map) {
  plot_->setVisible(map.error.isEmpty() && map.curve.points.size() > 1);
  plot_->setPlot(tr("bytes alive"), map.curve);
  plot_->setPast(!context_.debug->pastOf().isEmpty());
  plot_->setStep(context_.debug->stop().step);
  curve_ = map.curve;
  if (wantsPeak_) goToPeak();
}

void MemoryPanel::goToPeak() {
  const auto& points = curve_.points;
  const auto most =
      std::max_element(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.value < b.value; });
  if (most == points.end()) return;
  wantsPeak_ = false;
  context_.commands->run("debug.goToStep", {QString::number(most->step)});
}

bool MemoryPanel::showTop(const QString& name) {
  const MemoryPlan& plan = planned_->plan();
  int moment = planned_->pointed() >= 0 ? planned_->pointed() : plan.peak;
  if (!name.isEmpty()) {
    const auto made = std::find_if(plan.buffers.begin(), plan.buffers.end(),
                                   [&](const PlannedBuffer& buffer) { return buffer.name == name; });
    moment = made == plan.buffers.end() ? -1 : made->first;
  }
  if (moment < 0 || !planned_->isVisibleTo(this)) return false;
  planned_->setMoment(moment);
  top_->showMoment(*planned_, moment);
  return true;
}

bool MemoryPanel::goToWriter() {
  const Place& place = context_.selection->place();
  const StageIndexPtr stage = context_.document->stage(place.stage, false);
  const FunctionRow* function = stage ? stage->function(place.function) : nullptr;
  if (!function || !function->binding(place.binding)) return false;
  const ValueFlow flow(*function, false);
  const BindingRow* writer = function->binding(flow.shown(place.binding) ? place.binding : flow.shownBy(place.binding));
  if (!writer) return false;
  context_.selection->selectBinding(function->name, writer->ordinal, writer->name);
  if (context_.commands->enabled("debug.goToBinding")) context_.commands->run("debug.goToBinding");
  return true;
}

bool MemoryPanel::goToReader() {
  const Place& place = context_.selection->place();
  const StageIndexPtr stage = context_.document->stage(place.stage, false);
  const FunctionRow* function = stage ? stage->function(place.function) : nullptr;
  const BindingRow* binding = function ? function->binding(place.binding) : nullptr;
  if (!binding) return false;
  if (readerAt_ < readers_.size() && readers_[readerAt_] == binding->ordinal) {
    readerAt_ = (readerAt_ + 1) % readers_.size();
  } else {
    const ValueFlow flow(*function, false);
    const int writer = flow.shown(binding->ordinal) ? binding->ordinal : flow.shownBy(binding->ordinal);
    readers_.clear();
    for (const BindingRow& reader : function->bindings)
      if (flow.shown(reader.ordinal) && std::ranges::any_of(flow.inputs(reader.ordinal), [&](const FlowSource& source) {
            return source.kind == OperandRow::Kind::Binding && source.index == writer;
          }))
        readers_.push_back(reader.ordinal);
    readerAt_ = 0;
  }
  if (readers_.empty()) return false;
  const BindingRow* reader = function->binding(readers_[readerAt_]);
  if (reader) context_.selection->selectBinding(function->name, reader->ordinal, reader->name);
  return reader != nullptr;
}

bool MemoryPanel::obey(const QString& name, const QStringList& arguments) {
  if (name == QLatin1String("planned") && arguments.size() == 1) {
    if (arguments[0] == "run") {
      if (!runs()) return false;
      planWanted_ = false;
      want();
      return true;
    }
    if (arguments[0] != "before" && arguments[0] != "after") return false;
    return showChoice(arguments[0] == "after" ? Planned::After : Planned::Before), true;
  }
  if (name == QLatin1String("size") && arguments.size() == 2) {
    const qint64 size = arguments[1].toLongLong();
    const bool known = size > 0 && context_.sizes;
    if (known) context_.sizes->choose(arguments[0], size);
    return known;
  }
  if (name == QLatin1String("top")) return showTop(arguments.value(0));
  if (name == QLatin1String("writer")) return goToWriter();
  if (name == QLatin1String("reader")) return goToReader();
  if (name != QLatin1String("peak")) return false;
  wantsPeak_ = true;
  if (!asking_) goToPeak();
  return true;
}

/// The binding that made it.
void MemoryPanel::pick(const QModelIndex& index) {
  const StorageRow* row = model_->row(index);
  if (row && row->binding >= 0) context_.selection->selectBinding(row->function, row->binding, row->variable);
}

QStringList MemoryPanel::menuCommands() const {
  const QString moment = planned_->isVisibleTo(this) ? QStringLiteral("memory.top") : QStringLiteral("memory.peak");
  return QStringList{"memory.writer", "memory.reader", moment, "-"} + bindingMenu("memory");
}

QString MemoryPanel::dump() const {
  if (planned_->isVisibleTo(this))
    return top_->isVisibleTo(this) ? planned_->text() + '\n' + top_->text() : planned_->text();
  QStringList lines;
  if (!summary_->text().isEmpty()) lines << summary_->text();
  if (plot_->isVisibleTo(this)) lines << plot_->text();
  lines << (model_->rowCount() > 0 ? modelText(*model_) : none_);
  return lines.join(QLatin1Char('\n'));
}

}  // namespace rx::views
