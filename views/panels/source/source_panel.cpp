#include "views/panels/source/source_panel.h"

#include <QEvent>
#include <QFileInfo>
#include <QVBoxLayout>
#include <algorithm>

#include "views/models/debug_session.h"
#include "views/models/run_place.h"
#include "views/models/selection.h"
#include "views/panels/binding_menu.h"
#include "views/panels/run_watch.h"
#include "views/text/banner_view.h"
#include "views/text/text_view.h"

namespace rx::views {
namespace {

/// What is shown anew.
enum Part : unsigned { kText = 1, kProblems = 2, kPlace = 4, kRun = 8, kStep = 16 };

}  // namespace

SourcePanel::SourcePanel(const PanelContext& context, QWidget* parent)
    : Panel(parent), context_(context), page_(new BannerView(this)), view_(page_->text()) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(page_);
  setFocusProxy(page_);
  const auto text = [this] {
    showTitle();
    want(kText);
  };
  connect(context.document, &Document::opened, this, text);
  connect(context.document, &Document::stateChanged, this, text);
  connect(context.document, &Document::problemsChanged, this, [this] { want(kProblems); });
  connect(context.document, &Document::stageReady, this, [this] { want(kPlace); });
  connect(context.selection, &Selection::changed, this, [this](const Place& place, const Place& old) {
    if (selecting_) return follow(), showRun();
    want(kPlace | kRun | (place.step != old.step ? kStep : 0));
  });
  watchRun(context.debug, this, [this] { want(kRun); });
  connect(view_, &TextView::clicked, this, &SourcePanel::selectAt);
  connect(view_, &TextView::caretMovedByUser, this, &SourcePanel::selectAt);
  connect(view_, &TextView::contextMenuAt, this, &Panel::menuWanted);
  showTitle();
  refresh();
}

void SourcePanel::changeEvent(QEvent* event) {
  Panel::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) refresh();
}

void SourcePanel::catchUp(unsigned parts) {
  if (parts & kText) return refresh();
  if (parts & kProblems) showProblems();
  if (parts & kPlace) follow();
  if (parts & kRun) showRun();
  // What runs next stays in sight beside what was just made.
  if ((parts & kStep) && view_->currentLine()) view_->revealLine(*view_->currentLine());
}

QString SourcePanel::file() const {
  const QString refused = context_.document->refusedFile();
  return refused.isEmpty() ? context_.document->sourceFile() : refused;
}

void SourcePanel::refresh() {
  page_->setTheme(Palette::forQt(palette()));
  const Document& document = *context_.document;
  const bool refused = !document.refusedFile().isEmpty();
  const bool other = document.state() == Document::State::Ready && document.sourceFile() != document.refusedFile();
  const QString name = QFileInfo(file()).fileName();
  page_->setBanner(
      !refused && !document.fixesMade().isEmpty()
          ? tr("Fixed here: %1. The file is as it was.").arg(document.fixesMade().join(QStringLiteral("; ")))
      : !refused ? QString()
      : other    ? tr("%1 does not open; this is its text. The other panels still show %2.").arg(name, document.title())
                 : tr("%1 does not open; this is its text.").arg(name),
      refused ? MarkKind::Error : MarkKind::Note);
  const QString text = refused ? document.refusedText() : document.sourceText();
  if (text != text_ || view_->buffer()->size() == 0) {
    text_ = text;
    view_->setPlaceholder(file().isEmpty() ? tr("The file that a module was read from stands here.")
                                           : tr("%1 has no text that could be shown.").arg(name));
    view_->setBuffer(text.isEmpty() ? nullptr : TextBuffer::from(text.toStdString()));
  }
  showProblems();
  follow();
  showRun();
}

void SourcePanel::showTitle() {
  const QString name = QFileInfo(file()).fileName();
  Q_EMIT titleChanged(name.isEmpty() ? tr("Source") : tr("Source · %1").arg(name));
}

void SourcePanel::showProblems() {
  std::vector<Squiggle> squiggles;
  const uint32_t lines = view_->buffer()->lineCount();
  for (const ProblemRow& problem : context_.document->problems()) {
    if (problem.file != file() || problem.line < 1 || static_cast<uint32_t>(problem.line) > lines) continue;
    Squiggle squiggle = squiggleIn(*view_->buffer(), static_cast<uint32_t>(problem.line - 1), problem.column,
                                   std::max(problem.endColumn, problem.column + 1));
    squiggle.kind = markOf(problem.severity);
    squiggle.tip = problemText(problem);
    squiggles.push_back(std::move(squiggle));
  }
  view_->setSquiggles(apart(std::move(squiggles)));
}

/// Marks the line that the selected binding was written on, or that of the head of the function.
void SourcePanel::follow() {
  view_->setSelectedLine(std::nullopt);
  if (!context_.document->refusedFile().isEmpty()) return;
  const Place& place = context_.selection->place();
  const StageIndexPtr stage = context_.document->stage(place.stage, false);
  const FunctionRow* function = stage ? stage->function(place.function) : nullptr;
  const BindingRow* binding = function ? function->binding(place.binding) : nullptr;
  const std::optional<uint32_t> line = lineOf(binding);
  if (!line) return;
  markName(*line, binding->origins.front().variable);
  view_->setSelectedLine(line);
  if (!selecting_) view_->goToLine(*line);
}

