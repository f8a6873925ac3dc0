#include "views/panels/graph/graph_panel.h"

#include <QEvent>
#include <QLineEdit>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>

#include "views/canvas/graph_focus.h"
#include "views/models/debug_session.h"
#include "views/models/lit_query.h"
#include "views/models/numbers.h"
#include "views/models/outline.h"
#include "views/models/selection.h"
#include "views/models/stage_trouble.h"
#include "views/models/worker.h"
#include "views/panels/graph/graph_bar.h"
#include "views/panels/graph/graph_export.h"
#include "views/panels/graph/run_marks.h"
#include "views/panels/run_watch.h"

namespace rx::views {
namespace {

/// Bindings from which what a graph needs is made on a worker.
constexpr size_t kMadeHere = 400;

/// What is shown anew.
enum Part : unsigned { kFunction = 1, kSelection = 2, kRun = 4, kColours = 8, kLit = 16, kSizes = 32 };

}  // namespace

GraphPanel::GraphPanel(const PanelContext& context, QWidget* parent)
    : Panel(parent),
      context_(context),
      bar_(new GraphBar(this)),
      canvas_(new GraphCanvas(this)),
      legend_(new GraphLegend(this)),
      export_(new GraphExport(this)),
      find_(new QLineEdit(this)),
      whole_(std::make_shared<Whole>()) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(bar_);
  layout->addWidget(canvas_, 1);
  layout->addWidget(legend_);
  setFocusProxy(canvas_);
  find_->setPlaceholderText(tr("Find in the graph"));
  find_->setAccessibleName(find_->placeholderText());
  find_->setClearButtonEnabled(true);
  find_->installEventFilter(this);
  find_->hide();
  canvas_->setSizeText([](qint64 bytes) { return bytesText(bytes); });
  connect(bar_, &GraphBar::wanted, this, [this](const QString& name) { command(name, {}); });
  connect(find_, &QLineEdit::textChanged, this, [this](const QString& text) { find(text); });
  connect(canvas_, &GraphCanvas::scaleChanged, this, [this] {
    bar_->setScale(canvas_->scale());
    if (canvas_->anchor().fitted && approached_ && !wholeAsked_) approachStop();
  });
  connect(canvas_, &GraphCanvas::nodeActivated, this, &GraphPanel::activate);
  connect(canvas_, &GraphCanvas::nodeEntered, this, &GraphPanel::enter);
  connect(canvas_, &GraphCanvas::foldClicked, this, &GraphPanel::toggleFold);
  connect(canvas_, &GraphCanvas::machineWanted, this, [this] { command(QStringLiteral("machine"), {}); });
  connect(canvas_, &GraphCanvas::weightsWanted, this, [this] { command(QStringLiteral("weights"), {}); });
  connect(canvas_, &GraphCanvas::contextMenuAt, this, &GraphPanel::contextMenu);
  connect(canvas_, &GraphCanvas::layoutChanged, this, [this] {
    showSelection();
    Q_EMIT settled();
  });
  connectSession();
  setTheme();
  showFunction();
  showLit();
  QTimer::singleShot(0, this, &GraphPanel::showTitle);  // who makes the panel listens to it only then
}

GraphPanel::~GraphPanel() { litCancel_.cancel(); }

void GraphPanel::connectSession() {
  connect(context_.selection, &Selection::changed, this, [this](const Place& place, const Place& old) {
    const bool other = place.stage != old.stage || place.function != old.function;
    if (other) showTitle();
    want(other ? kFunction : kSelection);
  });
  connect(context_.document, &Document::opened, this, [this] {
    stage_.reset();
    want(kFunction);
  });
  connect(context_.document, &Document::stateChanged, this, [this] { want(kFunction); });
  // The stage that came may be the one that is compared with.
  connect(context_.document, &Document::stageReady, this, [this] { want(kFunction | kColours); });
  watchRun(context_.debug, this, [this] { want(kRun); });
  connect(context_.debug, &DebugSession::outcomeChanged, this, [this] { want(kRun); });
  connect(context_.debug, &DebugSession::breakpointsChanged, this, [this] { want(kRun); });
  connect(context_.selection, &Selection::compareStageChanged, this, [this] { want(kColours); });
  connect(context_.document, &Document::problemsChanged, this, [this] {
    if (colour_ == GraphColour::Difference) want(kColours);
  });
  if (context_.sizes) connect(context_.sizes, &KnownSizes::changed, this, [this] { want(kSizes); });
  if (context_.lit) connect(context_.lit, &LitQuery::changed, this, [this] { want(kLit); });
}

