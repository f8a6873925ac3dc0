#include "views/panels/profile/profile_panel.h"

#include <QCoreApplication>
#include <QFont>
#include <QHBoxLayout>
#include <QHash>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "views/models/document.h"
#include "views/models/numbers.h"
#include "views/models/profile_words.h"
#include "views/models/selection.h"
#include "views/models/stale_rows.h"
#include "views/panels/list_view.h"
#include "views/panels/profile/profile_columns.h"
#include "views/theme/icons.h"

namespace rx::views {
namespace {

/// Two profiles are A and B, as in the flame chart below the table.
class ProfileModel : public RowModel<ProfileLine> {
 public:
  explicit ProfileModel(QObject* parent) : RowModel(profileColumns(), parent) {}
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override {
    if (orientation == Qt::Horizontal && role == Qt::DisplayRole) {
      const bool compared = !rows().empty() && rows().front().compared;
      const bool layers = !rows().empty() && rows().front().byLayer;
      const QString unit = !rows().empty() && rows().front().micro ? QStringLiteral("µs") : QStringLiteral("ms");
      if (section == kProfileTime) return compared ? QStringLiteral("B ") + unit : unit;
      if (section == kProfileBefore) return QStringLiteral("A ") + unit;
      if (section == kProfileShare && compared) return QCoreApplication::translate("ProfilePanel", "share of B");
      if (section == kProfileName && layers) return QCoreApplication::translate("ProfilePanel", "layer");
    }
    return RowModel::headerData(section, orientation, role);
  }
  QVariant data(const QModelIndex& index, int role) const override {
    const ProfileLine* line = row(index);
    if (line && line->number < 0) return sumData(index, role);
    return RowModel::data(index, role);
  }

