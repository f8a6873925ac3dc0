#include "views/models/profile_words.h"

#include <QCoreApplication>
#include <QHash>
#include <QSet>
#include <algorithm>
#include <cmath>

#include "views/models/numbers.h"
#include "views/models/profile_board.h"

namespace rx::views {
namespace {

/// What is closer than this to another time is the same: such is the spread of runs.
constexpr double kSame = 0.02;

QString text(const char* source) { return QCoreApplication::translate("ProfileWords", source); }
QString percent(double part) { return QStringLiteral("%1 %").arg(part * 100, 0, 'f', 0); }
double flopsOf(const ProfileRow& row, const Profile& profile) {
  if (row.ofIntegers())
    return row.parallel && profile.allIntegersLimit > 0 ? profile.allIntegersLimit : profile.integersLimit;
  return row.parallel && profile.allFlopsLimit > 0 ? profile.allFlopsLimit : profile.flopsLimit;
}
double bytesOf(const ProfileRow& row, const Profile& profile) {
  return row.parallel && profile.allBytesLimit > 0 ? profile.allBytesLimit : profile.bytesLimit;
}
using Part = std::pair<QString, QString>;  // function and variable

/// What of the import the calls of a kernel do, or one call.
QSet<Part> partsOf(const ProfileRow& row, const Profile& profile) {
  QSet<Part> parts;
  const auto add = [&parts](const ProfileRow& call) {
    for (const ProfileSource& part : call.parts) parts.insert({part.function, part.variable});
  };
  for (const ProfileSource& part : row.only) parts.insert({part.function, part.variable});
  if (!row.only.empty()) return parts;
  if (!row.callee.isEmpty()) add(row);
  for (const ProfileRow& call : profile.calls)
    if (row.callee.isEmpty() && call.callee == row.name) add(call);
  return parts;
}

/// The calls of another profile that do any of the work of a row; none for what only makes weights ready, which is
/// work that the other one may do without.
std::vector<const ProfileRow*> sameWork(const ProfileRow& row, const Profile& profile, const Profile& other) {
  std::vector<const ProfileRow*> calls;
  if (!row.kernel || row.weightsOnly) return calls;
  const QSet<Part> parts = partsOf(row, profile);
  for (const ProfileRow& call : other.calls) {
    const bool any = std::ranges::any_of(call.parts, [&](const ProfileSource& part) {
      return parts.contains({part.function, part.variable});
    });
    if (any && call.kernel && !call.weightsOnly) calls.push_back(&call);
  }
  return calls;
}

struct Meaning {
  const char* bound;
  const char* words;
};
constexpr Meaning kMeanings[] = {
    {"compute", "The arithmetic of the processor is what takes the time: only less arithmetic makes it faster."},
    {"memory",
     "Memory is what takes the time: it can not be read faster. Fewer bytes make it faster: fused with its neighbours, "
     "or in a shorter data type."},
    {"cache", "What it works on lies in caches, which give it faster than memory could."},
    {"latency", "The call itself is what takes the time: it is over before arithmetic or memory count."},
    {"its code",
     "Its own instructions are what takes the time: arithmetic and memory would allow more than twice the speed. Why "
     "slow runs it alone and says which of its loops wait for what."},
};

QString ruleWords(const ProfileRow& row) {
  if (row.rules.isEmpty())
    return row.noRule.isEmpty() ? text(
                                      "No rule scheduled it: the pipeline has no pass that schedules kernels, as "
                                      "optimized has.")
                                : text("No rule applied: %1.").arg(row.noRule);
  if (!row.noRule.isEmpty()) return text("Parts of it were left as they were: %1.").arg(row.noRule);
  return {};
}

/// Of what a kernel makes the elements that lie behind each other, where they are fewer than a register of the
/// processor holds; empty where they are not, or nobody knows.
QString shortRowWords(const ProfileRow& row, const Profile& profile) {
  constexpr int kBitsOfFloat = 32;
  const int lanes = profile.vectorBits / kBitsOfFloat;
  for (const ProfileArgument& argument : row.arguments) {
    if (argument.written && !argument.shape.empty() && argument.shape.back() < lanes)
      return text("What it makes has rows of %1 elements, and a vector register holds %2.")
          .arg(argument.shape.back())
          .arg(lanes);
  }
  return {};
}

/// "1.75 MB instead of 5.2 MB"; empty where they are as good as the same.
QString instead(double now, double before, QString (*words)(double)) {
  if (before <= 0 || now < 0 || std::abs(now / before - 1) < kSame) return {};
  return text("%1 instead of %2").arg(words(now), words(before));
}
QString bytesWords(double bytes) { return bytesText(static_cast<qint64>(bytes)); }
QString shortFlops(double flops) { return flopsText(flops, 3); }

}  // namespace

QString flopsText(double flops, int digits) {
  return flops >= 1e9 ? text("%1 GFLOP").arg(shortNumber(flops * 1e-9, digits))
                      : text("%1 MFLOP").arg(shortNumber(flops * 1e-6, digits));
}

QString integersText(double operations, int digits) {
  return operations >= 1e9 ? text("%1 GOP").arg(shortNumber(operations * 1e-9, digits))
                           : text("%1 MOP").arg(shortNumber(operations * 1e-6, digits));
}

QString busyWords(const Profile& profile) {
  if (profile.busy < kBusyMachine) return {};
  return text("Other programs took %1 of the processors' time during the profile").arg(percent(profile.busy));
}

QString readyWords(const Profile& profile) {
  double ready = 0;
  for (const ProfileRow& row : profile.kernels) ready += row.weightsOnly ? row.nanoseconds : 0;
  if (ready <= kSame * profile.wall) return {};
  return text(
             "%1 of a run make weights ready: bound into the program (rxs build --bind-params) that is done once, and "
             "a "
             "run takes about %2")
      .arg(profileTotal(ready), profileTotal(std::max(0.0, profile.wall - ready)));
}

QString profileTotal(double nanoseconds) {
  struct Unit {
    double size;
    const char* name;
  };
  static constexpr Unit kUnits[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}};
  for (const Unit& unit : kUnits)
    if (nanoseconds >= unit.size)
      return QStringLiteral("%1 %2").arg(QString::number(nanoseconds / unit.size, 'g', 4),
                                         QString::fromUtf8(unit.name));
  return QStringLiteral("%1 ns").arg(qRound(nanoseconds));
}

