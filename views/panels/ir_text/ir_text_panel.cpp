#include "views/panels/ir_text/ir_text_panel.h"

#include <QEvent>
#include <QScrollBar>
#include <QVBoxLayout>
#include <algorithm>
#include <map>
#include <utility>

#include "views/models/debug_session.h"
#include "views/models/lit_query.h"
#include "views/models/notes.h"
#include "views/models/outline.h"
#include "views/models/run_comparison.h"
#include "views/models/run_place.h"
#include "views/models/selection.h"
#include "views/models/stage_trouble.h"
#include "views/models/worker.h"
#include "views/panels/binding_menu.h"
#include "views/panels/ir_text/call_defaults.h"
#include "views/panels/ir_text/head_weights.h"
#include "views/panels/ir_text/lit_ranges.h"
#include "views/panels/ir_text/operator_tip.h"
#include "views/panels/ir_text/run_notes.h"
#include "views/panels/ir_text/stage_links.h"
#include "views/panels/run_watch.h"
#include "views/text/banner_view.h"
#include "views/text/text_view.h"
#include "views/text/word.h"
#include "views/theme/qt_text.h"

namespace rx::views {
namespace {

/// Bytes of text that are prepared in a few milliseconds: waiting for a worker, behind the graph and the comparison of
/// the same stage, takes longer. Above that the thread of the window does not do it.
constexpr qsizetype kPreparedHere = 3 << 20;

/// What is shown anew.
enum Part : unsigned {
  kStage = 1,
  kSelection = 2,
  kStep = 4,
  kRun = 8,
  kProblems = 16,
  kPlaces = 32,
  kLit = 64,
};

/// The line that begins with these words and nearest to another.
std::optional<uint32_t> lineBeginning(const TextBuffer& buffer, std::string_view words, uint32_t near) {
  const auto begins = [&](uint32_t line) {
    std::string_view text = buffer.line(line);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    return text.starts_with(words) && text.size() > words.size() && !isWordByte(text[words.size()]);
  };
  const uint32_t count = buffer.lineCount();
  for (uint32_t away = 0; away < count; ++away) {
    if (near >= away && begins(near - away)) return near - away;
    if (near + away < count && begins(near + away)) return near + away;
  }
  return std::nullopt;
}

}  // namespace

IrTextPanel::IrTextPanel(const PanelContext& context, QWidget* parent)
    : Panel(parent), context_(context), page_(new BannerView(this)), view_(page_->text()) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(page_);
  setFocusProxy(page_);
  connect(view_, &TextView::linkActivated, this, [this](quint64 id) { activate(id); });
  connect(view_, &TextView::definitionRequested, this, &IrTextPanel::activate);
  connect(view_, &TextView::clicked, this, &IrTextPanel::click);
  connect(view_, &TextView::caretMovedByUser, this, &IrTextPanel::selectLine);
  connect(view_, &TextView::gutterClicked, this, &IrTextPanel::toggleBreakpoint);
  connect(view_, &TextView::contextMenuAt, this, &Panel::menuWanted);
  connect(context.selection, &Selection::changed, this, [this](const Place& place, const Place& old) {
    if (place.stage == old.stage && place == selecting_) return showSelection(false);
    updateTitle();
    want(place.stage != old.stage ? kStage : kSelection | (place.step != old.step ? kStep : 0));
  });
  connect(context.document, &Document::opened, this, [this] {
    stage_.reset();
    want(kStage);
  });
  connect(context.document, &Document::stageReady, this, [this] { want(kStage); });
  connect(context.document, &Document::textReady, this, [this] { want(kStage); });
  connect(context.document, &Document::stateChanged, this, [this] { want(kStage); });
  connect(context.document, &Document::problemsChanged, this, [this] { want(kProblems); });
  if (context.notes) connect(context.notes, &Notes::changed, this, [this] { want(kPlaces); });
  if (context.lit) connect(context.lit, &LitQuery::changed, this, [this] { want(kLit); });
  watchRun(context.debug, this, [this] { want(kRun); });
  connect(context.debug, &DebugSession::breakpointsChanged, this, [this] { want(kRun); });
  view_->setLeftOut([this](std::string_view line) {
    const std::vector<Shortening> head = stage_ ? weightsOfHead(*stage_, line) : std::vector<Shortening>();
    return head.empty() ? defaultArguments(line) : head;
  });
  view_->setTipSource([this](uint32_t offset) { return tipAt(offset); });
  applyTheme();
  showStage();
}

