#include "views/shell/main_window.h"

#include <QAction>
#include <QApplication>
#include <QCloseEvent>
#include <QDialog>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonValue>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QMimeData>
#include <QPainter>
#include <QPalette>
#include <QStackedWidget>
#include <QUrl>
#include <algorithm>

#include "views/models/kernel_steps.h"
#include "views/models/known_sizes.h"
#include "views/models/lit_query.h"
#include "views/models/profile_board.h"
#include "views/models/samples.h"
#include "views/shell/actions.h"
#include "views/shell/breakpoint_memory.h"
#include "views/shell/cards/toast.h"
#include "views/shell/dialog_text.h"
#include "views/shell/dialogs.h"
#include "views/shell/dock_area.h"
#include "views/shell/file_list.h"
#include "views/shell/file_news.h"
#include "views/shell/focus_keeper.h"
#include "views/shell/module_memory.h"
#include "views/shell/opening_news.h"
#include "views/shell/outcome_cards.h"
#include "views/shell/palette_popup.h"
#include "views/shell/place_keeper.h"
#include "views/shell/place_mover.h"
#include "views/shell/role_choice.h"
#include "views/shell/start_page.h"
#include "views/shell/status_strip.h"
#include "views/shell/toolbar.h"
#include "views/shell/tour.h"