QString meaningOf(const QString& limit) {
  for (const Meaning& meaning : kMeanings)
    if (limit == QLatin1String(meaning.bound)) return text(meaning.words);
  return {};
}

QString computeReached(const ProfileRow& row, const Profile& profile) {
  const double limit = flopsOf(row, profile) * 1e-9, reached = gigaflops(row);
  if (reached <= 0 || limit <= 0) return {};
  const QString said = row.ofIntegers() ? text("%1 of %2 GOP/s of int8, %3") : text("%1 of %2 GFLOP/s, %3");
  return said.arg(shortNumber(reached, 3), shortNumber(limit, 4), percent(reached / limit));
}

QString bytesReached(const ProfileRow& row, const Profile& profile) {
  const double limit = bytesOf(row, profile) * 1e-9, reached = gigabytes(row);
  if (reached <= 0 || limit <= 0) return {};
  if (row.limitedBy == QLatin1String("cache"))
    return text("%1 GB/s, %2 times as fast as memory").arg(shortNumber(reached, 3), shortNumber(reached / limit, 2));
  return text("%1 of %2 GB/s, %3").arg(shortNumber(reached, 3), shortNumber(limit, 3), percent(reached / limit));
}

QStringList whySlow(const ProfileRow& row, const Profile& profile) {
  QStringList why;
  if (!row.kernel) return why;
  if (row.weightsOnly)
    why << text(
        "It reads nothing but weights: bound into the program (rxs build --bind-params), it is computed once "
        "and not in each run.");
  if (const QString meaning = meaningOf(row.limitedBy); !meaning.isEmpty()) why << meaning;
  if (row.flops < 0)
    why << text(
        "How much it computes is not known: its sizes or loops depend on values, or it calls a function of the "
        "runtime.");
  if (const QString rule = ruleWords(row); !rule.isEmpty()) why << rule;
  const bool far = row.limitedBy == QLatin1String("its code");
  if (const QString rows = far ? shortRowWords(row, profile) : QString(); !rows.isEmpty()) why << rows;
  constexpr double kWorthThreads = 1e5;  // nanoseconds of a call that are worth starting others
  if (!row.parallel && profile.threads > 1 && row.nanoseconds / std::max<double>(1, row.calls) > kWorthThreads)
    why << text("It runs on one of %1 threads.").arg(profile.threads);
  constexpr double kNoticed = 1e5;
  if (row.first > 3 * row.nanoseconds && row.first > row.nanoseconds + kNoticed)
    why << text("The first run takes %1: what it works on was in no cache, or had to be made.")
               .arg(profileTotal(row.first));
  if (profile.busy >= kBusyMachine)
    why << text("Other programs took %1 of the processors' time meanwhile: alone it takes less.")
               .arg(percent(profile.busy));
  return why;
}