std::optional<uint32_t> SourcePanel::lineOf(const BindingRow* binding) const {
  if (!binding || binding->origins.empty() || binding->origins.front().line < 1) return std::nullopt;
  const OriginRow& origin = binding->origins.front();
  const auto line = static_cast<uint32_t>(origin.line - 1);
  if (line >= view_->buffer()->lineCount() || origin.file != context_.document->sourceFile()) return std::nullopt;
  return line;
}

/// The line that what runs next was written on, and that of the caller that is selected in the call stack.
void SourcePanel::showRun() {
  std::optional<uint32_t> next, waits;
  if (context_.document->refusedFile().isEmpty()) {
    const StageIndexPtr stage = context_.document->stage(context_.debug->config().stage, false);
    if (stage) next = lineOf(nextBinding(*stage, *context_.debug));
    if (stage) waits = lineOf(selectedCaller(*stage, *context_.debug, context_.selection->place()));
  }
  if (next != view_->currentLine()) view_->setCurrentLine(next);
  view_->setCallerLine(waits);
}

/// Frames the name where the line defines it.
void SourcePanel::markName(uint32_t line, const QString& name) {
  const std::string_view text = view_->buffer()->line(line);
  const std::string word = name.toStdString();
  const size_t at = std::min(text.find_first_not_of(" \t"), text.size());
  if (text.substr(at, word.size()) != word) return view_->setLinks({});
  const uint32_t begin = view_->buffer()->lineStart(line) + static_cast<uint32_t>(at);
  view_->setLinks({{begin, begin + static_cast<uint32_t>(word.size()), 1, LinkRole::Definition}});
  view_->setSelectedId(1);
}

/// Selects the binding of the shown stage that was written on a line; of several the one that has its name, or the
/// last.
void SourcePanel::selectAt(uint32_t line) {
  if (!context_.document->refusedFile().isEmpty()) return;
  Place place = context_.selection->place();
  const StageIndexPtr stage = context_.document->stage(place.stage, false);
  if (!stage) return;
  const BindingRow* best = nullptr;
  bool named = false;
  for (const FunctionRow& function : stage->functions) {
    for (const BindingRow& binding : function.bindings) {
      for (const OriginRow& origin : binding.origins) {
        if (origin.line != static_cast<int>(line) + 1 || (named && origin.variable != binding.name)) continue;
        named = origin.variable == binding.name;
        best = &binding;
        place.function = function.name;
      }
    }
  }
  if (!best) return;
  place.binding = best->ordinal;
  place.variable = best->name;
  selecting_ = true;
  context_.selection->select(place);
  selecting_ = false;
}

QStringList SourcePanel::menuCommands() const { return bindingMenu("source"); }

QString SourcePanel::dump() const {
  QString text = text_;
  if (view_->currentLine()) text += QStringLiteral("\n-- runs next: line %1").arg(*view_->currentLine() + 1);
  if (view_->callerLine()) text += QStringLiteral("\n-- a caller waits: line %1").arg(*view_->callerLine() + 1);
  for (const Squiggle& squiggle : view_->decorations().squiggles) {
    const uint32_t line = view_->buffer()->lineOf(squiggle.begin);
    text += QStringLiteral("\n-- underlined %1:%2-%3\n%4")
                .arg(line + 1)
                .arg(squiggle.begin - view_->buffer()->lineStart(line) + 1)
                .arg(squiggle.end - view_->buffer()->lineStart(line) + 1)
                .arg(squiggle.tip);
  }
  return text;
}

bool SourcePanel::showFind() {
  view_->openFind();
  return true;
}

bool SourcePanel::findNext(bool forward) {
  view_->findNext(forward ? 1 : -1);
  return view_->search() && view_->currentMatch() >= 0;
}

QRect SourcePanel::caretRect() const {
  const QRect line = view_->lineRect(view_->caretLine());
  return QRect(view_->mapTo(this, line.topLeft()), line.size()) & rect();
}

int SourcePanel::find(const QString& text) { return view_->findAll(text); }

bool SourcePanel::obey(const QString& name, const QStringList& arguments) {
  if (name == QLatin1String("wrap") && arguments.size() == 1)
    return view_->setWrapped(arguments[0] == QLatin1String("on")), true;
  if (name == QLatin1String("copy")) return view_->copySelection(), true;
  if (name != QLatin1String("goToLine")) return false;
  if (arguments.isEmpty()) return view_->openGoToLine(), true;
  const uint line = arguments[0].toUInt();
  if (line < 1 || line > view_->buffer()->lineCount()) return false;
  view_->goToLine(line - 1);
  // What is wrong there may stand far to the right.
  for (const Squiggle& squiggle : view_->decorations().squiggles) {
    if (view_->buffer()->lineOf(squiggle.begin) != line - 1) continue;
    // All of it, from where it begins.
    view_->setCaret(std::max(squiggle.end, squiggle.begin));
    view_->setCaret(squiggle.begin);
    break;
  }
  return selectAt(line - 1), true;
}

}  // namespace rx::views
