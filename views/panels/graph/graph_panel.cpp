#include "views/panels/graph/graph_panel.h"

#include <QEvent>
#include <QKeyEvent>
#include <QLineEdit>
#include <QVBoxLayout>

#include "views/canvas/graph_dot.h"
#include "views/canvas/graph_focus.h"
#include "views/models/debug_session.h"
#include "views/models/selection.h"
#include "views/models/worker.h"
#include "views/panels/graph/graph_bar.h"
#include "views/panels/graph/graph_export.h"

namespace rx::views {
namespace {

/// Smaller graphs are read whole; folding them would only hide.
constexpr size_t kFoldFrom = 24;
/// Bindings from which a graph is made on a worker.
constexpr size_t kMadeHere = 400;

}  // namespace

GraphPanel::GraphPanel(const PanelContext& context, QWidget* parent)
    : Panel(parent),
      context_(context),
      bar_(new GraphBar(this)),
      canvas_(new GraphCanvas(this)),
      legend_(new GraphLegend(this)),
      export_(new GraphExport(this)),
      find_(new QLineEdit(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(bar_);
  layout->addWidget(canvas_, 1);
  layout->addWidget(legend_);
  connect(bar_, &GraphBar::wanted, this, [this](const QString& name) { command(name, {}); });
  connect(canvas_, &GraphCanvas::scaleChanged, this, [this] { bar_->setScale(canvas_->scale()); });
  setFocusProxy(canvas_);
  find_->setPlaceholderText(tr("Find in the graph"));
  find_->setAccessibleName(find_->placeholderText());
  find_->setClearButtonEnabled(true);
  find_->installEventFilter(this);
  find_->hide();
  connect(find_, &QLineEdit::textChanged, this, [this](const QString& text) { find(text); });
  connect(canvas_, &GraphCanvas::nodeActivated, this, &GraphPanel::activate);
  connect(canvas_, &GraphCanvas::nodeEntered, this, &GraphPanel::enter);
  connect(canvas_, &GraphCanvas::foldClicked, this, &GraphPanel::toggleFold);
  connect(canvas_, &GraphCanvas::machineWanted, this, [this] { command(QStringLiteral("machine"), {}); });
  connect(canvas_, &GraphCanvas::contextMenuAt, this, &GraphPanel::contextMenu);
  connect(canvas_, &GraphCanvas::layoutChanged, this, [this] {
    showSelection();
    Q_EMIT settled();
  });
  connect(context.selection, &Selection::changed, this, [this](const Place& place, const Place& old) {
    if (place.stage != old.stage || place.function != old.function) return showFunction();
    showSelection();
  });
  connect(context.document, &Document::opened, this, [this] {
    stage_.reset();
    showFunction();
  });
  connect(context.document, &Document::stateChanged, this, &GraphPanel::showFunction);
  connect(context.document, &Document::stageReady, this, [this](int) {
    showFunction();
    showColours();  // the stage that came may be the one that is compared with
  });
  connect(context.debug, &DebugSession::stopChanged, this, &GraphPanel::showRun);
  connect(context.debug, &DebugSession::stateChanged, this, &GraphPanel::showRun);
  connect(context.debug, &DebugSession::breakpointsChanged, this, &GraphPanel::showRun);
  connect(context.selection, &Selection::compareStageChanged, this, &GraphPanel::showColours);
  setTheme();
  showFunction();
}

void GraphPanel::setTheme() {
  const Palette& theme = Palette::forQt(palette());
  canvas_->setTheme(theme);
  bar_->setTheme(theme);
  legend_->setTheme(theme);
  showColours();
}

void GraphPanel::changeEvent(QEvent* event) {
  Panel::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) setTheme();
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
  const FunctionRow* function = stage ? stage->function(place.function) : nullptr;
  if (!open) {
    canvas_->setPlaceholder(context_.document->state() == Document::State::Failed
                                ? tr("The file does not open, so there is no graph. The Problems panel says why.")
                                : tr("The graph of the selected function stands here."));
  } else if (!function) {
    canvas_->setPlaceholder(tr("Select a function in the module to see its graph."));
  } else if (function->kind == FunctionKind::Prim) {
    canvas_->setPlaceholder(tr("%1 is a TIR function: its loops are in the text.").arg(function->name));
  } else if (function->kind == FunctionKind::Extern) {
    canvas_->setPlaceholder(tr("%1 is an external function: its body is not part of the module.").arg(function->name));
  } else {
    canvas_->setPlaceholder(tr("%1 binds nothing.").arg(function->name));
  }
  if (!sameFunction) open_.clear();
  focus_ = 0;
  Q_EMIT titleChanged(function ? tr("Graph · %1").arg(function->name) : tr("Graph"));
  build(sameFunction);
}

void GraphPanel::build(bool keepView) {
  const int number = ++building_;
  makes_ = false;
  const FunctionRow* function = stage_ ? stage_->function(function_) : nullptr;
  const bool drawn = function && function->kind != FunctionKind::Prim && function->kind != FunctionKind::Extern;
  const auto build = [stage = stage_, name = function_, open = open_, machine = machine_] {
    Built built;
    built.whole = buildGraph(*stage->function(name), machine);
    if (built.whole.model.nodes.size() >= kFoldFrom) built.runs = findLayers(built.whole.model);
    built.folded = foldLayers(built.whole.model, built.runs, open);
    return built;
  };
  if (!drawn) return take({}, keepView);
  if (function->bindings.size() < kMadeHere) return take(build(), keepView);
  makes_ = true;
  runOnWorker(*QThreadPool::globalInstance(), this, build, [this, number, keepView](Built built) {
    if (number == building_) take(std::move(built), keepView);
  });
}

void GraphPanel::take(Built built, bool keepView) {
  makes_ = false;
  whole_ = std::move(built.whole);
  runs_ = std::move(built.runs);
  folded_ = std::move(built.folded);
  showModel(keepView);
}

void GraphPanel::showGraph(bool keepView) {
  folded_ = foldLayers(whole_.model, runs_, open_);
  showModel(keepView);
}

void GraphPanel::showModel(bool keepView) {
  canvas_->setModel(focus_ > 0 ? neighbourhood(folded_.model, focusId_, focus_) : GraphModel(folded_.model), keepView);
  const size_t bindings = whole_.shownBy.size();
  const QString shown = bindings == 0       ? QString()
                        : focus_ > 0        ? tr("%1 around the selection").arg(focus_)
                        : whole_.folded > 0 ? tr("%1 of %2 bindings are in the edges").arg(whole_.folded).arg(bindings)
                                            : tr("%1 bindings").arg(bindings);
  bar_->setSummary(shown);
  showRun();
}

void GraphPanel::showColours() {
  ColourInput input;
  input.function = stage_ ? stage_->function(function_) : nullptr;
  input.debug = context_.debug;
  StageIndexPtr other;
  if (stage_ && colour_ == GraphColour::Change) {
    const int compared = context_.selection->compareStage();
    const int number = compared >= 0 ? compared : std::max(0, stage_->stage - 1);
    other = context_.document->stage(number);
    input.other = other ? other->function(function_) : nullptr;
    input.otherIsLater = number > stage_->stage;
  }
  if (stage_) input.stage = stage_->stage;
  canvas_->setTints(tintsOf(colour_, input, whole_, folded_, canvas_->theme()));
}

bool GraphPanel::setColour(const QString& word) {
  for (const GraphColourRow& row : graphColourRows()) {
    if (word != QLatin1String(row.word)) continue;
    colour_ = row.colour;
    showColours();
    return true;
  }
  return false;
}

/// Around the selected node; the same distance again shows the whole graph.
bool GraphPanel::setFocusDistance(int distance) {
  constexpr int kUsual = 2;
  const int wanted = distance > 0 ? distance : focus_ > 0 ? 0 : kUsual;
  if (wanted > 0 && canvas_->selected() == 0) {
    Q_EMIT message(tr("Select a node first: the graph then shows what is near it."));
    return false;
  }
  focus_ = wanted;
  focusId_ = canvas_->selected();
  showModel(true);
  canvas_->fit();
  return true;
}

uint64_t GraphPanel::shownId(uint64_t id) const {
  for (uint32_t n = 0; n < whole_.model.nodes.size(); ++n)
    if (whole_.model.nodes[n].id == id) return folded_.model.nodes[folded_.shownBy[n]].id;
  return 0;
}

void GraphPanel::showSelection() {
  const FunctionRow* function = stage_ ? stage_->function(function_) : nullptr;
  if (!function) return;
  const Place& place = context_.selection->place();
  const BindingRow* binding = function->binding(place.binding);
  if (binding && !place.variable.isEmpty() && binding->name != place.variable) binding = nullptr;
  if (!binding && !place.variable.isEmpty()) binding = function->bindingNamed(place.variable);
  const bool shown = binding && static_cast<size_t>(binding->ordinal) < whole_.shownBy.size();
  uint64_t id = shown ? whole_.shownBy[static_cast<size_t>(binding->ordinal)] : 0;
  for (size_t p = 0; p < function->params.size() && !binding; ++p)
    if (function->params[p].name == place.variable) id = nodeId({NodeTarget::Kind::Param, static_cast<int>(p)});
  canvas_->setSelected(id ? shownId(id) : 0);
}

void GraphPanel::showRun() {
  const FunctionRow* function = stage_ ? stage_->function(function_) : nullptr;
  if (!function) return canvas_->setMarks({});
  auto marks = runMarks(stage_->stage, *function, whole_, *context_.debug);
  // A folded layer shows what is wrong inside it.
  for (uint32_t n = 0; n < whole_.model.nodes.size(); ++n) {
    const uint64_t shown = folded_.model.nodes[folded_.shownBy[n]].id;
    auto it = marks.find(whole_.model.nodes[n].id);
    if (shown == whole_.model.nodes[n].id || it == marks.end()) continue;
    const NodeMark inner = it->second;
    NodeMark& outer = marks[shown];
    outer.error |= inner.error, outer.current |= inner.current, outer.breakpoint |= inner.breakpoint;
  }
  uint64_t current = 0;
  for (const auto& [id, mark] : marks)
    if (mark.current) current = id;
  canvas_->setMarks(std::move(marks));
  // Where the run stops is looked at from its surroundings.
  if (current) canvas_->center(current);
  showColours();
}

void GraphPanel::activate(quint64 id) {
  const FunctionRow* function = stage_ ? stage_->function(function_) : nullptr;
  if (!function) return;
  const NodeTarget target = nodeTarget(id);
  if (target.kind == NodeTarget::Kind::Binding) {
    const BindingRow* binding = function->binding(target.index);
    if (binding) context_.selection->selectBinding(function_, binding->ordinal, binding->name);
  } else if (target.kind == NodeTarget::Kind::Param && target.index < static_cast<int>(function->params.size())) {
    context_.selection->selectBinding(function_, -1, function->params[static_cast<size_t>(target.index)].name);
  }
}

void GraphPanel::toggleFold(quint64 id) {
  const auto key = folded_.keyOf.find(id);
  if (key == folded_.keyOf.end()) return;
  if (!open_.erase(key->second)) open_.insert(key->second);
  showGraph(true);
}

void GraphPanel::enter(quint64 id) {
  if (folded_.keyOf.contains(id)) return toggleFold(id);
  // Into the function that the binding calls, if it is one of the module.
  const FunctionRow* function = stage_ ? stage_->function(function_) : nullptr;
  const NodeTarget target = nodeTarget(id);
  const BindingRow* binding =
      function && target.kind == NodeTarget::Kind::Binding ? function->binding(target.index) : nullptr;
  if (!binding) return;
  for (const OperandRow& operand : binding->operands)
    if (operand.kind == OperandRow::Kind::Global && stage_->function(operand.name))
      return context_.selection->selectFunction(operand.name);
}

void GraphPanel::contextMenu(const QPoint& position, quint64 id) {
  if (id) activate(id);
  Q_EMIT menuWanted(position);
}

QStringList GraphPanel::menuCommands() const {
  return {"debug.runToCursor", "debug.toggleBreakpoint",    "-",          "select.definition",
          "select.use",        "view.panel ir|Show in IR",  "-",          "graph.fit",
          "graph.actualSize",  "graph.fold",                "graph.unfold", "graph.focus",
          "graph.machine",     "-",                         "export.graph"};
}

/// What is on screen, folded layers as they are, in the colours of paper.
bool GraphPanel::writeTo(const QString& path) {
  QString error;
  if (folded_.model.nodes.empty()) {
    Q_EMIT message(tr("There is no graph to write."));
    return false;
  }
  const std::string dot = dotText(folded_.model, Palette::lightTheme(), function_.toStdString());
  const auto done = [this, path](const QString& failure) {
    Q_EMIT message(failure.isEmpty() ? tr("The graph is written to %1.").arg(path) : failure);
    Q_EMIT settled();
  };
  if (export_->start(path, QByteArray::fromStdString(dot), done, &error)) return true;
  Q_EMIT message(error);
  return false;
}

bool GraphPanel::command(const QString& name, const QStringList& arguments) {
  if (name == QLatin1String("export")) return arguments.size() == 1 && writeTo(arguments[0]);
  if (name == QLatin1String("fit")) return canvas_->fit(), true;
  if (name == QLatin1String("zoomIn")) return canvas_->zoomBy(1.25), true;
  if (name == QLatin1String("zoomOut")) return canvas_->zoomBy(0.8), true;
  if (name == QLatin1String("reset")) return canvas_->resetZoom(), true;
  if (name == QLatin1String("focus")) return setFocusDistance(arguments.isEmpty() ? 0 : arguments[0].toInt());
  if (name == QLatin1String("colour")) return arguments.size() == 1 && setColour(arguments[0]);
  if (name == QLatin1String("machine")) {
    machine_ = !machine_;
    return build(true), true;
  }
  if (name == QLatin1String("fold")) {
    open_.clear();
    return showGraph(true), true;
  }
  if (name == QLatin1String("unfold")) {
    open_ = allFoldKeys(whole_.model, runs_);
    return showGraph(true), true;
  }
  return false;
}

bool GraphPanel::busy() const {
  const bool waits = context_.document->state() == Document::State::Ready &&
                     (!stage_ || stage_->stage != context_.selection->place().stage);
  return makes_ || canvas_->busy() || export_->busy() || waits;
}

QString GraphPanel::dump() const {
  QString text;
  std::vector<QStringList> inputs(folded_.model.nodes.size());
  for (const GraphEdge& edge : folded_.model.edges)
    inputs[edge.to] += QString::fromStdString(folded_.model.nodes[edge.from].title);
  for (size_t n = 0; n < folded_.model.nodes.size(); ++n) {
    const GraphNode& node = folded_.model.nodes[n];
    QStringList parts{QString::fromStdString(node.title), QString::fromStdString(node.subtitle)};
    parts += QString::fromStdString(node.chip);
    const NodeMark* mark = canvas_->mark(node.id);
    if (mark && !mark->note.isEmpty()) parts[1] = mark->note;
    if (mark && mark->error) parts += QStringLiteral("error");
    if (mark && mark->current) parts += QStringLiteral("current");
    if (!inputs[n].isEmpty()) parts += QStringLiteral("<- ") + inputs[n].join(QStringLiteral(", "));
    parts.removeAll(QString());
    text += parts.join(QStringLiteral("  ")) + QLatin1Char('\n');
  }
  return text;
}

bool GraphPanel::showFind() {
  find_->show();
  find_->raise();
  placeFind();
  find_->setFocus(Qt::ShortcutFocusReason);
  find_->selectAll();
  return true;
}

bool GraphPanel::findNext(bool forward) { return canvas_->findNext(forward ? 1 : -1); }

int GraphPanel::find(const QString& text) {
  const int count = canvas_->find(text);
  if (count > 0) canvas_->findNext(1);
  return count > 0 ? count : findInside(text);
}

/// In layers that are folded: the first one is selected, which marks the node that shows its layer.
int GraphPanel::findInside(const QString& text) {
  int count = 0;
  uint64_t first = 0;
  for (const GraphNode& node : whole_.model.nodes) {
    if (text.isEmpty() || !QString::fromStdString(node.title).contains(text, Qt::CaseInsensitive)) continue;
    if (count++ == 0) first = node.id;
  }
  if (count > 0) activate(first);
  return count;
}

void GraphPanel::closeFind() {
  find_->hide();
  canvas_->find({});
  canvas_->setFocus();
}

void GraphPanel::placeFind() {
  const int gap = fontMetrics().height() / 2;
  find_->resize(std::min(fontMetrics().averageCharWidth() * 30, width() - 2 * gap), find_->sizeHint().height());
  find_->move(width() - find_->width() - gap, gap);
}

void GraphPanel::resizeEvent(QResizeEvent* event) {
  Panel::resizeEvent(event);
  placeFind();
}

bool GraphPanel::eventFilter(QObject* object, QEvent* event) {
  if (object == find_ && event->type() == QEvent::KeyPress) {
    auto* key = static_cast<QKeyEvent*>(event);
    if (key->key() == Qt::Key_Escape) return closeFind(), true;
    if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter || key->key() == Qt::Key_F3)
      return canvas_->findNext(key->modifiers() & Qt::ShiftModifier ? -1 : 1), true;
  }
  return Panel::eventFilter(object, event);
}

}  // namespace rx::views
