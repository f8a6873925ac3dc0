#include "views/models/weights.h"

#include <algorithm>

namespace rx::views {
namespace {

/// Why a parameter is taken for an input where nothing says it; empty for one that is taken for a weight.
QString inputByGuess(const FunctionRow& function, int param) {
  const ParamRow& row = function.params[static_cast<size_t>(param)];
  const bool integers = row.dtype.startsWith(QLatin1String("int")) || row.dtype.startsWith(QLatin1String("uint")) ||
                        row.dtype == QLatin1String("bool");
  if (param == 0) return QStringLiteral("it is the first");
  if (row.shape.isEmpty()) return QStringLiteral("it has no shape");
  if (std::any_of(row.shape.begin(), row.shape.end(), [](QChar c) { return c.isLetter(); }))
    return QStringLiteral("its shape depends on the call");
  return integers ? QStringLiteral("its elements are integers") : QString();
}

}  // namespace

bool isWeight(const FunctionRow& function, int param) {
  if (param < 0) return false;  // of a function inside this one, which has no row here
  if (function.numInput >= 0) return param >= function.numInput;
  return inputByGuess(function, param).isEmpty();
}

ParamRole roleOf(const FunctionRow& function, int param, bool chosen) {
  ParamRole role{isWeight(function, param), function.numInput < 0, {}};
  if (!role.guessed) {
    role.why = (chosen ? QStringLiteral("You said it: the first %1 are inputs.")
                       : QStringLiteral("The text says it: num_input is %1."))
                   .arg(function.numInput);
    return role;
  }
  const QString input = inputByGuess(function, param);
  role.why = role.weight ? QStringLiteral(
                               "A guess, as no num_input says it: a fixed shape without integers, and not the "
                               "first.")
                         : QStringLiteral("A guess, as no num_input says it: %1.").arg(input);
  return role;
}

RoleChange changeRole(const FunctionRow& function, int param, bool weight) {
  const QString name = function.params[static_cast<size_t>(param)].name;
  const auto nameOf = [&](int at) { return function.params[static_cast<size_t>(at)].name; };
  if (weight && param == 0)
    return {
        -1,
        QStringLiteral("%1 can not be a weight: then all parameters would be, and a call needs an input.").arg(name)};
  const int count = weight ? param : param + 1;
  const int said = function.numInput;
  if (said < 0 || isWeight(function, param) == weight) return {said < 0 ? count : said, {}};
  // One step from the border is one parameter that changes; any further would change others that were said.
  if (weight && said - 1 > param)
    return {-1, QStringLiteral("%1 can not be a weight while %2 behind it is an input: calls pass inputs first.")
                    .arg(name, nameOf(said - 1))};
  if (!weight && said < param)
    return {-1, QStringLiteral("%1 can not be an input while %2 before it is a weight: calls pass inputs first.")
                    .arg(name, nameOf(said))};
  return {count, {}};
}

}  // namespace rx::views