 private:
  /// The sum of all has no bar and no mark, and stands out.
  QVariant sumData(const QModelIndex& index, int role) const {
    if (role == kBarRole || role == kKindRole) return {};
    if (role == Qt::FontRole && index.column() != kProfileShare) {
      QFont bold;
      bold.setBold(true);
      return bold;
    }
    return RowModel::data(index, role);
  }
};

QToolButton* barButton(const QString& text, const QString& help, QWidget* parent) {
  auto* button = new QToolButton(parent);
  button->setText(text);
  button->setToolTip(help);
  button->setAccessibleName(text);
  button->setToolButtonStyle(Qt::ToolButtonTextOnly);
  return button;
}

/// Kernels of which the same operators are said get their own names behind these.
void tellApart(std::vector<ProfileLine>& lines) {
  QHash<QString, int> named;
  for (const ProfileLine& line : lines) ++named[line.name];
  for (ProfileLine& line : lines)
    if (line.row.kernel && line.name != line.row.name && named.value(line.name) > 1)
      line.name = ProfilePanel::tr("%1 · %2").arg(line.name, line.row.name);
}

}  // namespace

ProfilePanel::ProfilePanel(const PanelContext& context, QWidget* parent)
    : Panel(parent),
      context_(context),
      board_(context.profiles),
      kernels_(barButton(tr("By kernel"), tr("A row for each kernel, all of its calls together"), this)),
      calls_(barButton(tr("By call"), tr("A row for each call, with the binding that it was imported as"), this)),
      layers_(barButton(tr("By layer"),
                        tr("A row for each block of the imported function, whatever it was compiled to"), this)),
      scope_(barButton({}, tr("Shows the whole profile again"), this)),
      filter_(new QLineEdit(this)),
      said_(new QLabel(this)),
      wall_(new QLabel(this)),
      model_(new StaleRows<ProfileModel>(this)),
      view_(new ListView(this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  makeBar();
  said_->setContentsMargins(8, 0, 8, 4);
  said_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  said_->setMinimumWidth(1);
  said_->setWordWrap(true);
  column->addWidget(said_);
  column->addWidget(view_, 1);
  column->addWidget(wall_);
  view_->setModel(model_);
  view_->setLessImportant(kProfileBytes);
  wall_->setContentsMargins(8, 4, 8, 4);
  wall_->setMinimumWidth(1);
  wall_->setForegroundRole(QPalette::PlaceholderText);
  view_->setEmptyText(
      tr("Run, Profile says where the time of a run goes. Profiles of rxs run --profile-out can be "
         "loaded."));
  view_->setEmptyButton(context.commands, "profile.run");
  view_->setAccessibleName(tr("Kernels or calls of the profile"));
  setFocusProxy(view_);
  connect(view_, &ListView::picked, this, [this](const QModelIndex& index) { pick(index.row()); });
  connect(view_, &ListView::chosen, this, [this](const QModelIndex& index) {
    if (const ProfileLine* line = model_->row(index)) select(line->row, true);
  });
  connect(board_, &ProfileBoard::changed, this, &ProfilePanel::refresh);
  connect(board_, &ProfileBoard::chosen, this, &ProfilePanel::showChoice);
  connect(context.selection, &Selection::changed, this,
          [this](const Place& place) { board_->follow(place.stage, place.function, place.binding); });
  refresh();
}

void ProfilePanel::makeBar() {
  auto* bar = new QWidget(this);
  auto* line = new QHBoxLayout(bar);
  line->setContentsMargins(6, 3, 6, 3);
  for (QToolButton* button : {kernels_, calls_, layers_}) {
    button->setCheckable(true);
    line->addWidget(button);
  }
  connect(kernels_, &QToolButton::clicked, this, [this] { setBy("kernel"); });
  connect(calls_, &QToolButton::clicked, this, [this] { setBy("call"); });
  connect(layers_, &QToolButton::clicked, this, [this] { setBy("layer"); });
  filter_->setPlaceholderText(tr("filter"));
  filter_->setAccessibleName(tr("Filter of the profile's rows"));
  filter_->setClearButtonEnabled(true);
  filter_->setMinimumWidth(fontMetrics().averageCharWidth() * 10);
  filter_->setMaximumWidth(fontMetrics().averageCharWidth() * 24);
  connect(filter_, &QLineEdit::textChanged, board_, &ProfileBoard::setFilter);
  line->addWidget(filter_);
  scope_->setObjectName("profileScope");
  scope_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  scope_->setIcon(icon("close"));
  connect(scope_, &QToolButton::clicked, this, [this] { board_->setScope({}); });
  line->addWidget(scope_);
  line->addStretch(1);
  const auto add = [&](const QString& text, const char* id) {
    QToolButton* button = barButton(text, context_.commands->label(QLatin1String(id)), bar);
    connect(button, &QToolButton::clicked, this, [this, id] { context_.commands->run(QLatin1String(id)); });
    line->addWidget(button);
    ways_.push_back(button);
  };
  add(tr("Copy as text"), "profile.copyText");
  add(tr("JSON…"), "profile.save");
  add(tr("Chrome trace…"), "profile.saveTrace");
  bar->setMinimumWidth(1);
  layout()->addWidget(bar);
}

std::vector<ProfileLine> ProfilePanel::lines() const {
  const ProfilePtr now = board_->shown(), before = board_->against();
  if (!now) return {};
  const auto keyOf = [](const ProfileRow& row) {
    QString key = row.name + '\n' + row.callee;
    for (const ProfileSource& source : row.sources)
      key += QStringLiteral("\n%1 %2").arg(source.function, QString::number(source.binding));
    return row.callee.isEmpty() ? row.name : key;
  };
  QHash<QString, double> times;
  if (before)
    for (const ProfileRow& row : board_->rowsOf(*before)) times.insert(keyOf(row), row.nanoseconds);
  const bool byLayer = board_->by() == ProfileBy::Layer;
  std::vector<ProfileLine> lines;
  const std::vector<ProfileRow> rows = board_->rowsOf(*now);
  constexpr double kMillisecond = 1e6;
  const bool micro = std::max(now->wall, before ? before->wall : 0) < kMillisecond;
  double most = 0;
  for (const ProfileRow& row : rows) most = std::max(most, row.share);
  for (size_t i = 0; i < rows.size(); ++i) {
    const ProfileRow& row = rows[i];
    if (!(board_->by() == ProfileBy::Call ? board_->matches(row) : board_->holdsText(row))) continue;
    ProfileLine line{row, times.value(keyOf(row), -1), before != nullptr, byLayer, most};
    if (!byLayer) line.layer = board_->layersOfRow(row);
    line.name = byLayer ? row.name : board_->nameOf(row);
    line.kind = board_->kindOf(row);
    if (const double same = before && !byLayer ? timeOfSameWork(row, *now, *before) : -1; same >= 0) line.before = same;
    line.number = static_cast<int>(i);
    line.micro = micro;
    lines.push_back(std::move(line));
  }
  if (board_->by() == ProfileBy::Kernel) tellApart(lines);
  lines.push_back(sum(*now, lines));
  lines.back().micro = micro;
  return lines;
}

/// Of the rows that are shown; of all of them it is held against the wall clock.
ProfileLine ProfilePanel::sum(const Profile& now, const std::vector<ProfileLine>& lines) const {
  const ProfilePtr before = board_->against();
  ProfileLine all;
  all.compared = before != nullptr;
  for (const ProfileLine& line : lines) {
    all.row.calls += line.row.calls;
    all.row.nanoseconds += line.row.nanoseconds;
    all.row.first += line.row.first;
    all.row.onDevice += line.row.onDevice;
    all.row.share += line.row.share;
    all.byLayer = line.byLayer;
  }
  all.name = tr("sum of %1 calls").arg(grouped(all.row.calls));
  if (!board_->filter().isEmpty()) return all;
  if (!board_->scope().all()) {
    if (before) all.before = 0;
    for (const ProfileRow& row : before ? board_->rowsOf(*before) : std::vector<ProfileRow>())
      if (board_->by() != ProfileBy::Call || board_->matches(row)) all.before += row.nanoseconds;
    return all;
  }
  if (before) all.before = before->sum;
  all.row.share = now.wall > 0 ? all.row.nanoseconds / now.wall : 0;
  all.wall = wallText(*board_);
  return all;
}

void ProfilePanel::refresh() {
  const ProfilePtr now = board_->shown();
  const bool byCall = board_->by() == ProfileBy::Call;
  kernels_->setChecked(board_->by() == ProfileBy::Kernel);
  calls_->setChecked(byCall);
  layers_->setChecked(board_->by() == ProfileBy::Layer);
  for (QWidget* part : std::initializer_list<QWidget*>{kernels_, calls_, layers_, filter_})
    part->setEnabled(now != nullptr);
  for (QToolButton* way : ways_) way->setEnabled(now != nullptr);
  scope_->setVisible(!board_->scope().all());
  scope_->setText(board_->scope().name);
  scope_->setAccessibleName(tr("Only %1 is shown; shows everything").arg(board_->scope().name));
  if (filter_->text() != board_->filter()) filter_->setText(board_->filter());
  model_->setPalette(Palette::forQt(palette()));
  static_cast<StaleRows<ProfileModel>*>(model_)->setStale(!board_->staleness().isEmpty());
  model_->setRows(lines());
  showColumns();
  QString said = board_->staleness() + profileDifference(*board_);
  for (const QString& more : now ? QStringList{readyWords(*now), busyWords(*now)} : QStringList())
    if (!more.isEmpty()) said += QLatin1Char(' ') + more + QLatin1Char('.');
  said_->setText(said.trimmed());
  said_->setToolTip(profileSummary(*board_));
  said_->setVisible(!said_->text().isEmpty());
  wall_->setText(wallText(*board_));
  wall_->setVisible(now != nullptr);
  showChoice();
  Q_EMIT titleChanged(now ? tr("Profile · %1").arg(profileTotal(now->wall)) : tr("Profile"));
  Q_EMIT settled();
}

/// Columns without anything to say are left out, and where there is little room those that details say as well.
void ProfilePanel::showColumns() {
  const std::vector<ProfileLine>& rows = model_->rows();
  const bool byCall = board_->by() == ProfileBy::Call, byLayer = board_->by() == ProfileBy::Layer;
  const bool compared = board_->against() != nullptr;
  const auto none = [&](const auto& has) { return std::ranges::none_of(rows, has); };
  const int letters = width() / std::max(1, fontMetrics().averageCharWidth());
  constexpr int kForShapes = 160, kForLayers = 125, kForRates = 80;
  // A layer that is only its binding says nothing that the columns before it do not.
  view_->setColumnHidden(kProfileLayer, letters < kForLayers || none([](const ProfileLine& line) {
                                          return !line.layer.isEmpty() && (line.row.sources.size() > 1 ||
                                                                           line.layer != line.row.sources[0].variable);
                                        }));
  view_->setColumnHidden(kProfileResult, letters < kForShapes + (compared ? 20 : 0) || byCall ||
                                             none([](const ProfileLine& line) { return !line.row.arguments.empty(); }));
  // The names of calls are those of the last stage, which say less than what they are of.
  for (const int column : {kProfileCallee, kProfileFrom}) view_->setColumnHidden(column, !byCall);
  view_->setColumnHidden(kProfileName, byCall);
  // Of a call the details say these.
  for (const int column : {kProfileCalls, kProfileFlops})
    view_->setColumnHidden(column, byCall && letters < kForLayers);
  // Nor does a name give way to a rate, which the plot says too.
  if (letters < (compared ? kForLayers : kForRates)) view_->setColumnHidden(kProfileFlops, true);
  // What a limit means is said of a kernel.
  for (const int column : {kProfileLimit, kProfileBound}) view_->setColumnHidden(column, byLayer);
  view_->setColumnHidden(kProfileBefore, !compared || (byCall && letters < kForLayers));
  view_->setColumnHidden(kProfileChange, !compared);
  view_->setColumnHidden(kProfileDevice, none([](const ProfileLine& line) { return line.row.onDevice > 0; }));
  view_->setColumnHidden(kProfileOccupancy, none([](const ProfileLine& line) { return line.row.occupancy > 0; }));
  view_->setStretchColumn(byCall ? kProfileCallee : kProfileName);
}

void ProfilePanel::resizeEvent(QResizeEvent* event) {
  Panel::resizeEvent(event);
  showColumns();
}

void ProfilePanel::pick(int row) {
  const ProfileLine* line = model_->row(model_->index(row, 0));
  if (!line || line->number < 0) return;
  switch (board_->by()) {
    case ProfileBy::Layer:
      board_->choose({.layer = line->row.name});
      break;
    case ProfileBy::Call:
      board_->choose({.kernel = line->row.kernel ? line->row.callee : QString(), .call = line->number});
      break;
    case ProfileBy::Kernel:
      board_->choose({.kernel = line->row.name});
      break;
  }
}

/// The line of what is chosen; of a kernel among calls that of its first one.
int ProfilePanel::lineChosen() const {
  const ProfileChoice& choice = board_->choice();
  const std::vector<ProfileLine>& rows = model_->rows();
  const auto found = std::ranges::find_if(rows, [&](const ProfileLine& line) {
    if (line.number < 0) return false;
    if (board_->by() == ProfileBy::Layer) return line.row.name == choice.layer;
    if (board_->by() == ProfileBy::Kernel) return line.row.name == choice.kernel;
    return choice.call >= 0 ? line.number == choice.call : !choice.kernel.isEmpty() && line.row.callee == choice.kernel;
  });
  return found == rows.end() ? -1 : static_cast<int>(found - rows.begin());
}

void ProfilePanel::showChoice() {
  const int line = lineChosen();
  if (line < 0) return view_->setCurrentIndex({});
  if (view_->currentIndex().row() != line) view_->setCurrentIndex(model_->index(line, 0));
  view_->scrollTo(model_->index(line, 0));
  select(model_->rows()[static_cast<size_t>(line)].row, false);
}

/// A binding of the stage that is selected which came from what the row was imported as; unless that was asked for
/// (`go`), nothing where the selected one is of it already. Text and graph then show it.
void ProfilePanel::select(const ProfileRow& row, bool go) {
  if (row.sources.empty()) return;
  const Place& place = context_.selection->place();
  const ProfileSource& source = row.sources.front();
  Place wanted{.stage = 0, .function = source.function, .binding = source.binding, .variable = source.variable};
  wanted.step = place.step;
  if (place.stage != 0 && !go) {
    const StageIndexPtr stage = context_.document->stage(place.stage, false);
    const FunctionRow* function = stage ? stage->function(source.function) : nullptr;
    const BindingRow* made = nullptr;
    for (const BindingRow& binding : function ? function->bindings : std::vector<BindingRow>()) {
      const bool ofIt = std::ranges::any_of(binding.origins, [&](const OriginRow& origin) {
        return origin.function == source.function && origin.variable == source.variable;
      });
      // Rather the call than its room.
      if (ofIt && (!made || (binding.role == FlowRole::Computes && made->role != FlowRole::Computes))) made = &binding;
    }
    if (!made) return;
    wanted.stage = place.stage;
    wanted.binding = made->ordinal;
    wanted.variable = made->name;
  }
  const bool isOfIt = !go && place.stage == 0 && std::ranges::any_of(row.parts, [&](const ProfileSource& part) {
    return part.function == place.function && part.binding == place.binding;
  });
  if (!isOfIt) context_.selection->select(wanted);
  if (go) context_.commands->run("view.panel", {"ir"});
}

bool ProfilePanel::setBy(const QString& what) {
  static const QHash<QString, ProfileBy> kWords = {
      {"kernel", ProfileBy::Kernel}, {"call", ProfileBy::Call}, {"layer", ProfileBy::Layer}};
  if (!kWords.contains(what)) return false;
  board_->setBy(kWords[what]);
  return true;
}

bool ProfilePanel::obey(const QString& name, const QStringList& arguments) {
  const QString argument = arguments.value(0);
  if (name == QLatin1String("by")) return setBy(argument);
  if (name == QLatin1String("filter")) {
    board_->setFilter(argument);
    return true;
  }
  if (name == QLatin1String("binding")) {
    const int line = lineChosen();
    if (line < 0) return false;
    select(model_->rows()[static_cast<size_t>(line)].row, true);
    return true;
  }
  bool ok = false;
  const int row = argument.toInt(&ok);
  if (name != QLatin1String("row") || !ok || row < 0 || row >= model_->rowCount()) return false;
  view_->setCurrentIndex(model_->index(row, 0));
  pick(row);
  return true;
}

QStringList ProfilePanel::menuCommands() const { return profileMenu(); }

QString ProfilePanel::dump() const {
  const QString difference = profileDifference(*board_);
  return (difference.isEmpty() ? QString() : difference + QLatin1Char('\n')) + profileSummary(*board_) + '\n' +
         modelText(*model_);
}

QStringList profileMenu() {
  return {"kernel.stages on|Kernel",
          "profile.tune|Tune…",
          "-",
          "view.panel ir|Show in IR",
          "view.panel graph|Show in graph",
          "-",
          "profile.copyText",
          "profile.save",
          "profile.saveTrace",
          "-",
          "profile.run",
          "profile.byKernel",
          "profile.byCall",
          "profile.byLayer"};
}

}  // namespace rx::views