void GraphPanel::catchUp(unsigned parts) {
  if (parts & kFunction) showFunction();
  if (parts & kSelection) showSelection();
  if (parts & (kRun | kSizes)) showSizes();
  if (parts & kRun) showRun();
  if (parts & kColours) showColours();
  if (parts & kLit) showLit();
}

void GraphPanel::setTheme() {
  const Palette& theme = Palette::forQt(palette());
  canvas_->setTheme(theme);
  legend_->setTheme(theme);
  showColours();
}

void GraphPanel::changeEvent(QEvent* event) {
  Panel::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) setTheme();
}

const FunctionRow* GraphPanel::function() const { return stage_ ? stage_->function(function_) : nullptr; }

bool GraphPanel::isLarge() const {
  const FunctionRow* row = function();
  return row && row->bindings.size() >= kMadeHere;
}

QString GraphPanel::placeholder() const {
  const FunctionRow* row = function();
  if (context_.document->state() == Document::State::Failed)
    return tr("The file does not open, so there is no graph. The Problems panel says why.");
  if (!stage_) return tr("The graph of the selected function stands here.");
  if (!row) {
    const QString trouble = stageTrouble(*context_.document, context_.selection->place().stage);
    return trouble.isEmpty() ? tr("Select a function in the module to see its graph.") : trouble;
  }
  if (row->kind == FunctionKind::Prim) return tr("%1 is a TIR function: its loops are in the text.").arg(row->name);
  if (row->kind == FunctionKind::Type) return tr("%1 is a type: its definition is in the text.").arg(row->name);
  if (row->kind == FunctionKind::Extern)
    return tr("%1 is an external function: its body is not part of the module.").arg(row->name);
  return tr("%1 binds nothing.").arg(row->name);
}

void GraphPanel::showTitle() {
  const Place& place = context_.selection->place();
  const StageIndexPtr stage = context_.document->stage(place.stage, false);
  const bool there = stage && stage->function(place.function);
  Q_EMIT titleChanged(there ? tr("Graph · %1").arg(place.function) : tr("Graph"));
}

void GraphPanel::showFunction() {
  const Place& place = context_.selection->place();
  const bool open = context_.document->lastStage() >= 0 && context_.document->state() != Document::State::Failed;
  const StageIndexPtr stage = open ? context_.document->stage(place.stage) : nullptr;
  if (open && !stage) return;  // the previous picture stays until the stage is there
  if (stage && stage == stage_ && place.function == function_) return;
  const bool sameFunction = stage_ && place.function == function_;
  stage_ = stage;
  function_ = place.function;
  canvas_->setPlaceholder(placeholder());
  if (!sameFunction) wish_.open.clear(), wish_.example = true;
  wish_.first = context_.document->stage(0, false);
  wish_.focus = 0;
  showTitle();
  build(sameFunction, true);
  showLit();
}

GraphPanel::Built GraphPanel::made(const StageIndex& stage, const QString& function, const Wish& wish, WholePtr known) {
  const FunctionRow& row = *stage.function(function);
  Built built;
  if (known) {
    built.whole = std::move(known);
  } else {
    auto whole = std::make_shared<Whole>();
    whole->graph = buildGraph(row, wish.machine, wish.sizes);
    if (whole->graph.model.nodes.size() >= kOutlineFrom) whole->runs = findLayers(whole->graph.model);
    takeNames(row, whole->graph.model, &whole->runs);
    built.whole = std::move(whole);
  }
  std::set<std::string> open = wish.open;
  if (const OutlineRow* example = wish.example ? exampleBlock(row, wish.first.get()) : nullptr)
    built.example = blockKeyOf(built.whole->graph.model, built.whole->runs, example->name.toStdString());
  if (!built.example.empty()) open.insert(built.example);
  built.folded = foldLayers(built.whole->graph.model, built.whole->runs, open);
  const GraphModel& all = built.folded.model;
  built.drawn = wish.focus > 0 ? neighbourhood(all, wish.focusId, wish.focus) : GraphModel(all);
  return built;
}

