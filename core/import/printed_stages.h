// What a compiler printed while it ran (PrintAfterAll, PrintIR, print(mod) by hand), pasted or redirected into one
// file: several modules of one name, one after another, with lines of a log between them.
#pragma once

#include <string>
#include <vector>

#include "core/script/parse.h"

namespace rx::import {

/// A module of such a text.
struct PrintedStage {
  std::string name;  ///< the pass that the line above it tells, else that line where it reads as a name, else "module"
                     ///< and its number
  script::ParsedUnit unit;  ///< its module is null where it could not be read
};

/// True where a text of TVMScript holds at least two modules of one name side by side. Python would keep the last one
/// alone: nobody writes so.
bool holdsPrintedStages(std::string_view text);

/// The modules in the order of the text; spans point into the whole of it, file 0.
std::vector<PrintedStage> printedStages(const Ref<SourceFile>& source, const CancelToken& cancel = {});

/// One of them, by its number from 0 or its name (the last one of that name).
Result<script::ParsedUnit> printedStage(const Ref<SourceFile>& source, const std::string& stage);

}  // namespace rx::import
