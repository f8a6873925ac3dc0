#include "views/panels/diff/diff_panel.h"

#include <QAction>
#include <QEvent>
#include <QHBoxLayout>
#include <QMenu>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

#include "views/models/selection.h"
#include "views/models/worker.h"
#include "views/panels/path_dialog.h"
#include "views/text/diff_view.h"
#include "views/text/text_view.h"
#include "views/theme/qt_text.h"

namespace rx::views {

DiffPanel::DiffPanel(const PanelContext& context, QWidget* parent)
    : Panel(parent), context_(context), view_(new DiffView(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(6, 3, 6, 0);
  sideBySide_ = addButton(tr("Side by side"), tr("Both texts beside each other"), "diff.sideBySide");
  unified_ = addButton(tr("Unified"), tr("Both texts as one"), "diff.unified");
  ignoreNames_ = addButton(tr("Ignore names"), tr("Lines that differ in names alone are equal"), "diff.ignoreNames");
  auto* file = addButton(tr("File…"), tr("Compare with the module of another file"), "diff.file");
  file->setCheckable(false);
  functions_ = new QToolButton(this);
  functions_->setText(tr("Functions"));
  functions_->setToolTip(tr("What changed in each function"));
  functions_->setPopupMode(QToolButton::InstantPopup);
  functions_->setMenu(new QMenu(functions_));
  functions_->setAutoRaise(true);
  for (QToolButton* button : {sideBySide_, unified_, ignoreNames_, file, functions_}) bar->addWidget(button);
  bar->addStretch();
  layout->addLayout(bar);
  layout->addWidget(view_, 1);
  setFocusProxy(view_);
  connect(view_, &DiffView::formShown, this, &DiffPanel::markForm);
  markForm();
  const auto soon = [this] {
    showTitle();
    want();
  };
  connect(context.selection, &Selection::changed, this, [soon](const Place& place, const Place& old) {
    if (place.stage != old.stage) soon();
  });
  connect(context.selection, &Selection::compareStageChanged, this, soon);
  connect(context.document, &Document::stageReady, this, soon);
  connect(context.document, &Document::otherChanged, this, soon);
  connect(context.document, &Document::opened, this, soon);
  connect(context.document, &Document::stateChanged, this, soon);
  connect(view_, &DiffView::compared, this, [this] {
    const bool same = view_->diff()->changes.empty() && left_ && right_;
    if (same) view_->showMessage(tr("No difference between %1 and %2.").arg(leftTitle(), stageTitle(right_->stage)));
    // What the pass did to the selected function comes before the functions that it added.
    if (!same) goToFunction(context_.selection->place().function);
    showNotes();
    Q_EMIT settled();
  });
  for (TextView* side : {view_->left(), view_->right()})
    connect(side, &TextView::caretMoved, this, [this, side](uint32_t line, uint32_t) {
      if (side->hasFocus()) selectAt(side == view_->right(), line);
    });
  for (TextView* text : {view_->left(), view_->right(), view_->unified()})
    connect(text, &TextView::contextMenuAt, this, &Panel::menuWanted);
  connect(view_->unified(), &TextView::caretMoved, this, [this](uint32_t line, uint32_t) {
    if (!view_->unified()->hasFocus()) return;
    const auto [left, right] = view_->sidesOf(line);
    if (left >= 0 || right >= 0) selectAt(right >= 0, static_cast<uint32_t>(right >= 0 ? right : left));
  });
  view_->setTheme(Palette::forQt(palette()));
  soon();
}

QToolButton* DiffPanel::addButton(const QString& text, const QString& tip, const char* command) {
  auto* button = new QToolButton(this);
  button->setText(text);
  button->setToolTip(tip);
  button->setAutoRaise(true);
  button->setCheckable(true);
  connect(button, &QToolButton::clicked, this, [this, command] { context_.commands->run(QLatin1String(command)); });
  return button;
}

void DiffPanel::changeEvent(QEvent* event) {
  Panel::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) view_->setTheme(Palette::forQt(palette()));
}

void DiffPanel::catchUp(unsigned) { refresh(); }

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

QString DiffPanel::leftTitle() const {
  return left_ == context_.document->other() ? left_->title : stageTitle(left_->stage);
}

bool DiffPanel::hasSides() const {
  return context_.document->lastStage() >= 0 && (leftStage() >= 0 || context_.document->other());
}

void DiffPanel::showTitle() {
  if (!hasSides()) return Q_EMIT titleChanged(tr("Diff"));
  const StageIndexPtr other = context_.document->other();
  Q_EMIT titleChanged(tr("Diff %1 ↔ %2")
                          .arg(other ? other->title : QString::number(leftStage()),
                               QString::number(context_.selection->place().stage)));
}

void DiffPanel::refresh() {
  const int right = context_.selection->place().stage, left = leftStage();
  const StageIndexPtr other = context_.document->other();
  if (!hasSides()) {
    left_.reset(), right_.reset();
    match_.reset();
    showFunctions();
    return view_->showMessage(
        context_.document->lastStage() < 0
            ? tr("Two stages of an open module are compared here.")
            : tr("The imported module has no pass before it. Select a pass, or two passes to compare them."));
  }
  const StageIndexPtr before = other ? other : context_.document->stage(left);
  const StageIndexPtr after = context_.document->stage(right);
  if (!before || !after) return;  // stageReady follows; what is shown stays until then
  if (before == left_ && after == right_) return;
  left_ = before;
  right_ = after;
  compare();
}

void DiffPanel::compare() {
  view_->showMessage({});
  match_ = nullptr;
  std::function<LineLikeness()> likeness;
  if (namesIgnored_) likeness = [left = left_, right = right_] { return nameBlind(*left, *right); };
  view_->compare(
      [left = left_, right = right_] {
        return DiffView::Texts{TextBuffer::from(left->text.toStdString()), TextBuffer::from(right->text.toStdString())};
      },
      leftTitle(), stageTitle(right_->stage), std::move(likeness));
  matching_ = true;
  runOnWorker(
      *QThreadPool::globalInstance(), this,
      [left = left_, right = right_] { return std::make_shared<const Matched>(matched(left, right)); },
      [this](std::shared_ptr<const Matched> matched) { takeMatch(std::move(matched)); });
}

/// Which lines say at their ends what a binding was called and where it stood.
DiffPanel::Matched DiffPanel::matched(StageIndexPtr left, StageIndexPtr right) {
  Matched made{left, right, matchStages(*left, *right), {}, {}};
  struct Told {
    uint32_t line;
    std::pair<int, int> pair;
    auto operator<=>(const Told&) const = default;
  };
  std::array<std::vector<Told>, 2> told;
  for (size_t f = 0; f < made.match.functions.size(); ++f) {
    const FunctionMatch& function = made.match.functions[f];
    const FunctionRow* before = left->function(function.name);
    const FunctionRow* after = right->function(function.name);
    if (!before || !after) continue;
    for (size_t p = 0; p < function.pairs.size(); ++p) {
      const BindingPair& pair = function.pairs[p];
      if (!pair.renamed && !pair.moved) continue;
      const std::pair<int, int> here(static_cast<int>(f), static_cast<int>(p));
      const int lines[] = {before->binding(pair.left)->line, after->binding(pair.right)->line};
      for (size_t side = 0; side < told.size(); ++side)
        if (lines[side] > 0) told[side].push_back({static_cast<uint32_t>(lines[side] - 1), here});
    }
  }
  for (size_t side = 0; side < told.size(); ++side) {
    SideNotes& notes = side == 0 ? made.leftNotes : made.rightNotes;
    std::sort(told[side].begin(), told[side].end());
    for (const Told& note : told[side]) {
      notes.lines.push_back(note.line);
      notes.pairs.push_back(note.pair);
    }
  }
  return made;
}

LineNotes DiffPanel::notesOf(const std::shared_ptr<const Matched>& matched, bool ofRight) {
  const SideNotes& notes = ofRight ? matched->rightNotes : matched->leftNotes;
  return LineNotes(notes.lines, [matched, ofRight](uint32_t line) {
    const SideNotes& side = ofRight ? matched->rightNotes : matched->leftNotes;
    const auto at = std::lower_bound(side.lines.begin(), side.lines.end(), line) - side.lines.begin();
    const auto [f, p] = side.pairs[static_cast<size_t>(at)];
    const FunctionMatch& function = matched->match.functions[static_cast<size_t>(f)];
    const BindingPair& pair = function.pairs[static_cast<size_t>(p)];
    const BindingRow& before = *matched->left->function(function.name)->binding(pair.left);
    const BindingRow& after = *matched->right->function(function.name)->binding(pair.right);
    QStringList parts;
    if (pair.renamed) parts << (ofRight ? tr("was %1").arg(before.name) : tr("now %1").arg(after.name));
    QStringList brief = parts;
    if (pair.moved) {
      parts << (ofRight ? tr("moved from line %1").arg(before.line) : tr("moved to line %1").arg(after.line));
      brief << tr("moved");
    }
    NotePiece piece{parts.join(QStringLiteral(", "))};
    piece.brief = brief.join(QStringLiteral(", "));
    return LineNote{line, {piece}, {}};
  });
}

void DiffPanel::takeMatch(std::shared_ptr<const Matched> matched) {
  if (matched->left != left_ || matched->right != right_) return;
  matching_ = false;
  match_ = releasedOnWorker(std::move(matched));
  showFunctions();
  if (!view_->busy()) showNotes();
  Q_EMIT settled();
}

void DiffPanel::showNotes() {
  if (!left_ || !right_ || !match_) return;
  view_->setNotes(notesOf(match_, false), notesOf(match_, true));
}

const std::vector<FunctionMatch>& DiffPanel::matches() const {
  static const std::vector<FunctionMatch> kNone;
  return match_ ? match_->match.functions : kNone;
}

void DiffPanel::showFunctions() {
  QMenu* menu = functions_->menu();
  menu->clear();
  int changed = 0;
  for (const FunctionMatch& function : matches()) {
    if (function.same()) continue;
    ++changed;
    QAction* action = menu->addAction(QStringLiteral("%1: %2").arg(function.name, matchText(function)));
    connect(action, &QAction::triggered, this,
            [this, name = function.name] { context_.commands->run("diff.function", {name}); });
  }
  functions_->setText(changed == 1 ? tr("1 function changed") : tr("%1 functions changed").arg(changed));
  functions_->setEnabled(changed > 0);
  functions_->setVisible(hasSides());
}

bool DiffPanel::goToFunction(const QString& name) {
  // One that is gone has its lines on the left.
  for (const auto& [stage, side] : {std::pair{right_, &DiffRow::right}, std::pair{left_, &DiffRow::left}}) {
    const FunctionRow* function = stage ? stage->function(name) : nullptr;
    if (function && function->firstLine > 0)
      return view_->goToChangeIn(side, static_cast<uint32_t>(function->firstLine - 1),
                                 static_cast<uint32_t>(function->lastLine - 1));
  }
  return false;
}

/// The caret selects in the stage on the right, which is the selected one; the left is found again by its partner, else
/// by name.
void DiffPanel::selectAt(bool ofRight, uint32_t line) {
  const StageIndexPtr& stage = ofRight ? right_ : left_;
  if (!stage || !right_) return;
  const FunctionRow* function = stage->functionAtLine(static_cast<int>(line) + 1);
  const BindingRow* binding = function ? function->bindingAtLine(static_cast<int>(line) + 1) : nullptr;
  const FunctionRow* target = binding ? right_->function(function->name) : nullptr;
  const BindingRow* found = target ? target->bindingNamed(binding->name) : nullptr;
  for (const FunctionMatch& match : matches()) {
    if (!target || ofRight || match.name != target->name) continue;
    for (const BindingPair& pair : match.pairs) {
      if (pair.left == binding->ordinal) found = target->binding(pair.right);
    }
  }
  if (found) context_.selection->selectBinding(target->name, found->ordinal, found->name);
}

QStringList DiffPanel::menuCommands() const {
  return {"diff.next",        "diff.previous", "-", "diff.sideBySide",          "diff.unified",
          "diff.ignoreNames", "diff.graphs",   "-", "view.panel ir|Show in IR", "share.diff"};
}

bool DiffPanel::busy() const {
  if (Panel::busy() || view_->busy()) return true;
  if (context_.document->state() != Document::State::Ready) return false;
  const StageIndexPtr other = context_.document->other();
  if (leftStage() < 0 && !other) return false;
  if (!right_ || right_->stage != context_.selection->place().stage || !left_ || matching_) return true;
  return other ? left_ != other : left_->stage != leftStage();
}

bool DiffPanel::setIgnoreNames(const QStringList& arguments) {
  const QString value = arguments.value(0, namesIgnored_ ? "off" : "on");
  if (value != QLatin1String("on") && value != QLatin1String("off")) return false;
  namesIgnored_ = value == QLatin1String("on");
  ignoreNames_->setChecked(namesIgnored_);
  if (left_ && right_) compare();
  return true;
}

bool DiffPanel::chooseFile() {
  askForPath(this, tr("Compare with file"), context_.document->folder(), QFileDialog::ExistingFile,
             tr("TVMScript (*.py);;All files (*)"),
             [this](const QString& path) { context_.commands->run("diff.file", {path}); });
  return true;
}

bool DiffPanel::obey(const QString& name, const QStringList& arguments) {
  if (name == QLatin1String("shortTypes") && arguments.size() == 1) {
    for (TextView* side : {view_->left(), view_->right(), view_->unified()})
      side->setShortTypes(arguments[0] == QLatin1String("on"));
    return true;
  }
  if (name == QLatin1String("wrap") && arguments.size() == 1)
    return view_->setWrapped(arguments[0] == QLatin1String("on")), true;
  if (name == QLatin1String("next")) return view_->goToChange(1);
  if (name == QLatin1String("previous")) return view_->goToChange(-1);
  if (name == QLatin1String("all")) return view_->setCollapsed(false), true;
  if (name == QLatin1String("changes")) return view_->setCollapsed(true), true;
  if (name == QLatin1String("ignoreNames")) return setIgnoreNames(arguments);
  if (name == QLatin1String("function")) return goToFunction(arguments.value(0));
  if (name == QLatin1String("chooseFile")) return chooseFile();
  if (name == QLatin1String("copy")) return focusedView()->copySelection(), true;
  const bool unified = name == QLatin1String("unified");
  if (!unified && name != QLatin1String("sideBySide")) return false;
  view_->setForm(unified ? DiffView::Form::Unified : DiffView::Form::SideBySide);
  markForm();
  return true;
}

/// The form that is seen, chosen or by the width.
void DiffPanel::markForm() {
  unified_->setChecked(view_->isUnified());
  sideBySide_->setChecked(!view_->isUnified());
}

TextView* DiffPanel::focusedView() const {
  if (view_->isUnified()) return view_->unified();
  return view_->left()->hasFocus() || view_->left()->search() ? view_->left() : view_->right();
}

bool DiffPanel::showFind() {
  focusedView()->openFind();
  return true;
}

bool DiffPanel::findNext(bool forward) {
  TextView* side = focusedView();
  side->findNext(forward ? 1 : -1);
  return side->currentMatch() >= 0;
}

int DiffPanel::find(const QString& text) {
  return (view_->isUnified() ? view_->unified() : view_->right())->findAll(text);
}

QString DiffPanel::dump() const {
  if (!view_->message().isEmpty() || !view_->diff()) return view_->message() + QLatin1Char('\n');
  QString text;
  for (const FunctionMatch& function : matches()) {
    if (!function.same()) text += QStringLiteral("# %1: %2\n").arg(function.name, matchText(function));
  }
  auto add = [&](QChar mark, const TextView* side, int32_t line) {
    if (line < 0) return;
    const std::string_view bytes = side->buffer()->line(static_cast<uint32_t>(line));
    text += mark + qtText(bytes);
    if (const LineNote* note = side->decorations().noteOf(static_cast<uint32_t>(line)))
      text += QStringLiteral("  # ") + note->pieces.front().text;
    text += QLatin1Char('\n');
  };
  for (const DiffRow& row : view_->diff()->rows) {
    if (!row.changed) continue;
    add(QLatin1Char('-'), view_->left(), row.left);
    add(QLatin1Char('+'), view_->right(), row.right);
  }
  return text;
}

}  // namespace rx::views