void GraphPanel::build(bool keepView, bool anew) {
  const int number = ++building_;
  makes_ = false;
  const FunctionRow* row = function();
  if (!row || !row->binds()) return take({std::make_shared<Whole>(), {}, {}}, keepView);
  if (anew) wish_.sizes = context_.sizes ? context_.sizes->of(*row) : SymbolSizes();
  const auto work = [stage = stage_, name = function_, wish = wish_, known = anew ? nullptr : whole_] {
    return made(*stage, name, wish, known);
  };
  if (!isLarge()) return take(work(), keepView);
  makes_ = true;
  runOnWorker(*QThreadPool::globalInstance(), this, work, [this, number, keepView](Built built) {
    if (number == building_) take(std::move(built), keepView);
  });
}

void GraphPanel::take(Built built, bool keepView) {
  makes_ = false;
  std::swap(whole_, built.whole);
  std::swap(folded_, built.folded);
  if (!built.example.empty()) wish_.open.insert(built.example);
  wish_.example = false;
  canvas_->setModel(std::move(built.drawn), keepView);
  showSummary();
  showRun();
  showHits();
  releaseOnWorker(*QThreadPool::globalInstance(), std::move(built));
}

void GraphPanel::showSummary() {
  const size_t bindings = whole_->graph.shownBy.size();
  const int folded = whole_->graph.folded;
  const QString counted = bindings == 1 ? tr("1 binding") : tr("%1 bindings").arg(bindings);
  QString shown = bindings == 0     ? QString()
                  : wish_.focus > 0 ? tr("%1 around the selection").arg(wish_.focus)
                  : folded > 0      ? tr("%1 of %2 bindings in the edges").arg(folded).arg(bindings)
                                    : counted;
  QString brief = wish_.focus > 0 || bindings == 0 ? shown : counted;
  int hits = 0;
  for (const auto& [id, count] : hits_) hits += count;
  if (hits > 0) {
    constexpr qsizetype kMostOfQuery = 24;  // a pattern is long, and the count has to be seen
    QString asked = context_.lit->query().text;
    if (asked.size() > kMostOfQuery) asked = asked.left(kMostOfQuery - 1) + QStringLiteral("…");
    brief = tr("%1: %2 lit").arg(asked, QString::number(hits));
    shown = brief + QStringLiteral(" · ") + shown;
  }
  bar_->setSummary(shown, brief);
}

/// They are those of the steps that are recorded: others after each stop.
void GraphPanel::askTimes() {
  asksTimes_ = colour_ == GraphColour::Time && context_.debug->hasTrace() && function();
  const int number = ++timing_;
  if (!asksTimes_) return;
  context_.debug->fetchTimes(function_, this, [this, number, name = function_](const BindingTimes& times) {
    if (number != timing_) return;
    asksTimes_ = false;
    times_ = times;
    timesOf_ = name;
    showColours();
    Q_EMIT settled();
  });
}

void GraphPanel::showColours() {
  ColourInput input;
  input.function = function();
  input.debug = context_.debug;
  if (stage_) input.stage = stage_->stage;
  if (timesOf_ == function_) input.times = &times_;
  if (stage_ && colour_ == GraphColour::Difference)
    input.compared = comparedIn(context_.document->problems(), function_, stage_->stage);
  legend_->showChanges(colour_ == GraphColour::Change);
  if (colour_ == GraphColour::Change) compareStages();
  if (changesOf_ == whole_ && changesFrom_ == stage_ && !compares_) input.changes = &changes_;
  canvas_->setTints(tintsOf(colour_, input, whole_->graph, folded_, canvas_->theme()));
}