void IrTextPanel::catchUp(unsigned parts) {
  if (parts & kStage) showStage();
  // What a comparison of runs found stands beside the values.
  if (parts & kProblems) {
    const bool compared = std::ranges::any_of(context_.document->problems(),
                                              [](const ProblemRow& problem) { return causeOf(problem).has_value(); });
    if (std::exchange(compared_, compared) || compared) parts |= kRun;
  }
  if (parts & kRun) showRun();
  if (parts & kProblems) showProblems();
  if (parts & kPlaces) showPlaces();
  if (parts & kLit) showLit();
  if (parts & kSelection) showSelection(true);
  // What runs next stays in sight beside what was just made.
  if ((parts & kStep) && view_->currentLine()) view_->revealLine(*view_->currentLine());
}

void IrTextPanel::changeEvent(QEvent* event) {
  Panel::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) applyTheme();
}

void IrTextPanel::applyTheme() { page_->setTheme(Palette::forQt(palette())); }

void IrTextPanel::showBanner(const QString& text) { page_->setBanner(text, MarkKind::Warning); }

/// What stands here while there is no text: why, and what to do.
void IrTextPanel::showEmptyState() {
  const QString trouble = stageTrouble(*context_.document, context_.selection->place().stage);
  const QString reason = !trouble.isEmpty()                                       ? trouble
                         : context_.document->state() == Document::State::Opening ? tr("Reading the module…")
                         : context_.document->state() == Document::State::Failed
                             ? tr("The file could not be opened. The Problems panel says where and why.")
                             : tr("No module is open. Ctrl+O opens one; the samples are in the File menu.");
  view_->setPlaceholder(reason);
  if (view_->buffer()->size() > 0) view_->setBuffer(nullptr);
  showBanner({});
}

void IrTextPanel::showStage() {
  const int wanted = context_.selection->place().stage;
  const bool open = context_.document->state() == Document::State::Ready || context_.document->lastStage() >= 0;
  StageIndexPtr stage = open ? context_.document->stage(wanted) : nullptr;
  const bool rowsFollow = !stage;
  if (!stage && open) stage = context_.document->stageText(wanted);
  if (!stage && stage_ && open) {
    // The previous text stays, marked, until the wanted one is there.
    return showBanner(tr("Stage %1 is being made; this is still stage %2.").arg(wanted).arg(stage_->stage));
  }
  if (!stage) {
    preparing_ = nullptr;
    stage_.reset();
    showEmptyState();
    return updateTitle();
  }
  showBanner({});
  if (preparing_ == stage.get()) return;
  preparing_ = nullptr;
  if (stage == stage_) return rowsFollow_ ? void() : showSelection(true);
  // The text that is shown is that of these rows where both have the same bytes.
  const bool text = !rowsFollow_ || !stage_ || stage_->text.constData() != stage->text.constData();
  if (stage->text.size() < kPreparedHere) return takeStage({stage, rowsFollow, prepared(*stage, text)});
  preparing_ = stage.get();
  runOnWorker(
      *QThreadPool::globalInstance(), this,
      [stage, rowsFollow, text] {
        return Ready{stage, rowsFollow, prepared(*stage, text)};
      },
      [this](Ready ready) {
        if (preparing_ != ready.stage.get()) return;
        takeStage(std::move(ready));
        Q_EMIT settled();
      });
}

IrTextPanel::Prepared IrTextPanel::prepared(const StageIndex& stage, bool text) {
  TextBufferPtr buffer = text ? TextBuffer::from(stage.text.toStdString()) : nullptr;
  std::vector<FoldRegion> regions = text ? foldRegions(*buffer) : std::vector<FoldRegion>();
  return {std::move(buffer), std::move(regions), stageLinks(stage), stageBands(stage), stageBlocks(stage)};
}

