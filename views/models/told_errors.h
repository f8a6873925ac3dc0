// What the command line program says is wrong, read from its answer in JSON.
#pragma once

#include <QByteArray>
#include <QJsonObject>
#include <QString>
#include <vector>

#include "core/support/diagnostic.h"

namespace rx::views {

/// An error with the place that it was told of; the diagnostic has no span, whose source is not here.
struct ToldError {
  Diagnostic what;
  QString file = {};  // as rxs was given it; empty where no place is known
  int line = 0;       // from 1
  int column = 0;
};

/// The errors under "diagnostics" of an answer, in its order; warnings and notes are left out.
std::vector<ToldError> toldErrors(const QJsonObject& answer);

/// Why there is no answer: the first error, else the first line of `output`, else that nothing was said.
QString whyNoAnswer(const QJsonObject& answer, const QByteArray& output);

}  // namespace rx::views
