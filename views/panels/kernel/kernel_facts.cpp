#include "views/panels/kernel/kernel_facts.h"

#include <QCoreApplication>
#include <algorithm>

#include "views/models/numbers.h"

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

/// Of the samples, in percent, in lines of the machine code.
double shareIn(const KernelListing& kernel, int first, int last) {
  int count = 0;
  for (int line = first; line <= last && line <= static_cast<int>(kernel.samples.size()); ++line)
    count += kernel.samples[static_cast<size_t>(line - 1)];
  return 100.0 * count / kernel.samplesTaken;
}

QString loopText(const KernelListing& kernel, const KernelLoop& loop) {
  constexpr size_t kMostNames = 4;
  QStringList names;
  for (size_t i = 0; i < std::min(kMostNames, loop.counts.names.size()); ++i)
    names << QStringLiteral("%1 %2").arg(loop.counts.names[i].second).arg(loop.counts.names[i].first);
  const QString share = kernel.samples.empty()
                            ? QString()
                            : text(", %1 % of the samples").arg(shareIn(kernel, loop.first, loop.last), 0, 'f', 1);
  return text("Loop at the caret, lines %1 to %2%3: %4 instructions, %5, %6; %7")
      .arg(loop.first)
      .arg(loop.last)
      .arg(share, grouped(loop.counts.instructions), registersText(loop.counts, kernel.vectorRegisters),
           spillsText(loop.counts), names.join(QStringLiteral(", ")));
}

}  // namespace

QString withoutRules(const KernelListing& kernel) {
  const int scheduled = kernel.stageNamed(QStringLiteral("scheduled"));
  if (scheduled < 0)
    return text("No rule was asked: the pipeline has no pass that schedules kernels, as optimized has");
  const QString made = kernel.stages[static_cast<size_t>(scheduled)].made;
  return made.isEmpty() ? text("Scheduled as it was imported") : text("Scheduled by %1").arg(made);
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

QString portCyclesText() { return text("Port cycles are not available: no MCA is linked"); }

QStringList kernelFacts(const KernelListing& kernel, const KernelLoop* loop) {
  return ruleFacts(kernel) + codeFacts(kernel, loop);
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
                        .arg(shareIn(kernel, 1, static_cast<int>(kernel.samples.size())), 0, 'f', 1);
  if (!kernel.notSampled.isEmpty()) facts.back() += text("; no samples: %1").arg(kernel.notSampled);
  if (loop) facts << loopText(kernel, *loop);
  return facts;
}

}  // namespace rx::views
