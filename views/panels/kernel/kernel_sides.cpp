#include "views/panels/kernel/kernel_sides.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <tuple>

#include "views/panels/kernel/link_bridge.h"
#include "views/text/text_view.h"

namespace rx::views {
namespace {

/// What is shown first on each side: the last of the first kind that there is.
const QStringList kFirstShown[] = {{"tir"}, {"scheduled", "lowered"}, {"asm", "device", "lowered", "scheduled", "tir"}};
/// Letters that a text takes at the least where three stand side by side.
constexpr int kLeastLetters = 54;

QString titleOf(const KernelStageText& stage, int number) {
  return stage.made.isEmpty() ? QStringLiteral("%1  %2").arg(number).arg(stage.title)
                              : QStringLiteral("%1  %2 · %3").arg(number).arg(stage.title, stage.made);
}

/// The loop tinted, the lines that are linked more so; lines from 0.
std::vector<LineBand> bandsOf(const KernelLoop* loop, const std::vector<int>& linked) {
  std::vector<LineBand> bands;
  const auto add = [&bands](int line, BandKind kind) {
    const auto at = static_cast<uint32_t>(line);
    if (!bands.empty() && bands.back().kind == kind && bands.back().last + 1 == at) {
      bands.back().last = at;
    } else {
      bands.push_back({at, at, kind});
    }
  };
  int next = loop ? loop->first - 1 : 0;
  const int end = loop ? loop->last : 0;
  for (const int line : linked) {
    for (; next < std::min(line, end); ++next) add(next, BandKind::Dataflow);
    add(line, BandKind::Linked);
    if (next <= line) next = line + 1;
  }
  for (; next < end; ++next) add(next, BandKind::Dataflow);
  return bands;
}

/// What a line has of the samples, where that is not next to nothing.
std::vector<LineNote> sampleNotes(const std::vector<double>& shares) {
  constexpr double kLeast = 0.05;
  std::vector<LineNote> notes;
  for (size_t i = 0; i < shares.size(); ++i) {
    if (shares[i] < kLeast) continue;
    LineNote& note = notes.emplace_back();
    note.line = static_cast<uint32_t>(i);
    note.pieces.push_back({QStringLiteral("%1 %").arg(shares[i], 0, 'f', 1), NoteRole::Grey});
  }
  return notes;
}

}  // namespace

KernelSides::KernelSides(QWidget* parent) : QWidget(parent) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(0);
  makeSide(Left, tr("left"), row);
  makeSide(Middle, tr("middle"), row);
  makeSide(Right, tr("right"), row);
  constexpr struct {
    Side from, to;
    int place;  // in the row
  } kBridges[] = {{Left, Middle, 1}, {Middle, Right, 3}, {Left, Right, 4}};
  for (const auto& [from, to, place] : kBridges) {
    bridges_.push_back({from, to, new LinkBridge(sides_[from].view, sides_[to].view, this)});
    row->insertWidget(place, bridges_.back().widget);
  }
  setFocusProxy(sides_[Left].view);
  showMiddle();
}

/// The third stage where there is room, and it is none of the two others.
void KernelSides::showMiddle() {
  const int middle = stage(Middle);
  const bool room = width() >= kLeastLetters * 3 * fontMetrics().averageCharWidth();
  hasMiddle_ = room && middle >= 0 && middle != stage(Left) && middle != stage(Right);
  if (!hasMiddle_ && active_ == Middle) active_ = Left;
  sides_[Middle].whole->setVisible(hasMiddle_);
  for (const Bridge& bridge : bridges_)
    bridge.widget->setVisible(hasMiddle_ == (bridge.from == Middle || bridge.to == Middle));
}

void KernelSides::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  const bool before = hasMiddle_;
  showMiddle();
  if (hasMiddle_ != before && listing_) link(active_, sides_[active_].line);
}

