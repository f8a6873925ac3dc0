#include "core/dap/message.h"

namespace rx::dap {

namespace {

struct ToJson {
  Json operator()(const Request& r) const {
    Json json = {{"seq", r.seq}, {"type", "request"}, {"command", r.command}};
    if (!r.arguments.is_null()) json["arguments"] = r.arguments;
    return json;
  }
  Json operator()(const Response& r) const {
    Json json = {{"seq", r.seq},
                 {"type", "response"},
                 {"request_seq", r.requestSeq},
                 {"success", r.success},
                 {"command", r.command}};
    if (!r.message.empty()) json["message"] = r.message;
    if (!r.body.is_null()) json["body"] = r.body;
    return json;
  }
  Json operator()(const Event& e) const {
    Json json = {{"seq", e.seq}, {"type", "event"}, {"event", e.event}};
    if (!e.body.is_null()) json["body"] = e.body;
    return json;
  }
};

Failure malformed(std::string why) { return fail("dap.malformed", std::move(why)); }

/// The field when it is there and has the type, else nothing.
const Json* field(const Json& json, const char* name, bool (Json::*test)() const noexcept) {
  auto it = json.find(name);
  return it != json.end() && ((*it).*test)() ? &*it : nullptr;
}

Json member(const Json& json, const char* name) {
  auto it = json.find(name);
  return it == json.end() ? Json() : *it;
}

Result<Message> requestFrom(const Json& json, int64_t seq) {
  const Json* command = field(json, "command", &Json::is_string);
  if (!command) return malformed("a request needs a text in `command`");
  Json arguments = member(json, "arguments");
  if (!arguments.is_null() && !arguments.is_object()) return malformed("`arguments` is not an object");
  return Message(Request{seq, command->get<std::string>(), std::move(arguments)});
}

Result<Message> responseFrom(const Json& json, int64_t seq) {
  const Json* requestSeq = field(json, "request_seq", &Json::is_number_integer);
  const Json* success = field(json, "success", &Json::is_boolean);
  const Json* command = field(json, "command", &Json::is_string);
  if (!requestSeq || !success || !command) return malformed("a response needs `request_seq`, `success` and `command`");
  const Json* text = field(json, "message", &Json::is_string);
  return Message(Response{seq, requestSeq->get<int64_t>(), success->get<bool>(), command->get<std::string>(),
                          text ? text->get<std::string>() : std::string(), member(json, "body")});
}

Result<Message> eventFrom(const Json& json, int64_t seq) {
  const Json* event = field(json, "event", &Json::is_string);
  if (!event) return malformed("an event needs a text in `event`");
  return Message(Event{seq, event->get<std::string>(), member(json, "body")});
}

}  // namespace

Json toJson(const Message& message) { return std::visit(ToJson(), message); }

Result<Message> messageFromJson(const Json& json) {
  if (!json.is_object()) return malformed("a message is a JSON object");
  const Json* seq = field(json, "seq", &Json::is_number_integer);
  const Json* type = field(json, "type", &Json::is_string);
  if (!seq || !type) return malformed("a message needs a number in `seq` and a text in `type`");
  const auto& kind = type->get_ref<const std::string&>();
  int64_t number = seq->get<int64_t>();
  if (kind == "request") return requestFrom(json, number);
  if (kind == "response") return responseFrom(json, number);
  if (kind == "event") return eventFrom(json, number);
  return malformed("unknown message type `" + escapedForDisplay(kind) + "`");
}

std::string dumpJson(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json errorBody(const std::vector<Diagnostic>& diagnostics) {
  Json list = Json::array();
  for (const Diagnostic& d : diagnostics) {
    Json notes = Json::array();
    for (const DiagnosticNote& note : d.notes) notes.push_back(note.message);
    list.push_back({{"severity", static_cast<int>(d.severity)},
                    {"rule", d.rule},
                    {"message", d.message},
                    {"context", d.context},
                    {"fix", d.fix},
                    {"notes", std::move(notes)},
                    {"span", {d.span.begin, d.span.end, d.span.file}}});
  }
  std::string text = diagnostics.empty() ? "failed" : diagnostics.front().message;
  if (!diagnostics.empty() && !diagnostics.front().context.empty()) text += " (" + diagnostics.front().context + ")";
  return {{"error", {{"id", 1}, {"format", text}, {"showUser", true}}}, {"diagnostics", std::move(list)}};
}

std::vector<Diagnostic> diagnosticsOf(const Response& response) {
  std::vector<Diagnostic> found;
  Json list = response.body.is_object() ? member(response.body, "diagnostics") : Json();
  auto text = [](const Json& json, const char* name) {
    const Json* value = field(json, name, &Json::is_string);
    return value ? value->get<std::string>() : std::string();
  };
  for (const Json& item : list.is_array() ? list : Json::array()) {
    if (!item.is_object()) continue;
    Diagnostic d = errorAt({}, text(item, "rule"), text(item, "message"));
    d.context = text(item, "context");
    d.fix = text(item, "fix");
    if (auto severity = item.find("severity"); severity != item.end() && severity->is_number_unsigned())
      d.severity = static_cast<Severity>(std::min<uint64_t>(severity->get<uint64_t>(), 2));
    for (const Json& note : member(item, "notes"))
      if (note.is_string()) d.notes.push_back({note.get<std::string>(), {}});
    if (auto span = item.find("span"); span != item.end() && span->is_array() && span->size() == 3 &&
                                       (*span)[0].is_number_unsigned() && (*span)[1].is_number_unsigned() &&
                                       (*span)[2].is_number_unsigned())
      d.span = {(*span)[0].get<uint32_t>(), (*span)[1].get<uint32_t>(), (*span)[2].get<uint32_t>()};
    found.push_back(std::move(d));
  }
  if (found.empty()) found.push_back(errorAt({}, "dap.failed", response.message.empty() ? "failed" : response.message));
  return found;
}

}  // namespace rx::dap
