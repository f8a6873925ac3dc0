// Relations of operators that allocate memory.
#include "core/relay/relations_shared.h"

namespace rx::relay::relation {

static bool isInt64(const TensorType& type) { return type.shape.empty() && type.dtype == DataType::Int(64); }

Outcome AllocStorage(Relating& r) {
  const auto size = r.tensor(0), shape = r.tensor(1), alignment = r.tensor(2);
  if (!size || !shape || !alignment) return r.stop();
  if (!isInt64(*size) || !isInt64(*alignment)) return r.refuse("size and alignment have to be of type int64");
  // Blocks of memory have a type that modules define which allocate.
  return r.result(make<TypeCall>(make<GlobalTypeVar>(Str("Storage")), Array<Type>()));
}

}  // namespace rx::relay::relation