void KernelSides::makeSide(Side side, const QString& name, QHBoxLayout* row) {
  Part& part = sides_[side];
  part.whole = new QWidget(this);
  auto* column = new QVBoxLayout(part.whole);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  part.box = new QComboBox(this);
  part.box->setAccessibleName(tr("Stage on the %1").arg(name));
  part.box->setToolTip(tr("Which stage of the kernel stands on the %1").arg(name));
  part.box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  part.box->setMinimumContentsLength(8);
  part.view = new TextView(this);
  part.view->setAccessibleName(tr("Text of the stage on the %1").arg(name));
  column->addWidget(part.box);
  column->addWidget(part.view, 1);
  row->addWidget(part.whole, 1);
  connect(part.box, &QComboBox::currentIndexChanged, this, [this, side] { showStage(side); });
  connect(part.view, &TextView::clicked, this, [this, side](uint32_t line) { link(side, static_cast<int>(line) + 1); });
  connect(part.view, &TextView::caretMovedByUser, this,
          [this, side](uint32_t line) { link(side, static_cast<int>(line) + 1); });
  connect(part.view, &TextView::contextMenuAt, this, &KernelSides::menuWanted);
}

void KernelSides::setTheme(const Palette& theme) {
  for (const Part& part : sides_) part.view->setTheme(theme);
  for (const Bridge& bridge : bridges_) bridge.widget->update();
}

const KernelStageText* KernelSides::text(Side side) const {
  const int at = stage(side);
  return listing_ && at >= 0 && static_cast<size_t>(at) < listing_->stages.size()
             ? &listing_->stages[static_cast<size_t>(at)]
             : nullptr;
}

int KernelSides::stage(Side side) const { return sides_[side].box->currentIndex(); }

void KernelSides::setListing(KernelListingPtr listing) {
  std::array<QString, 3> shown;
  for (const Side side : kAll)
    if (const KernelStageText* before = text(side)) shown[side] = before->stage;
  listing_ = std::move(listing);
  for (const Side side : kAll) {
    const QSignalBlocker quiet(sides_[side].box);
    QComboBox* box = sides_[side].box;
    box->clear();
    for (int i = 0; listing_ && static_cast<size_t>(i) < listing_->stages.size(); ++i)
      box->addItem(titleOf(listing_->stages[static_cast<size_t>(i)], i));
    int at = listing_ && !shown[side].isEmpty() ? listing_->stageNamed(shown[side]) : -1;
    for (const QString& name : kFirstShown[side])
      if (listing_ && at < 0) at = listing_->stageNamed(name);
    box->setCurrentIndex(at);
  }
  active_ = Left;
  showMiddle();
  for (const Side side : kAll) showStage(side);
  if (stage(Left) == 0) goTo(Left, heaviestLine());
}

/// The line on the left that became most of the lines on the right: first those in loops, which run more than once, and
/// what is computed before the loop that it stands in, which became all of that.
int KernelSides::heaviestLine() const {
  const KernelStageText* shown = text(Left);
  const KernelStageText* made = text(Right);
  int found = 1;
  std::tuple<bool, bool, size_t> most;
  for (int line = 1; shown && made && line <= shown->lineCount(); ++line) {
    const KernelLines lines = listing_->linked(stage(Left), line, stage(Right));
    const auto inLoops = std::ranges::count_if(lines, [&](int each) { return made->loopAt(each) != nullptr; });
    const bool begins = std::ranges::any_of(shown->loops, [&](const KernelLoop& loop) { return loop.first == line; });
    const std::tuple<bool, bool, size_t> weight(!begins && !lines.empty(), inLoops > 0,
                                                inLoops > 0 ? static_cast<size_t>(inLoops) : lines.size());
    if (weight <= most) continue;
    most = weight;
    found = line;
  }
  return found;
}

void KernelSides::showStage(Side side) {
  Part& part = sides_[side];
  const KernelStageText* shown = text(side);
  part.view->setBuffer(shown ? TextBuffer::from(shown->text.toStdString()) : nullptr);
  if (shown) part.view->setNotes(sampleNotes(listing_->shares(stage(side))));
  part.line = 1;
  // What belongs together stays so: another side is what was looked at.
  if (side == active_) active_ = other(side);
  showMiddle();
  link(active_, sides_[active_].line);
}

