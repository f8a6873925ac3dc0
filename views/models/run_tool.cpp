#include "views/models/run_tool.h"

#include "views/models/document.h"

namespace rx::views {

QStringList toolArguments(Document& document, const RunConfig& config) {
  QStringList words = document.programArguments(config.stage) + QStringList{"--func", config.function};
  // With files of one's own, or none, those beside the module are not taken, also where there are weights among them.
  const bool none = config.paramsFile.isEmpty() && config.inputsFile.isEmpty() && config.files.isEmpty();
  if (none || !config.paramsFile.isEmpty() || !config.files.isEmpty()) words << "--params" << config.paramsFile;
  if (none || !config.inputsFile.isEmpty()) words << "--inputs" << config.inputsFile;
  for (const QString& file : config.files) words << "--inputs" << file;
  if (config.generates()) words << "--seed" << QString::number(config.seed);
  for (const QString& choice : config.choices) words << "--map" << choice;
  if (config.ignoreExtra) words << "--ignore-extra";
  if (!config.target.isEmpty()) words << "--target" << config.target;
  if (!config.mode.isEmpty()) words << "--mode" << config.mode;
  for (const QString& plugin : config.plugins) words << "--plugin" << plugin;
  if (!config.symbolValues.isEmpty()) words << "--symbol" << config.symbolValues;
  return words;
}

}  // namespace rx::views
