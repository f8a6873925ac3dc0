// Types of Relay as StructInfo of Relax. Private to the translation.
#pragma once

#include <string_view>

#include "core/ir/relay.h"

namespace rx::relay {

/// What is known in Relax of a value of this type. Where a dimension is of any size only the rank is; references,
/// algebraic data, functions and type variables are objects of the runtime.
relax::StructInfo infoOf(const Type& type);
/// The same of a parameter, whose dimensions of any size get symbols named after it.
relax::StructInfo infoOfParam(const Type& type, std::string_view name);
/// The type of a value of Relax, for the relations of operators; null of what has none.
Type typeOfInfo(const relax::StructInfo& info);
/// Whether a value of this type is an object of the runtime, of which Relax knows nothing.
bool isObject(const Type& type);

}  // namespace rx::relay
