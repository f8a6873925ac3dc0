// What the window does when a command asks: commands by their names, panels, layouts, looks, messages.
#include <QApplication>
#include <QClipboard>
#include <QDialog>
#include <QLayout>
#include <QPalette>
#include <QPointer>

#include "views/panels/bytecode/bytecode_panel.h"
#include "views/shell/actions.h"
#include "views/shell/cards/toast.h"
#include "views/shell/colour_settings.h"
#include "views/shell/conditions.h"
#include "views/shell/dialogs.h"
#include "views/shell/dock_area.h"
#include "views/shell/focus_keeper.h"
#include "views/shell/main_window.h"
#include "views/shell/outcome_cards.h"
#include "views/shell/palette_popup.h"
#include "views/shell/start_page.h"
#include "views/shell/status_strip.h"
#include "views/shell/style.h"
#include "views/shell/toolbar.h"
#include "views/shell/tour.h"

namespace rx::views {
namespace {

const Palette& themeOf(const Settings& settings) {
  static const bool kDesktopIsDark = Palette::forQt(QApplication::palette()).dark;
  const QString name = settings.theme();
  const bool dark = name == "dark" || (name == "system" && kDesktopIsDark);
  return dark ? Palette::darkTheme() : Palette::lightTheme();
}

}  // namespace

QString MainWindow::showCard() { return cards_->showAgain() ? QString() : tr("nothing has failed or ended yet"); }
QString MainWindow::cardText() const { return cards_ ? cards_->text() : QString(); }

bool MainWindow::run(const QString& id, const QStringList& arguments) {
  const Command* row = findCommand(id);
  if (!row) {
    lastError_ = tr("there is no command %1").arg(id);
  } else if (!row->enabled(desk_)) {
    lastError_ = tr("%1 is not possible now").arg(QString::fromUtf8(row->title));
  } else {
    toolError_.clear();
    lastError_ = row->run(desk_, arguments);
  }
  // What a card says is not said by a toast as well.
  const RunFailure* failure = desk_.debug.failure();
  if (!lastError_.isEmpty() && !(failure && failure->message == lastError_))
    tell({lastError_, ToastTone::Warning, {}, {}});
  return lastError_.isEmpty();
}

bool MainWindow::enabled(const QString& id) const {
  const Command* row = findCommand(id);
  return row && row->enabled(desk_);
}

QString MainWindow::label(const QString& id) const {
  const Command* row = findCommand(id);
  if (!row) return id;
  const QString key = keys_.keys(*row).value(0);
  return key.isEmpty() ? QString::fromUtf8(row->title) : QString::fromUtf8(row->title) + ' ' + key;
}

QString MainWindow::showDialog(const QString& name) {
  if (dialog_) dialog_->close();
  palettePopup_->hide();
  QDialog* dialog = makeDialog(name, desk_, this, this);
  if (!dialog) return tr("there is no dialog %1").arg(name);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setModal(false);
  dialog_ = dialog;
  // Who had the focus gets it back when the dialog goes, unless it went elsewhere by then; where that is not seen any
  // more, as the start page when a module was opened, the panels do.
  const QPointer<QWidget> focus = QApplication::focusWidget();
  const auto giveBack = [this, focus] {
    if (QApplication::focusWidget() && QApplication::focusWidget() != this) return;
    activateWindow();
    focus && focus->isVisible() ? focus->setFocus(Qt::OtherFocusReason) : focusContent();
  };
  connect(dialog, &QDialog::finished, this, [this, giveBack] { QTimer::singleShot(0, this, giveBack); });
  dialog->show();
  // The smallest height of a layout knows nothing of texts that are wrapped at the width that it got.
  if (QLayout* layout = dialog->layout(); layout && layout->hasHeightForWidth())
    dialog->resize(dialog->width(), std::max(dialog->height(), layout->totalHeightForWidth(dialog->width())));
  return {};
}

void MainWindow::showPalette(const QString& prefix) { palettePopup_->open(prefix); }

QString MainWindow::showPanel(const QString& id) {
  return docks_->showPanel(id) ? QString() : tr("there is no panel %1; there are: %2").arg(id, panelIds().join(", "));
}
QString MainWindow::hidePanel(const QString& id) {
  return docks_->hidePanel(id) ? QString() : tr("there is no panel %1").arg(id);
}
QStringList MainWindow::panelIds() const { return docks_->ids(); }
Panel* MainWindow::panel(const QString& id) const { return docks_->panel(id); }
Panel* MainWindow::focusedPanel() const { return docks_->focused(); }
void MainWindow::focusContent() {
  if (pages_->currentWidget() == docks_) return giveFocus(docks_->focused());
  for (QWidget* widget : start_->findChildren<QWidget*>()) {
    if (widget->isVisible() && (widget->focusPolicy() & Qt::TabFocus)) return widget->setFocus(Qt::TabFocusReason);
  }
}
void MainWindow::focusNextPanel(bool forward) { docks_->focusNext(forward); }
QStringList MainWindow::layoutNames() const { return builtInLayouts() + settings_->layoutNames(); }
QString MainWindow::layoutName() const { return docks_->layoutName(); }

QString MainWindow::applyLayout(const QString& name) {
  const FocusKeeper keeper;
  if (docks_->applyBuiltIn(name)) return {};
  const QByteArray state = settings_->layout(name);
  if (!state.isEmpty() && docks_->restoreArrangement(state, name)) return {};
  return tr("there is no layout %1; there are: %2").arg(name, layoutNames().join(", "));
}

QString MainWindow::saveLayout(const QString& name) {
  if (builtInLayouts().contains(name, Qt::CaseInsensitive))
    return tr("%1 is a built-in layout; take another name").arg(name);
  settings_->setLayout(name, docks_->arrangement());
  say(tr("Layout %1 is kept.").arg(name));
  return {};
}

void MainWindow::applyLook() {
  applyOwnColors(*settings_);
  applyStyle(themeOf(*settings_), {settings_->fontFamily(), settings_->fixedFamily(), settings_->textScale()});
  keys_.load();
  if (!docks_) return;
  actions_->applyKeys();
  if (toolbar_) toolbar_->showKeys();
  for (const QString& id : docks_->ids()) equip(panel(id));
}

void MainWindow::equip(Panel* panel) {
  const QString id = docks_->idOf(panel).section('.', 0, 0);
  if (id == "ir" || id == "diff" || id == "kernel")
    panel->command("shortTypes", {when::shortTypes(desk_) ? "on" : "off"});
  if (id == "ir" || id == "source" || id == "kernel" || id == "diff")
    panel->command("wrap", {when::wraps(desk_, id) ? "on" : "off"});
  if (id == "bytecode") placeRegisters();
  if (id == "timeline") panel->command("equalSteps", {when::equalSteps(desk_) ? "on" : "off"});
}

/// They are shown once: beside the bytecode, unless they have a panel of their own.
void MainWindow::placeRegisters() {
  const bool beside = panel("registers")->parentWidget()->isHidden();
  for (const QString& id : docks_->ids())
    if (auto* bytecode = dynamic_cast<BytecodePanel*>(panel(id))) bytecode->setRegistersBeside(beside);
}

void MainWindow::toggleFullScreen() { window()->setWindowState(window()->windowState() ^ Qt::WindowFullScreen); }

void MainWindow::say(const QString& text, const QStringList& undo) { tell({text, ToastTone::Info, undo, {}}); }

void MainWindow::note(const QString& text, LogLine::Kind kind) {
  said_ = text;
  desk_.debug.addLog({kind, text});
}

void MainWindow::tell(const ToastContent& content) {
  note(content.text, content.tone == ToastTone::Error ? LogLine::Kind::Error : LogLine::Kind::Note);
  toast_->setMiddle(inPages(docks_->middle()));
  toast_->show(content);
}

void MainWindow::sayFailed(const QString& text) {
  toolError_ = text;
  tell({text, ToastTone::Error, {}, {}});
}

void MainWindow::copyText(const QString& text, const QString& what) {
  QApplication::clipboard()->setText(text);
  say(tr("Copied the %1: %2").arg(what, text.size() > 200 ? text.left(200) + QStringLiteral("…") : text));
}

void MainWindow::quit() { window()->close(); }

void MainWindow::tour(const QString& what) {
  if (!tour_) tour_ = new Tour(this);
  if (what == "begin" && dialog_) dialog_->close();
  if (what == "begin") return tour_->begin();
  if (what == "leave") return tour_->leave();
  tour_->go(what == "next" ? 1 : -1);
}

QWidget* MainWindow::pictured(const QString& id) { return id == "window" ? this : static_cast<QWidget*>(panel(id)); }

QString MainWindow::runTool(const QString& title, const QStringList& arguments,
                            std::function<void(bool, const QString&)> done,
                            const std::function<QString(const QString&)>& words,
                            std::function<Progress(const QByteArray&)> told) {
  toolError_.clear();
  ToolJob::Told lines;
  if (told)
    lines = [this, told = std::move(told)](const QByteArray& line) {
      if (Progress now = told(line); now.total > 0) toolProgress_ = std::move(now);
      status_->refresh();
    };
  const QString refused = tool_->start(
      arguments,
      [this, title, done = std::move(done), words](bool ok, const QString& output) {
        const QString said = (words && !tool_->cancelled() ? words(output) : output).trimmed();
        toolError_ = ok ? QString() : title + ": " + said;
        status_->refresh();
        // Of what is longer than a toast the first line; of a failure the log has the whole.
        constexpr int kMostLines = 4;
        const QString shown = said.count('\n') < kMostLines ? said : said.section('\n', 0, 0);
        const QString text = ok ? tr("%1: done. %2").arg(title, shown) : title + ": " + shown;
        if (!ok && shown != said) desk_.debug.addLog({LogLine::Kind::Error, said});
        if (tool_->cancelled()) {
          say(tr("%1: cancelled.").arg(title));
        } else if (ok && done) {
          // Who asked shows what came of it: a sentence over that would be in its way.
          note(text);
          toast_->dismiss();
        } else {
          tell({text, ok ? ToastTone::Info : ToastTone::Error, {}, {}});
        }
        if (done) done(ok, output);
      },
      std::move(lines));
  if (!refused.isEmpty()) return refused;
  toolTitle_ = title;
  toolProgress_ = {};
  status_->refresh();
  say(tr("%1: at work…").arg(title));
  return {};
}

}  // namespace rx::views
