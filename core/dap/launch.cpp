#include "core/dap/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace rx::dap {

namespace {

template <class T>
constexpr const char* kSchemaType = "object";
template <>
constexpr const char* kSchemaType<std::string> = "string";
template <>
constexpr const char* kSchemaType<bool> = "boolean";
template <>
constexpr const char* kSchemaType<int64_t> = "integer";
template <>
constexpr const char* kSchemaType<std::vector<std::string>> = "array";
template <class T>
constexpr const char* kSchemaType<std::optional<T>> = kSchemaType<T>;

constexpr LaunchRow kRows[] = {
#define RX_LAUNCH(Type, name, absent, help) {#name, kSchemaType<Type>, help},
#include "core/dap/launch_arguments.def"
#undef RX_LAUNCH
};

}  // namespace

void to_json(Json& json, const LaunchArguments& value) {
  json = Json::object();
#define RX_LAUNCH(Type, name, absent, help) writeField(json, #name, value.name);
#include "core/dap/launch_arguments.def"
#undef RX_LAUNCH
}

void from_json(const Json& json, LaunchArguments& value) {
#define RX_LAUNCH(Type, name, absent, help) readField(json, #name, value.name);
#include "core/dap/launch_arguments.def"
#undef RX_LAUNCH
}

std::span<const LaunchRow> launchRows() { return kRows; }

std::string launchHelp() {
  size_t width = 0;
  for (const LaunchRow& row : kRows) width = std::max(width, std::strlen(row.name) + std::strlen(row.type) + 3);
  std::string text = "Arguments of a client's `launch` (all but the program may be absent):\n";
  for (const LaunchRow& row : kRows)
    text += fmt::format("  {:<{}} {}\n", fmt::format("{} ({})", row.name, row.type), width, row.help);
  return text;
}

std::string launchTable() {
  std::string text = "| argument | type | what it does |\n|---|---|---|\n";
  for (const LaunchRow& row : kRows) text += fmt::format("| `{}` | {} | {} |\n", row.name, row.type, row.help);
  return text;
}

Json launchSchema() {
  Json properties = Json::object();
  for (const LaunchRow& row : kRows) {
    Json& property = properties[row.name];
    property = {{"type", row.type}, {"description", row.help}};
    if (std::string_view(row.type) == "array") property["items"] = {{"type", "string"}};
  }
  return {{"required", {"program"}}, {"properties", std::move(properties)}};
}

}  // namespace rx::dap
