#include "views/panels/source/source_panel.h"

#include <QEvent>
#include <QFileInfo>
#include <QVBoxLayout>
#include <algorithm>

#include "views/models/selection.h"
#include "views/text/banner_view.h"
#include "views/text/text_view.h"

namespace rx::views {

SourcePanel::SourcePanel(const PanelContext& context, QWidget* parent)
    : Panel(parent), context_(context), page_(new BannerView(this)), view_(page_->text()) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(page_);
  setFocusProxy(page_);
  connect(context.document, &Document::opened, this, &SourcePanel::refresh);
  connect(context.document, &Document::stateChanged, this, &SourcePanel::refresh);
  connect(context.document, &Document::problemsChanged, this, &SourcePanel::showProblems);
  connect(context.document, &Document::stageReady, this, &SourcePanel::follow);
  connect(context.selection, &Selection::changed, this, &SourcePanel::follow);
  connect(view_, &TextView::caretMoved, this, [this](uint32_t line, uint32_t) {
    if (view_->hasFocus()) selectAt(line);
  });
  refresh();
}

void SourcePanel::changeEvent(QEvent* event) {
  Panel::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) refresh();
}

void SourcePanel::showEvent(QShowEvent* event) {
  Panel::showEvent(event);
  follow();
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
      !refused ? QString()
      : other  ? tr("%1 does not open; this is its text. The other panels still show %2.").arg(name, document.title())
               : tr("%1 does not open; this is its text.").arg(name),
      MarkKind::Error);
  const QString text = refused ? document.refusedText() : document.sourceText();
  if (text != text_ || view_->buffer()->size() == 0) {
    text_ = text;
    view_->setPlaceholder(file().isEmpty() ? tr("The file that a module was read from stands here.")
                                           : tr("%1 has no text that could be shown.").arg(name));
    view_->setBuffer(text.isEmpty() ? nullptr : TextBuffer::from(text.toStdString()));
  }
  showProblems();
  follow();
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

/// The line that the selected binding was written on.
void SourcePanel::follow() {
  if (!isVisible() || view_->hasFocus() || !context_.document->refusedFile().isEmpty()) return;
  const Place& place = context_.selection->place();
  const StageIndexPtr stage = context_.document->stage(place.stage, false);
  const FunctionRow* function = stage ? stage->function(place.function) : nullptr;
  const BindingRow* binding = function ? function->binding(place.binding) : nullptr;
  if (!binding || binding->origins.empty() || binding->origins.front().line < 1) return;
  const auto line = static_cast<uint32_t>(binding->origins.front().line - 1);
  if (line < view_->buffer()->lineCount()) view_->goToLine(line);
}

/// Selects the binding of the shown stage that was written on a line.
void SourcePanel::selectAt(uint32_t line) {
  if (!context_.document->refusedFile().isEmpty()) return;
  const Place& place = context_.selection->place();
  const StageIndexPtr stage = context_.document->stage(place.stage, false);
  if (!stage) return;
  for (const FunctionRow& function : stage->functions) {
    for (const BindingRow& binding : function.bindings) {
      if (binding.origins.empty() || binding.origins.front().line != static_cast<int>(line) + 1) continue;
      return context_.selection->selectBinding(function.name, binding.ordinal, binding.name);
    }
  }
}

QString SourcePanel::dump() const {
  QString text = text_;
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

bool SourcePanel::command(const QString& name, const QStringList& arguments) {
  if (name != QLatin1String("goToLine")) return false;
  if (arguments.isEmpty()) return view_->openGoToLine(), true;
  const uint line = arguments[0].toUInt();
  if (line < 1 || line > view_->buffer()->lineCount()) return false;
  return view_->goToLine(line - 1), true;
}

}  // namespace rx::views
