#include "views/panels/profile/shares_panel.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <map>

#include "views/models/document.h"
#include "views/models/profile_words.h"
#include "views/panels/bare_scroll_area.h"
#include "views/panels/empty_note.h"
#include "views/panels/profile/profile_panel.h"
#include "views/theme/kind_mark.h"

namespace rx::views {

ShareBars::ShareBars(QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("Time by layer or kind"));
  setFocusPolicy(Qt::StrongFocus);
}

double ShareBars::rowHeight() const { return fontMetrics().height() * 2.4; }

QSize ShareBars::sizeHint() const {
  const auto rows = static_cast<double>(std::max<size_t>(parts_.size(), 1));
  return {fontMetrics().averageCharWidth() * 28, static_cast<int>(rows * rowHeight()) + 8};
}

void ShareBars::setParts(std::vector<ProfilePart> parts) {
  parts_ = std::move(parts);
  QStringList said;
  for (const ProfilePart& part : parts_) said << tr("%1 %2").arg(part.name, profileTotal(part.now));
  setAccessibleDescription(said.join(QStringLiteral(", ")));
  updateGeometry();
  update();
}

void ShareBars::setChosen(const QString& name) {
  chosen_ = name;
  update();
}

void ShareBars::paintEvent(QPaintEvent*) {
  const Palette& theme = Palette::forQt(palette());
  QPainter painter(this);
  painter.fillRect(rect(), theme.base);
  if (hasFocus()) {
    painter.setPen(QPen(theme.accent, 2));
    painter.drawRect(rect().adjusted(1, 1, -1, -1));
  }
  double most = 1;
  for (const ProfilePart& part : parts_) most = std::max({most, part.now, part.before});
  const int line = fontMetrics().height(), letter = fontMetrics().averageCharWidth();
  const double wide = width() - 2.0 * letter, thick = std::max(3.0, line * 0.35);
  QFont bold = font();
  bold.setBold(true);
  for (size_t i = 0; i < parts_.size(); ++i) {
    const ProfilePart& part = parts_[i];
    const QRectF box(letter, 4 + static_cast<double>(i) * rowHeight(), wide, line);
    if (!chosen_.isEmpty() && part.name == chosen_) {
      painter.fillRect(QRectF(0, box.top() - 2, width(), rowHeight()), theme.selection);
      painter.fillRect(QRectF(0, box.top() - 2, 4, rowHeight()), theme.accent);
    }
    const QString now = profileTotal(part.now);
    QString before = part.before >= 0 ? profileTotal(part.before) : QString();
    // The name goes before the other profile's time, which its bar says as well.
    const int wanted = fontMetrics().horizontalAdvance(part.name + before) + (part.layer ? 2 : 4) * letter;
    if (wanted + QFontMetrics(bold).horizontalAdvance(now) > wide) before.clear();
    painter.setFont(bold);
    painter.setPen(theme.text);
    painter.drawText(box, Qt::AlignRight | Qt::AlignVCenter, now);
    const int taken = QFontMetrics(bold).horizontalAdvance(now) + letter;
    painter.setFont(font());
    painter.setPen(theme.grey);
    painter.drawText(box.adjusted(0, 0, -taken, 0), Qt::AlignRight | Qt::AlignVCenter, before);
    const int free = static_cast<int>(wide) - taken - fontMetrics().horizontalAdvance(before) - letter;
    painter.setPen(theme.text);
    const double mark = part.layer ? 0 : line;
    if (!part.layer) drawKindMark(painter, part.kind, theme, QRectF(box.left(), box.top() + 3, line - 6, line - 6));
    painter.drawText(box.adjusted(mark, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(part.name, Qt::ElideRight, free - static_cast<int>(mark)));
    double top = box.bottom() + 2;
    const auto draw = [&](double time, const QColor& color) {
      if (time > 0) painter.fillRect(QRectF(letter, top, std::max(1.0, wide * time / most), thick), color);
      top += thick + 1;
    };
    if (part.before >= 0) draw(part.before, theme.of(OpKind::Memory).bar);
    draw(part.now, theme.of(part.kind).bar);
  }
}

void ShareBars::mousePressEvent(QMouseEvent* event) {
  const int row = static_cast<int>((event->position().y() - 2) / rowHeight());
  if (event->button() != Qt::LeftButton || row < 0 || static_cast<size_t>(row) >= parts_.size())
    return QWidget::mousePressEvent(event);
  Q_EMIT picked(row);
}

void ShareBars::keyPressEvent(QKeyEvent* event) {
  const int step = event->key() == Qt::Key_Down ? 1 : event->key() == Qt::Key_Up ? -1 : 0;
  if (step == 0 || parts_.empty()) return QWidget::keyPressEvent(event);
  const auto at = std::ranges::find_if(parts_, [this](const ProfilePart& part) { return part.name == chosen_; });
  const auto row =
      at == parts_.end() ? 0 : std::clamp<std::ptrdiff_t>(at - parts_.begin() + step, 0, std::ssize(parts_) - 1);
  Q_EMIT picked(static_cast<int>(row));
}

SharesPanel::SharesPanel(const PanelContext& context, QWidget* parent)
    : Panel(parent),
      board_(context.profiles),
      layers_(new QToolButton(this)),
      kinds_(new QToolButton(this)),
      bars_(new ShareBars(this)),
      scroll_(bareScrollArea(this)),
      empty_(
          new EmptyNote(tr("Run, Profile shows the time of each layer here."), context.commands, "profile.run", this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* line = new QHBoxLayout;
  line->setContentsMargins(6, 3, 6, 3);
  layers_->setText(tr("By layer"));
  kinds_->setText(tr("By kind"));
  for (QToolButton* button : {layers_, kinds_}) {
    button->setCheckable(true);
    line->addWidget(button);
  }
  line->addStretch(1);
  column->addLayout(line);
  scroll_->setAccessibleName(tr("Time by layer or kind"));
  scroll_->setWidget(bars_);
  column->addWidget(scroll_, 1);
  column->addWidget(empty_, 1);
  connect(layers_, &QToolButton::clicked, this, [this] { command("by", {"layer"}); });
  connect(kinds_, &QToolButton::clicked, this, [this] { command("by", {"kind"}); });
  connect(bars_, &ShareBars::picked, this, &SharesPanel::pick);
  connect(board_, &ProfileBoard::changed, this, &SharesPanel::refresh);
  connect(board_, &ProfileBoard::chosen, this, &SharesPanel::showChosen);
  refresh();
}

std::vector<ProfilePart> SharesPanel::parts() const {
  const ProfilePtr now = board_->shown(), before = board_->against();
  std::vector<ProfilePart> parts;
  if (!now) return parts;
  const auto add = [&](const QString& name, OpKind kind, double nanoseconds, bool shown) {
    auto found = std::ranges::find_if(parts, [&](const ProfilePart& part) { return part.name == name; });
    if (found == parts.end())
      found = parts.insert(parts.end(), ProfilePart{name, kind, 0, before ? 0.0 : -1.0, !byKind_});
    (shown ? found->now : found->before) += nanoseconds;
  };
  for (const ProfilePtr& profile : {now, before}) {
    if (!profile) continue;
    if (byKind_) {
      // Of calls, as what filters does it: a kernel is of the kind of its first one.
      for (const ProfileRow& row : profile->calls) {
        add(board_->kindNameOf(row), board_->kindOf(row), row.nanoseconds, profile == now);
      }
    } else {
      for (const ProfileRow& row : board_->layersHere(*profile))
        add(row.name, row.kernel ? OpKind::Compute : OpKind::Memory, row.nanoseconds, profile == now);
    }
  }
  if (byKind_) std::ranges::sort(parts, {}, [](const ProfilePart& part) { return std::pair(-part.now, part.name); });
  return parts;
}

void SharesPanel::refresh() {
  layers_->setChecked(!byKind_);
  kinds_->setChecked(byKind_);
  bars_->setParts(parts());
  const bool some = !bars_->parts().empty();
  scroll_->setVisible(some);
  empty_->setVisible(!some);
  setFocusProxy(some ? static_cast<QWidget*>(bars_) : empty_);
  showChosen();
  Q_EMIT titleChanged(byKind_ ? tr("By kind") : tr("By layer"));
  Q_EMIT settled();
}

/// What is looked at, else the layer of what is chosen.
void SharesPanel::showChosen() {
  const ProfileScope& scope = board_->scope();
  bars_->setChosen(!scope.all() && scope.kind == byKind_ ? scope.name : byKind_ ? QString() : board_->choice().layer);
}

/// The other panels show nothing else; a second time lets go of it.
void SharesPanel::pick(int row) {
  if (row < 0 || static_cast<size_t>(row) >= bars_->parts().size()) return;
  const ProfilePart& part = bars_->parts()[static_cast<size_t>(row)];
  const ProfileScope wanted{.kind = byKind_, .name = part.name};
  const bool again = board_->scope() == wanted;
  board_->setScope(again ? ProfileScope() : wanted);
  board_->choose(again || byKind_ ? ProfileChoice() : ProfileChoice{.layer = wanted.name});
}

bool SharesPanel::obey(const QString& name, const QStringList& arguments) {
  const QString argument = arguments.value(0);
  if (name == QLatin1String("by")) {
    if (argument != QLatin1String("layer") && argument != QLatin1String("kind")) return false;
    byKind_ = argument == QLatin1String("kind");
    refresh();
    return true;
  }
  bool ok = false;
  const int row = argument.toInt(&ok);
  if (name != QLatin1String("row") || !ok || row < 0 || static_cast<size_t>(row) >= bars_->parts().size()) return false;
  pick(row);
  return true;
}

QStringList SharesPanel::menuCommands() const { return profileMenu(); }

QString SharesPanel::dump() const {
  if (bars_->parts().empty()) return empty_->text();
  QString text;
  for (const ProfilePart& part : bars_->parts()) {
    text += QStringLiteral("%1\t%2").arg(part.name, profileTotal(part.now));
    if (part.before >= 0) text += QStringLiteral("\t%1").arg(profileTotal(part.before));
    text += part.name == bars_->chosen() ? QStringLiteral("\tchosen\n") : QStringLiteral("\n");
  }
  return text;
}

}  // namespace rx::views
