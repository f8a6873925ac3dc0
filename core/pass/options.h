// Options of passes: the forms of their values, and what the rows say of those that a call leaves out.
#pragma once

#include "core/pass/pass.h"

namespace rx::pass {

/// What values of the kind are called ("an integer") where this is none of them; null where it is one.
const char* misfit(OptionKind kind, const NodeRef& value);

/// What the row says for an option that is left out; null where that is None: the option stays absent.
NodeRef fallbackOf(const OptionSpec& spec);

/// Options as passes get them: those of a call, and the fallbacks of the others. None is a value of options that take
/// any; elsewhere it leaves an option out.
ir::Attrs withFallbacks(std::span<const OptionSpec> specs, const ir::Attrs& options);

/// A flag or a number among options that withFallbacks has completed; false and 0 where its fallback is None.
bool flagOf(const ir::Attrs& options, std::string_view name);
int64_t numberOf(const ir::Attrs& options, std::string_view name);
/// The texts of a list among options; none where it is absent. They belong to `options`.
std::vector<std::string_view> textsOf(const ir::Attrs& options, std::string_view name);

}  // namespace rx::pass