void IrTextPanel::takeStage(Ready ready) {
  preparing_ = nullptr;
  const bool first = !stage_, text = ready.made.buffer != nullptr;
  // Rows that come after their text find it where it was put, or where somebody scrolled it meanwhile.
  const bool scroll = text || (!clicked_ && view_->verticalScrollBar()->value() == textTop_);
  stage_ = std::move(ready.stage);
  rowsFollow_ = ready.rowsFollow;
  const uint32_t topLine = first ? 0 : view_->caretLine();
  if (text) {
    clicked_.reset();
    view_->setBuffer(std::move(ready.made.buffer), std::move(ready.made.regions));
  }
  if (stage_->text.isEmpty()) view_->setPlaceholder(stageTrouble(*context_.document, stage_->stage));
  view_->setLinks(std::move(ready.made.links));
  view_->setBands(std::move(ready.made.bands));
  view_->setBlocks(std::move(ready.made.blocks));
  if (foldsBlocks_) foldBlocks();
  if (stage_->errorLine > 0) {
    view_->goToLine(static_cast<uint32_t>(std::min(stage_->errorLine, stage_->lineCount()) - 1));
  } else if (!first && text) {
    view_->goToLine(topLine);
  }
  showProblems();
  showRun();
  showPlaces();
  showLit();
  showSelection(scroll);
  textTop_ = view_->verticalScrollBar()->value();
  if (const auto clicked = rowsFollow_ ? std::nullopt : std::exchange(clicked_, std::nullopt)) selectLine(*clicked);
}

/// As the graph folds them: one that is like no other beside it stays open as an example.
void IrTextPanel::foldBlocks() {
  const StageIndexPtr first = context_.document->stage(0, false);
  std::set<uint32_t> examples;
  for (const FunctionRow& function : stage_->functions)
    if (const OutlineRow* example = exampleBlock(function, first.get()))
      examples.insert(static_cast<uint32_t>(function.bindings[static_cast<size_t>(example->first)].line - 1));
  view_->foldBlocks(examples);
}

std::pair<int, uint64_t> IrTextPanel::spotOf(size_t number, const Place& place) const {
  const FunctionRow& function = stage_->functions[number];
  const int index = static_cast<int>(number);
  const BindingRow* binding = function.binding(place.binding);
  if (binding && !place.variable.isEmpty() && binding->name != place.variable) binding = nullptr;
  if (!binding && !place.variable.isEmpty()) binding = function.bindingNamed(place.variable);
  if (binding) return {binding->line, linkId({LinkTarget::Kind::Binding, index, binding->ordinal})};
  for (size_t p = 0; p < function.params.size(); ++p) {
    const ParamRow& param = function.params[p];
    if (param.name != place.variable) continue;
    const int line = param.nameRange.empty() ? function.headLine : stage_->lineOf(param.nameRange.begin);
    return {line, linkId({LinkTarget::Kind::Param, index, static_cast<int>(p)})};
  }
  return {function.headLine, linkId({LinkTarget::Kind::Function, index, -1})};
}

void IrTextPanel::showSelection(bool scroll) {
  updateTitle();
  if (!stage_) return;
  if (rowsFollow_) return showNamed(scroll);
  showCaller();
  const Place& place = context_.selection->place();
  for (size_t f = 0; f < stage_->functions.size(); ++f) {
    if (stage_->functions[f].name != place.function) continue;
    const auto [line, id] = spotOf(f, place);
    view_->setSelectedId(id);
    if (line < 1 || line > stage_->lineCount()) return view_->setSelectedLine(std::nullopt);
    return markLine(static_cast<uint32_t>(line - 1), place.binding < 0 && place.variable.isEmpty(), scroll);
  }
  view_->setSelectedId(0);
  view_->setSelectedLine(std::nullopt);
}

void IrTextPanel::markLine(uint32_t line, bool head, bool scroll) {
  view_->setSelectedLine(line);
  if (!scroll) return;
  head ? view_->revealHead(line) : view_->revealLine(line);
  if (view_->caretLine() != line) view_->setCaret(view_->buffer()->lineStart(line));
}

void IrTextPanel::showNamed(bool scroll) {
  const Place& place = context_.selection->place();
  const bool head = place.variable.isEmpty();
  const QString words = head ? QStringLiteral("def %1").arg(place.function) : place.variable;
  const std::optional<uint32_t> line = lineBeginning(*view_->buffer(), words.toStdString(), view_->caretLine());
  if (line) return markLine(*line, head, scroll);
  view_->setSelectedLine(std::nullopt);
}

void IrTextPanel::showRun() {
  if (!stage_) return;
  LineNotes notes = runNotes(stage_, *context_.debug);
  const bool values = !notes.empty();
  if (!values) notes = writtenNotes(stage_);
  const bool written = !values && !notes.empty();
  notes = withDifferences(std::move(notes), *stage_, context_.document->problems());
  const QString past = context_.debug->pastOf();
  const QString after = tr("value after step %1").arg(context_.debug->stop().step);
  view_->setValueTitle(values          ? past.isEmpty() ? after : tr("%1, of %2").arg(after, past)
                                : written ? tr("buffer written")
                       : notes.empty() ? QString()
                                       : tr("difference of runs"));
  view_->setLineNotes(std::move(notes));
  view_->setMarks(breakpointMarks(*stage_, *context_.debug));
  const auto line = currentLine(*stage_, *context_.debug);
  if (line != view_->currentLine()) view_->setCurrentLine(line);
  showCaller();
}

