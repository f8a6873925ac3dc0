#include "views/panels/kernel/kernel_sides.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <tuple>

#include "views/panels/kernel/kernel_facts.h"
#include "views/panels/kernel/link_bridge.h"
#include "views/panels/kernel/sample_bars.h"
#include "views/panels/kernel/stage_row.h"
#include "views/text/text_view.h"
#include "views/theme/fonts.h"

namespace rx::views {
namespace {

/// What is shown first on each side: the last of the first kind that there is.
const QStringList kFirstShown[] = {{"tir"}, {"scheduled", "lowered"}, {"asm", "device", "lowered", "scheduled", "tir"}};
/// Letters of code that a text has at the least where three stand side by side, and those of its numbers and folds.
constexpr int kLeastLetters = 40, kGutterLetters = 8;

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

/// What a line takes of the ports of the processor.
std::vector<LineNote> notesOf(const KernelStageText& stage) {
  std::vector<LineNote> notes;
  for (int line = 1; line <= stage.lineCount(); ++line) {
    const KernelLoop* loop = stage.loopAt(line);
    const PortCycles* ports = loop && loop->turn ? loop->turn->at(line) : nullptr;
    if (!ports || ports->empty()) continue;
    LineNote note;
    note.line = static_cast<uint32_t>(line - 1);
    QStringList each;
    for (const auto& [port, cycles] : *ports)
      each << QStringLiteral("%1 %2").arg(shortPort(*loop->turn, port)).arg(cycles, 0, 'f', 2);
    note.tip = KernelSides::tr("Cycles of ports in a turn of the loop: %1").arg(each.join(QStringLiteral(", ")));
    note.pieces.push_back({QString::number(ports->front().second, 'f', 2), NoteRole::Grey});
    notes.push_back(std::move(note));
  }
  return notes;
}

}  // namespace

KernelSides::KernelSides(QWidget* parent) : QWidget(parent), row_(new StageRow(this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(row_);
  connect(row_, &StageRow::wanted, this, [this](const QString& stage) {
    showStep(stage);
    showRow();  // a button that was pressed for what is shown stays down
  });
  auto* row = new QHBoxLayout;
  column->addLayout(row, 1);
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
  const double letter = QFontMetricsF(fixedFont(font())).horizontalAdvance(QLatin1Char('0'));
  room_ = width() >= (kLeastLetters + kGutterLetters) * kAll.size() * letter;
  hasMiddle_ = room_ && middle >= 0 && middle != stage(Left) && middle != stage(Right);
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
  part.footer = new QLabel(this);
  part.footer->setTextFormat(Qt::PlainText);
  part.footer->setContentsMargins(8, 2, 8, 2);
  part.footer->setWordWrap(true);
  part.footer->setTextInteractionFlags(Qt::TextSelectableByMouse);
  part.footer->setAccessibleName(tr("What is to be said of the stage on the %1").arg(name));
  part.bars = new SampleBars(part.view, this);
  auto* text = new QHBoxLayout;
  text->setSpacing(0);
  text->addWidget(part.bars);
  text->addWidget(part.view, 1);
  column->addWidget(part.box);
  column->addLayout(text, 1);
  column->addWidget(part.footer);
  row->addWidget(part.whole, 1);
  connect(part.box, &QComboBox::currentIndexChanged, this, [this, side] { chooseStage(side); });
  connect(part.view, &TextView::clicked, this, [this, side](uint32_t line) { link(side, static_cast<int>(line) + 1); });
  connect(part.view, &TextView::caretMovedByUser, this,
          [this, side](uint32_t line) { link(side, static_cast<int>(line) + 1); });
  connect(part.view, &TextView::contextMenuAt, this, &KernelSides::menuWanted);
}

void KernelSides::setTheme(const Palette& theme) {
  for (const Part& part : sides_) part.view->setTheme(theme);
  for (const Bridge& bridge : bridges_) bridge.widget->update();
  for (const Part& part : sides_) part.bars->update();
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
  step_ = -1;
  for (const Side side : kAll) {
    sides_[side].marked.clear();
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
  row_->setListing(listing_.get());
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

/// Another stage than the step that is shown.
void KernelSides::chooseStage(Side side) {
  if (stage(side) != step_) step_ = -1;
  showStage(side);
}

void KernelSides::showStage(Side side) {
  Part& part = sides_[side];
  const KernelStageText* shown = text(side);
  part.view->setBuffer(shown ? TextBuffer::from(shown->text.toStdString()) : nullptr);
  part.step = shown ? stepFooter(*listing_, stage(side)) : QString();
  if (shown) part.view->setNotes(notesOf(*shown));
  part.bars->setShares(shown ? listing_->shares(stage(side)) : std::vector<double>());
  part.line = 1;
  // What belongs together stays so: another side is what was looked at.
  if (side == active_) {
    active_ = other(side);
    if (const std::vector<int> core = coreOf(active_); !core.empty()) sides_[active_].line = core.front();
  }
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
    const std::vector<int> core = coreOf(to);
    if (!core.empty()) sides_[to].view->revealLine(static_cast<uint32_t>(core.front() - 1));
  }
  showFooters();
  showRow();
  Q_EMIT moved();
}

/// How much of the time a line takes, as far as anybody knows: samples, else how deep in loops of the machine code what
/// it became stands, and how much that is.
KernelSides::Weight KernelSides::weightOf(Side side, int line) const {
  const auto code = static_cast<int>(listing_->stages.size()) - 1;
  const KernelStageText& machine = listing_->stages.back();
  Weight weight;
  for (const int each : listing_->linked(stage(side), line, code)) {
    const auto at = static_cast<size_t>(each - 1);
    if (at < listing_->samples.size()) weight.samples += listing_->samples[at];
    const KernelLoop* loop = machine.loopAt(each);
    if (!loop || loop->depth < weight.depth) continue;
    weight.lines = loop->depth > weight.depth ? 1 : weight.lines + 1;
    weight.depth = loop->depth;
  }
  return weight;
}

/// Of the lines that are marked those in the loop that takes most of the time; all where none is in a loop.
std::vector<int> KernelSides::coreOf(Side side) const {
  const KernelLoop* loop = litLoop(side);
  if (!loop) return sides_[side].marked;
  std::vector<int> core;
  for (const int line : sides_[side].marked)
    if (loop->first <= line && line <= loop->last) core.push_back(line);
  return core;
}

const KernelLoop* KernelSides::litLoop(Side side) const {
  const KernelStageText* shown = text(side);
  if (!shown) return nullptr;
  std::vector<std::pair<const KernelLoop*, Weight>> loops;
  for (const int line : sides_[side].marked) {
    const KernelLoop* loop = shown->loopAt(line);
    if (!loop) continue;
    const Weight weight = weightOf(side, line);
    const auto found = std::find_if(loops.begin(), loops.end(), [&](const auto& each) { return each.first == loop; });
    if (found == loops.end()) {
      loops.emplace_back(loop, weight);
    } else {
      found->second.samples += weight.samples;
      found->second.depth = std::max(found->second.depth, weight.depth);
      found->second.lines += weight.lines;
    }
  }
  const auto most =
      std::max_element(loops.begin(), loops.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == loops.end() ? nullptr : most->first;
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
  // A band joins what takes the time; the rest is marked where it stands.
  std::array<std::vector<int>, 3> core;
  for (const Side side : kAll)
    for (const int line : coreOf(side))
      if (std::binary_search(lines[side].begin(), lines[side].end(), line - 1)) core[side].push_back(line - 1);
  for (const Bridge& bridge : bridges_) bridge.widget->setLines(core[bridge.from], core[bridge.to]);
}

/// What a step changed, and what the loop of machine code comes to.
void KernelSides::showFooters() {
  for (const Side side : kAll) {
    const KernelStageText* shown = text(side);
    const KernelLoop* loop = shown && shown->stage == QLatin1String("asm") ? litLoop(side) : nullptr;
    const QString said = loop ? loopFooter(*listing_, *loop) : sides_[side].step;
    sides_[side].footer->setText(said);
    sides_[side].footer->setVisible(!said.isEmpty());
  }
}

void KernelSides::showRow() {
  if (listing_) row_->setInSight(*listing_, stagesInSight(), step());
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

bool KernelSides::showStep(const QString& which) {
  if (!listing_) return false;
  bool isNumber = false;
  int at = which.toInt(&isNumber);
  if (which == QLatin1String("next") || which == QLatin1String("previous")) {
    at = step() + (which == QLatin1String("next") ? 1 : -1);
  } else if (!isNumber) {
    at = listing_->stageNamed(which);
  }
  if (at < 0 || at >= static_cast<int>(listing_->stages.size())) return false;
  const QString& kind = listing_->stages[static_cast<size_t>(at)].stage;
  const bool machine = !QStringList{"tir", "step", "scheduled", "lowered"}.contains(kind);
  const Side side = machine ? Right : room_ && at > 0 ? Middle : Left;
  step_ = at;
  sides_[side].box->setCurrentIndex(at);
  showRow();
  if (machine) return Q_EMIT moved(), true;
  std::vector<LineTone> tones;
  for (const int line : newLines(*listing_, at)) tones.push_back({static_cast<uint32_t>(line - 1), DiffTone::Added});
  if (!tones.empty()) sides_[side].view->revealLine(tones.front().line);
  sides_[side].view->setDiffTones(std::move(tones), {});
  return Q_EMIT moved(), true;
}

int KernelSides::step() const { return step_ >= 0 ? step_ : stage(hasMiddle_ ? Middle : Left); }

std::vector<int> KernelSides::stagesInSight() const {
  std::vector<int> stages;
  for (const Side side : kAll)
    if (text(side) && isShown(side)) stages.push_back(stage(side));
  return stages;
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
    if (const QString said = sides_[side].footer->text(); !said.isEmpty())
      all += QStringLiteral("  ... %1\n").arg(said);
  }
  return all;
}

}  // namespace rx::views
