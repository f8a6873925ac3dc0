// A pipeline as rows that can be edited, and as the text that they are kept in.
#pragma once

#include <QString>
#include <QStringList>
#include <vector>

#include "core/pass/pass.h"
#include "core/support/result.h"

namespace rx::views {

/// How a call that a diagnostic proposes writes a file that is to be named.
inline const QString kFileOfWay = QStringLiteral("\"FILE\"");

/// A pass of the pipeline. One that is off stays in the text as a comment, "# off: FuseOps()", and is not run.
struct PipelineRow {
  pass::PassCall call;
  bool on = true;
  QString name() const;
  QString options() const;  // "fuse_opt_level=1"
};
using PipelineRows = std::vector<PipelineRow>;

/// The rows of a text for a module of a language, pipelines in it as their passes, behind those that lead to a language
/// that is compiled where the text leaves them out. No rows where the text can not be read.
PipelineRows pipelineRows(const QString& text, const QString& language = {});
/// One pass a line.
QString pipelineText(const PipelineRows& rows);

/// A call, or several where the text names a pipeline, for a module of a language; fails as parsePipeline does.
Result<PipelineRows> rowsOf(const QString& calls, const QString& language = {});
/// The language that a module is in before a row, where it begins in `language`.
QString languageAt(const PipelineRows& rows, int row, const QString& language);

/// The row with another value of an option, as the pipeline text writes it; of options that are text without quotes.
/// An empty value leaves the option out. Fails with pass.unknown-option, pass.option-kind, and as literals do.
Result<PipelineRow> withOption(const PipelineRow& row, const QString& option, const QString& value);
/// The value of an option in that form; empty where it is left out.
QString optionValue(const PipelineRow& row, const pass::OptionSpec& option);

/// Names of all passes and pipelines, and what each is for.
struct PassName {
  QString name;
  QString help;
  bool isPipeline = false;
};
std::vector<PassName> passNames();

}  // namespace rx::views
