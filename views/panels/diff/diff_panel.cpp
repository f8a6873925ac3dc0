#include "views/panels/diff/diff_panel.h"

#include <QEvent>
#include <QVBoxLayout>

#include "views/models/selection.h"
#include "views/text/diff_view.h"
#include "views/text/text_view.h"

namespace rx::views {

DiffPanel::DiffPanel(const PanelContext& context, QWidget* parent)
    : Panel(parent), context_(context), view_(new DiffView(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(view_);
  setFocusProxy(view_);
  connect(context.selection, &Selection::changed, this, [this](const Place& place, const Place& old) {
    if (place.stage != old.stage) refresh();
  });
  connect(context.selection, &Selection::compareStageChanged, this, [this](int) { refresh(); });
  connect(context.document, &Document::stageReady, this, [this](int) { refresh(); });
  connect(context.document, &Document::opened, this, &DiffPanel::refresh);
  connect(context.document, &Document::stateChanged, this, &DiffPanel::refresh);
  connect(view_, &DiffView::compared, this, [this] {
    const bool same = view_->diff()->changes.empty() && left_ && right_;
    if (same)
      view_->showMessage(
          tr("No difference between %1 and %2.").arg(stageTitle(left_->stage), stageTitle(right_->stage)));
    // What the pass did to the selected function comes before the functions that it added.
    const FunctionRow* function = right_ ? right_->function(context_.selection->place().function) : nullptr;
    if (!same && function && function->firstLine > 0)
      view_->goToChangeIn(static_cast<uint32_t>(function->firstLine - 1),
                          static_cast<uint32_t>(function->lastLine - 1));
    Q_EMIT settled();
  });
  for (TextView* side : {view_->left(), view_->right()})
    connect(side, &TextView::caretMoved, this, [this, side](uint32_t line, uint32_t) {
      if (side->hasFocus()) selectAt(side, line);
    });
  view_->setTheme(Palette::forQt(palette()));
  refresh();
}

void DiffPanel::changeEvent(QEvent* event) {
  Panel::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) view_->setTheme(Palette::forQt(palette()));
}

void DiffPanel::showEvent(QShowEvent* event) {
  Panel::showEvent(event);
  refresh();
}

int DiffPanel::leftStage() const {
  const int right = context_.selection->place().stage, chosen = context_.selection->compareStage();
  return chosen >= 0 && chosen != right ? chosen : right - 1;
}

QString DiffPanel::stageTitle(int stage) const {
  const auto& steps = context_.document->steps();
  const bool known = stage >= 0 && stage < static_cast<int>(steps.size());
  return known ? QStringLiteral("%1 %2").arg(stage).arg(steps[static_cast<size_t>(stage)].name)
               : QString::number(stage);
}

void DiffPanel::refresh() {
  const int right = context_.selection->place().stage, left = leftStage();
  if (context_.document->lastStage() < 0) {
    left_.reset(), right_.reset();
    Q_EMIT titleChanged(tr("Diff"));
    return view_->showMessage(tr("Two stages of an open module are compared here."));
  }
  if (left < 0) {
    left_.reset(), right_.reset();
    Q_EMIT titleChanged(tr("Diff"));
    return view_->showMessage(
        tr("The imported module has no pass before it. Select a pass, or two passes to compare them."));
  }
  Q_EMIT titleChanged(tr("Diff %1 ↔ %2").arg(left).arg(right));
  const StageIndexPtr before = context_.document->stage(left), after = context_.document->stage(right);
  if (!before || !after) return;  // stageReady follows; what is shown stays until then
  if (before == left_ && after == right_) return;
  view_->showMessage({});
  left_ = before;
  right_ = after;
  view_->compare(TextBuffer::from(before->text.toStdString()), TextBuffer::from(after->text.toStdString()),
                 stageTitle(left), stageTitle(right));
}

/// The caret selects in the stage on the right, which is the selected one; the left is found again by name.
void DiffPanel::selectAt(TextView* side, uint32_t line) {
  const StageIndexPtr& stage = side == view_->right() ? right_ : left_;
  if (!stage || !right_) return;
  const FunctionRow* function = stage->functionAtLine(static_cast<int>(line) + 1);
  const BindingRow* binding = function ? function->bindingAtLine(static_cast<int>(line) + 1) : nullptr;
  const FunctionRow* target = binding ? right_->function(function->name) : nullptr;
  const BindingRow* found = target ? target->bindingNamed(binding->name) : nullptr;
  if (found) context_.selection->selectBinding(target->name, found->ordinal, found->name);
}

bool DiffPanel::busy() const {
  if (view_->busy()) return true;
  if (context_.document->state() != Document::State::Ready || leftStage() < 0) return false;
  return !right_ || right_->stage != context_.selection->place().stage || !left_ || left_->stage != leftStage();
}

bool DiffPanel::command(const QString& name, const QStringList& arguments) {
  if (name == QLatin1String("shortTypes") && arguments.size() == 1) {
    for (TextView* side : {view_->left(), view_->right()}) side->setShortTypes(arguments[0] == QLatin1String("on"));
    return true;
  }
  if (name == QLatin1String("next")) return view_->goToChange(1);
  if (name == QLatin1String("previous")) return view_->goToChange(-1);
  if (name == QLatin1String("all")) return view_->setCollapsed(false), true;
  if (name == QLatin1String("changes")) return view_->setCollapsed(true), true;
  return false;
}

bool DiffPanel::showFind() {
  (view_->left()->hasFocus() ? view_->left() : view_->right())->openFind();
  return true;
}

bool DiffPanel::findNext(bool forward) {
  TextView* side = view_->left()->search() ? view_->left() : view_->right();
  side->findNext(forward ? 1 : -1);
  return side->currentMatch() >= 0;
}

int DiffPanel::find(const QString& text) { return view_->right()->findAll(text); }

QString DiffPanel::dump() const {
  if (!view_->message().isEmpty() || !view_->diff()) return view_->message() + QLatin1Char('\n');
  QString text;
  auto add = [&](QChar mark, const TextView* side, int32_t line) {
    if (line < 0) return;
    const std::string_view bytes = side->buffer()->line(static_cast<uint32_t>(line));
    text += mark + QString::fromUtf8(bytes.data(), static_cast<qsizetype>(bytes.size())) + QLatin1Char('\n');
  };
  for (const DiffRow& row : view_->diff()->rows) {
    if (!row.changed) continue;
    add(QLatin1Char('-'), view_->left(), row.left);
    add(QLatin1Char('+'), view_->right(), row.right);
  }
  return text;
}

}  // namespace rx::views
