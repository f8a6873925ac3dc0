// The config of a PassContext: its keys as one table, with TVM's names, types and defaults.
#pragma once

#include "core/pass/pass.h"

namespace rx::pass {

/// One key of the config. A structured entry names its fields.
struct ConfigKey {
  OptionSpec spec;
  std::span<const OptionSpec> fields = {};
  bool read = true;  ///< false: TVM has it for what has no counterpart here, and no pass looks at it
};

/// Every key there is: those that TVM registers.
std::span<const ConfigKey> configKeys();

/// The config that a JSON object describes. Unknown keys and fields, and values of another type than the table's, fail
/// with pass.config, all of them at once, at their places in the text.
Result<ir::Attrs> readConfig(std::string_view json);

/// The value at a key, or at a field of its structured entry: what the context gives, else the table's fallback; null
/// where that is None.
NodeRef configOf(const PassContext& context, std::string_view key, std::string_view field = {});
/// The same of numbers and flags; 0 and false where the fallback is None.
int64_t configNumber(const PassContext& context, std::string_view key, std::string_view field = {});
bool configFlag(const PassContext& context, std::string_view key, std::string_view field = {});

}  // namespace rx::pass
