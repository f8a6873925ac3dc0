#include "views/panels/profile/profile_panel.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHash>
#include <QLabel>
#include <QSet>
#include <QSignalBlocker>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "views/models/document.h"
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

/// Two profiles are A and B, as in the flame chart below the table.
class ProfileModel : public RowModel<ProfileLine> {
 public:
  explicit ProfileModel(QObject* parent) : RowModel(profileColumns(), parent) {}
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override {
    if (orientation == Qt::Horizontal && role == Qt::DisplayRole) {
      const bool compared = !rows().empty() && rows().front().compared;
      const bool layers = !rows().empty() && rows().front().byLayer;
      if (section == kProfileTime && compared) return QCoreApplication::translate("ProfilePanel", "B ms");
      if (section == kProfileShare && compared) return QCoreApplication::translate("ProfilePanel", "share of B");
      if (section == kProfileName && layers) return QCoreApplication::translate("ProfilePanel", "layer");
    }
    return RowModel::headerData(section, orientation, role);
  }
  QVariant data(const QModelIndex& index, int role) const override {
    if (stale_ && role == Qt::ForegroundRole) return toneColor(*theme_, CellTone::Grey);
    return RowModel::data(index, role);
  }
  void setPalette(const Palette& palette) override {
    theme_ = &palette;
    RowModel::setPalette(palette);
  }
  /// The rows are of something that is not open any more: grey, all of them.
  void setStale(bool stale) { stale_ = stale; }

 private:
  const Palette* theme_ = &Palette::lightTheme();
  bool stale_ = false;
};

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
      layers_(barButton(tr("By layer"),
                        tr("A row for each block of the imported function, whatever it was compiled to"), this)),
      shown_(new QComboBox(this)),
      against_(new QComboBox(this)),
      summary_(new QLabel(this)),
      model_(new ProfileModel(this)),
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
  summary_->setWordWrap(true);
  column->addWidget(summary_);
  auto* across = new QSplitter(Qt::Horizontal, this);
  across->addWidget(view_);
  across->addWidget(roofline_);
  across->setStretchFactor(0, 3);
  across->setStretchFactor(1, 1);
  auto* down = new QSplitter(Qt::Vertical, this);
  down->addWidget(across);
  down->addWidget(flame_);
  down->setStretchFactor(0, 1);
  column->addWidget(down, 1);
  view_->setModel(model_);
  view_->setLessImportant(kProfileBytes);
  // Names of fused kernels begin alike, and those of one operator end alike.
  view_->setTextElideMode(Qt::ElideMiddle);
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
  connect(context.document, &Document::opened, this, [this] {
    ++texts_;
    refresh();
  });
  connect(context.document, &Document::stepsChanged, this, [this] {
    if (summary_->text() != summary()) refresh();
  });
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
  shown_->setAccessibleName(tr("Profile that is shown"));
  against_->setAccessibleName(tr("Profile that it is held against"));
  for (QComboBox* box : {shown_, against_}) {
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(20);
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
    if (const ProfilePtr made =
            readProfile(in.readAll(), tr("%1 · %2").arg(profiles_.size() + 1).arg(name), &problem)) {
      profiles_.push_back(made);
      made_.push_back({!title.isEmpty(), texts_, context_.document->pipeline()});
    }
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
    const QString named = tr("%1, %2").arg(profiles_.back()->title, profileTotal(profiles_.back()->wall));
    shown_->addItem(named);
    against_->addItem(tr("A: %1").arg(named));
    // What was shown is what the new one is held against.
    against_->setCurrentIndex(shown_->currentIndex() + (profiles_.size() > 1 ? 1 : 0));
    if (profiles_.size() == 1) against_->setCurrentIndex(0);
    shown_->setCurrentIndex(static_cast<int>(profiles_.size()) - 1);
  }
  refresh();
  return true;
}

QString ProfilePanel::layerOf(const ProfileSource& source) const {
  const StageIndexPtr imported = context_.document->stage(0, false);
  const FunctionRow* function = imported ? imported->function(source.function) : nullptr;
  const OutlineRow* block = function ? function->outlineAt(source.binding) : nullptr;
  return block ? block->name : source.variable;
}

/// "layer2.0"; of several "layer2" where that is what their names begin with, else how many they are.
QString ProfilePanel::layersOfRow(const ProfileRow& row) const {
  QStringList names;
  for (const ProfileSource& source : row.sources)
    if (const QString name = layerOf(source); !name.isEmpty() && !names.contains(name)) names += name;
  if (names.size() < 2) return names.value(0);
  const auto stem = [](const QString& name) { return name.section(QLatin1Char('.'), 0, -2); };
  const bool alike = std::ranges::all_of(names, [&](const QString& name) { return stem(name) == stem(names[0]); });
  return alike && !stem(names[0]).isEmpty() ? stem(names[0]) : tr("%n layers", nullptr, static_cast<int>(names.size()));
}