/// The frame that is selected in the call stack, where it is not the innermost.
void IrTextPanel::showCaller() {
  const BindingRow* waits = selectedCaller(*stage_, *context_.debug, context_.selection->place());
  view_->setCallerLine(waits && waits->line > 0 ? std::optional(static_cast<uint32_t>(waits->line - 1)) : std::nullopt);
}

void IrTextPanel::showPlaces() {
  if (!stage_ || !context_.notes) return;
  std::map<uint32_t, QStringList> words;
  for (const Note& note : context_.notes->rows()) {
    if (note.place.stage != stage_->stage) continue;
    for (size_t f = 0; f < stage_->functions.size(); ++f) {
      const int line = stage_->functions[f].name == note.place.function ? spotOf(f, note.place).first : 0;
      if (line > 0) words[static_cast<uint32_t>(line - 1)] << note.text;
    }
  }
  std::vector<PlaceMark> places;
  for (auto& [line, texts] : words) {
    texts.removeAll(QString());
    places.push_back({line, texts.join('\n')});
  }
  view_->setPlaces(std::move(places));
}

/// What keeps a kernel from a device, at the loop that it is about, else at the head of the function.
void IrTextPanel::addBadge(const FunctionRow& function, std::vector<Squiggle>* squiggles) const {
  if (!function.badge) return;
  for (const PrimBadge::Reason& reason : function.badge->reasons) {
    const int line =
        reason.line < 0 ? std::max(function.headLine, function.firstLine) : function.firstLine + reason.line;
    if (line < 1 || line > stage_->lineCount()) continue;
    const auto at = static_cast<uint32_t>(line - 1);
    const std::string_view text = view_->buffer()->line(at);
    const auto indent = std::min(text.find_first_not_of(' '), text.size());
    Squiggle squiggle =
        squiggleIn(*view_->buffer(), at, static_cast<int>(indent) + 1, static_cast<int>(text.size()) + 1);
    squiggle.kind = markOf(Severity::Warning);
    squiggle.tip = QStringLiteral("on %1: %2").arg(function.badge->target, reason.message);
    if (!reason.fix.isEmpty()) squiggle.tip += QStringLiteral("\nfix: ") + reason.fix;
    squiggles->push_back(std::move(squiggle));
  }
}

void IrTextPanel::showProblems() {
  if (!stage_) return;
  std::vector<Squiggle> squiggles;
  const auto isOfStage = [&](const ProblemRow& problem) { return problem.stage == stage_->stage; };
  const std::vector<ProblemRow>& problems = context_.document->problems();
  const bool sameText =
      stage_->errorLine > 0 || (std::any_of(problems.begin(), problems.end(), isOfStage) && stage_->stage == 0 &&
                                context_.document->sourceText().toUtf8() == stage_->text);
  for (const ProblemRow& problem : problems) {
    const bool refused = !problem.file.isEmpty() && problem.file == context_.document->refusedFile();
    if (problem.stage != stage_->stage || refused) continue;
    const ProblemPlace place = problemPlace(problem, stage_.get(), sameText);
    if (place.line < 1 || place.line > stage_->lineCount()) continue;
    Squiggle squiggle =
        squiggleIn(*view_->buffer(), static_cast<uint32_t>(place.line - 1), place.column, place.endColumn);
    squiggle.kind = markOf(problem.severity);
    squiggle.tip = problemText(problem);
    squiggles.push_back(std::move(squiggle));
  }
  for (const FunctionRow& function : stage_->functions) addBadge(function, &squiggles);
  view_->setSquiggles(apart(std::move(squiggles)));
}

void IrTextPanel::showLit() {
  litCancel_.cancel();
  litCancel_ = CancelToken();
  const int number = ++lighting_;
  const SearchQuery query = context_.lit ? context_.lit->query() : SearchQuery();
  if (query.empty() || !stage_) return view_->setLit({});
  runOnWorker(
      *QThreadPool::globalInstance(), this,
      [stage = stage_, query, cancel = litCancel_] { return litRanges(*stage, searchStage(*stage, query, cancel)); },
      [this, number](std::vector<LitRange> ranges) {
        if (number == lighting_) view_->setLit(std::move(ranges));
      });
}