double timeOfSameWork(const ProfileRow& row, const Profile& profile, const Profile& other) {
  const std::vector<const ProfileRow*> same = sameWork(row, profile, other);
  if (same.empty()) return -1;
  double sum = 0;
  for (const ProfileRow* call : same) sum += call->nanoseconds;
  return sum;
}

QStringList whyDifferent(const ProfileRow& row, const Profile& profile, const Profile& other) {
  if (row.weightsOnly) return {text("It is work of its own: what follows reads the weights as they are made here.")};
  const std::vector<const ProfileRow*> same = sameWork(row, profile, other);
  if (same.empty()) return {};
  QStringList why, rules, kernels;
  double bytes = 0, flops = 0, all = 0;
  bool known = row.flops >= 0;
  for (const ProfileRow* call : same) {
    rules += call->rules;
    kernels += call->callee;
    bytes += call->bytes;
    all += call->nanoseconds;
    known = known && call->flops >= 0;
    flops += call->flops;
  }
  kernels.removeDuplicates();
  rules.removeDuplicates();
  if (const auto calls = static_cast<qint64>(same.size()); calls != row.calls)
    why << text("A does it in %1 calls of %2 kernels, which take %3 together; B in %4 of one.")
               .arg(grouped(calls))
               .arg(kernels.size())
               .arg(profileTotal(all), grouped(row.calls));
  if (rules != row.rules) {
    const auto named = [](const QStringList& each) {
      return each.isEmpty() ? text("no rule") : each.join(QStringLiteral(", "));
    };
    why << text("Scheduled by %1; in A by %2.").arg(named(row.rules), named(rules));
  }
  if (const QString less = instead(row.bytes, bytes, bytesWords); !less.isEmpty())
    why << text("It moves %1.").arg(less);
  if (const QString less = known ? instead(row.flops, flops, shortFlops) : QString(); !less.isEmpty())
    why << text("It computes %1.").arg(less);
  const ProfileRow& first = *same.front();
  if (kernels.size() == 1 && row.arguments.size() == first.arguments.size()) {
    for (size_t i = 0; i < row.arguments.size(); ++i)
      if (row.arguments[i].type != first.arguments[i].type)
        why << text("Layout: %1 instead of %2.").arg(row.arguments[i].type, first.arguments[i].type);
  }
  if (row.parallel != first.parallel)
    why << (row.parallel ? text("It may run on several threads, in A on one.")
                         : text("It runs on one thread, in A on several."));
  if (why.isEmpty()) why << text("It is the same kernel: the difference is the machine's.");
  return why;
}

