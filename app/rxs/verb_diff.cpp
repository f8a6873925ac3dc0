// rxs diff: what differs between two modules, function by function.
#include "app/rxs/input.h"
#include "app/rxs/verbs.h"
#include "core/script/module_diff.h"

namespace rx::cli {

std::function<int()> setupDiff(CLI::App& command) {
  struct Arguments {
    InputOptions left, right;
  };
  auto arguments = std::make_shared<Arguments>();
  command.add_option("left", arguments->left.path, "a file, a folder that holds module.py, or a folder of stages")
      ->required();
  command.add_option("right", arguments->right.path, "the other one")->required();
  command.add_option("--module", arguments->left.module, "name of the module or function in both files");
  command.add_option("--left-stage", arguments->left.stage, "number or name of the stage, of a folder of stages");
  command.add_option("--right-stage", arguments->right.stage, "the same of the right side");
  command.footer(
      "Bindings are paired by name, by origin, and by what they compute from what; names of variables do not count. "
      "Lines with - are of the left side, with + of the right, with ~ of what only moved. Exit code 1 where there is a "
      "difference.");
  return [arguments] {
    arguments->right.module = arguments->left.module;
    const ir::Module left = openModule(arguments->left);
    const ir::Module right = openModule(arguments->right);
    if (!left || !right) return kNo;
    const std::string text = script::diffText(left, right);
    if (text.empty()) return kYes;
    writeText("-", text);
    return kNo;
  };
}

}  // namespace rx::cli