void KernelSides::link(Side from, int line) {
  active_ = from;
  sides_[from].line = line;
  sides_[from].marked = {line};
  for (const Side to : kAll)
    if (to != from) sides_[to].marked = text(to) ? listing_->linked(stage(from), line, stage(to)) : KernelLines();
  mark();
  for (const Side to : kAll) {
    if (to == from) continue;
    // Where most of what is linked stands; else where it begins.
    const KernelLines& marked = sides_[to].marked;
    const KernelLoop* loop = litLoop(to);
    const auto seen = loop ? std::lower_bound(marked.begin(), marked.end(), loop->first) : marked.begin();
    if (seen != marked.end()) sides_[to].view->revealLine(static_cast<uint32_t>(*seen - 1));
  }
  Q_EMIT moved();
}

const KernelLoop* KernelSides::litLoop(Side side) const {
  const KernelStageText* shown = text(side);
  if (!shown) return nullptr;
  std::vector<std::pair<const KernelLoop*, int>> counts;
  for (const int line : sides_[side].marked) {
    const KernelLoop* loop = shown->loopAt(line);
    const auto found = std::find_if(counts.begin(), counts.end(), [&](const auto& each) { return each.first == loop; });
    if (found != counts.end()) {
      ++found->second;
    } else if (loop) {
      counts.emplace_back(loop, 1);
    }
  }
  const auto most =
      std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == counts.end() ? nullptr : most->first;
}

const KernelLoop* KernelSides::machineLoop() const {
  for (const Side side : kAll)
    if (const KernelStageText* shown = text(side); isShown(side) && shown && shown->stage == QLatin1String("asm"))
      return litLoop(side);
  return nullptr;
}

void KernelSides::mark() {
  std::array<std::vector<int>, 3> lines;
  for (const Side side : kAll) {
    TextView* view = sides_[side].view;
    const auto count = static_cast<int>(view->buffer()->lineCount());
    for (const int line : sides_[side].marked)
      if (line <= count) lines[side].push_back(line - 1);
    const bool selects = side == active_ && !lines[side].empty();
    view->setSelectedLine(selects ? std::optional(static_cast<uint32_t>(lines[side].front())) : std::nullopt);
    view->setBands(bandsOf(litLoop(side), selects ? std::vector<int>() : lines[side]));
  }
  for (const Bridge& bridge : bridges_) bridge.widget->setLines(lines[bridge.from], lines[bridge.to]);
}

bool KernelSides::setStage(Side side, const QString& which) {
  if (!listing_) return false;
  bool isNumber = false;
  int at = which.toInt(&isNumber);
  if (which == QLatin1String("next") || which == QLatin1String("previous")) {
    at = stage(side) + (which == QLatin1String("next") ? 1 : -1);
  } else if (!isNumber) {
    at = listing_->stageNamed(which);
  }
  if (at < 0 || at >= static_cast<int>(listing_->stages.size())) return false;
  sides_[side].box->setCurrentIndex(at);
  return true;
}

bool KernelSides::goTo(Side side, int line) {
  const KernelStageText* shown = text(side);
  if (!shown || line < 1 || line > static_cast<int>(sides_[side].view->buffer()->lineCount())) return false;
  sides_[side].view->goToLine(static_cast<uint32_t>(line - 1));
  link(side, line);
  return true;
}

bool KernelSides::cross() {
  const Side to = other(active_);
  if (sides_[to].marked.empty()) return false;
  const int line = sides_[to].marked.front();
  sides_[to].view->setFocus();
  return goTo(to, line);
}

QString KernelSides::dump() const {
  QString all;
  for (const Side side : kAll) {
    const KernelStageText* shown = text(side);
    if (!shown || !isShown(side)) continue;
    all += QStringLiteral("--- %1\n").arg(sides_[side].box->currentText());
    const QList<QByteArray> lines = shown->text.split('\n');
    for (int i = 0; i < lines.size(); ++i) {
      const bool marked = std::binary_search(sides_[side].marked.begin(), sides_[side].marked.end(), i + 1);
      all += QStringLiteral("%1 %2\n").arg(marked ? QStringLiteral(">") : QStringLiteral(" "),
                                           QString::fromUtf8(lines[i]));
    }
  }
  return all;
}

}  // namespace rx::views
