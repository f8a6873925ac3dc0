// How a run came out: why it could not start or stopped with an error, in parts, so that a card, the problem list and
// the status bar say the same; or what it returned.
#pragma once

#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

#include "views/models/debug_rows.h"

namespace rx::views {

/// One axis of a parameter against what is given for it.
struct AxisFit {
  enum class Verdict : uint8_t { Open, Fits, Binds, Differs };
  Verdict verdict = Verdict::Open;
  QString wants;                ///< as declared: "n"
  std::optional<qint64> needs;  ///< what that is here
  std::optional<qint64> given;
  QString boundBy;  ///< of what differs: who gave the symbol its value
};

/// A parameter of a run against what is given for it.
struct ParameterFit {
  enum class Verdict : uint8_t { Fits, Missing, Extra, Type, Rank, Axis };
  Verdict verdict = Verdict::Fits;
  QString name;
  QString wants;  ///< "(n, 4) f32"
  QString given;  ///< "(5, 4) f32, 80 B", empty where nothing is
  QString file;   ///< that gives it: "inputs.npz", or "seed 0"
  std::vector<AxisFit> axes;
};

/// Why a run did not come to its end.
struct RunFailure {
  enum class When : uint8_t { Start, Middle, Death };
  When when = When::Start;
  QString rule;     ///< of the first finding
  QString message;  ///< its sentence
  QString fix;
  QStringList more;  ///< messages of the findings after it
  QString run;       ///< the function that was to run
  // Where: the binding of the run's stage that it happened in, as far as one is known.
  QString function;
  QString variable;
  int binding = -1;
  int stage = 0;
  int line = 0;
  int step = -1;  ///< steps that ran before, -1 when no machine existed
  // What does not fit, where that is it.
  QString parameter;
  int axis = -1;
  QString symbol;
  QString boundBy;
  QString wanted;
  QString given;
  std::vector<ParameterFit> parameters;
};

/// "The run of f could not start: y does not fit"
QString failureTitle(const RunFailure& failure);
/// What is wrong, in one or two sentences. With a colour as HTML, the value that does not fit in it.
QString failureSentence(const RunFailure& failure, const QString& colour = {});
/// The problem list's line: "y, axis 0: n is 3 (bound by x, axis 0), but 5 was given"; empty where the finding says it.
QString failureProblem(const RunFailure& failure);
/// One line for the status bar: "Could not start: y, axis 0: n is 3, given 5".
QString failureShort(const RunFailure& failure);
/// Whether all that is wrong are names: parameters that nothing gives, arrays that nothing takes. The sentence and the
/// rows then say it whole.
bool namesAlone(const RunFailure& failure);
/// "no kernel has run", "after 12 steps"
QString failureProgress(const RunFailure& failure);
/// All of it as text, the table too.
QString failureText(const RunFailure& failure);
/// The parameters worth a row: those that do not fit and those that bound what they should be; all where they are few.
std::vector<const ParameterFit*> failureRows(const RunFailure& failure, size_t most);
/// "binds n = 3", "needs 3, is 5", "4"
QString axisText(const AxisFit& axis);
/// "nothing gives it", "not a parameter"; empty where the axes say it.
QString verdictText(const ParameterFit& parameter);

/// One value that a run returned.
struct ResultValue {
  QString name;  ///< "result", or "result[1]" of a tuple
  ValueSummary value;
};

/// What a run returned, against what it should.
struct ResultComparison {
  QString file;        ///< "expected.npz"
  QString error;       ///< why they can not be compared; empty when they were
  bool equal = false;  ///< within the rounding of the element type
  bool sameBits = false;
  double largest = 0;   ///< absolute difference
  double relative = 0;  ///< largest difference in proportion to the expected element
  double limit = 0;     ///< that counts as rounding
  QString at;           ///< element of the largest difference: "[0, 9]", of a tuple "result[1] [0, 9]"
};

/// NaN and Inf that a run made on its way, whether or not its result has them: a relu, say, lets none through.
struct BadOnTheWay {
  QString variable;  ///< of the binding that made the first out of finite inputs, or the first that holds one
  int step = 0;      ///< of that binding
  qint64 calls = 0;  ///< whose outputs hold any
};

struct RunResult {
  QString function;
  QString lost;  ///< why what it returned is not known: the recording ended before the run; else empty
  std::vector<ResultValue> values;
  std::optional<BadOnTheWay> bad;  ///< nothing where all that was computed is finite
  qint64 steps = 0;
  double milliseconds = 0;
  qint64 peakBytes = 0;
  bool optimised = false;  ///< the time is that of the code that ships
  std::optional<ResultComparison> comparison;
  std::vector<double> likely;  ///< elements of the first value where they look like probabilities
  std::optional<std::vector<double>> expectedLikely;  ///< the same elements of the file
};

/// "equals expected.npz, largest difference 5.0e-6 at [0, 9]"
QString comparisonText(const ResultComparison& comparison);
/// "(1, 10) f32", or what is no tensor as it is written.
QString shortResult(const ValueSummary& value);
/// "main returned (1, 10) f32, equal to expected.npz"
QString resultTitle(const RunResult& result);
/// "optimised code" or "unoptimised code": what a time is the time of.
QString codeText(bool optimised);
/// "NaN or Inf in 58 calls, first made by lv1"
QString badOnTheWayText(const BadOnTheWay& bad);
/// Whether what was not finite on the way is to be looked at: not where the result is the expected one all the same.
bool doubtful(const RunResult& result);
/// The card's text.
QString resultText(const RunResult& result);
/// Whether numbers look like probabilities: none negative, at most 1000, their sum 1.
bool looksLikely(const std::vector<double>& numbers);
/// Positions of the largest numbers, largest first; equal ones in order.
std::vector<int> largestOf(const std::vector<double>& numbers, int count);

}  // namespace rx::views
