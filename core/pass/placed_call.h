// A pipeline text with the places of its steps, for who tells which of them failed.
#pragma once

#include "core/pass/pass.h"

namespace rx::pass {

/// A step, and where it stands in the text; the steps of a named pipeline stand where its name does.
struct PlacedCall {
  PassCall call;
  Span span;
};

/// As parsePipeline.
Result<std::vector<PlacedCall>> parsePlacedPipeline(const PassTable& table, std::string_view text,
                                                    std::string_view language = {});

}  // namespace rx::pass
