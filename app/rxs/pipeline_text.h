// The value of --passes: pipeline text, or @FILE with a user's own.
#pragma once

#include <string>

#include "core/support/result.h"
#include "core/support/source.h"

namespace rx::cli {

/// The text, under the name that its diagnostics carry: "--passes" or the file's. Fails where the file can not be read.
Result<Ref<SourceFile>> pipelineText(const std::string& given);

/// Diagnostics of a pipeline for a list of other sources: where they are is said in words.
std::vector<Diagnostic> placedIn(const Ref<SourceFile>& pipeline, std::vector<Diagnostic> diagnostics);

}  // namespace rx::cli
