#include "views/panels/source/source_panel.h"

#include <QEvent>
#include <QFileInfo>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>

#include "views/models/selection.h"
#include "views/text/text_view.h"

namespace rx::views {

SourcePanel::SourcePanel(const PanelContext& context, QWidget* parent)
    : Panel(parent), context_(context), banner_(new QLabel(this)), view_(new TextView(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(banner_);
  layout->addWidget(view_, 1);
  banner_->setAutoFillBackground(true);
  banner_->setWordWrap(true);
  banner_->setMargin(fontMetrics().height() / 4);
  banner_->hide();
  setFocusProxy(view_);
  connect(context.document, &Document::opened, this, &SourcePanel::refresh);
  connect(context.document, &Document::stateChanged, this, &SourcePanel::refresh);
  connect(context.document, &Document::problemsChanged, this, &SourcePanel::showProblems);
  connect(context.document, &Document::stageReady, this, &SourcePanel::follow);
  connect(context.selection, &Selection::changed, this, &SourcePanel::follow);
  connect(view_, &TextView::caretMoved, this, [this](uint32_t line, uint32_t) {
    if (view_->hasFocus()) selectAt(line);
  });
  view_->setTheme(Palette::forQt(palette()));
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
  const Palette& theme = Palette::forQt(palette());
  view_->setTheme(theme);
  QPalette colors = banner_->palette();
  colors.setColor(QPalette::Window, theme.errorFill);
  colors.setColor(QPalette::WindowText, theme.error);
  banner_->setPalette(colors);
  const Document& document = *context_.document;
  const bool refused = !document.refusedFile().isEmpty();
  const bool other = document.state() == Document::State::Ready && document.sourceFile() != document.refusedFile();
  const QString name = QFileInfo(file()).fileName();
  banner_->setText(
      !refused ? QString()
      : other  ? tr("%1 does not open; this is its text. The other panels still show %2.").arg(name, document.title())
               : tr("%1 does not open; this is its text.").arg(name));
  banner_->setVisible(refused);
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
    const auto number = static_cast<uint32_t>(problem.line - 1);
    const std::string_view bytes = view_->buffer()->line(number);
    const QString line = QString::fromUtf8(bytes.data(), static_cast<qsizetype>(bytes.size()));
    const uint32_t start = view_->buffer()->lineStart(number);
    const auto byteOf = [&](int column) {
      return start +
             static_cast<uint32_t>(line.left(std::clamp<qsizetype>(column - 1, 0, line.size())).toUtf8().size());
    };
    const uint32_t begin = byteOf(problem.column);
    const uint32_t end = byteOf(std::max(problem.endColumn, problem.column + 1));
    const MarkKind kind = problem.severity == Severity::Error     ? MarkKind::Error
                          : problem.severity == Severity::Warning ? MarkKind::Warning
                                                                  : MarkKind::Note;
    squiggles.push_back({begin, std::max(begin, end), kind, problemText(problem)});
  }
  std::sort(squiggles.begin(), squiggles.end(), [](const Squiggle& a, const Squiggle& b) { return a.begin < b.begin; });
  std::vector<Squiggle> apart;
  for (Squiggle& squiggle : squiggles) {
    if (apart.empty() || squiggle.begin >= apart.back().end) apart.push_back(std::move(squiggle));
  }
  view_->setSquiggles(std::move(apart));
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

int SourcePanel::find(const QString& text) { return view_->findAll(text); }

bool SourcePanel::command(const QString& name, const QStringList& arguments) {
  if (name != QLatin1String("goToLine")) return false;
  if (arguments.isEmpty()) return view_->openGoToLine(), true;
  const uint line = arguments[0].toUInt();
  if (line < 1 || line > view_->buffer()->lineCount()) return false;
  return view_->goToLine(line - 1), true;
}

}  // namespace rx::views