void IrTextPanel::activate(quint64 id) {
  const LinkTarget target = linkTarget(id);
  if (!stage_ || target.function < 0 || target.function >= static_cast<int>(stage_->functions.size())) return;
  const FunctionRow& function = stage_->functions[static_cast<size_t>(target.function)];
  Place place = context_.selection->place();
  place.function = function.name;
  place.binding = -1;
  place.variable.clear();
  if (target.kind == LinkTarget::Kind::Binding) {
    const BindingRow* binding = function.binding(target.index);
    if (!binding) return;
    place.binding = binding->ordinal;
    place.variable = binding->name;
  } else if (target.kind == LinkTarget::Kind::Param) {
    if (target.index < 0 || target.index >= static_cast<int>(function.params.size())) return;
    place.variable = function.params[static_cast<size_t>(target.index)].name;
  }
  const auto [line, selected] = spotOf(static_cast<size_t>(target.function), place);
  if (line == static_cast<int>(view_->caretLine()) + 1) return selectHere(place);
  context_.selection->select(place);
}

/// Selects what stands on the caret's line: the text does not jump.
void IrTextPanel::selectHere(const Place& place) {
  selecting_ = place;
  const std::optional<uint32_t> from = view_->selectedLine();
  const uint32_t to = view_->caretLine();
  // Going down line by line is one entry of the history, not one a line.
  if (from && (*from + 1 == to || *from == to + 1)) {
    context_.selection->replace(place);
  } else {
    context_.selection->select(place);
  }
  selecting_ = {};
}

void IrTextPanel::click(uint32_t line, quint64 id, LinkRole role) {
  if (id && role == LinkRole::Definition) return activate(id);
  selectLine(line);
}

void IrTextPanel::selectLine(uint32_t line) {
  if (rowsFollow_) {
    clicked_ = line;
    return;
  }
  const int number = static_cast<int>(line) + 1;
  const FunctionRow* function = stage_ ? stage_->functionAtLine(number) : nullptr;
  if (!function) return;
  const BindingRow* binding = function->bindingAtLine(number);
  Place place = context_.selection->place();
  place.stage = stage_->stage;
  place.function = function->name;
  place.binding = binding ? binding->ordinal : -1;
  place.variable = binding ? binding->name : QString();
  selectHere(place);
}

/// Names say what they are bound to, operators show their row of the operator table.
QString IrTextPanel::tipAt(uint32_t offset) const {
  const Link* link = view_->decorations().linkAt(offset);
  if (!stage_ || !link) return {};
  const LinkTarget target = linkTarget(link->id);
  if (target.kind == LinkTarget::Kind::None) {
    const int line = static_cast<int>(view_->buffer()->lineOf(offset)) + 1;
    const FunctionRow* function = stage_->functionAtLine(line);
    const BindingRow* binding = function ? function->bindingAtLine(line) : nullptr;
    if (!binding) return {};
    // The text need not say the type of what it writes without a name.
    if (function->kind == FunctionKind::Graph) return binding->label + QStringLiteral(": ") + binding->info;
    return function->kind == FunctionKind::Relax ? operatorTip(binding->op) : QString();
  }
  if (target.function < 0 || target.function >= static_cast<int>(stage_->functions.size())) return {};
  const FunctionRow& function = stage_->functions[static_cast<size_t>(target.function)];
  if (target.kind == LinkTarget::Kind::Function) return function.name + QLatin1Char(' ') + function.signature;
  if (target.kind == LinkTarget::Kind::Param) {
    if (target.index < 0 || target.index >= static_cast<int>(function.params.size())) return {};
    const ParamRow& param = function.params[static_cast<size_t>(target.index)];
    return tr("parameter %1: %2").arg(param.name, param.info);
  }
  const BindingRow* binding = function.binding(target.index);
  if (!binding) return {};
  QString tip = binding->name + QStringLiteral(": ") + binding->info;
  const ValueSummary value = context_.debug->hasTrace() && context_.debug->config().stage == stage_->stage
                                 ? context_.debug->valueOf(function.name, binding->ordinal)
                                 : ValueSummary();
  if (value.known) tip += QLatin1Char('\n') + valueTip(value);
  return tip;
}

