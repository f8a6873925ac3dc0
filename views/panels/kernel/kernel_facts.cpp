#include "views/panels/kernel/kernel_facts.h"

#include <QCoreApplication>
#include <algorithm>

#include "views/models/numbers.h"
#include "views/text/text_diff.h"

namespace rx::views {
namespace {

QString text(const char* source) { return QCoreApplication::translate("KernelFacts", source); }

QString spillsText(const KernelCounts& counts) {
  return counts.spills == 0 && counts.reloads == 0
             ? text("no spills")
             : text("%1 spills, %2 reloads").arg(counts.spills).arg(counts.reloads);
}

QString registersText(const KernelCounts& counts, int available) {
  return counts.vectors.isEmpty()
             ? text("no vector registers")
             : text("%1 of %2 vector registers (%3)").arg(counts.registers).arg(available).arg(counts.vectors);
}

QString loopText(const KernelListing& kernel, const KernelLoop& loop) {
  constexpr size_t kMostNames = 4;
  QStringList names;
  for (size_t i = 0; i < std::min(kMostNames, loop.counts.names.size()); ++i)
    names << QStringLiteral("%1 %2").arg(loop.counts.names[i].second).arg(loop.counts.names[i].first);
  const QString share = kernel.samples.empty()
                            ? QString()
                            : text(", %1 % of the samples").arg(sampledIn(kernel, loop.first, loop.last), 0, 'f', 1);
  return text("Loop at the caret, lines %1 to %2%3: %4 instructions, %5, %6; %7")
      .arg(loop.first)
      .arg(loop.last)
      .arg(share, grouped(loop.counts.instructions), registersText(loop.counts, kernel.vectorRegisters),
           spillsText(loop.counts), names.join(QStringLiteral(", ")));
}

/// "8.0 cycles a turn, 8.3 measured".
QString cyclesText(const KernelLoop& loop) {
  const QString said = text("%1 cycles a turn").arg(loop.turn->cycles, 0, 'f', 1);
  return loop.measured > 0 ? text("%1, %2 measured").arg(said).arg(loop.measured, 0, 'f', 1) : said;
}

}  // namespace

double sampledIn(const KernelListing& kernel, int first, int last) {
  int count = 0;
  for (int line = first; line <= last && line <= static_cast<int>(kernel.samples.size()); ++line)
    count += kernel.samples[static_cast<size_t>(line - 1)];
  return kernel.samplesTaken > 0 ? 100.0 * count / kernel.samplesTaken : 0;
}

bool takesSchedule(const KernelListing& kernel) {
  return !kernel.trace.isEmpty() || kernel.stageNamed(QStringLiteral("scheduled")) < 0;
}

QString withoutRules(const KernelListing& kernel) {
  const int scheduled = kernel.stageNamed(QStringLiteral("scheduled"));
  if (scheduled < 0)
    return text("No rule was asked: the pipeline has no pass that schedules kernels, as optimized has");
  const QString made = kernel.stages[static_cast<size_t>(scheduled)].made;
  return made.isEmpty() ? text("Scheduled as it was imported") : text("Scheduled by %1").arg(made);
}

QString turnLimit(const KernelListing& kernel, const KernelLoop* loop) {
  if (!loop || !loop->turn) return turnText(kernel, loop);
  if (!loop->waits.isEmpty()) return loop->waits;
  const QString& table = loop->turn->table;
  return table.isEmpty() ? loop->turn->said : text("%1 (ports of %2)").arg(loop->turn->said, table);
}

QString loopFooter(const KernelListing& kernel, const KernelLoop& loop) {
  const KernelStageText& code = kernel.stages.back();
  const QList<QByteArray> lines = code.text.split('\n');
  QString label = QString::fromUtf8(lines.value(loop.first - 1)).trimmed();
  label.chop(label.endsWith(QLatin1Char(':')) ? 1 : 0);
  QStringList said{text("%1 instructions").arg(grouped(loop.counts.instructions))};
  if (loop.turn) said << cyclesText(loop);
  if (!kernel.samples.empty())
    said << text("%1 % of the samples").arg(sampledIn(kernel, loop.first, loop.last), 0, 'f', 1);
  return text("Loop %1: %2").arg(label, said.join(QStringLiteral(", ")));
}

namespace {

/// "3, 12 to 15": lines from 1, ascending.
QString linesText(const KernelLines& lines) {
  constexpr qsizetype kMost = 5;
  QStringList parts;
  for (size_t i = 0; i < lines.size();) {
    size_t end = i;
    while (end + 1 < lines.size() && lines[end + 1] == lines[end] + 1) ++end;
    parts << (end == i ? QString::number(lines[i]) : text("%1 to %2").arg(lines[i]).arg(lines[end]));
    i = end + 1;
  }
  if (parts.size() > kMost) parts = parts.mid(0, kMost) << QStringLiteral("…");
  return parts.join(QStringLiteral(", "));
}

}  // namespace

KernelLines newLines(const KernelListing& kernel, int stage) {
  const KernelStageText& made = kernel.stages[static_cast<size_t>(stage)];
  KernelLines lines;
  if (made.of == stage) return lines;
  // Steps are linked to what all of them began with; each takes the text as the one before it left it.
  const QString step = QStringLiteral("step");
  const bool goesOn = made.stage == step && kernel.stages[static_cast<size_t>(stage - 1)].stage == step;
  const int from = goesOn ? stage - 1 : made.of;
  const auto before = TextBuffer::from(kernel.stages[static_cast<size_t>(from)].text.toStdString());
  const auto after = TextBuffer::from(made.text.toStdString());
  const auto diff = diffTexts(*before, *after, {});
  for (const DiffRow& row : diff ? diff->rows : std::vector<DiffRow>())
    if (row.changed && row.right >= 0) lines.push_back(row.right + 1);
  return lines;
}

QString stepFooter(const KernelListing& kernel, int stage) {
  const KernelStageText& made = kernel.stages[static_cast<size_t>(stage)];
  if (made.of == stage || made.made.isEmpty()) return {};
  const KernelLines lines = newLines(kernel, stage);
  const QString changed = lines.empty()       ? text("no line is new")
                          : lines.size() == 1 ? text("line %1 is new").arg(linesText(lines))
                                              : text("lines %1 are new").arg(linesText(lines));
  // A primitive may be long: its beginning tells which it is, the list of steps has all of it.
  constexpr qsizetype kMost = 60;
  const QString step = made.made.size() > kMost ? made.made.left(kMost) + QStringLiteral("…") : made.made;
  return QStringLiteral("%1: %2").arg(step, changed);
}

QStringList ruleFacts(const KernelListing& kernel) {
  QStringList facts;
  if (!kernel.rules.isEmpty()) facts << text("By rule: %1").arg(kernel.rules.join(QStringLiteral("; ")));
  if (!kernel.why.isEmpty()) facts << text("No rule applied: %1").arg(kernel.why);
  if (facts.isEmpty()) facts << withoutRules(kernel);
  QStringList others;
  for (const auto& [rule, why] : kernel.passedOver) others << text("%1: %2").arg(rule, why);
  if (!others.isEmpty()) facts << text("Not by %1").arg(others.join(QStringLiteral("; ")));
  return facts;
}

QString turnText(const KernelListing& kernel, const KernelLoop* loop) {
  if (!kernel.hasMachine) return {};
  if (!kernel.noTurns.isEmpty()) return text("No port cycles: %1").arg(kernel.noTurns);
  if (!loop) return text("The line of the caret is in no loop: port cycles are those of a turn of one");
  if (!loop->turn)
    return text("No port cycles: they are known of innermost loops alone, as far as LLVM reads their code");
  const QString where = loop->turn->table.isEmpty()
                            ? kernel.processor
                            : text("%1 by the ports of %2").arg(kernel.processor, loop->turn->table);
  return text("%1 on %2: %3").arg(cyclesText(*loop), where, loop->waits.isEmpty() ? loop->turn->said : loop->waits);
}

namespace {

/// What an innermost loop waits for, in words.
QString waitsFor(const KernelListing& kernel, const KernelLoop& loop) {
  QStringList why;
  const PortCycles takes = busiestByName(kernel, loop);
  if (!loop.waits.isEmpty()) {
    why << loop.waits;
  } else if (loop.turn && loop.turn->limit == QLatin1String("port") && !takes.empty()) {
    constexpr size_t kMostNames = 3;
    QStringList names;
    for (size_t i = 0; i < std::min(kMostNames, takes.size()); ++i)
      names << QStringLiteral("%1 %2").arg(takes[i].first).arg(takes[i].second, 0, 'f', 1);
    why << text("a port of the processor is busy in all of its %1 cycles a turn, with %2")
               .arg(loop.turn->cycles, 0, 'f', 1)
               .arg(names.join(QStringLiteral(", ")));
  } else if (loop.turn && loop.turn->limit == QLatin1String("latency")) {
    why << text("each result waits for the one before it: a turn takes %1 cycles, whatever its ports could do")
               .arg(loop.turn->cycles, 0, 'f', 1);
  } else if (loop.turn) {
    why << loop.turn->said;
  }
  if (loop.counts.vectors.isEmpty()) why << text("it uses no vector registers");
  if (loop.counts.spills + loop.counts.reloads > 0) why << spillsText(loop.counts);
  const bool gathers = std::any_of(loop.counts.names.begin(), loop.counts.names.end(), [](const auto& each) {
    return each.first.contains(QLatin1String("gather")) || each.first.contains(QLatin1String("scatter"));
  });
  if (gathers) why << text("it gathers elements that do not lie beside one another, one at a time");
  return why.join(QStringLiteral("; "));
}

}  // namespace

QStringList timeFacts(const KernelListing& kernel) {
  constexpr double kWorthSaying = 10;  // percent of the samples
  constexpr size_t kMost = 3;
  const int code = kernel.stageNamed(QStringLiteral("asm"));
  if (kernel.samples.empty() || code < 0) return {};
  const std::vector<KernelLoop>& loops = kernel.stages[static_cast<size_t>(code)].loops;
  std::vector<std::pair<double, const KernelLoop*>> heavy;
  for (const KernelLoop& loop : loops) {
    // Its own samples: those of loops inside of it are said of these.
    double share = sampledIn(kernel, loop.first, loop.last);
    for (const KernelLoop& inner : loops)
      if (inner.depth == loop.depth + 1 && inner.first >= loop.first && inner.last <= loop.last)
        share -= sampledIn(kernel, inner.first, inner.last);
    if (share >= kWorthSaying) heavy.emplace_back(share, &loop);
  }
  std::sort(heavy.begin(), heavy.end(), [](const auto& a, const auto& b) {
    return std::pair(-a.first, a.second->first) < std::pair(-b.first, b.second->first);
  });
  if (heavy.size() > kMost) heavy.resize(kMost);
  QStringList facts;
  for (const auto& [share, loop] : heavy) {
    const QString why = waitsFor(kernel, *loop);
    const QString where =
        text("%1 % of the time: loop of lines %2 to %3").arg(share, 0, 'f', 0).arg(loop->first).arg(loop->last);
    facts << (why.isEmpty() ? where : QStringLiteral("%1: %2").arg(where, why));
  }
  return facts;
}

QStringList kernelFacts(const KernelListing& kernel, const KernelLoop* loop) {
  return ruleFacts(kernel) + timeFacts(kernel) + codeFacts(kernel, loop);
}

QStringList codeFacts(const KernelListing& kernel, const KernelLoop* loop) {
  QStringList facts = kernel.deviceFacts;
  if (!kernel.hasMachine) return facts;
  facts << text("%1 instructions, %2, %3")
               .arg(grouped(kernel.counts.instructions))
               .arg(registersText(kernel.counts, kernel.vectorRegisters), spillsText(kernel.counts));
  if (!kernel.samples.empty())
    facts.back() += text("; %1 samples, run on zeros: %2 % in this code")
                        .arg(grouped(kernel.samplesTaken))
                        .arg(sampledIn(kernel, 1, static_cast<int>(kernel.samples.size())), 0, 'f', 1);
  if (!kernel.notSampled.isEmpty()) facts.back() += text("; no samples: %1").arg(kernel.notSampled);
  if (loop) facts << loopText(kernel, *loop);
  if (loop && loop->turn) facts << turnText(kernel, loop);
  return facts;
}

}  // namespace rx::views
