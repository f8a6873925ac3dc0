// What runs and exports take. The arguments of `debug.start` as a run: "main seed=3 n=17 stop=nonfinite".
#pragma once

#include <QStringList>

#include "views/models/debug_rows.h"
#include "views/shell/desk.h"

namespace rx::views {

/// What a run of a function takes when nothing else is said: parameters and inputs beside the module, else seed 0.
RunConfig defaultRun(const Document& document, const QString& function, int stage);
/// The run that was made last, else one of the function that is selected, or of main; of `function`, where it is named.
RunConfig runToRepeat(const Desk& desk, const QString& function);
/// What a run takes, in words: "inputs.npz", "seed 3, n=17".
QString inputsText(const RunConfig& config);
/// Whether the last run could not start with what it was given: who repeats it is asked for something else first.
bool couldNotStart(const Desk& desk);
/// What is wrong with a target, written as `--target` takes it; empty where nothing is. No target is this machine.
QString targetProblem(const QString& target);
/// Reads arguments into `config`; the answer is empty, or what is wrong.
QString readRunArguments(Document& document, const QStringList& arguments, RunConfig* config);

/// By which passes a package is built: those that packages are built with where nothing is said, or those of the
/// window.
enum class PackagePasses { Usual, AsShown };
/// The usual ones, unless the pipeline of the window was changed.
PackagePasses packagePasses(Document& document);
/// Arguments of `rxs` that write the compiled package of the open module to a folder and verify it in a clean process.
/// `tuned`: file of what tuning measured, which kernels are scheduled by; empty for none.
QStringList packageArguments(Document& document, const QString& folder, const QString& params, PackagePasses passes,
                             const QString& tuned = {});

}  // namespace rx::views