void IrTextPanel::toggleBreakpoint(uint32_t line) {
  if (!stage_) return;
  if (rowsFollow_) return Q_EMIT message(tr("What stands on the lines of this stage is not known yet."));
  const FunctionRow* function = stage_->functionAtLine(static_cast<int>(line) + 1);
  const BindingRow* binding = function ? function->bindingAtLine(static_cast<int>(line) + 1) : nullptr;
  if (!binding) {
    Q_EMIT message(tr("A breakpoint stands at a binding; line %1 has none.").arg(line + 1));
    return;
  }
  context_.debug->toggleBreakpoint(stage_->stage, function->name, binding->ordinal, binding->name);
}

QStringList IrTextPanel::menuCommands() const {
  return bindingMenu("ir") + QStringList{"-", "pass.apply",    "pass.applyTo",  "pass.schedule",   "pass.compareBefore",
                                         "-", "edit.goToLine", "edit.foldText", "edit.foldBlocks", "edit.unfoldText"};
}

void IrTextPanel::updateTitle() {
  const QString function = context_.selection->place().function;
  Q_EMIT titleChanged(stage_ && !function.isEmpty() ? tr("IR · %1").arg(function) : tr("IR"));
}

QString IrTextPanel::dump() const {
  if (!stage_ || stage_->text.isEmpty()) return stageTrouble(*context_.document, context_.selection->place().stage);
  QString text;
  for (uint32_t line = 0; line < view_->buffer()->lineCount(); ++line) {
    const std::string_view bytes = view_->buffer()->line(line);
    text += qtText(bytes);
    if (view_->currentLine() == line) text += QStringLiteral("  <== current");
    if (view_->callerLine() == line) text += QStringLiteral("  <== caller");
    if (const LineNote* note = view_->decorations().noteOf(line))
      for (const NotePiece& piece : note->pieces) text += QStringLiteral("  ") + piece.text;
    text += QLatin1Char('\n');
  }
  return text;
}

bool IrTextPanel::showFind() {
  view_->openFind();
  return true;
}

bool IrTextPanel::findNext(bool forward) {
  view_->findNext(forward ? 1 : -1);
  return view_->search() && view_->currentMatch() >= 0;
}

QRect IrTextPanel::caretRect() const {
  const QRect line = view_->lineRect(view_->caretLine());
  return QRect(view_->mapTo(this, line.topLeft()), line.size()) & rect();
}

int IrTextPanel::find(const QString& text) { return view_->findAll(text); }

bool IrTextPanel::busy() const {
  if (Panel::busy()) return true;
  if (context_.document->state() != Document::State::Ready) return false;
  // A stage that a failing pass left unmade does not come.
  const int stage = context_.selection->place().stage;
  return stage <= context_.document->lastStage() && (!stage_ || rowsFollow_ || stage_->stage != stage);
}

bool IrTextPanel::obey(const QString& name, const QStringList& arguments) {
  if (name == QLatin1String("goToLine") && arguments.isEmpty()) return view_->openGoToLine(), true;
  if (name == QLatin1String("goToLine")) {
    const uint line = arguments[0].toUInt();
    if (line < 1 || line > view_->buffer()->lineCount()) return false;
    view_->goToLine(line - 1);
    return selectLine(line - 1), true;
  }
  if (name == QLatin1String("goToDefinition")) {
    const Link* link = view_->decorations().linkAt(view_->caretOffset());
    if (!link || !link->id || link->role == LinkRole::Definition) return false;
    return activate(link->id), true;
  }
  if (name == QLatin1String("toggleBreakpoint")) return toggleBreakpoint(view_->caretLine()), true;
  if (name == QLatin1String("condition")) return editCondition(arguments.value(0));
  if (name == QLatin1String("shortTypes") && arguments.size() == 1)
    return view_->setShortTypes(arguments[0] == QLatin1String("on")), true;
  if (name == QLatin1String("wrap") && arguments.size() == 1)
    return view_->setWrapped(arguments[0] == QLatin1String("on")), true;
  if (name == QLatin1String("copy")) return view_->copySelection(), true;
  if (name == QLatin1String("find") && arguments.size() == 1) return find(arguments[0]) > 0;
  if (name == QLatin1String("foldAll")) return view_->foldAll(), true;
  if (name == QLatin1String("foldBlocks")) return foldsBlocks_ = true, view_->foldBlocks(), true;
  if (name == QLatin1String("unfoldAll")) return foldsBlocks_ = false, view_->unfoldAll(), true;
  return false;
}

}  // namespace rx::views
