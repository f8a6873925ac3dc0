#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/manual/texts.h"

namespace rx::manual {

namespace {

/// In single quotes, as all of the shells read them.
std::string inQuotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::vector<std::string> names(const std::vector<Option>& options) {
  std::vector<std::string> all;
  for (const Option& option : options) all.insert(all.end(), option.names.begin(), option.names.end());
  return all;
}

/// Rows of a bash `case` over "verb,previous word" and "verb,": the values of options, then the options themselves.
std::string bashRows(const Command& command, const std::string& verb) {
  std::string rows;
  for (const Option& option : command.options) {
    if (option.value.empty()) continue;
    std::vector<std::string> patterns;
    for (const std::string& name : option.names) patterns.push_back(fmt::format("{},{}", verb, name));
    rows += fmt::format("    {}) words={} options= ;;\n", fmt::join(patterns, "|"),
                        inQuotes(fmt::format("{}", fmt::join(option.choices, " "))));
  }
  std::vector<std::string> words;
  for (const Command& inner : command.verbs) words.push_back(inner.name);
  for (const Option& argument : command.arguments)
    words.insert(words.end(), argument.choices.begin(), argument.choices.end());
  return rows + fmt::format("    {},*) words={} options={} ;;\n", verb,
                            inQuotes(fmt::format("{}", fmt::join(words, " "))),
                            inQuotes(fmt::format("{}", fmt::join(names(command.options), " "))));
}

std::string bash(const Command& program) {
  std::string rows;
  std::vector<std::string> verbs;
  for (const Command& verb : program.verbs) {
    rows += bashRows(verb, verb.name);
    verbs.push_back(verb.name);
  }
  rows += bashRows(program, "");
  // bash takes "=" for a word of its own.
  return fmt::format(R"(# Completion of {0} for bash.
_{0}() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} verb= words= options= at
  if [[ $current == = ]]; then
    current=
  elif [[ $previous == = ]]; then
    previous=${{COMP_WORDS[COMP_CWORD-2]}}
  fi
  for ((at = 1; at < COMP_CWORD; ++at)); do
    case ${{COMP_WORDS[at]}} in
    {2}) verb=${{COMP_WORDS[at]}}; break ;;
    esac
  done
  case $verb,$previous in
{1}  esac
  [[ $current != -* ]] || words=$options
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _{0} {0}
)",
                     program.name, rows, verbs.empty() ? "''" : fmt::format("{}", fmt::join(verbs, "|")));
}

/// One command of fish for an option or the values of an argument.
std::string fishRow(const std::string& program, const std::string& condition, const Option& option, bool positional) {
  std::string row = fmt::format("complete -c {} -n {}", program, inQuotes(condition));
  for (const std::string& name : option.names) {
    if (!positional) row += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  if (!positional && !option.value.empty()) row += " -r";
  if (!option.choices.empty()) row += " -f -a " + inQuotes(fmt::format("{}", fmt::join(option.choices, " ")));
  return row + " -d " + inQuotes(option.help) + "\n";
}

std::string fishRows(const std::string& program, const Command& command, const std::string& condition) {
  std::string rows;
  for (const Option& option : command.options) rows += fishRow(program, condition, option, false);
  for (const Option& argument : command.arguments) {
    if (!argument.choices.empty()) rows += fishRow(program, condition, argument, true);
  }
  return rows;
}

std::string fish(const Command& program) {
  std::string text = fmt::format("# Completion of {} for fish.\n", program.name);
  const std::string noVerb = "__fish_use_subcommand";
  for (const Command& verb : program.verbs) {
    text += fmt::format("complete -c {} -n {} -f -a {} -d {}\n", program.name, noVerb, verb.name, inQuotes(verb.help));
    text += fishRows(program.name, verb, "__fish_seen_subcommand_from " + verb.name);
  }
  return text + fishRows(program.name, program, program.verbs.empty() ? "true" : noVerb);
}

struct ShellRow {
  std::string_view name;
  std::string (*write)(const Command& program);
};
constexpr ShellRow kShells[] = {{"bash", bash}, {"fish", fish}};

}  // namespace

std::vector<std::string> shells() {
  std::vector<std::string> all;
  for (const ShellRow& row : kShells) all.emplace_back(row.name);
  return all;
}

std::optional<std::string> completion(const Command& program, std::string_view shell) {
  for (const ShellRow& row : kShells) {
    if (row.name == shell) return row.write(program);
  }
  return std::nullopt;
}

}  // namespace rx::manual
