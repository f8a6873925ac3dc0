#include "views/panels/profile/roofline_panel.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QPushButton>
#include <QScrollArea>
#include <QTextDocumentFragment>
#include <QVBoxLayout>

#include "views/models/document.h"
#include "views/models/numbers.h"
#include "views/models/profile_words.h"
#include "views/models/selection.h"
#include "views/panels/bare_scroll_area.h"
#include "views/panels/empty_note.h"
#include "views/panels/profile/label_rows.h"
#include "views/panels/profile/profile_panel.h"
#include "views/panels/profile/roofline_view.h"
#include "views/panels/rich_label.h"

namespace rx::views {
namespace {

/// "231.2 MFLOP, 1.75 MB, 132 FLOP a byte", of a call.
QString workText(const ProfileRow& row) {
  const double calls = std::max<double>(1, static_cast<double>(row.calls));
  QStringList parts;
  if (row.operations() < 0) parts << RooflinePanel::tr("unknown number of FLOP");
  if (row.flops > 0) parts << flopsText(row.flops / calls, 4);
  if (row.ofIntegers()) parts << RooflinePanel::tr("%1 of whole numbers").arg(integersText(row.integers / calls, 4));
  if (row.bytes > 0) parts << bytesText(static_cast<qint64>(row.bytes / calls));
  const double intensity = row.bytes > 0 ? row.operations() / row.bytes : 0;
  if (intensity > 0)
    parts << (row.ofIntegers() ? RooflinePanel::tr("%1 operations a byte") : RooflinePanel::tr("%1 FLOP a byte"))
                 .arg(shortNumber(intensity, 3));
  return parts.join(QStringLiteral(", "));
}

QString timeText(const ProfileRow& row, double before) {
  const double calls = std::max<double>(1, static_cast<double>(row.calls));
  QString text = RooflinePanel::tr("%1 a call").arg(profileTotal(row.nanoseconds / calls));
  if (row.calls > 1) text += RooflinePanel::tr(", %1 a run").arg(profileTotal(row.nanoseconds));
  if (before >= 0) text += RooflinePanel::tr(", in A %1 a run").arg(profileTotal(before));
  return text;
}

QString paragraphs(const QString& title, const QStringList& sentences) {
  if (sentences.isEmpty()) return {};
  QString html = QStringLiteral("<p style='margin-top:8px'><b>%1</b>").arg(title);
  for (const QString& sentence : sentences) html += QStringLiteral("<br/>%1").arg(sentence.toHtmlEscaped());
  return html + QStringLiteral("</p>");
}

QString argumentsText(const ProfileRow& row, bool written) {
  QStringList texts;
  for (const ProfileArgument& argument : row.arguments)
    if (argument.written == written) texts << argument.type;
  return texts.join(QStringLiteral(", "));
}

}  // namespace

RooflinePanel::RooflinePanel(const PanelContext& context, QWidget* parent)
    : Panel(parent),
      context_(context),
      board_(context.profiles),
      roofline_(new RooflineView(this)),
      details_(new RichLabel(this)),
      scroll_(bareScrollArea(this)),
      empty_(new EmptyNote(tr("Run, Profile says how near each kernel comes to what this machine does."),
                           context.commands, "profile.run", this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  scroll_->setWidget(details_);
  scroll_->setAccessibleName(tr("The chosen kernel"));
  details_->setContentsMargins(8, 4, 8, 4);
  details_->setAutoFillBackground(true);
  details_->setBackgroundRole(QPalette::Base);
  column->addWidget(roofline_, 1);
  column->addWidget(scroll_, 1);
  column->addWidget(empty_, 1);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(6, 3, 6, 3);
  const auto add = [&](const QString& text, const char* id, const QStringList& arguments) {
    auto* button = new QPushButton(text, this);
    button->setToolTip(context_.commands->label(QLatin1String(id)));
    connect(button, &QPushButton::clicked, this,
            [this, id, arguments] { context_.commands->run(QLatin1String(id), arguments); });
    bar->addWidget(button);
    buttons_.push_back(button);
  };
  add(tr("Binding"), "profile.binding", {});
  add(tr("Why slow"), "kernel.why", {});
  add(tr("Kernel"), "kernel.stages", {"on"});
  add(tr("Tune…"), "profile.tune", {});
  bar->addStretch(1);
  column->addLayout(bar);
  roofline_->setShown([this](const ProfileRow& row) { return board_->matches(row); });
  roofline_->setKinds([this](const ProfileRow& row) { return board_->kindOf(row); });
  connect(board_, &ProfileBoard::changed, this, &RooflinePanel::refresh);
  connect(board_, &ProfileBoard::chosen, this, &RooflinePanel::showChoice);
  connect(roofline_, &RooflineView::picked, this, &RooflinePanel::pick);
  connect(details_, &QLabel::linkActivated, this, &RooflinePanel::follow);
  refresh();
}

void RooflinePanel::changeEvent(QEvent* event) {
  Panel::changeEvent(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) showChoice();
}

void RooflinePanel::refresh() {
  roofline_->setProfiles(board_->shown(), board_->against(), board_->by() == ProfileBy::Call);
  const bool some = board_->shown() != nullptr;
  roofline_->setVisible(some);
  scroll_->setVisible(some);
  empty_->setVisible(!some);
  setFocusProxy(some ? static_cast<QWidget*>(roofline_) : empty_);
  showChoice();
  Q_EMIT settled();
}

void RooflinePanel::showChoice() {
  const ProfilePtr now = board_->shown();
  const ProfileChoice& choice = board_->choice();
  int current = -1;
  if (now && board_->by() == ProfileBy::Call) current = choice.call;
  for (size_t i = 0; now && board_->by() != ProfileBy::Call && i < now->kernels.size(); ++i)
    if (!choice.kernel.isEmpty() && now->kernels[i].name == choice.kernel) current = static_cast<int>(i);
  roofline_->setCurrent(current);
  details_->setHtml(details());
  for (QPushButton* button : buttons_) button->setEnabled(!choice.kernel.isEmpty());
}

void RooflinePanel::pick(int row) {
  const ProfilePtr now = board_->shown();
  if (!now || row < 0) return;
  const bool byCall = board_->by() == ProfileBy::Call;
  const std::vector<ProfileRow>& rows = byCall ? now->calls : now->kernels;
  if (static_cast<size_t>(row) >= rows.size()) return;
  if (byCall) return board_->choose({.kernel = rows[static_cast<size_t>(row)].callee, .call = row});
  // There are no layers in the plot.
  if (board_->by() == ProfileBy::Layer) board_->setBy(ProfileBy::Kernel);
  board_->choose({.kernel = rows[static_cast<size_t>(row)].name});
}

QString RooflinePanel::details() const {
  const ProfilePtr now = board_->shown();
  if (!now) return {};
  if (const std::optional<ProfileRow> row = board_->chosenRow()) return detailsOf(*row);
  QString html = tr("Choose a kernel to see what bounds it.").toHtmlEscaped();
  if (now->limitsBusy >= kBusyMachine)
    html += paragraphs(tr("The limits"), {tr("Measured while other programs took %1 % of the processors' time: the "
                                             "machine can do more. They are measured again until it is idle.")
                                              .arg(qRound(now->limitsBusy * 100))});
  return html;
}

QString RooflinePanel::detailsOf(const ProfileRow& row) const {
  const Profile& now = *board_->shown();
  const ProfilePtr before = board_->against();
  const QString name = row.callee.isEmpty() ? row.name : row.callee;
  QString html = QStringLiteral("<b>%1</b> <span style='color:%2'>%3</span>")
                     .arg(board_->nameOf(row).toHtmlEscaped(), Palette::forQt(palette()).grey.name(),
                          row.calls == 1 ? tr("1 call") : tr("%1 calls").arg(grouped(row.calls)));
  LabelRows rows(Palette::forQt(palette()));
  rows.add(tr("kernel"), row.kernel && name != board_->nameOf(row) ? name : QString());
  rows.add(tr("reads"), argumentsText(row, false));
  rows.add(tr("writes"), argumentsText(row, true));
  rows.add(tr("work"), workText(row));
  rows.add(tr("time"), timeText(row, before ? timeOfSameWork(row, now, *before) : -1));
  rows.add(tr("computes"), computeReached(row, now));
  rows.add(tr("moves"), bytesReached(row, now));
  rows.add(tr("limited by"), row.limitedBy);
  rows.add(tr("rule"), row.rules.join(QStringLiteral(", ")));
  rows.add(tr("first run"), row.first > 0 ? profileTotal(row.first) : QString());
  html += rows.html();
  html += paragraphs(tr("What bounds it"), whySlow(row, now));
  if (before) {
    const double was = timeOfSameWork(row, now, *before);
    const bool slower = was >= 0 && row.nanoseconds > was;
    html += paragraphs(slower ? tr("Why B is slower") : tr("Why B is faster"), whyDifferent(row, now, *before));
  }
  QString from;
  for (const ProfileSource& source : row.sources)
    from += QStringLiteral("<br/><a href='%1:%2:%3'>%3</a>%4")
                .arg(source.function.toHtmlEscaped())
                .arg(source.binding)
                .arg(source.variable.toHtmlEscaped())
                .arg(source.line > 0 ? tr(", %1, line %2").arg(board_->layerOf(source).toHtmlEscaped()).arg(source.line)
                                     : QString());
  if (!from.isEmpty()) html += QStringLiteral("<p style='margin-top:8px'><b>%1</b>%2</p>").arg(tr("From"), from);
  return html;
}

void RooflinePanel::follow(const QString& link) {
  const QStringList parts = link.split(QLatin1Char(':'));
  if (parts.size() < 3) return;
  context_.selection->select({.stage = 0,
                              .function = parts[0],
                              .binding = parts[1].toInt(),
                              .variable = parts[2],
                              .step = context_.selection->place().step});
}

bool RooflinePanel::obey(const QString& name, const QStringList& arguments) {
  bool ok = false;
  const int row = arguments.value(0).toInt(&ok);
  if (name != QLatin1String("dot") || !ok) return false;
  pick(row);
  return true;
}

QStringList RooflinePanel::menuCommands() const { return profileMenu(); }

QString RooflinePanel::dump() const {
  if (!board_->shown()) return empty_->text();
  return roofline_->accessibleDescription() + QLatin1Char('\n') +
         QTextDocumentFragment::fromHtml(details_->text()).toPlainText();
}

}  // namespace rx::views