namespace rx::views {
MainWindow::MainWindow(Document* document, Selection* selection, DebugSession* debug, Settings* settings,
                       QWidget* parent)
    : QMainWindow(parent),
      settings_(settings),
      steps_(new StepQueue(debug, this)),
      notes_(new Notes(this)),
      lit_(new LitQuery(this)),
      profiles_(new ProfileBoard(document, this)),
      desk_{*document, *selection, *debug, *settings, *steps_, *this, *notes_, *lit_, *profiles_},
      keys_(*settings),
      actions_(nullptr),
      title_(new QLabel(this)),
      pages_(new QStackedWidget(this)),
      tool_(new ToolJob(this)),
      mover_(new PlaceMover(desk_, this)),
      news_(new OpeningNews(desk_, this)) {
  setObjectName("relaxscope");
  setWindowTitle("relaxscope");
  setAcceptDrops(true);
  applyLook();
  actions_ = new Actions(desk_, this, keys_, this);
  start_ = new StartPage(desk_, this, pages_);
  auto* sizes = new KnownSizes(document, debug, new FilesBeside(document, this), this);
  docks_ =
      new DockArea({document, selection, debug, this, notes_, lit_, sizes, profiles_, new KernelShown(this)}, pages_);
  pages_->addWidget(start_);
  pages_->addWidget(docks_);
  setCentralWidget(pages_);
  toast_ = new Toast(this, pages_);
  status_ = new StatusStrip(desk_, this, this);
  setStatusBar(status_);
  palettePopup_ = new PalettePopup(desk_, this, this);
  buildToolbar();
  buildMenus();
  connectControllers();
  cards_ = new OutcomeCards(
      desk_, this,
      {pages_, [this] { return inPages(docks_->middle()); }, [this] { return inPages(docks_->besideText()); },
       [this](const QString& panel) { return cardLine(panel); },
       [this]() -> QWidget* { return docks_->panel("inspector"); }});
  resize(1600, 1000);
  restoreState();
  applyLook();  // again, for what the panels keep of it
  refresh();
}

MainWindow::~MainWindow() = default;

void MainWindow::buildToolbar() {
  toolbar_ = new Toolbar(desk_, this, keys_, this);
  addToolBar(toolbar_);
  // What is open, beside the menus.
  title_->setContentsMargins(8, 3, 10, 3);
  title_->setForegroundRole(QPalette::PlaceholderText);
  menuBar()->setCornerWidget(title_);
}

void MainWindow::buildMenus() {
  for (const SampleRow& sample : sampleRows()) {
    QAction* action = actions_->menu("File/Open Sample")->addAction(sample.name);
    action->setStatusTip(sample.help);
    connect(action, &QAction::triggered, this, [this, name = sample.name] { run("file.sample", {name}); });
  }
  for (const QString& id : docks_->ids()) actions_->menu("View/Panels")->addAction(docks_->toggleAction(id));
  connect(actions_->menu("View/Layouts"), &QMenu::aboutToShow, this, [this] {
    QMenu* menu = actions_->menu("View/Layouts");
    for (QAction* action : menu->actions()) {
      if (action->property("own").toBool()) delete action;
    }
    for (const QString& name : settings_->layoutNames()) {
      QAction* action = menu->addAction(name);
      action->setProperty("own", true);
      connect(action, &QAction::triggered, this, [this, name] { run("view.layout", {name}); });
    }
  });
  connect(settings_, &Settings::recentFilesChanged, this, &MainWindow::fillRecent);
  fillRecent();
}

void MainWindow::fillRecent() {
  QMenu* menu = actions_->menu("File/Open Recent");
  menu->clear();
  for (const QString& file : settings_->recentFiles()) {
    QAction* action = menu->addAction(placeTitle(file));
    action->setStatusTip(file);
    connect(action, &QAction::triggered, this, [this, file] { run("file.open", {file}); });
  }
  if (menu->isEmpty()) menu->addAction(tr("no files yet"))->setEnabled(false);
}

void MainWindow::connectControllers() {
  Document* document = &desk_.document;
  DebugSession* debug = &desk_.debug;
  // A step tells of itself in half a dozen signals: menus and toolbar are looked through once, behind them.
  refreshed_.setSingleShot(true);
  connect(&refreshed_, &QTimer::timeout, this, &MainWindow::refresh);
  const auto soon = qOverload<>(&QTimer::start);
  // Which page is shown follows at once: the panels get the focus only where they can be seen.
  for (auto signal : {&Document::stateChanged, &Document::opened})
    connect(document, signal, this, &MainWindow::refresh);
  for (auto signal : {&Document::stepsChanged, &Document::progressChanged})
    connect(document, signal, &refreshed_, soon);
  connect(document, &Document::stageReady, this, &MainWindow::chooseFunction);
  connect(document, &Document::stageReady, &refreshed_, soon);
  connect(document, &Document::opened, this, &MainWindow::documentOpened);
  connect(document, &Document::openFailed, this, &MainWindow::openFailed);
  connect(document, &Document::fileChanged, this, &MainWindow::fileChanged);
  connect(mover_, &PlaceMover::said, this, [this](const QString& text) { say(text); });
  // What somebody else had to say by then is worth more, and the tour opens its sample by itself.
  connect(news_, &OpeningNews::said, this, [this](const ToastContent& content) {
    const bool quiet = toast_->isVisible() || (tour_ && tour_->isVisible());
    quiet ? note(content.text, LogLine::Kind::Note) : tell(content);
  });
  connect(&desk_.selection, &Selection::changed, this, [this](const Place& place, const Place& old) {
    if (place.stage != old.stage && place.stage > desk_.document.lastStage() && desk_.document.canRunPasses()) {
      desk_.document.runPassesTo(place.stage);
    }
    if (place.stage != old.stage) desk_.debug.selectStage(place.stage);
    refreshed_.start();
  });
  connect(&desk_.selection, &Selection::historyChanged, &refreshed_, soon);
  connect(debug, &DebugSession::outcomeChanged, this, &MainWindow::showOutcome);
  connect(debug, &DebugSession::stateChanged, this, &MainWindow::bringDebugLayout);
  // What was said before a run is of no use while it goes on, and a card may come there.
  connect(debug, &DebugSession::stateChanged, toast_, [this] {
    if (desk_.debug.state() != RunState::Starting) return;
    toast_->dismiss();
    docks_->lowerPassing();
  });
  for (auto signal : {&DebugSession::stateChanged, &DebugSession::stopChanged, &DebugSession::breakpointsChanged,
                      &DebugSession::tracedChanged})
    connect(debug, signal, &refreshed_, soon);
  connect(docks_, &DockArea::message, this, [this](const QString& text) { say(text); });
  connect(docks_, &DockArea::menuWanted, this, &MainWindow::showPanelMenu);
  // Behind the panels: they know the stage and the stop when the selection moves there.
  auto* keeper = new PlaceKeeper(document, &desk_.selection, debug, this);
  connect(keeper, &PlaceKeeper::stopped, this, &MainWindow::raiseText);
  connect(keeper, &PlaceKeeper::said, this, [this](const QString& text) { say(text); });
  connect(docks_, &DockArea::tabMenuWanted, this, &MainWindow::showTabMenu);
  connect(docks_, &DockArea::panelMade, this, &MainWindow::equip);
  connect(docks_, &DockArea::layoutChanged, &refreshed_, soon);
  // What is shown over the panels stands where they stand now.
  connect(docks_, &DockArea::layoutChanged, toast_,
          [this] { QTimer::singleShot(0, toast_, [this] { toast_->setMiddle(inPages(docks_->middle())); }); });
  connect(docks_, &DockArea::layoutChanged, this, &MainWindow::placeRegisters);
  connect(docks_, &DockArea::layoutChanged, this, [this] { QTimer::singleShot(0, cards_, &OutcomeCards::placeAgain); });
  connect(settings_, &Settings::layoutsChanged, &refreshed_, soon);
}

void MainWindow::showPanelMenu(Panel* panel, const QPoint& global) {
  docks_->showPanel(docks_->idOf(panel));  // the commands of the menu act on the panel that has the focus
  if (const PanelLock* lock = docks_->lockOf(panel)) desk_.selection.select(lock->place());
  const QStringList everywhere = {"-", "edit.copySelection", "edit.copyPanel", "file.copyLink",  "view.savePicture",
                                  "-", "edit.find",          "help.panel",     "view.closePanel"};
  actions_->contextMenu(panel->menuCommands() + everywhere, this)->popup(global);
}

void MainWindow::showTabMenu(Panel* panel, const QPoint& global) {
  docks_->showPanel(docks_->idOf(panel));
  QStringList rows = {"panel.float", "view.closePanel", "panel.closeOthers", "panel.duplicate", "-"};
  rows << (docks_->lockOf(panel)
               ? QStringList{"panel.lock off|Unlock"}
               : QStringList{"panel.lock stage|Lock to This Stage", "panel.lock function|Lock to This Function",
                             "panel.lock binding|Lock to This Binding"});
  rows << "-"
       << "panel.moveTo left|Move to the Left"
       << "panel.moveTo text|Move to the Text"
       << "panel.moveTo graph|Move to the Graph"
       << "panel.moveTo right|Move to the Right"
       << "panel.moveTo bottom|Move to the Bottom"
       << "-"
       << "view.undoLayout";
  actions_->contextMenu(rows, this)->popup(global);
}

void MainWindow::refresh() {
  actions_->refresh();
  const Document& document = desk_.document;
  const bool open = document.state() == Document::State::Ready;
  // A module that is open stays on screen while another is read.
  const bool keep = (document.state() == Document::State::Opening && !document.steps().empty()) ||
                    (document.state() == Document::State::Failed && !document.refusedText().isEmpty()) ||
                    !desk_.debug.traced().rows.empty();
  pages_->setCurrentWidget(open || keep ? static_cast<QWidget*>(docks_) : start_);
  if (toolbar_) toolbar_->refresh();
  QStringList words = open ? QStringList{document.title(), document.dialect(), fileMark(desk_)} : QStringList();
  words.removeAll(QString());
  const QString title = words.join(QStringLiteral(" · "));
  if (title != title_->text()) {
    title_->setText(title);
    menuBar()->setCornerWidget(title_);  // which measures it again
    title_->show();
  }
  setWindowTitle(title.isEmpty() ? QStringLiteral("relaxscope") : title + QStringLiteral(" — relaxscope"));
}

void MainWindow::openFailed(const QString& path, const QString& reason) {
  note(tr("%1 does not open: %2").arg(path, reason), LogLine::Kind::Error);
  // Where nobody asked for it nothing moves.
  if (desk_.document.readUnasked()) {
    if (const ToastContent news = fileNews(desk_); !news.text.isEmpty()) tell(news);
    return refreshed_.start();
  }
  // What a first file raises comes to docks that are in sight by then: else nobody knows what stood in front of it.
  refresh();
  docks_->showPassing("problems");
  // Its text is shown with what is wrong underlined; the module that was open stays everywhere else.
  if (desk_.document.refusedText().isEmpty()) return;
  docks_->showPassing("source");
  for (const ProblemRow& problem : desk_.document.problems()) {
    if (problem.severity != Severity::Error || problem.file != desk_.document.refusedFile() || problem.line < 1)
      continue;
    docks_->panel("source")->command("goToLine", {QString::number(problem.line)});
    break;
  }
}

/// A run goes on with the text that it was started with; without one the new text is shown at once.
void MainWindow::fileChanged() {
  refreshed_.start();
  if (readsByItself(desk_)) return desk_.document.followFile();
  if (const ToastContent news = fileNews(desk_); !news.text.isEmpty()) tell(news);
}

void MainWindow::documentOpened() {
  toast_->dismiss();
  docks_->lowerPassing();  // what a file that did not open has raised
  settings_->addRecentFile(desk_.document.path());
  const QString what = moduleKey(desk_);
  const bool again = what == opened_;
  if (!again) {
    keepBreakpoints(desk_, opened_);
    keepFor(*settings_, "notes", opened_, notes_->toList());
    opened_ = what;
    news_->expect();
    steps_->clear();
    desk_.debug.stopEngine();
    bringBackBreakpoints(desk_, opened_);
    notes_->fromList(keptFor(*settings_, "notes", opened_));
    desk_.selection.reset();
    // What a panel was locked to is of the module that is gone: it would show nothing.
    for (const QString& id : docks_->ids())
      if (const Panel* locked = docks_->panel(id); locked && docks_->lockOf(locked)) docks_->lock(id, LockKind::None);
    if (const QVariantList kept = keptFor(*settings_, "stage", opened_);
        !kept.isEmpty() && !desk_.document.canRunPasses())
      goToStage(desk_, std::clamp(kept.first().toInt(), 0, desk_.document.lastStage()));
  } else {
    // What ran was made of another text than the one that is shown now: its values stay, as those of the past, where
    // there are any. A stage of a folder has no text that they could be found in again.
    const bool other = openedText_ != desk_.document.sourceText();
    const bool kept = desk_.debug.hasTrace() || desk_.debug.state() == RunState::Running;
    if (!desk_.document.canRunPasses() || (other && !kept)) desk_.debug.stopEngine();
    if (desk_.document.readUnasked()) say(tr("%1 changed on disk and was read again.").arg(desk_.document.title()));
    if (const ToastContent news = pastRunNews(desk_); !news.text.isEmpty()) tell(news);
  }
  if (const QString refused = bringBackInputs(desk_); !refused.isEmpty())
    say(tr("What was said of inputs and weights does not hold any more: %1").arg(refused));
  openedText_ = desk_.document.sourceText();
  mover_->look(again);
  refresh();
}

void MainWindow::chooseFunction(int stage) {
  const Place& place = desk_.selection.place();
  const StageIndexPtr index = stage == place.stage ? desk_.document.stage(stage, false) : nullptr;
  if (!index || index->functions.empty() || index->function(place.function)) return;
  // What most people look for first: main, else the first that computes something, else whatever there is.
  const FunctionRow* first = index->function("main");
  for (const FunctionRow& function : index->functions)
    if (!first && function.binds()) first = &function;
  Place next;
  next.stage = stage;
  next.function = (first ? first : &index->functions.front())->name;
  desk_.selection.replace(next);
}

void MainWindow::raiseText() {
  const QString shows = docks_->panelShowing("ir", desk_.selection.place());
  const QString id = shows.isEmpty() ? QStringLiteral("ir") : shows;
  if (docks_->panel(id)->visibleRegion().isEmpty()) raisePanel(id);
}

/// The first run brings the Debug layout, once, unless the panels stand as the user put them.
void MainWindow::bringDebugLayout() {
  if (desk_.debug.state() != RunState::Starting || debugShown_) return;
  debugShown_ = true;
  // In an event of its own: to lay out all panels takes as long as to start the run.
  QTimer::singleShot(0, this, [this] {
    if (docks_->isBuiltIn() && docks_->layoutName() == "Read") docks_->applyBuiltIn("Debug");
  });
}

/// A failure raises the text at its place and the list of problems; the card that speaks of it comes after this.
void MainWindow::showOutcome() {
  refresh();
  const RunFailure* failure = desk_.debug.failure();
  if (!failure) return;
  Place place = desk_.selection.place();
  if (!failure->function.isEmpty()) {
    place.stage = failure->stage;
    place.function = failure->function;
    place.binding = failure->binding;
    place.variable = failure->binding >= 0 ? failure->variable : QString();
    desk_.selection.replace(place);
  }
  raiseText();
  const FocusKeeper keeper;
  docks_->showPassing("problems");
}

void MainWindow::raisePanel(const QString& id) {
  const FocusKeeper keeper;
  docks_->showPanel(id);
}

QRect MainWindow::inPages(const QRect& part) const {
  return docks_->isVisible() ? QRect(docks_->mapTo(pages_, part.topLeft()), part.size()) : pages_->rect();
}

QRect MainWindow::cardLine(const QString& panel) const {
  Panel* text = docks_->isVisible() ? docks_->panel(panel) : nullptr;
  if (!text || !text->isVisible() || text->visibleRegion().isEmpty()) return {};
  text->bringUpToDate();  // its line is where it will stand
  const QRect line = text->caretRect();
  return line.isValid() ? QRect(text->mapTo(pages_, line.topLeft()), line.size()) : QRect();
}

bool MainWindow::settled() const {
  if (desk_.document.busy() || !desk_.debug.idle() || steps_->busy() || tool_->busy()) return false;
  if (work_ > 0 || refreshed_.isActive()) return false;
  const RunState state = desk_.debug.state();
  if (state == RunState::Starting || state == RunState::Running || palettePopup_->busy()) return false;
  for (const QString& id : docks_->ids()) {
    if (docks_->panel(id)->isVisible() && docks_->panel(id)->busy()) return false;
  }
  return true;
}

QString MainWindow::statusText() const { return said_.isEmpty() ? status_->text() : status_->text() + " | " + said_; }

QString MainWindow::dump(const QString& what) const {
  if (Panel* found = docks_->panel(what)) {
    found->bringUpToDate();
    return found->dump() + QLatin1String("");
  }
  if (what == "palette") return palettePopup_->dump() + QLatin1String("");
  if (what == "start") return start_->dump() + QLatin1String("");
  if (what == "status") return statusText();
  if (what == "card") return cardText() + QLatin1String("");
  if (what == "shortcuts") return shortcutsText(*settings_);
  if (what == "dialog") return dialog_ && dialog_->isVisible() ? dialogText(*dialog_) : QStringLiteral("");
  return {};
}

QPixmap MainWindow::picture() {
  QPixmap pixmap = window()->grab();
  if (!dialog_ || !dialog_->isVisible()) return pixmap;
  QPainter painter(&pixmap);
  // The window manager's frame is not part of the grab: a title and a line stand for it.
  const Palette& theme = Palette::forQt(palette());
  const int bar = fontMetrics().height() * 3 / 2;
  const QPoint middle((window()->width() - dialog_->width()) / 2, (window()->height() - dialog_->height()) / 2);
  const QRect frame(middle.x() - 1, middle.y() - bar - 1, dialog_->width() + 2, dialog_->height() + bar + 2);
  painter.fillRect(frame, theme.window);
  painter.setPen(theme.text);
  painter.drawText(QRect(frame.left() + bar / 2, frame.top(), frame.width() - bar, bar), Qt::AlignVCenter,
                   dialog_->windowTitle());
  painter.drawPixmap(middle, dialog_->grab());
  painter.setPen(theme.border);
  painter.drawRect(frame);
  return pixmap;
}

void MainWindow::restoreState() {
  docks_->resize(size());
  const QByteArray docks = settings_->value("docks").toByteArray();
  docks_->applyBuiltIn("Read");
  if (!docks.isEmpty()) docks_->restoreArrangement(docks, {});
}

void MainWindow::keepState() {
  keepBreakpoints(desk_, opened_);
  keepFor(*settings_, "notes", opened_, notes_->toList());
  settings_->setValue("docks", docks_->arrangement());
  settings_->setValue("link", desk_.document.state() == Document::State::Ready
                                  ? linkOf(desk_.selection.place(), desk_.document.path())
                                  : QString());
}

QString MainWindow::documentName() const {
  if (desk_.document.state() != Document::State::Ready) return {};
  return desk_.document.title();
}

QJsonObject MainWindow::sessionPart() {
  if (desk_.document.state() != Document::State::Ready) return {};
  keepState();
  QJsonObject part{{"link", linkOf(desk_.selection.place(), desk_.document.path())},
                   {"module", opened_},
                   {"layout", QString::fromLatin1(docks_->arrangement().toBase64())}};
  for (const QString& key : moduleKeys()) part[key] = QJsonValue::fromVariant(keptFor(*settings_, key, opened_));
  if (const QJsonObject profiles = profiles_->toSession(); !profiles.isEmpty()) part["profiles"] = profiles;
  return part;
}

bool MainWindow::shows(const QJsonObject& part) const {
  return desk_.document.state() == Document::State::Ready && part.value("module").toString() == opened_;
}

QString MainWindow::restoreSessionPart(const QJsonObject& part) {
  const QString module = part.value("module").toString();
  const bool shown = shows(part);
  for (const QString& key : moduleKeys())
    if (!shown) keepFor(*settings_, key, module, part.value(key).toArray().toVariantList());
  if (!run("file.openLink", {part.value("link").toString()})) return lastError_;
  docks_->restoreArrangement(QByteArray::fromBase64(part.value("layout").toString().toLatin1()), {});
  return shown && profiles_->shown() ? QString() : profiles_->restore(part.value("profiles").toObject());
}

void MainWindow::closeEvent(QCloseEvent* event) {
  keepState();
  if (dialog_) dialog_->close();
  steps_->clear();
  tool_->cancel();
  desk_.debug.stopEngine();
  event->accept();
}

void MainWindow::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape && cards_->isOpen()) return cards_->dismiss();
  if (event->key() == Qt::Key_Escape && toast_->isVisible()) return toast_->dismiss();
  QMainWindow::keyPressEvent(event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

/// A module, a folder or a recording opens; arrays are offered to the next run of the module, also of one that came
/// with them.
void MainWindow::dropEvent(QDropEvent* event) {
  QStringList opens, arrays;
  for (const QUrl& url : event->mimeData()->urls())
    if (url.isLocalFile()) (holdsArrays(url.toLocalFile()) ? arrays : opens) << url.toLocalFile();
  if (opens.isEmpty() && arrays.isEmpty()) return say(tr("Only files and folders of this machine can be opened."));
  if (opens.size() > 1) say(tr("One module opens at a time: %1.").arg(QFileInfo(opens.front()).fileName()));
  if (!opens.isEmpty() && !run("file.open", {opens.front()})) return;
  if (arrays.isEmpty()) return;
  const auto offer = [this, arrays] {
    if (!run("debug.start")) return;
    auto* files = dialog_ ? dialog_->findChild<FileList*>(QStringLiteral("files")) : nullptr;
    if (!files) return;
    files->add(arrays);
    Q_EMIT files->changed();
  };
  if (opens.isEmpty()) return offer();
  whenStage(desk_, QFileInfo(opens.front()).absoluteFilePath(), 0, offer);
}

}  // namespace rx::views
