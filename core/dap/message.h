// core/dap: the Debug Adapter Protocol (version 1.71) between the window and the engine, without any I/O of its own.
// Bytes come in through FrameReader or Client::feed, bytes go out through a callback, so that the owner of the pipe,
// socket or process decides how they travel. This library holds what both ends share and the asking end (Client);
// core/dap/server holds the answering end.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>

#include "core/support/result.h"

namespace rx::dap {

using Json = nlohmann::json;

/// A question from the client; `arguments` is null where there are none.
struct Request {
  int64_t seq = 0;
  std::string command;
  Json arguments;
};

/// The answer to the request numbered `requestSeq`. When it failed, `message` is a short reason and
/// body.error.format the sentence to show (DAP ErrorResponse).
struct Response {
  int64_t seq = 0;
  int64_t requestSeq = 0;
  bool success = true;
  std::string command;
  std::string message;
  Json body;
};

/// Something that the server tells without being asked.
struct Event {
  int64_t seq = 0;
  std::string event;
  Json body;
};

using Message = std::variant<Request, Response, Event>;

/// The JSON object of a message, as DAP 1.71 "Base Protocol" lays it out.
Json toJson(const Message& message);

/// Reads a message; fails with `dap.malformed` when a required field is missing or has another type.
Result<Message> messageFromJson(const Json& json);

/// Text of a JSON value; bytes that are not UTF-8 become U+FFFD, so this never fails.
std::string dumpJson(const Json& json);

/// The DAP ErrorResponse body that carries diagnostics: the first as text to show, all under `diagnostics`.
Json errorBody(const std::vector<Diagnostic>& diagnostics);

/// The diagnostics that errorBody wrote, or one made of the response's message.
std::vector<Diagnostic> diagnosticsOf(const Response& response);

}  // namespace rx::dap
