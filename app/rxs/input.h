// What the verbs share: opening a module from a path, and writing diagnostics.
#pragma once

#include <string>
#include <vector>

#include "core/ir/module.h"
#include "core/script/parse.h"
#include "core/support/diagnostic.h"

namespace CLI {
class App;
}

namespace rx::cli {

/// Options that every verb with an input module has.
struct InputOptions {
  std::string path;                 ///< a file, a folder with module.py (a sample), or a folder of dumped stages
  std::string module;               ///< name of the module or function where the file holds several
  std::vector<std::string> inputs;  ///< "FUNCTION=N": the first N parameters of the function are inputs
  std::string stage;                ///< of a folder of dumped stages: number or name; empty = the first
};
void addInputOptions(CLI::App& command, InputOptions& options);
/// Which parameters are weights, where the text does not say it or says it otherwise.
void addInputCounts(CLI::App& command, InputOptions& options);

/// The file that a path stands for: the path itself, or module.relay or module.py of a folder.
std::string moduleFile(const std::string& path);
/// Whether the path is a folder of dumped stages and no sample, or a file that several were printed to.
bool holdsStages(const std::string& path);
/// The file of arrays beside the module whose name without its ending is given ("params"): an .npz, else a
/// .safetensors; empty when there is none.
std::string besideModule(const std::string& path, const std::string& stem);

class Reply;

/// Reads the module; its diagnostics (errors, warnings, notes) are reported. Null when refused.
ir::Module openModule(const InputOptions& options, Reply& reply);
/// The same with what the text holds: a module, or a function on its own. `module` is null when refused.
script::ParsedUnit openUnit(const InputOptions& options, Reply& reply);
/// The same for verbs that answer in text alone.
ir::Module openModule(const InputOptions& options);
script::ParsedUnit openUnit(const InputOptions& options);

/// Writes diagnostics to standard error in the form FILE:LINE:COLUMN: error[RULE]: MESSAGE.
void report(const std::vector<Diagnostic>& diagnostics, const SourceList& sources);
/// The same, and kNo.
int refuse(const std::vector<Diagnostic>& diagnostics, const SourceList& sources = {});

/// Writes the text to a file (beside it and renamed), or to standard output for "-" and "".
int writeText(const std::string& path, const std::string& text);

}  // namespace rx::cli
