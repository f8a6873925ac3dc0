#include "views/panels/profile/profile_columns.h"

#include <QCoreApplication>
#include <cmath>

#include "views/models/numbers.h"
#include "views/models/profile_words.h"

namespace rx::views {
namespace {

using Row = ProfileLine;

QString text(const char* source) { return QCoreApplication::translate("ProfilePanel", source); }

/// What is closer than this to the other time is the same: such is the spread of runs.
constexpr double kSame = 0.02;

QString fromText(const Row& line) {
  QStringList parts;
  for (const ProfileSource& source : line.row.sources)
    parts << (source.line > 0 ? text("%1, line %2").arg(source.variable, QString::number(source.line))
                              : source.variable);
  return parts.join(QStringLiteral("; "));
}

/// Whole, as a long one is cut, and what it comes from.
QString nameTip(const Row& line) {
  const QString name = line.row.callee.isEmpty() ? line.row.name : line.row.callee, from = fromText(line);
  return from.isEmpty() ? name : name + QLatin1Char('\n') + from;
}

QString changeText(const Row& line) {
  if (!line.compared) return {};
  if (line.before < 0) return text("new");
  if (line.before == 0) return {};
  const double change = line.row.nanoseconds / line.before - 1;
  if (std::abs(change) < kSame) return text("same");
  // Percent say nothing of what is many times as fast, or as slow.
  constexpr double kMany = 10;
  if (const double faster = line.before / line.row.nanoseconds; line.row.nanoseconds > 0 && faster >= kMany)
    return text("÷ %1").arg(shortNumber(faster, 3));
  if (change + 1 >= kMany) return text("× %1").arg(shortNumber(change + 1, 3));
  return QStringLiteral("%1%2 %").arg(change < 0 ? QChar(0x2212) : QChar('+')).arg(std::abs(change) * 100, 0, 'f', 0);
}

CellTone changeTone(const Row& line) {
  if (!line.compared || line.before <= 0) return CellTone::Grey;
  const double change = line.row.nanoseconds / line.before - 1;
  return change < -kSame ? CellTone::Good : change > kSame ? CellTone::Warning : CellTone::Grey;
}

QString percent(double part, int digits) { return QStringLiteral("%1 %").arg(part * 100, 0, 'f', digits); }
QString rate(double giga) { return giga > 0 ? shortNumber(giga, 3) : QString(); }

bool inCaches(const Row& line) { return line.row.limitedBy == QLatin1String("cache"); }

OpKind kindOf(const Row& line) { return line.kind; }

/// The shapes of what it makes, without the type of their elements where that is the usual one.
QString resultText(const Row& line) {
  QStringList made;
  for (const ProfileArgument& argument : line.row.arguments)
    if (argument.written) made << QString(argument.type).remove(QStringLiteral(" float32"));
  return made.join(QStringLiteral(", "));
}
QString argumentsTip(const Row& line) {
  QStringList all;
  for (const ProfileArgument& argument : line.row.arguments)
    all << (argument.written ? text("writes %1") : text("reads %1")).arg(argument.type);
  return all.join(QLatin1Char('\n'));
}

CellTone grey(const Row&) { return CellTone::Grey; }
CellTone nameTone(const Row& line) { return line.row.kernel || line.number < 0 ? CellTone::Normal : CellTone::Grey; }
CellTone boundTone(const Row& line) {
  return line.row.limitedBy == QLatin1String("its code") ? CellTone::Warning : CellTone::Normal;
}
QString boundTip(const Row& line) { return line.row.limitedBy.isEmpty() ? QString() : meaningOf(line.row.limitedBy); }

/// A fraction of what memory gives is none where the data lies in caches: how many times as fast it was read.
QString limitText(const Row& line) {
  if (line.row.ofLimit <= 0) return {};
  return inCaches(line) ? text("%1 × memory").arg(line.row.ofLimit, 0, 'f', 1) : percent(line.row.ofLimit, 0);
}
QString limitTip(const Row& line) {
  if (line.row.ofLimit <= 0) return {};
  if (inCaches(line))
    return text(
               "What it works on lies in caches, which give it %1 times as fast as memory could. What caches could "
               "give was not measured.")
        .arg(line.row.ofLimit, 0, 'f', 1);
  return line.row.ofLimit > 1
             ? text("More than was measured for one thread: the processor ran faster than when its limit was measured.")
             : text(
                   "Of the time that a thread of this machine needs for as much arithmetic, or for moving as many "
                   "bytes.");
}

constexpr Column<Row> kColumns[] = {
    {"kernel", [](const Row& l) { return l.name; }, false, true, nameTone, nameTip, nullptr, nullptr, kindOf},
    {"calls what", [](const Row& l) { return l.name; }, false, true, nameTone, nameTip, nullptr, nullptr, kindOf},
    {"from", fromText, false, false, grey, fromText},
    {"makes", resultText, false, true, grey, argumentsTip},
    {"layer", [](const Row& l) { return l.layer; }, false, false, grey},
    {"calls", [](const Row& l) { return grouped(l.row.calls); }, true, true},
    {"A ms", [](const Row& l) { return l.before >= 0 ? profileTime(l.before, l.micro) : QString(); }, true, true, grey,
     [](const Row&) {
       return text("What the other profile takes for the same work, in all of its calls that do any.");
     }},
    {"ms", [](const Row& l) { return profileTime(l.row.nanoseconds, l.micro); }, true, true, nullptr,
     [](const Row& l) { return text("%1 in the first run").arg(profileTotal(l.row.first)); }},
    {"on device", [](const Row& l) { return l.row.onDevice > 0 ? profileTime(l.row.onDevice, l.micro) : QString(); },
     true, true, nullptr,
     [](const Row&) { return text("What the device worked, by its own clock; the rest is starting it and waiting."); }},
    {"occupancy", [](const Row& l) { return l.row.occupancy > 0 ? percent(l.row.occupancy, 0) : QString(); }, true,
     true, nullptr,
     [](const Row&) { return text("How many of the threads that a unit runs at one time are the kernel's."); }},
    {"A to B", changeText, true, true, changeTone},
    {"share", [](const Row& l) { return percent(l.row.share, 1); }, true, true, nullptr,
     [](const Row& l) { return l.wall; }, nullptr, nullptr, nullptr, nullptr,
     [](const Row& l) { return l.most > 0 ? l.row.share / l.most : 0; }},
    {"GFLOP/s", [](const Row& l) { return l.row.kernel && l.row.flops < 0 ? text("unknown") : rate(gigaflops(l.row)); },
     true, true, nullptr,
     [](const Row& l) {
       return l.row.ofIntegers() ? text("Operations of whole numbers: GOP/s, of products of bytes at the most")
                                 : QString();
     }},
    {"GB/s", [](const Row& l) { return rate(gigabytes(l.row)); }, true, true},
    {"of limit", limitText, true, true, nullptr, limitTip},
    {"limited by", [](const Row& l) { return l.row.limitedBy; }, false, false, boundTone, boundTip},
};

}  // namespace

std::span<const Column<ProfileLine>> profileColumns() { return kColumns; }

QString profileTime(double nanoseconds, bool micro) {
  const double time = nanoseconds * (micro ? 1e-3 : 1e-6);
  // A digit of a nanosecond is none.
  return QString::number(time, 'f', time >= 100 ? 1 : time >= 1 || micro ? 3 : 4);
}

}  // namespace rx::views