/// Finds what differs from the compared stage, on a worker where the function is large.
void GraphPanel::compareStages() {
  if (!stage_ || !function() || makes_) return;  // the graph that is coming will ask again
  const int chosen = compared_ >= 0 ? compared_ : context_.selection->compareStage();
  const StageIndexPtr other = context_.document->stage(chosen >= 0 ? chosen : std::max(0, stage_->stage - 1));
  if (other == changesTo_ && stage_ == changesFrom_ && whole_ == changesOf_) return;
  changesFrom_ = stage_, changesTo_ = other, changesOf_ = whole_;
  changes_.clear();
  const int number = ++comparing_;
  compares_ = false;
  if (!other || other == stage_) return;
  const auto work = [stage = stage_, name = function_, whole = whole_, other] {
    return changesOf(*stage, *stage->function(name), whole->graph, *other);
  };
  if (!isLarge()) {
    changes_ = work();
    return;
  }
  compares_ = true;
  runOnWorker(*QThreadPool::globalInstance(), this, work, [this, number](NodeChanges changes) {
    if (number != comparing_) return;
    compares_ = false;
    changes_ = std::move(changes);
    showColours();
    Q_EMIT settled();
  });
}

/// The hits of the lit search in this function, found in the stage that is shown here.
void GraphPanel::showLit() {
  litCancel_.cancel();
  litCancel_ = CancelToken();
  const int number = ++lighting_;
  lights_ = false;
  const SearchQuery query = context_.lit ? context_.lit->query() : SearchQuery();
  if (query.empty() || !function()) return takeLit({});
  const auto work = [stage = stage_, query, cancel = litCancel_] { return searchStage(*stage, query, cancel); };
  if (!isLarge()) return takeLit(work());
  lights_ = true;
  runOnWorker(*QThreadPool::globalInstance(), this, work, [this, number](std::vector<SearchHit> hits) {
    if (number != lighting_) return;
    lights_ = false;
    takeLit(std::move(hits));
    Q_EMIT settled();
  });
}

void GraphPanel::takeLit(std::vector<SearchHit> hits) {
  std::set<NodeTarget> found;
  const FunctionRow* row = function();
  for (const SearchHit& hit : hits) {
    if (!row || hit.function != function_) continue;
    const BindingRow* binding = hit.binding >= 0 ? row->binding(hit.binding) : row->bindingAtLine(hit.line);
    if (hit.kind == HitKind::Function || hit.kind == HitKind::Block) continue;
    if (binding) found.insert({NodeTarget::Kind::Binding, binding->ordinal});
    for (size_t p = 0; p < row->params.size() && !binding; ++p)
      if (row->params[p].name == hit.variable) found.insert({NodeTarget::Kind::Param, static_cast<int>(p)});
  }
  hits_.clear();
  for (const NodeTarget& target : found) ++hits_[nodeId(target)];
  showHits();
}

/// A node has the hits of all bindings that it stands for, a folded block those of its nodes.
void GraphPanel::showHits() {
  std::unordered_map<uint64_t, int> lit;
  if (!hits_.empty()) {
    std::unordered_map<uint64_t, int> nodes;
    for (const auto& [id, count] : hits_) {
      const NodeTarget target = nodeTarget(id);
      const bool binding = target.kind == NodeTarget::Kind::Binding;
      const auto& shownBy = whole_->graph.shownBy;
      if (binding && static_cast<size_t>(target.index) >= shownBy.size()) continue;
      nodes[binding ? shownBy[static_cast<size_t>(target.index)] : id] += count;
    }
    const auto& all = whole_->graph.model.nodes;
    for (size_t n = 0; n < all.size(); ++n)
      if (const auto at = nodes.find(all[n].id); at != nodes.end())
        lit[folded_.model.nodes[folded_.shownBy[n]].id] += at->second;
  }
  canvas_->setLit(std::move(lit));
  showSummary();
}

uint64_t GraphPanel::shownId(uint64_t id) const {
  const auto& nodes = whole_->graph.model.nodes;
  for (uint32_t n = 0; n < nodes.size(); ++n)
    if (nodes[n].id == id) return folded_.model.nodes[folded_.shownBy[n]].id;
  return 0;
}

