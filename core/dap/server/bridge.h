// Bridge: standard input and output to an engine that listens elsewhere, for
// clients that start a program and know nothing of tokens.
#pragma once

#include <string>

namespace rx::dap {

/// Connects to HOST:PORT or PORT, says the token, and carries bytes both ways
/// until one side ends. Returns the exit code: 0, or 1 with a reason on
/// standard error.
int runBridge(const std::string& address, const std::string& token);

}  // namespace rx::dap
