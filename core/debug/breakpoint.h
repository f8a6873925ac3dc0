// Breakpoints of every kind, as the session checks them.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/expression/expression.h"

namespace rx::debug {

enum class BreakKind : uint8_t {
  Binding,      ///< before the first work of a binding, once each time it is evaluated
  Instruction,  ///< before an instruction
  Function,     ///< before the first instruction of a function
  Data,         ///< after a step that writes (or reads) a register or the memory that its tensor lies in
};

/// "5" and "== 5" (the fifth time), ">= 3", "> 3", "< 3", "<= 3", "% 2" (every second time).
struct HitCondition {
  std::string op = "==";
  int64_t count = 0;
  bool holds(int64_t hits) const;
  bool operator==(const HitCondition&) const = default;
};
/// Fails with `debug.hit-condition`.
Result<HitCondition> parseHitCondition(std::string_view text);

/// A register that is watched: of one frame, or of every frame of a function.
struct DataWatch {
  int activation = -1;
  int reg = -1;
  bool read = false;
  bool write = true;
  int function = -1;  ///< index in Program::functions, where `activation` is -1

  auto operator<=>(const DataWatch&) const = default;
};
/// "read", "write" or "readWrite"; anything else is a write.
void setAccess(DataWatch& watch, std::string_view access);

struct Breakpoint {
  int id = 0;
  BreakKind kind = BreakKind::Binding;
  std::vector<int64_t> instructions;  ///< sorted; empty = not verified
  DataWatch watch;
  std::string variable;   ///< of the binding that it stands at
  std::string condition;  ///< empty = always
  /// Condition or message name the value that the binding itself gives: they are tested behind its last work.
  bool after = false;
  std::optional<HitCondition> hitCondition;
  std::string logMessage;             ///< not empty: writes instead of stopping
  std::string message;                ///< why it can not be hit
  std::optional<Diagnostic> problem;  ///< why its condition could not be evaluated the last time
  std::set<int64_t> hits;             ///< states where it was reached with its condition true

  bool verified() const { return message.empty(); }
  bool at(int64_t instruction) const;
  /// Whether another one stands at the same place and asks the same.
  bool sameAs(const Breakpoint& other) const;
};

/// Sets hit condition and checks the form of the condition; what is wrong becomes `message`, and `problem` where it has
/// a place in the condition.
void setConditions(Breakpoint& breakpoint, const std::optional<std::string>& condition,
                   const std::optional<std::string>& hitCondition);

}  // namespace rx::debug
