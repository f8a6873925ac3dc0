// How files with the texts of modules are named, and those with arrays beside them.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace rx {

inline constexpr std::string_view kRelayEnding = ".relay", kScriptEnding = ".py";
/// The endings of all languages, with the dot; of two files in one folder the first one's is the module.
inline constexpr std::array kTextEndings = {kRelayEnding, kScriptEnding};

/// Whether a name ends as that of a text of any language.
bool isTextName(std::string_view name);
/// The file of a folder that is its module: "module" with one of the endings; none where there is no such file.
std::optional<std::string> moduleIn(const std::string& folder);
/// The file of a folder with the arrays of this name without its ending ("params"): an .npz, else a .safetensors; none
/// where there is no such file.
std::optional<std::string> arraysIn(const std::string& folder, const std::string& stem);

}  // namespace rx
