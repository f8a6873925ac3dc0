#include "views/panels/profile/flame_panel.h"

#include <QHBoxLayout>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>

#include "views/models/document.h"
#include "views/models/numbers.h"
#include "views/models/profile_words.h"
#include "views/panels/bare_scroll_area.h"
#include "views/panels/empty_note.h"
#include "views/panels/profile/flame_view.h"
#include "views/panels/profile/profile_panel.h"
#include "views/theme/icons.h"

namespace rx::views {

FlamePanel::FlamePanel(const PanelContext& context, QWidget* parent)
    : Panel(parent),
      context_(context),
      board_(context.profiles),
      flame_(new FlameView(this)),
      scroll_(bareScrollArea(this)),
      empty_(new EmptyNote(tr("Run, Profile shows a run over time here."), context.commands, "profile.run", this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  scroll_->setWidget(flame_);
  auto* line = new QHBoxLayout;
  line->setSpacing(0);
  auto* tools = new QVBoxLayout;
  const auto add = [&](const char* name, const char* id) {
    auto* button = new QToolButton(this);
    button->setIcon(icon(name));
    button->setAutoRaise(true);
    button->setToolTip(context_.commands->label(QLatin1String(id)));
    button->setAccessibleName(context_.commands->label(QLatin1String(id)));
    connect(button, &QToolButton::clicked, this, [this, id] { context_.commands->run(QLatin1String(id)); });
    tools->addWidget(button);
  };
  add("plus", "profile.flameLarger");
  add("minus", "profile.flameSmaller");
  add("fit", "profile.flameFit");
  tools->addStretch(1);
  line->addWidget(empty_, 1);
  line->addWidget(scroll_, 1);
  line->addLayout(tools);
  column->addLayout(line, 1);
  connect(board_, &ProfileBoard::changed, this, &FlamePanel::refresh);
  connect(board_, &ProfileBoard::chosen, flame_, &FlameView::showChosen);
  connect(flame_, &FlameView::picked, this, &FlamePanel::pick);
  connect(flame_, &FlameView::entered, this, [this] { context_.commands->run("profile.binding"); });
  refresh();
}

void FlamePanel::refresh() {
  const bool some = board_->shown() && !board_->shown()->flame.empty();
  flame_->setBoard(board_);
  scroll_->setVisible(some);
  empty_->setVisible(!some);
  setFocusProxy(some ? static_cast<QWidget*>(flame_) : empty_);
  Q_EMIT settled();
}

/// Of the other profile what does the same work is chosen, as far as the one that is shown has it under that name.
void FlamePanel::pick(int call, bool shown) {
  const ProfilePtr of = shown ? board_->shown() : board_->against();
  if (!of || call < 0 || static_cast<size_t>(call) >= of->calls.size()) return;
  const ProfileRow& row = of->calls[static_cast<size_t>(call)];
  if (board_->by() == ProfileBy::Layer && !row.sources.empty())
    return board_->choose({.layer = board_->layerOf(row.sources.front())});
  board_->choose({.kernel = row.callee, .call = shown ? call : -1});
}

bool FlamePanel::obey(const QString& name, const QStringList& arguments) {
  constexpr double kStep = 1.25;
  if (name == QLatin1String("fit")) return flame_->fit(), true;
  if (name == QLatin1String("larger")) return flame_->zoom(kStep), true;
  if (name == QLatin1String("smaller")) return flame_->zoom(1 / kStep), true;
  bool ok = false;
  const int call = arguments.value(0).toInt(&ok);
  const ProfilePtr now = board_->shown();
  if (name != QLatin1String("call") || !ok || !now || call < 0 || static_cast<size_t>(call) >= now->calls.size())
    return false;
  pick(call, true);
  return true;
}

QStringList FlamePanel::menuCommands() const { return profileMenu(); }

/// A line an event of the run that is shown: begin, time, kernel; what is chosen has a mark.
QString FlamePanel::dump() const {
  const ProfilePtr now = board_->shown();
  QString text = now ? tr("zoom %1\n").arg(shortNumber(flame_->zoomed(), 3)) : empty_->text();
  if (!now) return text;
  for (const ProfileEvent& event : now->flame) {
    const ProfileRow& row = now->calls[static_cast<size_t>(event.row)];
    if (!board_->matches(row)) continue;
    text += QStringLiteral("%1\t%2\t%3%4\n")
                .arg(profileTotal(event.begin), profileTotal(event.nanoseconds), board_->nameOf(row),
                     board_->isChosen(row, event.row) ? QStringLiteral("\tchosen") : QString());
  }
  return text;
}

}  // namespace rx::views
