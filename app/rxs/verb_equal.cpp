#include <fmt/format.h>

#include "app/rxs/input.h"
#include "app/rxs/verbs.h"
#include "core/compile/request/languages.h"
#include "core/ir/structural_equal.h"
#include "core/script/difference.h"

namespace rx::cli {

std::function<int()> setupEqual(CLI::App& command) {
  struct Arguments {
    InputOptions lhs, rhs;
    bool mapFreeVars = false;
  };
  auto arguments = std::make_shared<Arguments>();
  command.add_option("lhs", arguments->lhs.path, "one file")->required();
  command.add_option("rhs", arguments->rhs.path, "the other file")->required();
  command.add_option("--module", arguments->lhs.module, "name of the module or function in both files");
  command.add_flag("--map-free-vars", arguments->mapFreeVars, "variables that neither side defines may be matched");
  return [arguments] {
    arguments->rhs.module = arguments->lhs.module;
    script::ParsedUnit lhs = openUnit(arguments->lhs);
    script::ParsedUnit rhs = openUnit(arguments->rhs);
    if (!lhs.module || !rhs.module) return kNo;
    FreeVars rule = arguments->mapFreeVars ? FreeVars::Map : FreeVars::ByName;
    std::optional<Difference> difference = script::firstDifference(lhs, rhs, rule);
    if (!difference) return kYes;
    writeText("-", compile::differenceText(*difference, lhs.module) + "\n");
    return kNo;
  };
}

}  // namespace rx::cli
