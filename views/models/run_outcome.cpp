#include "views/models/run_outcome.h"

#include <QObject>
#include <QRegularExpression>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "views/models/numbers.h"

namespace rx::views {
namespace {

constexpr size_t kMostLikely = 1000;
constexpr double kSumSlack = 1e-3;

QString placeOf(const RunFailure& failure) {
  return failure.axis < 0 ? failure.parameter
                          : QStringLiteral("%1, axis %2").arg(failure.parameter, QString::number(failure.axis));
}

QStringList namesWith(const RunFailure& failure, ParameterFit::Verdict verdict) {
  QStringList names;
  for (const ParameterFit& parameter : failure.parameters)
    if (parameter.verdict == verdict) names << parameter.name;
  return names;
}

QString listed(const QStringList& names) {
  constexpr qsizetype kShown = 4;
  if (names.size() <= kShown) return names.join(QStringLiteral(", "));
  return QStringLiteral("%1 and %2 more")
      .arg(names.mid(0, kShown).join(QStringLiteral(", ")), QString::number(names.size() - kShown));
}

/// What is wrong in a few words: the end of a title.
QString core(const RunFailure& failure) {
  if (!failure.parameter.isEmpty()) return QStringLiteral("%1 does not fit").arg(failure.parameter);
  if (const QStringList missing = namesWith(failure, ParameterFit::Verdict::Missing); !missing.isEmpty())
    return missing.size() == 1 ? QStringLiteral("nothing gives %1").arg(missing.front())
                               : QStringLiteral("%1 parameters have no value").arg(missing.size());
  if (const QStringList extra = namesWith(failure, ParameterFit::Verdict::Extra); !extra.isEmpty())
    return extra.size() == 1 ? QStringLiteral("%1 is no parameter of it").arg(extra.front())
                             : QStringLiteral("%1 are no parameters of it").arg(listed(extra));
  return {};
}

/// The symbol with its value: "n is 3"; a plain number: "it has to be 4".
QString wantedText(const RunFailure& failure) {
  return failure.symbol.isEmpty() ? QStringLiteral("it has to be %1").arg(failure.wanted)
                                  : QStringLiteral("%1 is %2").arg(failure.symbol, failure.wanted);
}

/// Whether the size that was wanted is made of that symbol: "m + n" is of m.
bool isOf(const QString& symbol, const RunFailure& failure) {
  const QString word = QStringLiteral("\\b%1\\b").arg(QRegularExpression::escape(symbol));
  return !symbol.isEmpty() && failure.symbol.contains(QRegularExpression(word));
}

/// Who gave the symbols of a computed size their values, each once: "hidden, axis 1 gives n = 3".
QStringList bindersOf(const RunFailure& failure) {
  QStringList binders;
  for (const ParameterFit& parameter : failure.parameters) {
    for (size_t axis = 0; axis < parameter.axes.size(); ++axis) {
      const AxisFit& fit = parameter.axes[axis];
      if (fit.verdict != AxisFit::Verdict::Binds || !fit.given || !isOf(fit.wants, failure)) continue;
      binders << QStringLiteral("%1, axis %2 gives %3 = %4")
                     .arg(parameter.name, QString::number(axis), fit.wants, QString::number(*fit.given));
    }
  }
  return binders;
}

/// Of the findings about names the whole list, in place of the first finding's sentence; empty where there are none.
QString namesSentence(const RunFailure& failure) {
  QStringList parts;
  const QStringList missing = namesWith(failure, ParameterFit::Verdict::Missing);
  const QStringList extra = namesWith(failure, ParameterFit::Verdict::Extra);
  if (!missing.isEmpty()) parts << QStringLiteral("Nothing gives a value for %1.").arg(listed(missing));
  if (!extra.isEmpty())
    parts << QStringLiteral("A file gives %1, which %2 does not take.").arg(listed(extra), failure.run);
  return parts.join(' ');
}

}  // namespace

bool namesAlone(const RunFailure& failure) { return failure.parameter.isEmpty() && !core(failure).isEmpty(); }

QString failureTitle(const RunFailure& failure) {
  const QString what = core(failure);
  const QString of = failure.run.isEmpty() ? QStringLiteral("The run") : "The run of " + failure.run;
  const char* const kVerbs[] = {" could not start", " stopped with an error", " ended: the engine is gone"};
  const QString start = of + QLatin1String(kVerbs[static_cast<int>(failure.when)]);
  return what.isEmpty() ? start : start + QStringLiteral(": ") + what;
}

QString failureSentence(const RunFailure& failure, const QString& colour) {
  const bool html = !colour.isEmpty();
  const auto plain = [html](const QString& text) { return html ? text.toHtmlEscaped() : text; };
  if (failure.parameter.isEmpty()) {
    const QString names = namesSentence(failure);
    return plain(names.isEmpty() ? failure.message : names);
  }
  const QString given =
      html ? QStringLiteral("<b style='color:%1'>%2</b>").arg(colour, plain(failure.given)) : failure.given;
  const QString wanted = html ? "<b>" + plain(failure.wanted) + "</b>" : failure.wanted;
  const QString what = failure.axis < 0
                           ? plain(failure.parameter)
                           : QStringLiteral("Axis %1 of %2").arg(failure.axis).arg(plain(failure.parameter));
  if (failure.symbol.isEmpty()) return QStringLiteral("%1 is %2, but it has to be %3.").arg(what, given, wanted);
  const QString text = QStringLiteral("%1 is %2, but %3 is %4").arg(what, given, plain(failure.symbol), wanted);
  if (failure.boundBy.isEmpty()) {
    const QStringList binders = bindersOf(failure);
    return text + (binders.isEmpty() ? QStringLiteral(", computed from the sizes before.")
                                     : ": " + plain(binders.join(QStringLiteral("; "))) + '.');
  }
  return text + QStringLiteral(": %1 bound it first. Both share the symbol %2.")
                    .arg(plain(failure.boundBy), plain(failure.symbol));
}

QString failureProblem(const RunFailure& failure) {
  if (failure.parameter.isEmpty()) return {};
  const QString by = failure.boundBy.isEmpty() ? QString() : QStringLiteral(" (bound by %1)").arg(failure.boundBy);
  return QStringLiteral("%1: %2%3, but %4 was given").arg(placeOf(failure), wantedText(failure), by, failure.given);
}

QString failureShort(const RunFailure& failure) {
  const char* const kWords[] = {"Could not start: ", "Stopped with an error: ", "Engine died: "};
  const QString start = QLatin1String(kWords[static_cast<int>(failure.when)]);
  if (failure.parameter.isEmpty()) {
    const QString what = core(failure);
    return start + (what.isEmpty() ? failure.message.section('\n', 0, 0) : what);
  }
  return start + QStringLiteral("%1: %2, given %3").arg(placeOf(failure), wantedText(failure), failure.given);
}

QString failureProgress(const RunFailure& failure) {
  if (failure.step <= 0) return QStringLiteral("no kernel has run");
  return failure.step == 1 ? QStringLiteral("after 1 step")
                           : QStringLiteral("after %1 steps").arg(grouped(failure.step));
}

std::vector<const ParameterFit*> failureRows(const RunFailure& failure, size_t most) {
  std::vector<const ParameterFit*> rows;
  const bool few = failure.parameters.size() <= most;
  const auto matters = [&](const ParameterFit& parameter) {
    const bool binds = std::any_of(parameter.axes.begin(), parameter.axes.end(), [&](const AxisFit& axis) {
      return axis.verdict == AxisFit::Verdict::Binds && isOf(axis.wants, failure);
    });
    return few || binds || parameter.verdict != ParameterFit::Verdict::Fits;
  };
  for (const ParameterFit& parameter : failure.parameters)
    if (matters(parameter) && rows.size() < most) rows.push_back(&parameter);
  return rows;
}

QString axisText(const AxisFit& axis) {
  const auto number = [](const std::optional<qint64>& value) { return value ? grouped(*value) : QStringLiteral("?"); };
  switch (axis.verdict) {
    case AxisFit::Verdict::Binds:
      return QStringLiteral("binds %1 = %2").arg(axis.wants, number(axis.given));
    case AxisFit::Verdict::Differs:
      return QStringLiteral("needs %1, is %2").arg(number(axis.needs), number(axis.given));
    case AxisFit::Verdict::Fits:
    case AxisFit::Verdict::Open:
      break;
  }
  return axis.given ? number(axis.given) : axis.wants;
}

QString verdictText(const ParameterFit& parameter) {
  switch (parameter.verdict) {
    case ParameterFit::Verdict::Missing:
      return QStringLiteral("nothing gives it");
    case ParameterFit::Verdict::Extra:
      return QStringLiteral("not a parameter");
    case ParameterFit::Verdict::Type:
      return QStringLiteral("other element type");
    case ParameterFit::Verdict::Rank:
      return QStringLiteral("other number of axes");
    case ParameterFit::Verdict::Fits:
    case ParameterFit::Verdict::Axis:
      break;
  }
  return {};
}

QString failureText(const RunFailure& failure) {
  QStringList lines = {failureTitle(failure) + QStringLiteral(" (") + failureProgress(failure) + ')',
                       failureSentence(failure)};
  if (!namesAlone(failure)) lines += failure.more;
  if (!failure.fix.isEmpty()) lines << QStringLiteral("fix: ") + failure.fix;
  for (const ParameterFit& parameter : failure.parameters) {
    QStringList cells = {parameter.name, "wants " + parameter.wants};
    cells << (parameter.given.isEmpty() ? verdictText(parameter)
                                        : QStringLiteral("given %1 (%2)").arg(parameter.given, parameter.file));
    for (size_t i = 0; i < parameter.axes.size(); ++i)
      cells << QStringLiteral("axis %1: %2").arg(i).arg(axisText(parameter.axes[i]));
    lines << cells.join(QStringLiteral("\t"));
  }
  return lines.join('\n');
}

QString comparisonText(const ResultComparison& comparison) {
  if (!comparison.error.isEmpty())
    return QStringLiteral("not compared with %1: %2").arg(comparison.file, comparison.error);
  if (comparison.sameBits) return QStringLiteral("equals %1 bit for bit").arg(comparison.file);
  const QString text = comparison.equal ? QStringLiteral("equals %1").arg(comparison.file)
                                        : QStringLiteral("differs from %1").arg(comparison.file);
  return text + QStringLiteral(", largest difference %1 at %2")
                    .arg(QString::number(comparison.largest, 'g', 2), comparison.at);
}

QString shortResult(const ValueSummary& value) {
  return value.isTensor ? value.shape + ' ' + shortDtype(value.dtype) : value.text;
}

QString resultTitle(const RunResult& result) {
  if (!result.lost.isEmpty()) return QObject::tr("%1 ended; what it returned is not kept").arg(result.function);
  const QString what = result.values.empty()       ? QObject::tr("nothing")
                       : result.values.size() == 1 ? shortResult(result.values.front().value)
                                                   : QObject::tr("%1 values").arg(result.values.size());
  QString title = QObject::tr("%1 returned %2").arg(result.function, what);
  if (!result.comparison || !result.comparison->error.isEmpty()) return title;
  return title + (result.comparison->equal ? QObject::tr(", equal to %1") : QObject::tr(", which differs from %1"))
                     .arg(result.comparison->file);
}

QString codeText(bool optimised) {
  return optimised ? QStringLiteral("optimised code") : QStringLiteral("unoptimised code");
}

QString badOnTheWayText(const BadOnTheWay& bad) {
  const QString calls = bad.calls == 1 ? QStringLiteral("1 call") : QStringLiteral("%1 calls").arg(grouped(bad.calls));
  return QStringLiteral("NaN or Inf in %1, first in %2").arg(calls, bad.variable);
}

bool doubtful(const RunResult& result) { return result.bad && !(result.comparison && result.comparison->equal); }

QString resultText(const RunResult& result) {
  QStringList lines;
  if (!result.lost.isEmpty()) lines << result.lost;
  for (const ResultValue& value : result.values) {
    QString line = value.name + ' ' + value.value.text;
    if (value.value.isTensor && value.value.finite > 0)
      line += QStringLiteral("\t%1 … %2").arg(shortNumber(value.value.min, 4), shortNumber(value.value.max, 4));
    if (value.value.bad()) line += QStringLiteral("\t%1 NaN, %2 Inf").arg(value.value.nan).arg(value.value.inf);
    lines << line;
  }
  if (result.bad) lines << badOnTheWayText(*result.bad);
  if (result.comparison) lines << comparisonText(*result.comparison);
  for (const int at : largestOf(result.likely, 10))
    lines << QStringLiteral("%1\t%2 %").arg(at).arg(result.likely[static_cast<size_t>(at)] * 100, 0, 'f', 2);
  lines << QStringLiteral("time %1, %2").arg(durationText(result.milliseconds), codeText(result.optimised))
        << QStringLiteral("%1 steps").arg(grouped(result.steps));
  if (result.peakBytes > 0) lines << QStringLiteral("peak memory %1").arg(bytesText(result.peakBytes));
  return lines.join('\n');
}

bool looksLikely(const std::vector<double>& numbers) {
  if (numbers.size() < 2 || numbers.size() > kMostLikely) return false;
  if (std::any_of(numbers.begin(), numbers.end(), [](double n) { return !std::isfinite(n) || n < 0; })) return false;
  return std::fabs(std::accumulate(numbers.begin(), numbers.end(), 0.0) - 1) < kSumSlack;
}

std::vector<int> largestOf(const std::vector<double>& numbers, int count) {
  std::vector<int> order(numbers.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    const double first = numbers[static_cast<size_t>(a)];
    const double second = numbers[static_cast<size_t>(b)];
    return first != second ? first > second : a < b;
  });
  order.resize(std::min(order.size(), static_cast<size_t>(std::max(count, 0))));
  return order;
}

}  // namespace rx::views
