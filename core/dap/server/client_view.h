// How a client counts lines and columns and writes paths, where that is not how the engine does.
#pragma once

#include "core/dap/requests.h"

namespace rx::dap {

/// The engine counts from 1 and writes paths as paths. Only DAP's own messages are seen so: what is ours says itself
/// how it counts.
class ClientView {
 public:
  ClientView() = default;
  explicit ClientView(const InitializeArguments& client);

  /// What a request of the client means.
  void incoming(Json& arguments) const { convert(arguments, 1); }
  /// What an answer says in the client's terms.
  void outgoing(Json& body) const { convert(body, -1); }

 private:
  void convert(Json& root, int direction) const;

  bool linesFromZero_ = false;
  bool columnsFromZero_ = false;
  bool uris_ = false;
};

/// "file:///a%20b" of "/a b", and the reverse; what is no URI of a file stays as it is.
std::string fileUri(std::string_view path);
std::string pathOfUri(std::string_view uri);

}  // namespace rx::dap