void GraphPanel::showSelection() {
  const FunctionRow* row = function();
  if (!row) return;
  const Place& place = context_.selection->place();
  const BindingRow* binding = row->binding(place.binding);
  if (binding && !place.variable.isEmpty() && binding->name != place.variable) binding = nullptr;
  if (!binding && !place.variable.isEmpty()) binding = row->bindingNamed(place.variable);
  const auto& shownBy = whole_->graph.shownBy;
  const bool shown = binding && static_cast<size_t>(binding->ordinal) < shownBy.size();
  uint64_t id = shown ? shownBy[static_cast<size_t>(binding->ordinal)] : 0;
  for (size_t p = 0; p < row->params.size() && !binding; ++p)
    if (row->params[p].name == place.variable) id = nodeId({NodeTarget::Kind::Param, static_cast<int>(p)});
  canvas_->setSelected(id ? shownId(id) : 0);
}

/// Anew where symbols have other sizes than in the graph that is there or comes.
void GraphPanel::showSizes() {
  const FunctionRow* row = function();
  if (row && context_.sizes && context_.sizes->of(*row) != wish_.sizes) build(true, true);
}

void GraphPanel::showRun() {
  const FunctionRow* row = function();
  if (!row || makes_) return canvas_->setMarks({});
  auto [marks, bad] = runMarks(stage_->stage, *row, whole_->graph, *context_.debug);
  // A folded layer shows what is wrong inside it.
  const auto& nodes = whole_->graph.model.nodes;
  for (uint32_t n = 0; n < nodes.size() && !marks.empty(); ++n) {
    const uint64_t shown = folded_.model.nodes[folded_.shownBy[n]].id;
    auto it = marks.find(nodes[n].id);
    if (shown == nodes[n].id || it == marks.end()) continue;
    const NodeMark inner = it->second;
    NodeMark& outer = marks[shown];
    outer.error |= inner.error, outer.current |= inner.current, outer.breakpoint |= inner.breakpoint;
    outer.root |= inner.root;
  }
  stopsAt_ = 0;
  for (const auto& [id, mark] : marks)
    if (mark.current) stopsAt_ = shownId(id) ? shownId(id) : id;
  canvas_->setMarks(std::move(marks), [stage = stage_, row, bad = std::move(bad), debug = context_.debug](uint64_t id) {
    const auto found = bad.find(id);
    return found == bad.end() ? QString() : badNote(*row, found->second, *debug);
  });
  if (stopsAt_) approached_ ? canvas_->center(stopsAt_) : approachStop();
  approached_ = context_.debug->hasTrace() && (approached_ || stopsAt_);
  if (!approached_) wholeAsked_ = false;
  askTimes();
  showColours();
}

/// Where the run stops is looked at from its surroundings, also in a panel that has become smaller since.
void GraphPanel::approachStop() {
  if (stopsAt_) canvas_->approach(stopsAt_);
}

/// A folded block stands for its first binding, as its name in the tree does.
void GraphPanel::activate(quint64 id) {
  const FunctionRow* row = function();
  if (!row) return;
  const NodeTarget target = nodeTarget(firstNodeOf(id));
  if (target.kind == NodeTarget::Kind::Binding) {
    const BindingRow* binding = row->binding(target.index);
    if (binding) context_.selection->selectBinding(function_, binding->ordinal, binding->name);
    return;
  }
  const bool field = target.kind == NodeTarget::Kind::Field;
  const int param = field ? whole_->graph.fields[static_cast<size_t>(target.index)].param : target.index;
  if ((field || target.kind == NodeTarget::Kind::Param) && param < static_cast<int>(row->params.size()))
    context_.selection->selectBinding(function_, -1, row->params[static_cast<size_t>(param)].name);
}

void GraphPanel::toggleFold(quint64 id) {
  const auto key = folded_.keyOf.find(id);
  if (key == folded_.keyOf.end()) return;
  if (!wish_.open.erase(key->second)) wish_.open.insert(key->second);
  build(true, false);
}

void GraphPanel::enter(quint64 id) {
  if (folded_.keyOf.contains(id)) return toggleFold(id);
  // Into the function that the binding calls, if it is one of the module.
  const FunctionRow* row = function();
  const NodeTarget target = nodeTarget(id);
  const BindingRow* binding = row && target.kind == NodeTarget::Kind::Binding ? row->binding(target.index) : nullptr;
  if (!binding) return;
  for (const OperandRow& operand : binding->operands)
    if (operand.kind == OperandRow::Kind::Global && stage_->function(operand.name))
      return context_.selection->selectFunction(operand.name);
}

}  // namespace rx::views
