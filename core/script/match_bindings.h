// What of one text of a function is what of another: bindings that were only moved or renamed, and those that changed.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace rx::script {

/// A variable in the text of a binding: the place of a parameter, or the ordinal of a binding.
struct VariableUse {
  bool isParam = false;
  bool defines = false;
  int target = -1;
};

/// What is known of a binding from its text.
struct BindingText {
  std::string name;
  size_t says = 0;      ///< hash of its first line without the names of variables
  size_t computes = 0;  ///< hash of what is called
  size_t type = 0;      ///< hash of its StructInfo
  std::vector<VariableUse> variables;
  std::vector<std::string> cameFrom;  ///< by its origins: names of bindings in this function as it was read
};

/// A function as its parameters and bindings, those of branches and local functions among them, in text order.
struct FunctionText {
  std::vector<std::string> params;
  std::vector<BindingText> bindings;
};

/// A binding that both texts have, by its ordinals.
struct BindingPair {
  int left = -1, right = -1;
  bool renamed = false;
  bool moved = false;    ///< it stands before or behind others than it did
  bool changed = false;  ///< it computes something else, or from something else
};

struct BindingMatch {
  int added = 0, removed = 0, changed = 0, renamed = 0, moved = 0;
  std::vector<BindingPair> pairs;  ///< in the order of the right side
};

/// Pairs by name and by origin, and what is left by what is computed from what.
BindingMatch matchBindings(const FunctionText& left, const FunctionText& right);

/// "2 added, 1 removed, 3 changed"; empty where nothing differs.
std::string countsText(const BindingMatch& match);

}  // namespace rx::script
