// What differs between two modules, as text: function by function, binding by binding.
#pragma once

#include <string>
#include <vector>

#include "core/ir/module.h"
#include "core/script/match_bindings.h"

namespace rx::script {

/// A line of a difference: '-' of the left side, '+' of the right, '~' of the right where it only moved.
struct DiffLine {
  char mark = ' ';
  std::string text;  ///< without the indentation that all lines of a function have
};

/// A function that is not structurally the same on both sides, or on one side only.
struct FunctionDiff {
  std::string name;
  bool isNew = false, isGone = false;
  BindingMatch match;           ///< of a Relax function on both sides
  std::vector<DiffLine> lines;  ///< of what is new or gone its head
  std::string rest;             ///< where no line tells: the first structural difference
};

/// In the order of the right side, those that are gone last. Names of variables do not count.
std::vector<FunctionDiff> diffModules(const ir::Module& left, const ir::Module& right);

/// A head for each function ("main: 1 added, 2 changed", "fused_add: new"), its lines below it.
std::string diffText(const std::vector<FunctionDiff>& functions);

/// The same of two modules, with what differs between them outside of their functions; empty where they are
/// structurally equal.
std::string diffText(const ir::Module& left, const ir::Module& right);

}  // namespace rx::script