/// By the blocks of the imported function; bindings that stand in none are layers of their own.
std::vector<ProfileRow> ProfilePanel::layersHere(const Profile& profile) const {
  std::vector<ProfileRow> rows = layersOf(profile, [this](const ProfileSource& source) { return layerOf(source); });
  for (ProfileRow& row : rows)
    if (row.name.isEmpty()) row.name = tr("the machine");
  return rows;
}

std::vector<ProfileRow> ProfilePanel::rowsOf(const Profile& profile) const {
  return by_ == ProfileBy::Layer ? layersHere(profile) : by_ == ProfileBy::Call ? profile.calls : profile.kernels;
}

std::vector<ProfileLine> ProfilePanel::lines() const {
  const ProfilePtr now = shown(), before = against();
  if (!now) return {};
  const auto keyOf = [](const ProfileRow& row) {
    QString key = row.name + '\n' + row.callee;
    for (const ProfileSource& source : row.sources)
      key += QStringLiteral("\n%1 %2").arg(source.function, QString::number(source.binding));
    return row.callee.isEmpty() ? row.name : key;
  };
  QHash<QString, double> times;
  if (before)
    for (const ProfileRow& row : rowsOf(*before)) times.insert(keyOf(row), row.nanoseconds);
  std::vector<ProfileLine> lines;
  const std::vector<ProfileRow> rows = rowsOf(*now);
  double most = 0;
  for (const ProfileRow& row : rows) most = std::max(most, row.share);
  for (const ProfileRow& row : rows) {
    ProfileLine line{row, times.value(keyOf(row), -1), before != nullptr, by_ == ProfileBy::Layer, most};
    if (by_ != ProfileBy::Layer) line.layer = layersOfRow(row);
    lines.push_back(std::move(line));
  }
  return lines;
}

QString ProfilePanel::difference(const Profile& now, const Profile& before) const {
  constexpr qsizetype kMostNamed = 3;
  constexpr double kSame = 0.02;  // the spread of runs is as large
  const double change = now.wall / before.wall - 1;
  QString text = std::abs(change) < kSame ? tr("As fast as A (%1).").arg(profileTotal(before.wall))
                                          : tr("%1 instead of %2: %3 % %4.")
                                                .arg(profileTotal(now.wall), profileTotal(before.wall))
                                                .arg(std::abs(change) * 100, 0, 'f', 0)
                                                .arg(change < 0 ? tr("less") : tr("more"));
  QHash<QString, double> times;
  for (const ProfileRow& row : layersHere(before)) times[row.name] -= row.nanoseconds;
  for (const ProfileRow& row : layersHere(now)) times[row.name] += row.nanoseconds;
  std::vector<std::pair<QString, double>> changes;
  for (auto at = times.begin(); at != times.end(); ++at)
    if (std::abs(at.value()) > before.wall * kSame) changes.emplace_back(at.key(), at.value());
  std::sort(changes.begin(), changes.end(), [](const auto& a, const auto& b) {
    return std::abs(a.second) != std::abs(b.second) ? std::abs(a.second) > std::abs(b.second) : a.first < b.first;
  });
  QStringList most;
  for (const auto& [layer, nanoseconds] : changes)
    if (most.size() < kMostNamed)
      most +=
          tr("%1 %2%3").arg(layer, nanoseconds < 0 ? QChar(0x2212) : QChar('+'), profileTotal(std::abs(nanoseconds)));
  if (!most.isEmpty()) text += tr(" Most by %1.").arg(most.join(QStringLiteral(", ")));
  const auto kernels = [](const Profile& profile) {
    QSet<QString> names;
    for (const ProfileRow& row : profile.kernels)
      if (row.kernel) names += row.name;
    return names;
  };
  const QSet<QString> here = kernels(now), there = kernels(before);
  const qsizetype fresh = (here - there).size(), gone = (there - here).size();
  if (fresh + gone > 0) text += tr(" Other kernels: %1 new, %2 gone.").arg(fresh).arg(gone);
  return text;
}

QString ProfilePanel::staleness() const {
  const int at = shown_->currentIndex();
  if (at < 0 || static_cast<size_t>(at) >= made_.size() || !made_[static_cast<size_t>(at)].here) return {};
  const Made& made = made_[static_cast<size_t>(at)];
  if (made.text != texts_) return tr("Of an earlier text. ");
  return made.pipeline != context_.document->pipeline() ? tr("Of another pipeline than the present one. ") : QString();
}

