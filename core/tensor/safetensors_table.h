// The table at the start of a safetensors file. The format's JSON is scanned here, and not by the JSON library, because
// packages read their weights with the same code and hold no C++ library.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/support/result.h"
#include "core/tensor/dtype.h"

namespace rx {

/// One tensor; its bytes are [begin, end) of the data that follows the table.
struct SafetensorsEntry {
  std::string name;
  DataType dtype;
  std::vector<int64_t> shape;
  uint64_t begin = 0;
  uint64_t end = 0;
};

/// In the order of the table, without __metadata__. Fails with safetensors.header.
Result<std::vector<SafetensorsEntry>> readSafetensorsTable(std::string_view json);

}  // namespace rx
