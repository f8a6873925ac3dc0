#include "views/shell/toolbar.h"

#include <QAction>
#include <QComboBox>
#include <QEvent>
#include <QLabel>
#include <QLayout>
#include <QLineEdit>
#include <QMenu>
#include <QPalette>
#include <QSignalBlocker>
#include <QSizePolicy>
#include <QStyleOptionComboBox>
#include <QToolButton>
#include <algorithm>
#include <iterator>

#include "views/panels/panel.h"
#include "views/shell/command.h"
#include "views/shell/conditions.h"
#include "views/shell/key_map.h"
#include "views/shell/toolbar_button.h"
#include "views/theme/icons.h"

namespace rx::views {

enum class SearchRoom : uint8_t { Icon, Words, WordsAndKey };

/// How much of everything is shown.
struct ToolbarRoom {
  int stage;  // letters that the name of a stage has at most
  SearchRoom search;
  bool target;  // the word behind the steps
  bool keys;    // on the steps
  bool stopOn;  // "Stop on: entry only", else "Stop: entry"
  bool mainKey;
  int unnamed;  // of the buttons that may lose their names, so many at the end have
};

namespace {

constexpr int kLongStage = 36;
constexpr int kShortStage = 16;
/// From everything to what is always there, each row gives one thing more up.
constexpr ToolbarRoom kRooms[] = {
    {kLongStage, SearchRoom::WordsAndKey, true, true, true, true, 0},
    {kLongStage, SearchRoom::Words, true, true, true, true, 0},
    {kLongStage, SearchRoom::Words, false, true, true, true, 0},
    {kLongStage, SearchRoom::Words, false, false, true, true, 0},
    {kLongStage, SearchRoom::Words, false, false, false, true, 0},
    {kLongStage, SearchRoom::Words, false, false, false, true, 1},
    {kLongStage, SearchRoom::Words, false, false, false, true, 2},
    {kLongStage, SearchRoom::Words, false, false, false, true, 3},
    {kLongStage, SearchRoom::Words, false, false, false, true, 4},
    {kLongStage, SearchRoom::Icon, false, false, false, true, 4},
    {kShortStage, SearchRoom::Icon, false, false, false, true, 4},
    {kShortStage, SearchRoom::Icon, false, false, false, false, 4},
};

struct ToolRow {
  const char* id;
  const char* icon;
  bool named = false;  // keeps its name where the window is narrow
  bool primary = false;
};
constexpr ToolRow kRunRows[] = {
    {"debug.start", "run", true, true},   {"debug.continue", "run", true, true},
    {"debug.pause", "pause", true, true}, {"debug.stepOver", "over"},
    {"debug.stepInto", "into"},           {"debug.stepOut", "out"},
    {"debug.stepBack", "back"},           {"debug.reverseContinue", "reverse"},
    {"debug.restart", "restart"},         {"debug.stop", "stop"},
};

QString shortLabel(const Command& row) { return QString::fromUtf8(row.toolbar ? row.toolbar : row.title); }

}  // namespace

Toolbar::Toolbar(Desk& desk, Commands* commands, const KeyMap& keys, QWidget* parent)
    : QToolBar(tr("Toolbar"), parent),
      desk_(desk),
      commands_(commands),
      keys_(keys),
      stage_(new QComboBox(this)),
      stopOn_(new ToolbarButton(nullptr, {}, {}, this)),
      target_(new QLabel(this)),
      layouts_(new LayoutSwitch(this)),
      search_(new QLineEdit(this)),
      searchButton_(new ToolbarButton("search", tr("Search everything"), {}, this)) {
  setObjectName("toolbar");
  setMovable(false);
  setContextMenuPolicy(Qt::PreventContextMenu);
  addButton("file.open", "open", false, false);
  addSeparator();
  addButton("pass.previous", "previous", false, false);
  addStage();
  addButton("pass.next", "next", false, false);
  addSeparator();
  for (const ToolRow& row : kRunRows) addButton(row.id, row.icon, row.named, row.primary);
  addSeparator();
  addStopOn();
  addTarget();
  auto* spacer = new QWidget(this);
  spacer->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  addWidget(spacer);
  addWidget(layouts_);
  addSearch();
  connect(layouts_, &LayoutSwitch::chosen, this,
          [this](const QString& name) { commands_->run("view.layout", {name}); });
  measureStages();
  showKeys();
  refresh();
}

void Toolbar::addButton(const char* id, const char* icon, bool named, bool primary) {
  const Command* row = findCommand(QString::fromLatin1(id));
  auto* button = new ToolbarButton(icon, shortLabel(*row), {}, this);
  button->setObjectName(QStringLiteral("button.") + id);
  button->setAccessibleName(QString::fromUtf8(row->title));
  button->setProperty("primary", primary);
  connect(button, &QToolButton::clicked, this, [this, id] { commands_->run(QString::fromLatin1(id)); });
  buttons_.push_back({row, button, addWidget(button), named});
}

void Toolbar::addStage() {
  stage_->setObjectName("stageChoice");
  stage_->setAccessibleName(tr("Stage"));
  stage_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  addWidget(stage_);
  connect(stage_, &QComboBox::activated, this,
          [this](int row) { commands_->run("pass.goTo", {QString::number(row)}); });
}

void Toolbar::addStopOn() {
  stopOn_->setObjectName("stopOn");
  auto* menu = new QMenu(stopOn_);
  stopOn_->setMenu(menu);
  stopOn_->setPopupMode(QToolButton::InstantPopup);
  connect(menu, &QMenu::aboutToShow, this, [this, menu] {
    menu->clear();
    for (const char* id : {"debug.stopOnNonFinite", "debug.toggleBreakpoint", "debug.clearBreakpoints"}) {
      const Command* row = findCommand(QString::fromLatin1(id));
      QAction* action = menu->addAction(QString::fromUtf8(row->title));
      action->setEnabled(row->enabled(desk_));
      action->setCheckable(row->checked);
      if (row->checked) action->setChecked(row->checked(desk_));
      connect(action, &QAction::triggered, this, [this, id] { commands_->run(QString::fromLatin1(id)); });
    }
    menu->addSeparator();
    connect(menu->addAction(tr("Breakpoints…")), &QAction::triggered, this,
            [this] { commands_->run("view.panel", {"breakpoints"}); });
  });
  addWidget(stopOn_);
}

/// What a run is compiled for: a word, no button.
void Toolbar::addTarget() {
  target_->setObjectName("target");
  target_->setAccessibleName(tr("Target of a run"));
  target_->setToolTip(
      tr("What a run is compiled for, and how: the pipeline that is shown; level 0 is without optimisations, as the "
         "run dialog chooses."));
  target_->setContentsMargins(fontMetrics().averageCharWidth(), 0, fontMetrics().averageCharWidth(), 0);
  target_->setForegroundRole(QPalette::PlaceholderText);
  targetPlace_ = addWidget(target_);
}

void Toolbar::addSearch() {
  search_->setPlaceholderText(tr("Search all…"));
  search_->setAccessibleName(tr("Search everything"));
  search_->setFocusPolicy(Qt::ClickFocus);
  search_->addAction(icon("search"), QLineEdit::LeadingPosition);
  for (QToolButton* inside : search_->findChildren<QToolButton*>())
    inside->setAccessibleName(search_->accessibleName());
  searchPlace_ = addWidget(search_);
  searchButton_->setShown(ToolbarButton::Shown::IconOnly);
  searchButtonPlace_ = addWidget(searchButton_);
  // What is typed here is the beginning of a search in the list that opens.
  connect(search_, &QLineEdit::textEdited, this, [this](const QString& text) {
    search_->clear();
    desk_.window.showPalette(text);
  });
  connect(searchButton_, &QToolButton::clicked, this, [this] { desk_.window.showPalette({}); });
}

void Toolbar::showKeys() {
  for (const Button& button : buttons_) {
    const QString key = keys_.keys(*button.row).value(0);
    const bool onButton = key.contains('F') && !key.startsWith("Ctrl") && !key.startsWith("Alt");
    const bool iconAlone = !button.row->toolbar;
    button.button->setKey(onButton && !iconAlone ? key : QString());
    button.button->setToolTip(QStringLiteral("%1  %2\n%3")
                                  .arg(QString::fromUtf8(button.row->title), key, QString::fromUtf8(button.row->help)));
  }
  const QString key = searchKey();
  for (QWidget* field : {static_cast<QWidget*>(search_), static_cast<QWidget*>(searchButton_)})
    field->setToolTip(tr("Commands, names, passes, files and panels  %1").arg(key));
  fit();
}

QString Toolbar::searchKey() const { return keys_.keys(*findCommand(QStringLiteral("view.palette"))).value(0); }

QString Toolbar::stopsOn(bool whole) const {
  QStringList parts;
  const auto& breakpoints = desk_.debug.breakpoints();
  if (std::any_of(breakpoints.begin(), breakpoints.end(),
                  [](const BreakpointRow& b) { return !b.condition.isEmpty(); }))
    parts << tr("condition");
  else if (!breakpoints.empty())
    parts << tr("breakpoint");
  if (when::stopsOnNonFinite(desk_)) parts << tr("NaN, Inf");
  if (parts.isEmpty()) return whole ? tr("Stop on: entry only") : tr("Stop: entry");
  return (whole ? tr("Stop on: %1") : tr("Stop: %1")).arg(parts.join(QStringLiteral(", ")));
}

void Toolbar::refreshStage() {
  const auto& steps = desk_.document.steps();
  const bool open = desk_.document.state() == Document::State::Ready;
  const int count = open ? static_cast<int>(steps.size()) : 0;
  const QSignalBlocker quiet(stage_);
  bool renamed = stage_->count() != count;
  while (stage_->count() > count) stage_->removeItem(stage_->count() - 1);
  for (int row = 0; row < count; ++row) {
    const StepRow& step = steps[static_cast<size_t>(row)];
    const QString text = QStringLiteral("%1 %2").arg(step.number).arg(step.name);
    if (row >= stage_->count()) stage_->addItem(text);
    renamed = renamed || stage_->itemText(row) != text;
    if (stage_->itemText(row) != text) stage_->setItemText(row, text);
    stage_->setItemData(row, step.help, Qt::ToolTipRole);
  }
  if (renamed) measureStages();
  stage_->setEnabled(count > 0);
  stage_->setCurrentIndex(std::min(desk_.selection.place().stage, count - 1));
  const QString about = tr("The stage that is shown: the module as imported, or after a pass");
  stage_->setToolTip(count > 0 ? stage_->currentText() + '\n' + about : about);
}

void Toolbar::refresh() {
  const RunState state = desk_.debug.state();
  const bool running = state == RunState::Running || state == RunState::Starting;
  const bool canStart = commands_->enabled("debug.start") || state == RunState::Off;
  for (const Button& button : buttons_) {
    button.button->setEnabled(button.row->enabled(desk_));
    // Run, Continue and Pause share one place.
    const QLatin1String id(button.row->id);
    if (id == QLatin1String("debug.start")) button.place->setVisible(canStart && !running);
    if (id == QLatin1String("debug.continue")) {
      button.place->setVisible(!canStart && !running);
      // What goes on may be of another text than the one that is open.
      button.button->setName(desk_.debug.pastOf().isEmpty() ? shortLabel(*button.row) : tr("Continue old run"));
    }
    if (id == QLatin1String("debug.pause")) button.place->setVisible(running);
  }
  refreshStage();
  stopWords_ = {stopsOn(false), stopsOn(true)};
  const bool folder = desk_.document.state() == Document::State::Ready && !desk_.document.canRunPasses();
  const QString level = desk_.debug.config().optimises() ? tr("optimised") : tr("level 0");
  const QString kind = desk_.document.target().section(QLatin1Char(' '), 0, 0);
  const QString what = folder ? tr("stage %1").arg(desk_.selection.place().stage) : level;
  target_->setText((kind.isEmpty() ? QStringLiteral("llvm") : kind) + QStringLiteral(" · ") + what);
  layouts_->show(desk_.window.layoutNames(), desk_.window.layoutName());
  fit();
}

int Toolbar::letters(int count) const { return fontMetrics().averageCharWidth() * count; }

void Toolbar::measureStages() {
  widestStage_ = letters(kShortStage / 2);
  for (int row = 0; row < stage_->count(); ++row)
    widestStage_ = std::max(widestStage_, fontMetrics().horizontalAdvance(stage_->itemText(row)));
}

/// Of the box with all of its names, up to so many letters of them: as wide for every stage, so that nothing moves when
/// one is chosen.
int Toolbar::stageWidth(int most) const {
  QStyleOptionComboBox box;
  box.initFrom(stage_);
  box.rect = QRect(0, 0, letters(kLongStage), stage_->sizeHint().height());
  const QRect text = stage_->style()->subControlRect(QStyle::CC_ComboBox, &box, QStyle::SC_ComboBoxEditField, stage_);
  return std::min(widestStage_, letters(most)) + box.rect.width() - text.width() + letters(1);
}

QString Toolbar::searchText(SearchRoom room) const {
  const QString words = tr("Search all…");
  return room == SearchRoom::WordsAndKey ? words + QStringLiteral("   ") + searchKey() : words;
}

int Toolbar::searchWidth(SearchRoom room) const {
  const int icon = search_->style()->pixelMetric(QStyle::PM_LineEditIconSize, nullptr, search_);
  return fontMetrics().horizontalAdvance(searchText(room)) + 2 * icon + letters(3);
}

ToolbarButton::Shown Toolbar::shownIn(const Button& button, const ToolbarRoom& room) const {
  using Shown = ToolbarButton::Shown;
  const auto mayLose = [](const Button& one) { return !one.named && one.row->toolbar; };
  if (button.named) return room.mainKey ? Shown::NameAndKey : Shown::Name;
  if (!mayLose(button)) return Shown::IconOnly;
  const auto behind = std::count_if(buttons_.begin(), buttons_.end(),
                                    [&](const Button& one) { return mayLose(one) && &one > &button; });
  return behind < room.unnamed ? Shown::IconOnly : room.keys ? Shown::NameAndKey : Shown::Name;
}

int Toolbar::widthIn(const ToolbarRoom& room) const {
  const QMargins margins = layout()->contentsMargins();
  int wanted = margins.left() + margins.right();
  for (QAction* action : actions()) {
    const QWidget* widget = widgetForAction(action);
    if (!widget) continue;
    const auto button =
        std::find_if(buttons_.begin(), buttons_.end(), [widget](const Button& b) { return b.button == widget; });
    const bool seen = widget == target_         ? room.target
                      : widget == search_       ? room.search != SearchRoom::Icon
                      : widget == searchButton_ ? room.search == SearchRoom::Icon
                                                : action->isVisible();
    if (!seen) continue;
    wanted += layout()->spacing();
    if (button != buttons_.end())
      wanted += button->button->widthFor(shownIn(*button, room));
    else if (widget == stage_)
      wanted += stageWidth(room.stage);
    else if (widget == search_)
      wanted += searchWidth(room.search);
    else if (widget == stopOn_)
      wanted += stopOn_->widthNamed(stopWords_[room.stopOn]);
    else
      wanted += widget->sizeHint().width();
  }
  return wanted;
}

void Toolbar::fit() {
  if (!searchButtonPlace_) return;
  const auto* room = std::find_if(std::begin(kRooms), std::end(kRooms) - 1,
                                  [this](const ToolbarRoom& one) { return widthIn(one) <= width(); });
  for (const Button& button : buttons_) button.button->setShown(shownIn(button, *room));
  stopOn_->setName(stopWords_[room->stopOn]);
  stopOn_->setAccessibleName(stopWords_[1]);
  stopOn_->setToolTip(stopWords_[1]);
  // What is left over goes to the name of the stage, as far as it needs it.
  const int left = std::max(0, width() - widthIn(*room));
  stage_->setFixedWidth(std::min(stageWidth(room->stage) + left, stageWidth(kLongStage)));
  const bool words = room->search != SearchRoom::Icon;
  if (words) search_->setFixedWidth(searchWidth(room->search));
  search_->setPlaceholderText(searchText(room->search));
  targetPlace_->setVisible(room->target);
  searchPlace_->setVisible(words);
  searchButtonPlace_->setVisible(!words);
}

void Toolbar::resizeEvent(QResizeEvent* event) {
  QToolBar::resizeEvent(event);
  fit();
}

void Toolbar::changeEvent(QEvent* event) {
  QToolBar::changeEvent(event);
  if (event->type() != QEvent::PaletteChange && event->type() != QEvent::FontChange) return;
  if (!searchPlace_) return;
  measureStages();
  fit();
}

}  // namespace rx::views
