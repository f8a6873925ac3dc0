#include "core/store/policy.h"

#include <fmt/format.h>

#include <charconv>

namespace rx::store {

Result<Policy> policyNamed(std::string_view keep) {
  constexpr std::pair<std::string_view, Keep> kNames[] = {
      {"everything", Keep::Everything}, {"bindings", Keep::Bindings}, {"statistics", Keep::Statistics}};
  Policy policy;
  for (const auto& [name, what] : kNames) {
    policy.keep = what;
    if (keep == name) return policy;
  }
  constexpr std::string_view kLast = "last:";
  policy.keep = Keep::LastSteps;
  const char* end = keep.data() + keep.size();
  if (keep.starts_with(kLast)) {
    const auto [at, error] = std::from_chars(keep.data() + kLast.size(), end, policy.steps);
    if (error == std::errc() && at == end && policy.steps > 0) return policy;
  }
  return fail("run.record", fmt::format("a recording keeps everything, bindings, statistics or last:N, not \"{}\"",
                                        escapedForDisplay(keep)));
}

}  // namespace rx::store
