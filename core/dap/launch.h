// Launch: what to run and how, and the texts that say so, all of launch_arguments.def.
#pragma once

#include <span>

#include "core/dap/request.h"
#include "core/dap/types.h"

namespace rx::dap {

/// Arguments or body without content.
struct Nothing {};
inline void to_json(Json& json, const Nothing&) { json = Json::object(); }
inline void from_json(const Json&, Nothing&) {}

/// What launch_arguments.def says.
struct LaunchArguments {
#define RX_LAUNCH(Type, name, absent, help) Type name = absent;
#include "core/dap/launch_arguments.def"
#undef RX_LAUNCH
};
void to_json(Json& json, const LaunchArguments& value);
void from_json(const Json& json, LaunchArguments& value);
struct Launch : RequestOf<"launch", LaunchArguments, Nothing> {};

/// One argument as texts show it.
struct LaunchRow {
  const char* name;
  const char* type;  ///< of JSON schema
  const char* help;
};
std::span<const LaunchRow> launchRows();

/// The arguments for a reader of the command line, a line each.
std::string launchHelp();
/// The same as a table of Markdown.
std::string launchTable();
/// The same as JSON schema, as the `configurationAttributes` of an extension of VS Code hold it.
Json launchSchema();

}  // namespace rx::dap
