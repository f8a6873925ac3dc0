#include "core/compile/request/request.h"

#include <fmt/format.h>

namespace rx::compile {

namespace {

constexpr ModeRow kModes[] = {
    {"step", Mode::Step, "kernels compile at once and run slowly: for stepping"},
    {"release", Mode::Release, "optimised kernels: for running, measuring and shipping"},
};

}  // namespace

std::span<const ModeRow> modes() { return kModes; }

Result<Mode> modeNamed(std::string_view name) {
  std::string known;
  for (const ModeRow& row : kModes) {
    if (name == row.name) return row.mode;
    known += fmt::format("{}{}", known.empty() ? "" : " or ", row.name);
  }
  return fail("compile.mode", fmt::format("the mode is {}, not \"{}\"", known, name));
}

}  // namespace rx::compile
