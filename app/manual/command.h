// app/manual: what a program says of itself, as data, and the texts that are made of it: the page of the manual and the
// completion of shells. A program fills it from what reads its command line, so that there is no second list of
// options.
#pragma once

#include <string>
#include <vector>

namespace rx::manual {

/// An option, or an argument by position.
struct Option {
  std::vector<std::string> names;  ///< "-o", "--output"; of an argument its name
  std::string value;               ///< what stands for the value; empty for a flag
  std::string help;
  std::vector<std::string> choices;  ///< the values that there are, where they are known
};

/// A program, or a verb of one.
struct Command {
  std::string name, help;
  std::vector<Option> options, arguments;
  std::vector<Command> verbs;
  std::string footer;  ///< what the help says behind the options
};

}  // namespace rx::manual
