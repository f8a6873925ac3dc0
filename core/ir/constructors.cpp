#include "core/ir/constructors.h"

#include "core/ir/relay.h"

namespace rx::ir {

std::vector<const relay::Constructor*> constructorsOf(const IRModule& module) {
  std::vector<const relay::Constructor*> all;
  for (size_t i = 0; module.types && i < module.types->size(); ++i) {
    const auto* data = as<relay::TypeData>(module.types->values[i]);
    for (size_t k = 0; data && k < data->constructors.size(); ++k) all.push_back(data->constructors[k].get());
  }
  return all;
}

}  // namespace rx::ir
