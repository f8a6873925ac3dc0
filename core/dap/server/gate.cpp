#include "core/dap/server/gate.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <array>

namespace rx::dap {

namespace {

constexpr std::string_view kHeader = "Rxs-Token: ";

}  // namespace

std::string gateLine(std::string_view token) { return fmt::format("{}{}\r\n", kHeader, token); }

Gate::Gate(std::string_view token) : line_(gateLine(token)) {}

Gate::Verdict Gate::feed(std::string_view bytes) {
  got_ += bytes;
  const size_t header = std::min(got_.size(), kHeader.size());
  if (got_.compare(0, header, kHeader, 0, header) != 0) return Verdict::Closed;
  if (got_.size() < line_.size()) return Verdict::Waiting;
  // Every byte is looked at, so that the time taken tells nothing.
  unsigned char different = 0;
  for (size_t i = 0; i < line_.size(); ++i) different |= static_cast<unsigned char>(got_[i] ^ line_[i]);
  return different ? Verdict::Closed : Verdict::Open;
}

std::string_view Gate::rest() const { return std::string_view(got_).substr(line_.size()); }

std::string randomToken() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) return {};
  std::string text;
  for (unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace rx::dap
