// Reads what the user opens: a module file, a sample folder, a folder of dumped stages. Runs on any thread.
#pragma once

#include <QStringList>
#include <optional>

#include "core/import/phase_dumps.h"
#include "views/models/problem.h"
#include "views/session/file_watch.h"

namespace rx::views {

struct OpenedModule {
  bool ok = false;
  QString path;    // as asked for
  QString file;    // the text file that was read; of a folder the first stage that can be read
  QString folder;  // where params.npz and inputs.npz would be
  QString title;
  QString dialect;
  QString moduleName;
  QStringList moduleNames;
  QString sourceText;
  std::vector<FileStamp> stamps;  // of the file, or of all files of the folder, from before they were read
  /// What runs start from: the module of the file, or the first stage of a folder that could be read.
  ir::Module imported;
  bool isHistory = false;
  std::vector<import::DumpedStage> stages;  // of a folder, or of a log
  std::vector<ProblemRow> problems;
  std::vector<Diagnostic> verdict;  // of the imported module of a file
  QString error;                    // one sentence when it is not ok
};

/// `text`, where given, is read in place of what the file holds.
OpenedModule readModule(const QString& path, const QString& moduleName, const CancelToken& cancel,
                        const std::optional<QString>& text = {});

/// The first error of a list as one sentence with its line.
QString firstError(const std::vector<ProblemRow>& problems);

/// The well-formedness check that the pass runner uses too.
std::vector<Diagnostic> checkModule(const ir::Module& module);

}  // namespace rx::views
