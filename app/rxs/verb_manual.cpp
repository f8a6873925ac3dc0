// rxs manual, rxs completion: this command line as a page of the manual, and as what a shell completes it by.
#include <fmt/format.h>

#include "app/manual/texts.h"
#include "app/rxs/input.h"
#include "app/rxs/verbs.h"

namespace rx::cli {

namespace {

/// "TEXT:{step,release}": what stands for the value, and the values that there are.
void readType(const std::string& type, manual::Option& option) {
  const size_t list = type.find(":{");
  option.value = type.substr(0, list);
  if (list == std::string::npos) return;
  for (size_t at = list + 2; at < type.size();) {
    const size_t end = std::min(type.find(',', at), type.size() - 1);
    option.choices.push_back(type.substr(at, end - at));
    at = end + 1;
  }
}

manual::Option describe(const CLI::Option& option) {
  manual::Option made;
  for (const std::string& name : option.get_snames()) made.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) made.names.push_back("--" + name);
  if (made.names.empty()) made.names.push_back(option.get_name(true));
  if (option.get_items_expected_max() > 0) readType(option.get_type_name(), made);
  made.help = option.get_description();
  return made;
}

manual::Command describe(const CLI::App& app) {
  manual::Command made{app.get_name(), app.get_description(), {}, {}, {}, app.get_footer()};
  for (const CLI::Option* option : app.get_options()) {
    manual::Option described = describe(*option);
    (option->nonpositional() ? made.options : made.arguments).push_back(std::move(described));
  }
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
    made.verbs.push_back(describe(*verb));
  return made;
}

manual::Command program(const CLI::App& verb) {
  manual::Command described = describe(*verb.get_parent());
  // What the description says behind the name of the program.
  const size_t name = described.help.find(": ");
  if (name != std::string::npos) described.help.erase(0, name + 2);
  return described;
}

}  // namespace

std::function<int()> setupManual(CLI::App& command) {
  return [&command] { return writeText("-", manual::manualPage(program(command), RX_VERSION)); };
}

std::function<int()> setupCompletion(CLI::App& command) {
  auto shell = std::make_shared<std::string>();
  command.add_option("shell", *shell, "the shell that is going to read it")
      ->required()
      ->check(CLI::IsMember(manual::shells()));
  return [&command, shell] { return writeText("-", manual::completion(program(command), *shell).value_or("")); };
}

}  // namespace rx::cli
