#include "views/panels/profile/profile_panel.h"

#include <QComboBox>
#include <QFile>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHash>
#include <QLabel>
#include <QSignalBlocker>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "views/models/numbers.h"
#include "views/models/selection.h"
#include "views/panels/list_view.h"
#include "views/panels/profile/flame_view.h"
#include "views/panels/profile/profile_columns.h"
#include "views/panels/profile/roofline_view.h"

namespace rx::views {
namespace {

/// More than a profile has: 20,000 events are some two megabytes.
constexpr qint64 kMostBytes = 64 << 20;

QToolButton* barButton(const QString& text, const QString& help, QWidget* parent) {
  auto* button = new QToolButton(parent);
  button->setText(text);
  button->setToolTip(help);
  button->setAccessibleName(text);
  button->setToolButtonStyle(Qt::ToolButtonTextOnly);
  return button;
}

}  // namespace

ProfilePanel::ProfilePanel(const PanelContext& context, QWidget* parent)
    : Panel(parent),
      context_(context),
      kernels_(barButton(tr("By kernel"), tr("A row for each kernel, all of its calls together"), this)),
      calls_(barButton(tr("By call"), tr("A row for each call, with the binding that it was imported as"), this)),
      shown_(new QComboBox(this)),
      against_(new QComboBox(this)),
      summary_(new QLabel(this)),
      model_(new RowModel<ProfileLine>(profileColumns(), this)),
      view_(new ListView(this)),
      roofline_(new RooflineView(this)),
      flame_(new FlameView(this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  makeBar();
  summary_->setContentsMargins(8, 0, 8, 4);
  summary_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  summary_->setMinimumWidth(1);
  column->addWidget(summary_);
  auto* across = new QSplitter(Qt::Horizontal, this);
  across->addWidget(view_);
  across->addWidget(roofline_);
  across->setStretchFactor(0, 3);
  across->setStretchFactor(1, 2);
  auto* down = new QSplitter(Qt::Vertical, this);
  down->addWidget(across);
  down->addWidget(flame_);
  down->setStretchFactor(0, 1);
  column->addWidget(down, 1);
  view_->setModel(model_);
  view_->setLessImportant(kProfileBytes);
  view_->setEmptyText(
      tr("Run, Profile says where the time of a run goes. Profiles of rxs run --profile-out can be "
         "loaded."));
  view_->setAccessibleName(tr("Kernels or calls of the profile"));
  setFocusProxy(view_);
  connect(view_, &ListView::picked, this, [this](const QModelIndex& index) { pick(index.row()); });
  connect(view_, &ListView::chosen, this, [this](const QModelIndex& index) {
    if (const ProfileLine* line = model_->row(index)) select(*line, true);
  });
  connect(roofline_, &RooflineView::picked, this, [this](int line) { command("row", {QString::number(line)}); });
  connect(flame_, &FlameView::picked, this, [this](int call) {
    setBy("call");
    command("row", {QString::number(call)});
  });
  refresh();
}

void ProfilePanel::makeBar() {
  auto* bar = new QWidget(this);
  auto* line = new QHBoxLayout(bar);
  line->setContentsMargins(6, 3, 6, 3);
  for (QToolButton* button : {kernels_, calls_}) {
    button->setCheckable(true);
    line->addWidget(button);
  }
  connect(kernels_, &QToolButton::clicked, this, [this] { setBy("kernel"); });
  connect(calls_, &QToolButton::clicked, this, [this] { setBy("call"); });
  shown_->setAccessibleName(tr("Profile that is shown"));
  against_->setAccessibleName(tr("Profile that it is held against"));
  for (QComboBox* box : {shown_, against_}) {
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(14);
    line->addWidget(box);
    connect(box, &QComboBox::currentIndexChanged, this, &ProfilePanel::refresh);
  }
  line->addStretch(1);
  const auto add = [&](const QString& text, const char* id) {
    QToolButton* button = barButton(text, context_.commands->label(QLatin1String(id)), bar);
    connect(button, &QToolButton::clicked, this, [this, id] { context_.commands->run(QLatin1String(id)); });
    line->addWidget(button);
  };
  add(tr("Profile again"), "profile.run");
  add(tr("Load…"), "profile.load");
  bar->setMinimumWidth(1);
  layout()->addWidget(bar);
}

ProfilePtr ProfilePanel::shown() const {
  const int at = shown_->currentIndex();
  return at >= 0 && static_cast<size_t>(at) < profiles_.size() ? profiles_[static_cast<size_t>(at)] : nullptr;
}

ProfilePtr ProfilePanel::against() const {
  const int at = against_->currentIndex() - 1;  // the first row is none
  return at >= 0 && static_cast<size_t>(at) < profiles_.size() ? profiles_[static_cast<size_t>(at)] : nullptr;
}

bool ProfilePanel::load(const QString& file, const QString& title) {
  QFile in(file);
  QString problem;
  if (!in.open(QIODevice::ReadOnly)) {
    problem = in.errorString();
  } else if (QFileInfo(file).isFile() && in.size() <= kMostBytes) {
    const QString name = title.isEmpty() ? QFileInfo(file).fileName() : title;
    if (const ProfilePtr made = readProfile(in.readAll(), tr("%1 · %2").arg(profiles_.size() + 1).arg(name), &problem))
      profiles_.push_back(made);
  } else {
    problem = tr("it is no file of at most %1").arg(bytesText(kMostBytes));
  }
  if (!problem.isEmpty()) {
    Q_EMIT message(tr("%1 is no profile: %2").arg(file, problem));
    return false;
  }
  {
    const QSignalBlocker quiet(shown_), quieter(against_);
    if (against_->count() == 0) against_->addItem(tr("alone"));
    shown_->addItem(profiles_.back()->title);
    against_->addItem(tr("A: %1").arg(profiles_.back()->title));
    // What was shown is what the new one is held against.
    against_->setCurrentIndex(shown_->currentIndex() + (profiles_.size() > 1 ? 1 : 0));
    if (profiles_.size() == 1) against_->setCurrentIndex(0);
    shown_->setCurrentIndex(static_cast<int>(profiles_.size()) - 1);
  }
  refresh();
  return true;
}

std::vector<ProfileLine> ProfilePanel::lines() const {
  const ProfilePtr now = shown(), before = against();
  if (!now) return {};
  const auto rowsOf = [this](const Profile& profile) { return byCall_ ? &profile.calls : &profile.kernels; };
  const auto keyOf = [](const ProfileRow& row) {
    QString key = row.name + '\n' + row.callee;
    for (const ProfileSource& source : row.sources)
      key += QStringLiteral("\n%1 %2").arg(source.function).arg(source.binding);
    return row.callee.isEmpty() ? row.name : key;
  };
  QHash<QString, double> times;
  if (before)
    for (const ProfileRow& row : *rowsOf(*before)) times.insert(keyOf(row), row.nanoseconds);
  std::vector<ProfileLine> lines;
  for (const ProfileRow& row : *rowsOf(*now)) lines.push_back({row, times.value(keyOf(row), -1), before != nullptr});
  return lines;
}

QString ProfilePanel::summary() const {
  const ProfilePtr now = shown();
  if (!now) return {};
  QString text =
      tr("%1: %2 ms a run (median of %3, spread %4 %), the first %5 ms; %6 % of it is in the table. One "
         "thread of %7: %8 GFLOP/s, %9 GB/s")
          .arg(now->function, profileTime(now->wall))
          .arg(now->runs)
          .arg(now->spread * 100, 0, 'f', 1)
          .arg(profileTime(now->first))
          .arg(now->wall > 0 ? now->sum / now->wall * 100 : 0, 0, 'f', 1)
          .arg(now->processor, shortNumber(now->flopsLimit * 1e-9, 4), shortNumber(now->bytesLimit * 1e-9, 4));
  if (const ProfilePtr before = against(); before && before->wall > 0)
    text.prepend(tr("%1 ms before. ").arg(profileTime(before->wall)));
  return text;
}

void ProfilePanel::refresh() {
  const ProfilePtr now = shown();
  const ProfilePtr before = against();
  kernels_->setChecked(!byCall_);
  calls_->setChecked(byCall_);
  for (QWidget* part : {static_cast<QWidget*>(kernels_), static_cast<QWidget*>(calls_), static_cast<QWidget*>(shown_),
                        static_cast<QWidget*>(against_)})
    part->setEnabled(now != nullptr);
  model_->setPalette(Palette::forQt(palette()));
  const std::vector<ProfileLine> rows = lines();
  const bool onDevice = std::ranges::any_of(rows, [](const ProfileLine& line) { return line.row.onDevice > 0; });
  model_->setRows(rows);
  // The names of calls are those of the last stage, which say less than what they are of.
  for (const int column : {kProfileCallee, kProfileFrom}) view_->setColumnHidden(column, !byCall_);
  view_->setColumnHidden(kProfileName, byCall_);
  for (const int column : {kProfileBefore, kProfileChange}) view_->setColumnHidden(column, !before);
  view_->setColumnHidden(kProfileDevice, !onDevice);
  view_->setColumnHidden(kProfileOccupancy,
                         std::ranges::none_of(rows, [](const ProfileLine& line) { return line.row.occupancy > 0; }));
  showParts();
  view_->setStretchColumn(byCall_ ? kProfileFrom : kProfileName);
  summary_->setText(summary());
  summary_->setToolTip(summary());
  summary_->setVisible(now != nullptr);
  roofline_->setProfiles(now, before, byCall_);
  flame_->setProfiles(now, before);
  flame_->setVisible(now != nullptr && !now->flame.empty());
  Q_EMIT titleChanged(now ? tr("Profile · %1 ms").arg(profileTime(now->wall)) : tr("Profile"));
  Q_EMIT settled();
}

/// A dock that is too narrow for the table and the plot has the table alone.
void ProfilePanel::showParts() {
  const int letters = 110 + (byCall_ ? 50 : 0) + (against() ? 30 : 0);
  roofline_->setVisible(shown() && width() > fontMetrics().averageCharWidth() * letters);
}

void ProfilePanel::resizeEvent(QResizeEvent* event) {
  Panel::resizeEvent(event);
  showParts();
}

void ProfilePanel::pick(int row) {
  const ProfileLine* line = model_->row(model_->index(row, 0));
  if (!line) return;
  roofline_->setCurrent(row);
  flame_->setCurrent(line->row);
  select(*line, false);
}

/// The binding of the imported module; from another stage it is gone to only where that was asked for.
void ProfilePanel::select(const ProfileLine& line, bool go) {
  if (line.row.sources.empty() || (!go && context_.selection->place().stage != 0)) return;
  const ProfileSource& source = line.row.sources.front();
  context_.selection->select({.stage = 0,
                              .function = source.function,
                              .binding = source.binding,
                              .variable = source.variable,
                              .step = context_.selection->place().step});
  if (go) context_.commands->run("view.panel", {"ir"});
}

bool ProfilePanel::setBy(const QString& what) {
  if (what != QLatin1String("kernel") && what != QLatin1String("call")) return false;
  byCall_ = what == QLatin1String("call");
  refresh();
  return true;
}

bool ProfilePanel::choose(QComboBox* box, const QString& number, int first) {
  bool ok = false;
  const int at = number == QLatin1String("none") && first == 0 ? 0 : number.toInt(&ok) - 1 + (1 - first);
  if ((!ok && number != QLatin1String("none")) || at < 0 || at >= box->count()) return false;
  box->setCurrentIndex(at);
  return true;
}

bool ProfilePanel::obey(const QString& name, const QStringList& arguments) {
  const QString argument = arguments.value(0);
  if (name == QLatin1String("load")) return load(argument, arguments.value(1));
  if (name == QLatin1String("by")) return setBy(argument);
  if (name == QLatin1String("show")) return choose(shown_, argument, 1);
  if (name == QLatin1String("against")) return choose(against_, argument, 0);
  bool ok = false;
  const int row = argument.toInt(&ok);
  if (name != QLatin1String("row") || !ok || row < 0 || row >= model_->rowCount()) return false;
  view_->setCurrentIndex(model_->index(row, 0));
  pick(row);
  return true;
}

QStringList ProfilePanel::menuCommands() const {
  return {"profile.run", "profile.byKernel",         "profile.byCall",
          "-",           "view.panel ir|Show in IR", "view.panel kernel|Show the kernel"};
}

QString ProfilePanel::dump() const { return summary() + '\n' + modelText(*model_); }

}  // namespace rx::views
