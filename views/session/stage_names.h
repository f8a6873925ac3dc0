// The names in a function's text as rows: what the printer wrote, and where, joined with what the rows of the function
// number.
#pragma once

#include <span>
#include <string_view>
#include <unordered_map>

#include "core/script/print.h"
#include "views/models/stage_index.h"
#include "views/session/buffer_flow.h"

namespace rx::views {

/// Functions of a module by their names, as StageIndex::functions numbers them.
using FunctionNumbers = std::unordered_map<std::string_view, int>;

FunctionNumbers numbersOf(const ir::IRModule& module);

/// The places within a range of the text.
std::span<const script::NamePlace> placesIn(const std::vector<script::NamePlace>& places, TextRange range);

/// Rows of what has a place to go to, and of operators. `self` is the number of the function, `variables` the places
/// of its variables; the bindings of `function` have their ranges.
std::vector<NameRow> nameRows(std::span<const script::NamePlace> places, const FunctionNumbers& functions, int self,
                              const BufferFlow::Names& variables, const FunctionRow& function);

}  // namespace rx::views
