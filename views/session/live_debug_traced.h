// How LiveDebug answers about the values of a folder of `rxs run --trace`; for its own sources.
#pragma once

#include <QPointer>
#include <QThreadPool>

#include "views/models/worker.h"
#include "views/session/array_study.h"
#include "views/session/engine_rows.h"
#include "views/session/live_debug.h"

namespace rx::views {

/// Where the arrays of a source stand.
struct TracedFiles {
  QString left;
  QString leftType;  // for files that name no type
  QString right;     // empty where nothing is compared
  QString rightType;
  QString array;  // name in `right` where that is an .npz
  Distance distance = Distance::Absolute;
  QString error;  // why they are not known
};
TracedFiles filesOf(const TracedValues& traced, const ElementSource& source);
Result<ArrayPair> readFiles(const TracedFiles& files);
/// Copies the array of a value; why it does not work, or empty.
QString saveTraced(const TracedValues& traced, int reference, const QString& path);
/// The arrays of a file; none where it can not be read.
std::vector<ArrayRow> arraysIn(const QString& path);

template <class Answer, class Study>
void LiveDebug::askTraced(const ElementSource& source, QObject* context, Study study,
                          std::function<void(const Answer&)> answer) {
  runOnWorker(
      *QThreadPool::globalInstance(), context,
      [files = filesOf(traced_, source), study = std::move(study)] {
        const Result<ArrayPair> arrays = readFiles(files);
        if (arrays) return Answer(study(*arrays));
        Answer refused;
        refused.error = textOf(arrays.diagnostics());
        return refused;
      },
      std::move(answer));
}

}  // namespace rx::views
