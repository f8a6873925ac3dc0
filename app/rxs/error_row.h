// How the error of a value is told in JSON, by every verb that compares runs.
#pragma once

#include <nlohmann/json.hpp>

#include "core/debug/binding_errors.h"

namespace rx::cli {

/// A number, or the word for one that JSON has not.
nlohmann::ordered_json numberJson(double value);
/// {"function", "binding", "equal": bit for bit, "within", "max_absolute", "max_relative", "max_scaled", "limit",
/// "off", "count", "what"}
nlohmann::ordered_json errorRow(const debug::BindingError& error);
/// "largest difference 0.125, in proportion 0.0532, 40 of 40 elements", or how the forms differ, of such a row.
std::string errorText(const nlohmann::ordered_json& row);
/// "out of main", "the result"
std::string nameText(const nlohmann::ordered_json& row);
/// Lines of all rows, each with its cause and, where it is off, its error.
std::string rowsText(const nlohmann::ordered_json& rows);

}  // namespace rx::cli
