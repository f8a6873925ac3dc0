#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>

#include "app/manual/texts.h"

namespace rx::manual {

namespace {

/// Text as roff takes it for what it is.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool starts = out.empty() || out.back() == '\n';
    if (starts && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else {
      out += c == '-' ? std::string("\\-") : std::string(1, c);
    }
  }
  return out;
}

std::string bold(std::string_view text) { return fmt::format("\\fB{}\\fR", escaped(text)); }
std::string italic(std::string_view text) { return fmt::format("\\fI{}\\fR", escaped(text)); }

std::string entry(const Option& option, bool positional) {
  std::vector<std::string> names;
  for (const std::string& name : option.names) names.push_back(positional ? italic(name) : bold(name));
  std::string head = fmt::format("{}", fmt::join(names, ", "));
  if (!option.value.empty()) head += " " + italic(option.value);
  std::string text = option.help;
  if (!option.choices.empty()) text += fmt::format(" ({})", fmt::join(option.choices, ", "));
  return fmt::format(".TP\n{}\n{}\n", head, escaped(text));
}

std::string synopsis(const Command& command, const std::string& name) {
  std::string text = bold(name);
  if (!command.options.empty()) text += " [" + italic("options") + "]";
  if (!command.verbs.empty()) text += " " + italic("verb");
  for (const Option& argument : command.arguments) text += " " + italic(argument.names.front());
  return text + "\n";
}

std::string entries(const Command& command) {
  std::string text;
  for (const Option& argument : command.arguments) text += entry(argument, true);
  for (const Option& option : command.options) text += entry(option, false);
  return text;
}

}  // namespace

std::string manualPage(const Command& program, std::string_view version) {
  std::string upper = program.name;
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  std::string page = fmt::format(".TH {} 1 \"\" \"relaxscope {}\" \"User Commands\"\n", upper, version);
  page += fmt::format(".SH NAME\n{} \\- {}\n", escaped(program.name), escaped(program.help));
  page += ".SH SYNOPSIS\n" + synopsis(program, program.name);
  for (const Command& verb : program.verbs) page += ".br\n" + synopsis(verb, program.name + " " + verb.name);
  page += ".SH OPTIONS\n" + entries(program);
  if (!program.verbs.empty()) page += ".SH VERBS\n";
  for (const Command& verb : program.verbs) {
    page += fmt::format(".SS {}\n{}\n{}", escaped(program.name + " " + verb.name), escaped(verb.help), entries(verb));
    if (!verb.footer.empty()) page += fmt::format(".PP\n{}\n", escaped(verb.footer));
  }
  if (!program.footer.empty()) page += fmt::format(".SH NOTES\n{}\n", escaped(program.footer));
  return page;
}

}  // namespace rx::manual
