// What a verb answers: text, with diagnostics on standard error; or with --json all of it as one object.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/support/diagnostic.h"

namespace CLI {
class App;
}

namespace rx::cli {

class Reply {
 public:
  using Json = nlohmann::ordered_json;

  explicit Reply(bool asJson = false) : asJson_(asJson) {}
  bool asJson() const { return asJson_; }
  /// Fields of the object beside "ok" and "diagnostics"; nobody sees them where the answer is text.
  Json& fields() { return fields_; }
  /// As text on standard error at once, else under "diagnostics".
  void report(const std::vector<Diagnostic>& diagnostics, const SourceList& sources = {});
  /// The same, and kNo.
  int refuse(const std::vector<Diagnostic>& diagnostics, const SourceList& sources = {});
  /// The same of diagnostics that another process told in JSON.
  int refuseJson(const Json& diagnostics);
  /// Text of the answer, to standard output; nothing where that is an object.
  void print(const std::string& text) const;
  /// What was reported of an answer in JSON, so far.
  const Json& diagnostics() const { return diagnostics_; }
  /// Ends the answer: writes {"ok", the fields, "diagnostics"}. Returns the code, or kNo where it can not be written.
  int finish(int code);

 private:
  bool asJson_;
  Json fields_ = Json::object();
  Json diagnostics_ = Json::array();
};

/// Adds --json to a verb, and to its help what the object holds beside what all of them do.
void addJsonOption(CLI::App& command, bool& asJson, const char* fields);

}  // namespace rx::cli