QString profileDifference(const ProfileBoard& board) {
  const ProfilePtr shown = board.shown(), against = board.against();
  if (!shown || !against || against->wall <= 0) return {};
  const Profile &now = *shown, &before = *against;
  constexpr qsizetype kMostNamed = 3;
  const double change = now.wall / before.wall - 1;
  QString said = std::abs(change) < kSame ? text("As fast as A (%1).").arg(profileTotal(before.wall))
                                          : text("%1 instead of %2: %3 % %4.")
                                                .arg(profileTotal(now.wall), profileTotal(before.wall))
                                                .arg(std::abs(change) * 100, 0, 'f', 0)
                                                .arg(change < 0 ? text("less") : text("more"));
  QHash<QString, double> times;
  for (const ProfileRow& row : board.layersHere(before)) times[row.name] -= row.nanoseconds;
  for (const ProfileRow& row : board.layersHere(now)) times[row.name] += row.nanoseconds;
  std::vector<std::pair<QString, double>> changes;
  for (auto at = times.begin(); at != times.end(); ++at)
    if (std::abs(at.value()) > before.wall * kSame) changes.emplace_back(at.key(), at.value());
  std::sort(changes.begin(), changes.end(), [](const auto& a, const auto& b) {
    return std::abs(a.second) != std::abs(b.second) ? std::abs(a.second) > std::abs(b.second) : a.first < b.first;
  });
  QStringList most;
  for (const auto& [layer, nanoseconds] : changes)
    if (most.size() < kMostNamed)
      most +=
          text("%1 %2%3").arg(layer, nanoseconds < 0 ? QChar(0x2212) : QChar('+'), profileTotal(std::abs(nanoseconds)));
  if (!most.isEmpty()) said += text(" Most by %1.").arg(most.join(QStringLiteral(", ")));
  const auto kernels = [](const Profile& profile) {
    QSet<QString> names;
    for (const ProfileRow& row : profile.kernels)
      if (row.kernel) names += row.name;
    return names;
  };
  const QSet<QString> here = kernels(now), there = kernels(before);
  const qsizetype fresh = (here - there).size(), gone = (there - here).size();
  if (fresh + gone > 0) said += text(" Other kernels: %1 new, %2 gone.").arg(fresh).arg(gone);
  return said;
}

QString profileSummary(const ProfileBoard& board) {
  const ProfilePtr now = board.shown();
  if (!now) return {};
  QString said = board.staleness();
  said += text(
              "%1: %2 a run (median of %3, spread %4 %), the first %5; %6 % of it is in the table. One thread of %7: "
              "%8 GFLOP/s, %9 GB/s")
              .arg(now->function, profileTotal(now->wall))
              .arg(now->runs)
              .arg(now->spread * 100, 0, 'f', 1)
              .arg(profileTotal(now->first))
              .arg(now->wall > 0 ? now->sum / now->wall * 100 : 0, 0, 'f', 1)
              .arg(now->processor, shortNumber(now->flopsLimit * 1e-9, 4), shortNumber(now->bytesLimit * 1e-9, 4));
  if (now->limitsBusy >= kBusyMachine)
    said += text(", measured while other programs took %1 of the processors' time: it can do more")
                .arg(percent(now->limitsBusy));
  if (!now->apart.isEmpty()) said += text(". But %1").arg(now->apart);
  for (const QString& more : {readyWords(*now), busyWords(*now)})
    if (!more.isEmpty()) said += QStringLiteral(". ") + more;
  if (!now->noOccupancy.isEmpty()) said += text(". Occupancy is not known: %1").arg(now->noOccupancy);
  return said;
}

QString wallText(const ProfileBoard& board) {
  const ProfilePtr now = board.shown(), before = board.against();
  if (!now) return {};
  const QString part = now->wall > 0 ? percent(now->sum / now->wall) : text("none");
  return before ? text("wall clock A %1, B %2: %3 of it is in the table")
                      .arg(profileTotal(before->wall), profileTotal(now->wall), part)
                : text("wall clock %1: %2 of it is in the table").arg(profileTotal(now->wall), part);
}

}  // namespace rx::views
