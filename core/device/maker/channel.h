// Messages between two processes over a stream: eight bytes that count, and so many.
#pragma once

#include <optional>
#include <string>

namespace rx::device {

/// False where the other end is gone; no signal is raised for it.
bool sendMessage(int channel, const std::string& bytes);
/// Nothing where the other end is gone, or says more than a message has.
std::optional<std::string> receiveMessage(int channel);

}  // namespace rx::device
