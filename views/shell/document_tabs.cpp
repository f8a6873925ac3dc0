#include "views/shell/document_tabs.h"

#include <QCloseEvent>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStackedWidget>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>

#include "views/models/output_bytes.h"
#include "views/models/place.h"
#include "views/shell/main_window.h"

namespace rx::views {
namespace {

constexpr int kVersion = 1;
const QString kSession = QStringLiteral("session");

}  // namespace

DocumentTabs::DocumentTabs(Settings* settings, Make make, QWidget* parent)
    : QWidget(parent),
      settings_(settings),
      make_(std::move(make)),
      bar_(new QTabBar(this)),
      pages_(new QStackedWidget(this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(bar_);
  column->addWidget(pages_, 1);
  bar_->setAccessibleName(tr("Documents"));
  bar_->setTabsClosable(true);
  bar_->setMovable(true);
  bar_->setExpanding(false);
  bar_->setDrawBase(false);
  bar_->setElideMode(Qt::ElideMiddle);
  bar_->setFocusPolicy(Qt::TabFocus);
  connect(bar_, &QTabBar::currentChanged, this, &DocumentTabs::showTab);
  connect(bar_, &QTabBar::tabMoved, this, &DocumentTabs::moveTab);
  connect(bar_, &QTabBar::tabCloseRequested, this, &DocumentTabs::removeTab);
  MainWindow& first = addTab();
  resize(first.size());
  const QByteArray geometry = settings->value("geometry").toByteArray();
  if (!geometry.isEmpty()) restoreGeometry(geometry);
}

DocumentTabs::~DocumentTabs() {
  for (const auto& place : places_) place->window().setParent(nullptr);
}

MainWindow& DocumentTabs::addTab() {
  places_.push_back(make_());
  MainWindow& window = places_.back()->window();
  window.setTabs(this);
  pages_->addWidget(&window);
  bar_->addTab(tr("New"));
  connect(&window, &QWidget::windowTitleChanged, this, &DocumentTabs::nameTabs);
  bar_->setCurrentIndex(bar_->count() - 1);
  showTab(bar_->currentIndex());
  nameTabs();
  return window;
}

MainWindow& DocumentTabs::current() const {
  return places_[static_cast<size_t>(std::max(0, bar_->currentIndex()))]->window();
}

void DocumentTabs::showTab(int index) {
  if (index < 0 || index >= tabCount()) return;
  MainWindow& window = places_[static_cast<size_t>(index)]->window();
  pages_->setCurrentWidget(&window);
  window.applyLook();  // settings may have changed while another tab was shown
  nameTabs();
  Q_EMIT currentChanged();
}

void DocumentTabs::moveTab(int from, int to) {
  std::unique_ptr<Workplace> moved = std::move(places_[static_cast<size_t>(from)]);
  places_.erase(places_.begin() + from);
  places_.insert(places_.begin() + to, std::move(moved));
}

void DocumentTabs::nameTabs() {
  for (int i = 0; i < tabCount() && i < bar_->count(); ++i) {
    const MainWindow& window = places_[static_cast<size_t>(i)]->window();
    const QString name = window.documentName();
    bar_->setTabText(i, name.isEmpty() ? tr("New") : name);
    bar_->setTabToolTip(i, window.windowTitle());
  }
  bar_->setVisible(bar_->count() > 1);
  setWindowTitle(current().windowTitle());
}

QString DocumentTabs::openTab(const QString& path) {
  MainWindow& window = addTab();
  if (path.isEmpty()) return {};
  return window.run(isLink(path) ? "file.openLink" : "file.open", {path}) ? QString() : window.lastError();
}

QString DocumentTabs::closeTab() {
  removeTab(bar_->currentIndex());
  return {};
}

void DocumentTabs::removeTab(int index) {
  if (index < 0 || index >= tabCount()) return;
  if (tabCount() == 1) {
    close();
    return;
  }
  std::unique_ptr<Workplace> gone = std::move(places_[static_cast<size_t>(index)]);
  places_.erase(places_.begin() + index);
  gone->window().close();
  pages_->removeWidget(&gone->window());
  gone->window().setParent(nullptr);  // it belongs to its workplace
  bar_->removeTab(index);
  showTab(bar_->currentIndex());
  // The window may be closing itself by one of its own buttons, which then returns into it.
  QTimer::singleShot(0, this, [kept = std::shared_ptr<Workplace>(std::move(gone))] {});
}

void DocumentTabs::nextTab(bool forward) {
  const int count = bar_->count();
  bar_->setCurrentIndex((bar_->currentIndex() + (forward ? 1 : count - 1)) % count);
}

QByteArray DocumentTabs::session() const {
  QJsonArray tabs;
  qsizetype now = 0;
  for (const auto& place : places_) {
    const QJsonObject part = place->window().sessionPart();
    if (part.isEmpty()) continue;
    if (&place->window() == &current()) now = tabs.size();
    tabs.append(part);
  }
  if (tabs.isEmpty()) return {};
  return QJsonDocument(QJsonObject{{"relaxscope session", kVersion}, {"current", now}, {"tabs", tabs}}).toJson();
}

/// The tab that has the document open and is not `restored` yet, else an empty one, else a new one.
MainWindow& DocumentTabs::tabFor(const QJsonObject& part, const std::vector<const MainWindow*>& restored) {
  for (const auto& place : places_) {
    MainWindow& window = place->window();
    const bool taken = std::find(restored.begin(), restored.end(), &window) != restored.end();
    if (!taken && window.shows(part)) return window;
  }
  return freeTab();
}

MainWindow& DocumentTabs::freeTab() {
  const bool free = current().documentName().isEmpty() && !current().desk().document.busy();
  return free ? current() : addTab();
}

void DocumentTabs::bringUp(const MainWindow& window) {
  for (int tab = 0; tab < bar_->count(); ++tab)
    if (&places_[static_cast<size_t>(tab)]->window() == &window) bar_->setCurrentIndex(tab);
}

void DocumentTabs::showLink(const QString& link) {
  Place place;
  QString file;
  // A link that leads nowhere is refused where one looks; it gets no tab.
  if (placeOfLink(link, &place, &file) && QFileInfo::exists(file)) {
    const QString wanted = QFileInfo(file).absoluteFilePath();
    const auto found = std::find_if(places_.begin(), places_.end(), [&wanted](const auto& each) {
      return !each->path().isEmpty() && QFileInfo(each->path()).absoluteFilePath() == wanted;
    });
    const bool isRead = found != places_.end();
    MainWindow& window = isRead ? (*found)->window() : freeTab();
    bringUp(window);
    // Where it is still being read, that is done once: its place is gone to when it is there.
    const bool isThere = QFileInfo(window.desk().document.path()).absoluteFilePath() == wanted;
    if (isRead && !isThere) window.desk().document.openAt(place);
    if (!isRead || isThere) window.run("file.openLink", {link});
  } else {
    current().run("file.openLink", {link});
  }
  setWindowState(windowState() & ~Qt::WindowMinimized);
  raise();
  activateWindow();
}

QString DocumentTabs::restore(const QByteArray& json) {
  const QJsonObject whole = QJsonDocument::fromJson(json).object();
  if (whole.value("relaxscope session").toInt() != kVersion) return tr("this is not a session file of relaxscope");
  QStringList wrong;
  const QJsonArray tabs = whole.value("tabs").toArray();
  std::vector<const MainWindow*> restored;
  for (const QJsonValue& tab : tabs) {
    MainWindow& window = tabFor(tab.toObject(), restored);
    restored.push_back(&window);
    const QString refused = window.restoreSessionPart(tab.toObject());
    if (!refused.isEmpty()) wrong << refused;
  }
  const auto at = static_cast<size_t>(whole.value("current").toInt());
  if (at < restored.size()) bringUp(*restored[at]);
  return wrong.join('\n');
}

QString DocumentTabs::saveSession(const QString& path) {
  const QByteArray json = session();
  if (json.isEmpty()) return tr("no document is open");
  if (const QString error = writeOutput(path, json); !error.isEmpty()) return error;
  current().say(tr("The session is kept in %1.").arg(path));
  return {};
}

QString DocumentTabs::openSession(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) return tr("%1 can not be read: %2").arg(path, file.errorString());
  const QString wrong = restore(file.readAll());
  return wrong.isEmpty() ? QString() : path + QStringLiteral(": ") + wrong;
}

bool DocumentTabs::restoreLast() {
  const QByteArray json = settings_->value(kSession).toByteArray();
  return !json.isEmpty() && restore(json).isEmpty();
}

void DocumentTabs::closeEvent(QCloseEvent* event) {
  settings_->setValue(kSession, session());
  settings_->setValue("geometry", saveGeometry());
  for (const auto& place : places_) place->window().close();
  event->accept();
}

}  // namespace rx::views
