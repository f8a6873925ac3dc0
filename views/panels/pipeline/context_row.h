// The row of the pipeline that says what the passes behind it run under, PassContext, as settings that are read and
// changed one by one.
#pragma once

#include "views/panels/pipeline/pipeline_rows.h"

namespace rx::views {

struct ContextSettings {
  int level = 2;
  QStringList disabled, required;                   // names of passes
  std::vector<std::pair<QString, QString>> config;  // keys and their values, as pipeline text
  std::vector<Diagnostic> problems;                 // why the row would fail
  QString valueOf(const QString& key) const;        // empty where the key is not set
};

/// What the first row says, where it is one; else what holds without any.
ContextSettings contextSettings(const PipelineRows& rows);

/// The pipeline with another level; with a value of a key, without the key where that is empty; with a name on a list,
/// or off it where it was there. The row goes where nothing is left in it. Fails with pass.syntax where a value is no
/// literal; a key that is none stays, and is a problem of the row.
PipelineRows withLevel(PipelineRows rows, int level);
Result<PipelineRows> withKey(PipelineRows rows, const QString& key, const QString& value);
PipelineRows withName(PipelineRows rows, const QString& name, const char* option);

}  // namespace rx::views
