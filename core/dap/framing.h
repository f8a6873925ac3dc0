// Framing: `Content-Length: N\r\n\r\n` before each JSON body, read incrementally and with limits.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/dap/message.h"

namespace rx::dap {

/// Limits on what the other end may send.
inline constexpr size_t kMaxHeaderBytes = 4096;
inline constexpr size_t kMaxBodyBytes = size_t{64} << 20;
/// Nesting of arrays and objects in a body; deeper ones are refused before they are parsed.
inline constexpr int kMaxJsonDepth = 256;

/// One framed body.
std::string frame(const Json& body);

/// Cuts a stream of bytes into JSON bodies. A wrong body costs only itself: the next frame is read normally. After a
/// wrong header the reader skips to the next `Content-Length:`, since no length says where the next frame starts.
class FrameReader {
 public:
  /// Appends received bytes.
  void feed(std::string_view bytes);

  /// The next body, or why a frame could not be read (`dap.header`, `dap.too-large`, `dap.json`, `dap.too-deep`);
  /// nothing while more bytes are needed.
  std::optional<Result<Json>> next();

 private:
  std::optional<Result<Json>> body();
  Result<Json> wrongHeader(std::string why);
  void drop(size_t count);

  std::string buffer_;
  size_t begin_ = 0;              ///< bytes before this one are consumed
  std::optional<size_t> length_;  ///< of the body that follows, once its header was read
  size_t skip_ = 0;               ///< bytes of a refused body that are still to come
  bool resync_ = false;           ///< looking for the next header after a wrong one
};

}  // namespace rx::dap
