#include "views/panels/kernel/kernel_strip.h"

#include <QCoreApplication>
#include <QPainter>
#include <QPushButton>
#include <QRegularExpression>
#include <algorithm>
#include <tuple>

#include "views/models/numbers.h"
#include "views/panels/kernel/kernel_facts.h"
#include "views/theme/icons.h"
#include "views/theme/palette.h"

namespace rx::views {
namespace {

constexpr size_t kRows = 6;  // below the titles
constexpr double kNearlyAll = 0.9;

/// What the registers are filled with: sums, what is loaded, the rest.
const QColor& fillOf(const Palette& theme, RegisterUse use) {
  return use == RegisterUse::Sum      ? theme.of(OpKind::Compute).bar
         : use == RegisterUse::Loaded ? theme.of(OpKind::Movement).bar
         : use == RegisterUse::Other  ? theme.of(OpKind::Elementwise).bar
                                      : theme.base;
}

/// What an instruction does with the register that it names first.
RegisterUse useOf(const QString& instruction) {
  static const QRegularExpression kSums(QStringLiteral("^v?(fn?m(add|sub)|pdp)"));
  static const QRegularExpression kLoads(QStringLiteral("^v?(mov|p?broadcast|pmov|gather)"));
  return kSums.match(instruction).hasMatch()    ? RegisterUse::Sum
         : kLoads.match(instruction).hasMatch() ? RegisterUse::Loaded
                                                : RegisterUse::Other;
}

}  // namespace

std::vector<RegisterUse> registerUses(const QByteArray& assembly, int first, int last, int registers) {
  static const QRegularExpression kRegister(QStringLiteral("\\b[xyz]mm(\\d+)\\b"));
  std::vector<RegisterUse> uses(static_cast<size_t>(std::max(registers, 0)), RegisterUse::None);
  const QList<QByteArray> lines = assembly.split('\n');
  for (qsizetype number = std::max(first, 1); number <= std::min<qsizetype>(last, lines.size()); ++number) {
    const QString line = QString::fromUtf8(lines[number - 1]).trimmed();
    const RegisterUse use = useOf(line.section(QLatin1Char(' '), 0, 0));
    const qsizetype operands = line.indexOf(QLatin1Char(' '));
    if (operands < 0) continue;
    bool written = true;  // the first operand, where it is a register
    for (auto each = kRegister.globalMatch(line, operands); each.hasNext(); written = false) {
      const QRegularExpressionMatch match = each.next();
      const auto at = match.captured(1).toULongLong();
      const bool isFirst =
          written && QStringView(line).mid(operands, match.capturedStart() - operands).trimmed().isEmpty();
      if (at < uses.size()) uses[at] = std::max(uses[at], isFirst ? use : RegisterUse::Other);
    }
  }
  return uses;
}

KernelStrip::KernelStrip(QWidget* parent) : QWidget(parent), forward_(new QPushButton(this)) {
  setAccessibleName(tr("Why the kernel is as it is"));
  forward_->setObjectName("kernelForward");
  connect(forward_, &QPushButton::clicked, this, [this] { asked_ ? scheduleWanted() : pipelineWanted(); });
  hide();
}

QSize KernelStrip::sizeHint() const {
  return {fontMetrics().averageCharWidth() * 60,
          static_cast<int>(line() * static_cast<double>(kRows + 1) + fontMetrics().height())};
}

void KernelStrip::show(const KernelListingPtr& kernel, const KernelLoop* loop) {
  rules_.clear();
  const bool others = !kernel->passedOver.empty() || !kernel->why.isEmpty();
  title_ = kernel->rules.isEmpty() ? tr("No rule applied")
           : others                ? tr("Rules that applied, and others")
                                   : tr("Rules that applied");
  for (const QString& rule : kernel->rules) {
    const QString name = rule.section(": ", -1), help = kernel->helps.value(name);
    QString rest = rule.section(": ", 0, -2);
    if (!help.isEmpty()) rest += (rest.isEmpty() ? QString() : QStringLiteral(" · ")) + help;
    rules_.push_back({name, rest, true});
  }
  for (const auto& [rule, why] : kernel->passedOver) rules_.push_back({rule, why, false});
  for (const QString& reason : kernel->why.split(QStringLiteral("; "), Qt::SkipEmptyParts))
    rules_.push_back({reason.section(": ", 0, 0), reason.section(": ", 1), false});
  if (rules_.empty()) rules_.push_back({withoutRules(*kernel), {}, false});
  // A way on where nothing was done to the kernel.
  asked_ = !kernel->why.isEmpty();
  forward_->setText(asked_ ? tr("Write a Schedule…") : tr("Compile with optimized"));
  forward_->setToolTip(asked_ ? tr("Primitives, a line each, that make of the kernel what no rule does")
                              : tr("Sets the pipeline optimized, which asks the rules, and shows what they make"));
  forward_->setVisible(kernel->rules.isEmpty() && kernel->trace.isEmpty() && takesSchedule(*kernel));
  placeForward();
  counts_ = loop ? loop->counts : kernel->counts;
  turn_ = loop ? tr("One turn of the loop") : tr("The whole kernel");
  available_ = kernel->vectorRegisters;
  const int assembly = kernel->stageNamed(QStringLiteral("asm"));
  uses_.clear();
  if (assembly >= 0 && counts_.vectors.endsWith(QLatin1String("mm"))) {
    const KernelStageText& stage = kernel->stages[static_cast<size_t>(assembly)];
    uses_ = registerUses(stage.text, loop ? loop->first : 1, loop ? loop->last : stage.lineCount(), available_);
  }
  cycles_ = turnText(*kernel, loop);
  limit_ = turnLimit(*kernel, loop);
  turnTakes_ = loop && loop->turn ? loop->turn->cycles : 0;
  measured_ = loop ? loop->measured : 0;
  byName_ = loop ? cyclesByName(*kernel, *loop) : PortCycles();
  portLimits_ = turnTakes_ > 0 && loop->turn->limit == QLatin1String("port") && loop->waits.isEmpty();
  // What takes most of the time stands first.
  std::sort(counts_.names.begin(), counts_.names.end(), [this](const auto& a, const auto& b) {
    return std::tuple(-cyclesOf(a.first), -a.second, a.first) < std::tuple(-cyclesOf(b.first), -b.second, b.first);
  });
  QStringList said = kernelFacts(*kernel, loop);
  if (!cycles_.isEmpty()) said << cycles_;
  setAccessibleDescription(said.join(QStringLiteral(". ")));
  setToolTip(cycles_.isEmpty()
                 ? QString()
                 : tr("Port cycles are what LLVM's analyser of machine code (MCA) has of the processor: how long the "
                      "port that they take most of is busy with such instructions in a turn, as if all memory were in "
                      "the nearest cache."));
  update();
}

double KernelStrip::cyclesOf(const QString& name) const {
  for (const auto& [each, cycles] : byName_)
    if (each == name) return cycles;
  return 0;
}

void KernelStrip::paintTitle(QPainter& painter, const QRectF& column, const QString& bold, const QString& rest) const {
  const Palette& theme = Palette::forQt(palette());
  QFont font = painter.font();
  QFont strong = font;
  strong.setBold(true);
  painter.setFont(strong);
  painter.setPen(theme.text);
  const QRectF first(column.left(), column.top(), column.width(), line());
  painter.drawText(first, Qt::AlignVCenter, bold);
  const double used = QFontMetricsF(strong).horizontalAdvance(bold) + fontMetrics().averageCharWidth() * 1.5;
  painter.setFont(font);
  painter.setPen(theme.grey);
  const double room = column.width() - used;
  painter.drawText(first.adjusted(used, 0, 0, 0), Qt::AlignVCenter,
                   fontMetrics().elidedText(rest, Qt::ElideRight, static_cast<int>(std::max(0.0, room))));
}

void KernelStrip::paintRules(QPainter& painter, const QRectF& column) const {
  const Palette& theme = Palette::forQt(palette());
  paintTitle(painter, column, title_, {});
  const int side = fontMetrics().ascent();
  if (rules_.size() == 1 && rules_[0].rest.isEmpty() && !rules_[0].applies) {
    painter.setPen(theme.text);
    painter.drawText(column.adjusted(0, line(), 0, 0), Qt::TextWordWrap, rules_[0].name);
    return;
  }
  for (size_t i = 0; i < rules_.size() && i < kRows; ++i) {
    const QRectF row(column.left(), column.top() + line() * static_cast<double>(i + 1), column.width(), line());
    const QRect mark(QPoint(static_cast<int>(row.left()), static_cast<int>(row.center().y()) - side / 2),
                     QSize(side, side));
    icon(rules_[i].applies ? "check" : "cross", rules_[i].applies ? theme.good : theme.grey).paint(&painter, mark);
    const QRectF words = row.adjusted(side * 1.6, 0, 0, 0);
    const bool more = i + 1 == kRows && rules_.size() > kRows;
    const QString name = more ? tr("and %1 more").arg(rules_.size() - i) : rules_[i].name;
    painter.setPen(theme.text);
    painter.drawText(words, Qt::AlignVCenter,
                     fontMetrics().elidedText(name, Qt::ElideRight, static_cast<int>(words.width())));
    const double used = fontMetrics().horizontalAdvance(name) + fontMetrics().averageCharWidth() * 2;
    if (more || used >= words.width()) continue;
    painter.setPen(theme.grey);
    painter.drawText(words.adjusted(used, 0, 0, 0), Qt::AlignVCenter,
                     fontMetrics().elidedText(rules_[i].rest, Qt::ElideRight, static_cast<int>(words.width() - used)));
  }
}

void KernelStrip::paintRegisters(QPainter& painter, const QRectF& column) const {
  const Palette& theme = Palette::forQt(palette());
  const QString spills = counts_.spills + counts_.reloads == 0
                             ? tr("no spills")
                             : tr("%1 spills, %2 reloads").arg(counts_.spills).arg(counts_.reloads);
  const QString said = counts_.vectors.isEmpty()
                           ? tr("none used")
                           : tr("%1 of %2 %3").arg(counts_.registers).arg(available_).arg(counts_.vectors);
  paintTitle(painter, column, tr("Vector registers"), said + QStringLiteral(", ") + spills);
  if (uses_.empty()) return;
  constexpr int kAcross = 16;
  const double side = std::min(column.width() / kAcross, line() * 1.15);
  QFont font = painter.font(), small = font;
  small.setPointSizeF(font.pointSizeF() * 0.8);
  painter.setFont(small);
  for (size_t i = 0; i < uses_.size(); ++i) {
    const QRectF box(column.left() + side * static_cast<double>(i % kAcross),
                     column.top() + line() * 1.2 + side * static_cast<double>(i / kAcross), side - 3, side - 3);
    painter.setPen(uses_[i] == RegisterUse::None ? theme.border : theme.grey);
    painter.setBrush(fillOf(theme, uses_[i]));
    painter.drawRoundedRect(box, 2, 2);
    painter.setPen(uses_[i] == RegisterUse::None ? theme.grey : theme.text);
    painter.drawText(box, Qt::AlignCenter, QString::number(i));
  }
  painter.setFont(font);
  const double rows = static_cast<double>((uses_.size() + kAcross - 1) / kAcross);
  paintLegend(painter, QPointF(column.left(), column.top() + line() * 1.4 + side * rows));
}

/// What the registers are filled with, and how many of each.
void KernelStrip::paintLegend(QPainter& painter, QPointF at) const {
  const Palette& theme = Palette::forQt(palette());
  const struct {
    RegisterUse use;
    QString words;
  } legend[] = {{RegisterUse::Sum, tr("sums")}, {RegisterUse::Loaded, tr("loaded")}, {RegisterUse::Other, tr("other")}};
  for (const auto& [use, words] : legend) {
    const auto count = std::count(uses_.begin(), uses_.end(), use);
    if (count == 0) continue;
    const double mark = fontMetrics().ascent() * 0.7;
    painter.fillRect(QRectF(at.x(), at.y() + (line() - mark) / 2, mark, mark), fillOf(theme, use));
    const QString text = QStringLiteral("%1 %2").arg(count).arg(words);
    painter.setPen(theme.grey);
    painter.drawText(QRectF(at.x() + mark * 1.5, at.y(), width(), line()), Qt::AlignVCenter, text);
    at.rx() += mark * 1.5 + fontMetrics().horizontalAdvance(text) + mark * 1.5;
  }
}

void KernelStrip::paintTurn(QPainter& painter, const QRectF& column) const {
  const Palette& theme = Palette::forQt(palette());
  const QString instructions = tr("%1 instructions").arg(grouped(counts_.instructions));
  QString said = turnTakes_ > 0 ? tr("%1, %2 cycles").arg(instructions).arg(turnTakes_, 0, 'f', 1) : instructions;
  if (measured_ > 0) said += tr(", %1 measured").arg(measured_, 0, 'f', 1);
  paintTitle(painter, column, turn_, said);
  double most = byName_.empty() ? 1 : turnTakes_;
  for (const auto& [name, count] : counts_.names) most = byName_.empty() ? std::max<double>(most, count) : most;
  const int letter = fontMetrics().averageCharWidth();
  const double names = std::min(column.width() * 0.36, letter * 18.0);
  const double counts = letter * 7.0, cycles = byName_.empty() ? 0 : letter * 13.0;
  const size_t rows = std::min(counts_.names.size(), cycles_.isEmpty() ? kRows - 1 : kRows - 2);
  const auto rowAt = [&](size_t number) {
    return QRectF(column.left(), column.top() + line() * static_cast<double>(number), column.width(), line());
  };
  const auto cell = [&](const QRectF& row, double from, double wide, const QString& text, int flags = Qt::AlignRight) {
    const QString shown = fontMetrics().elidedText(text, Qt::ElideRight, static_cast<int>(wide));
    painter.drawText(QRectF(row.left() + from, row.top(), wide, line()), Qt::AlignVCenter | flags, shown);
  };
  painter.setPen(theme.grey);
  cell(rowAt(1), 0, names, tr("instruction"), Qt::AlignLeft);
  cell(rowAt(1), names, counts, tr("count"));
  if (cycles > 0) cell(rowAt(1), names + counts, cycles, tr("port cycles"));
  painter.drawText(rowAt(rows + 2).adjusted(0, 0, 0, height()), Qt::TextWordWrap, limit_);
  const double barLeft = names + counts + cycles + letter * 2, room = column.width() - barLeft;
  for (size_t i = 0; i < rows; ++i) {
    const auto& [name, count] = counts_.names[i];
    const QRectF row = rowAt(i + 2);
    const double takes = cyclesOf(name);
    painter.setPen(theme.text);
    cell(row, 0, names, name, Qt::AlignLeft);
    cell(row, names, counts, grouped(count));
    if (cycles > 0) cell(row, names + counts, cycles, QString::number(takes, 'f', 1));
    if (room < letter * 3) continue;
    const QRectF bar(row.left() + barLeft, row.top() + line() * 0.2,
                     std::max(1.0, room * std::min(1.0, (byName_.empty() ? count : takes) / most)), line() * 0.6);
    painter.fillRect(bar, fillOf(theme, useOf(name)));
    // Of several that share the port none is it alone.
    if (i == 0 && portLimits_ && takes > kNearlyAll * turnTakes_)
      paintLimit(painter, QRectF(bar.left(), row.top(), room, line()));
  }
}

/// Says on the bar of what is always busy that it is the limit.
void KernelStrip::paintLimit(QPainter& painter, const QRectF& row) const {
  const QFont font = painter.font();
  QFont strong = font;
  strong.setBold(true);
  painter.setFont(strong);
  painter.setPen(Palette::forQt(palette()).text);
  const QString text = tr("the limit");
  if (QFontMetricsF(strong).horizontalAdvance(text) < row.width() - 8)
    painter.drawText(row.adjusted(6, 0, 0, 0), Qt::AlignVCenter, text);
  painter.setFont(font);
}

/// Below what is said of the rules.
void KernelStrip::placeForward() {
  const QSize size = forward_->sizeHint();
  const double rows = std::clamp<double>(static_cast<double>(rules_.size()), 3, kRows - 1);
  forward_->setGeometry(QRect(QPoint(static_cast<int>(fontMetrics().averageCharWidth() * 1.5),
                                     static_cast<int>(fontMetrics().height() / 3.0 + line() * (rows + 1))),
                              size));
}

void KernelStrip::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  placeForward();
}

void KernelStrip::paintEvent(QPaintEvent*) {
  const Palette& theme = Palette::forQt(palette());
  QPainter painter(this);
  painter.fillRect(rect(), theme.base);
  painter.setPen(theme.border);
  painter.drawLine(rect().topLeft(), rect().topRight());
  painter.setRenderHint(QPainter::Antialiasing);
  const double space = fontMetrics().averageCharWidth() * 1.5, top = fontMetrics().height() / 3.0;
  // Registers are sixteen in a row; reasons of rules are sentences and take what is left.
  const double registers = std::min(line() * 1.15 * 16 + 2 * space, width() * 0.34);
  const double rules = (width() - registers) * 0.54;
  const double ends[] = {0, rules, rules + registers, static_cast<double>(width())};
  const auto column = [&](int number) {
    const double left = ends[number], right = ends[number + 1];
    return QRectF(left + space, top, right - left - 2 * space, height() - top);
  };
  paintRules(painter, column(0));
  paintRegisters(painter, column(1));
  paintTurn(painter, column(2));
}

}  // namespace rx::views
