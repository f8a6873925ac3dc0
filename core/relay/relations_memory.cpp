// Relations of operators that allocate memory, and of calls of kernels that read and write it.
#include "core/relay/relations_shared.h"
#include "core/relay/text.h"

namespace rx::relay::relation {

static bool isInt64(const TensorType& type) { return type.shape.empty() && type.dtype == DataType::Int(64); }

Outcome AllocStorage(Relating& r) {
  const auto size = r.tensor(0), shape = r.tensor(1), alignment = r.tensor(2);
  if (!size || !shape || !alignment) return r.stop();
  if (!isInt64(*size) || !isInt64(*alignment)) return r.refuse("size and alignment have to be of type int64");
  // Blocks of memory have a type that modules define which allocate.
  return r.result(make<TypeCall>(make<GlobalTypeVar>(Str("Storage")), Array<Type>()));
}

Outcome CallLowered(Relating& r) {
  if (!r.isKnown(0)) return Outcome::Wait;
  const Type type = r.type(0);
  const auto* kernel = as<FuncType>(type);
  if (!kernel) return r.refuse("it calls a function, and this is " + typeText(r.resolved(0)));
  if (!r.assign(1, make<TupleType>(kernel->argTypes))) return Outcome::Refused;
  return r.result(kernel->retType);
}

}  // namespace rx::relay::relation
