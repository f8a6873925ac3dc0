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

/// Bindings outside of branches.
size_t bindingCount(const relax::Function& function);

/// A function's row without its places in a text, and what they are found by.
struct WalkedFunction {
  FunctionRow row;
  BufferFlow::Names names;              ///< places of the variables that were met
  std::vector<const Node*> bindings;    ///< by ordinal
  std::vector<RowPlace> symbolBinders;  ///< by place in FunctionRow::symbols
};

/// Reads only, and needs no text: the module may be printed meanwhile.
WalkedFunction walkFunction(const ir::IRModule& module, const relax::Function& function, RowTexts* texts);

/// Fills the places of a walked function; `index` has its text and lines.
void placeRows(const relax::Function& function, const FunctionText& text, const StageIndex& index,
               WalkedFunction* walked);

}  // namespace rx::views
