// The rows of a Relax function: its parameters, blocks, bindings and symbols, with their places in the stage's text.
#pragma once

#include <span>

#include "core/script/print.h"
#include "views/session/buffer_flow.h"
#include "views/session/row_texts.h"

namespace rx::views {

/// What the printer noted of the function's text.
struct FunctionText {
  std::span<const script::Anchor> bindings;  ///< in text order
  std::span<const script::NamePlace> names;
};

/// Fills a function's row; `index` has its text and lines. Gives the places of the variables that it met.
BufferFlow::Names walkFunction(const ir::IRModule& module, const relax::Function& function, const FunctionText& text,
                               const StageIndex& index, RowTexts* texts, FunctionRow* row);

}  // namespace rx::views
