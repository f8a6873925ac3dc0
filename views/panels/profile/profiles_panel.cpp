#include "views/panels/profile/profiles_panel.h"

#include <QEvent>
#include <QGridLayout>
#include <QPushButton>
#include <QTextDocumentFragment>
#include <QVBoxLayout>

#include "views/models/numbers.h"
#include "views/models/profile_words.h"
#include "views/panels/list_view.h"
#include "views/panels/profile/label_rows.h"
#include "views/panels/rich_label.h"

namespace rx::views {
namespace {

constexpr int kName = 1;  // the column of names

CellTone grey(const ProfileName&) { return CellTone::Grey; }
constexpr Column<ProfileName> kColumns[] = {
    {"", [](const ProfileName& row) { return row.mark; }},
    {"profile", [](const ProfileName& row) { return row.name; }, false, false, nullptr,
     [](const ProfileName& row) { return row.name; }},
    {"a run", [](const ProfileName& row) { return profileTotal(row.wall); }, true, true},
    {"runs", [](const ProfileName& row) { return grouped(row.runs); }, true, true, grey},
};

}  // namespace

ProfilesPanel::ProfilesPanel(const PanelContext& context, QWidget* parent)
    : Panel(parent),
      context_(context),
      board_(context.profiles),
      model_(new RowModel<ProfileName>(kColumns, this)),
      view_(new ListView(this)),
      conditions_(new RichLabel(this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  view_->setModel(model_);
  view_->setStretchColumn(kName);
  view_->setEmptyText(tr("Profiles stand here, of which any two can be held against each other."));
  view_->setAccessibleName(tr("Profiles"));
  conditions_->setContentsMargins(8, 4, 8, 4);
  conditions_->setAutoFillBackground(true);
  conditions_->setBackgroundRole(QPalette::Base);
  column->addWidget(view_, 1);
  column->addWidget(conditions_);
  auto* bar = new QGridLayout;
  bar->setContentsMargins(6, 3, 6, 3);
  const auto add = [&](const QString& text, const char* id, int row, int at) {
    auto* button = new QPushButton(text, this);
    button->setToolTip(context_.commands->label(QLatin1String(id)));
    connect(button, &QPushButton::clicked, this, [this, id] { context_.commands->run(QLatin1String(id)); });
    bar->addWidget(button, row, at);
    return button;
  };
  run_ = add(tr("Profile"), "profile.run", 0, 0);
  run_->setProperty("primary", true);
  add(tr("Load…"), "profile.load", 0, 1);
  ofShown_ = {add(tr("Rename…"), "profile.rename", 1, 0), add(tr("Remove"), "profile.remove", 1, 1)};
  column->addLayout(bar);
  setFocusProxy(view_);
  connect(view_, &ListView::picked, this, [this](const QModelIndex& index) {
    context_.commands->run("profile.show", {QString::number(index.row() + 1)});
  });
  connect(view_, &ListView::chosen, this, [this] { context_.commands->run("view.panel", {"profile"}); });
  connect(board_, &ProfileBoard::changed, this, &ProfilesPanel::refresh);
  refresh();
}

void ProfilesPanel::changeEvent(QEvent* event) {
  Panel::changeEvent(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) refresh();
}

void ProfilesPanel::refresh() {
  std::vector<ProfileName> rows;
  const bool two = board_->againstNumber() >= 0;
  for (const ProfileEntry& entry : board_->entries()) {
    const auto number = static_cast<int>(rows.size());
    const bool shown = number == board_->shownNumber();
    rows.push_back({number == board_->againstNumber() ? tr("A")
                    : shown && two                    ? tr("B")
                                                      : QString(),
                    entry.name, entry.profile->wall, entry.profile->runs, shown});
  }
  model_->setPalette(Palette::forQt(palette()));
  model_->setRows(std::move(rows));
  view_->fitColumns();
  view_->setCurrentIndex(model_->index(board_->shownNumber(), 0));
  const bool some = board_->shown() != nullptr;
  conditions_->setHtml(conditions());
  conditions_->setVisible(some);
  for (QPushButton* button : ofShown_) button->setEnabled(some);
  run_->setText(some ? tr("Profile again") : tr("Profile"));
  Q_EMIT settled();
}

/// What the profile that is shown was measured by, and on.
QString ProfilesPanel::conditions() const {
  const ProfilePtr now = board_->shown();
  if (!now) return {};
  const ProfileEntry& entry = board_->entries()[static_cast<size_t>(board_->shownNumber())];
  const bool parallel = std::ranges::any_of(now->kernels, &ProfileRow::parallel);
  LabelRows rows(Palette::forQt(palette()));
  rows.add(tr("function"), now->function);
  rows.add(tr("passes"), entry.here ? entry.pipeline : tr("of a file: not known"));
  rows.add(tr("input"), entry.input);
  rows.add(tr("runs"), tr("the first %1, then %2, spread %3 %")
                           .arg(profileTotal(now->first), grouped(now->runs))
                           .arg(now->spread * 100, 0, 'f', 1));
  rows.add(tr("threads"), tr("%1 of %2").arg(parallel ? now->threads : 1).arg(now->threads));
  rows.add(tr("machine"), now->processor);
  rows.add(tr("measured"), now->flopsLimit > 0 ? tr("%1 GFLOP/s, %2 GB/s a thread")
                                                     .arg(shortNumber(now->flopsLimit * 1e-9, 4),
                                                          shortNumber(now->bytesLimit * 1e-9, 3))
                                               : QString());
  rows.add(tr("others took"),
           now->busy >= kBusyMachine ? tr("%1 % of the processors' time").arg(qRound(now->busy * 100)) : QString());
  const QString title = board_->againstNumber() < 0 ? tr("Conditions") : tr("Conditions of B");
  return QStringLiteral("<b>%1</b>%2").arg(title, rows.html());
}

QStringList ProfilesPanel::menuCommands() const {
  const QString number = QString::number(view_->currentIndex().row() + 1);
  return {QStringLiteral("profile.against %1|Hold others against this (A)").arg(number),
          "profile.against none|Show alone",
          "-",
          "profile.rename",
          "profile.remove",
          "-",
          "profile.copyJson",
          "profile.save",
          "profile.saveTrace",
          "-",
          "profile.run",
          "profile.load"};
}

QString ProfilesPanel::dump() const {
  return modelText(*model_) + QLatin1Char('\n') + QTextDocumentFragment::fromHtml(conditions_->text()).toPlainText();
}

}  // namespace rx::views
