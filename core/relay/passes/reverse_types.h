// The types of what Gradient makes: pairs of a tensor and a reference to its gradient in the place of tensors,
// functions that take the reference to the way back, and a definition of their own for data that holds either.
#pragma once

#include <unordered_map>

#include "core/ir/module.h"
#include "core/ir/relay.h"

namespace rx::relay {

Type unitType();
/// Of the reference to the way back: a function that takes and gives nothing.
Type wayBackType();

class ReverseTypes {
 public:
  /// Makes the reverse form of each type definition of the module that speaks of tensors or functions; one whose
  /// constructors hold type variables alone serves as it is.
  explicit ReverseTypes(const ir::Module& module);

  Type of(const Type& type) const;
  /// The constructor of the reverse form; the same where its type has none of its own.
  Ref<Constructor> of(const Ref<Constructor>& constructor) const;
  /// The module with the definitions that were made.
  ir::Module addedTo(const ir::Module& module) const;

 private:
  std::unordered_map<std::string_view, Ref<GlobalTypeVar>> headers_;  ///< by the name of the type as it was
  std::unordered_map<std::string_view, Ref<Constructor>> constructors_;
  std::vector<Ref<TypeData>> made_;
};

}  // namespace rx::relay
