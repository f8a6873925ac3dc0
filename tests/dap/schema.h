// The published schema of the debug protocol, and what a message of the engine has against it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace rx::test {

/// debugAdapterProtocol.json, walked: every keyword of JSON schema that it uses.
class Schema {
 public:
  explicit Schema(nlohmann::json schema) : schema_(std::move(schema)) {}
  /// The one beside this file.
  static const Schema& published();

  /// What is wrong with a message, a line each: "stackTrace response, /body/stackFrames/0/line: null is no integer".
  /// Requests and events of ours are checked as plain ones; no field of theirs is null.
  std::vector<std::string> violations(const nlohmann::json& message) const;
  /// Whether the schema has a definition of this name.
  bool has(const std::string& definition) const { return schema_["definitions"].contains(definition); }

 private:
  nlohmann::json schema_;
};

}  // namespace rx::test