QString ProfilePanel::summary() const {
  const ProfilePtr now = shown();
  if (!now) return {};
  QString text =
      tr("%1: %2 a run (median of %3, spread %4 %), the first %5; %6 % of it is in the table. One "
         "thread of %7: %8 GFLOP/s, %9 GB/s")
          .arg(now->function, profileTotal(now->wall))
          .arg(now->runs)
          .arg(now->spread * 100, 0, 'f', 1)
          .arg(profileTotal(now->first))
          .arg(now->wall > 0 ? now->sum / now->wall * 100 : 0, 0, 'f', 1)
          .arg(now->processor, shortNumber(now->flopsLimit * 1e-9, 4), shortNumber(now->bytesLimit * 1e-9, 4));
  text.prepend(staleness());
  if (const ProfilePtr before = against(); before && before->wall > 0)
    text.prepend(difference(*now, *before) + QLatin1Char('\n'));
  if (!now->noOccupancy.isEmpty()) text += tr(". Occupancy is not known: %1").arg(now->noOccupancy);
  return text;
}

void ProfilePanel::refresh() {
  const ProfilePtr now = shown();
  const ProfilePtr before = against();
  const bool byCall = by_ == ProfileBy::Call;
  kernels_->setChecked(by_ == ProfileBy::Kernel);
  calls_->setChecked(byCall);
  layers_->setChecked(by_ == ProfileBy::Layer);
  for (QWidget* part : std::initializer_list<QWidget*>{kernels_, calls_, layers_, shown_, against_})
    part->setEnabled(now != nullptr);
  model_->setPalette(Palette::forQt(palette()));
  const std::vector<ProfileLine> rows = lines();
  const bool onDevice = std::ranges::any_of(rows, [](const ProfileLine& line) { return line.row.onDevice > 0; });
  static_cast<ProfileModel*>(model_)->setStale(!staleness().isEmpty());
  model_->setRows(rows);
  // A layer that is only its binding says nothing that the columns before it do not.
  view_->setColumnHidden(kProfileLayer, std::ranges::none_of(rows, [](const ProfileLine& line) {
                           return !line.layer.isEmpty() &&
                                  (line.row.sources.size() > 1 || line.layer != line.row.sources[0].variable);
                         }));
  // The names of calls are those of the last stage, which say less than what they are of.
  for (const int column : {kProfileCallee, kProfileFrom}) view_->setColumnHidden(column, !byCall);
  view_->setColumnHidden(kProfileName, byCall);
  // What a limit means is said of a kernel.
  for (const int column : {kProfileLimit, kProfileBound}) view_->setColumnHidden(column, by_ == ProfileBy::Layer);
  for (const int column : {kProfileBefore, kProfileChange}) view_->setColumnHidden(column, !before);
  view_->setColumnHidden(kProfileDevice, !onDevice);
  view_->setColumnHidden(kProfileOccupancy,
                         std::ranges::none_of(rows, [](const ProfileLine& line) { return line.row.occupancy > 0; }));
  showParts();
  view_->setStretchColumn(byCall ? kProfileFrom : kProfileName);
  summary_->setText(summary());
  summary_->setToolTip(summary());
  summary_->setVisible(now != nullptr);
  roofline_->setProfiles(now, before, byCall);
  flame_->setProfiles(now, before, [this](const ProfileRow& row) {
    if (row.sources.empty()) return QString();
    const QString layer = layerOf(row.sources.front());
    return layer == row.sources.front().variable ? QString() : layer;
  });
  flame_->setVisible(now != nullptr && !now->flame.empty());
  Q_EMIT titleChanged(now ? tr("Profile · %1").arg(profileTotal(now->wall)) : tr("Profile"));
  Q_EMIT settled();
}

/// A dock that is too narrow for the table and the plot has the table alone.
void ProfilePanel::showParts() {
  const int letters = 125 + (by_ == ProfileBy::Call ? 50 : 0) + (against() ? 50 : 0);
  roofline_->setVisible(shown() && by_ != ProfileBy::Layer && width() > fontMetrics().averageCharWidth() * letters);
}

void ProfilePanel::resizeEvent(QResizeEvent* event) {
  Panel::resizeEvent(event);
  showParts();
}

void ProfilePanel::pick(int row) {
  const ProfileLine* line = model_->row(model_->index(row, 0));
  if (!line) return;
  if (by_ != ProfileBy::Layer) roofline_->setCurrent(row);
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
  static const QHash<QString, ProfileBy> kWords = {
      {"kernel", ProfileBy::Kernel}, {"call", ProfileBy::Call}, {"layer", ProfileBy::Layer}};
  if (!kWords.contains(what)) return false;
  by_ = kWords[what];
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
  return {"profile.run",
          "profile.byKernel",
          "profile.byCall",
          "profile.byLayer",
          "-",
          "view.panel ir|Show in IR",
          "view.panel kernel|Show the kernel"};
}

QString ProfilePanel::dump() const { return summary() + '\n' + modelText(*model_); }

}  // namespace rx::views
