// Assembly as LLVM writes it for people, made smaller: instructions, labels and data, with the line of the kernel that
// each is of, the loops, and what is done with vector registers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rx::codegen {

struct ListedText {
  std::string text;
  std::vector<uint32_t> from;  ///< by line, the first at 0: the line of the kernel's text; 0 where it is of none
};

/// What something takes of a port of a processor in a turn of a loop.
struct PortUse {
  std::string port;  ///< as LLVM calls it
  double cycles = 0;
};

/// What the turns of a loop wait for: a port that is always busy, the front of the processor, which hands out so many
/// instructions a cycle, or each other's results.
enum class TurnLimit : uint8_t { Port, Dispatch, Latency };

/// What a turn of a loop costs where one follows the other, as LLVM's analyser has it (addTurns).
struct LoopTurn {
  double cycles = 0;
  double dispatch = 0;         ///< cycles in which the front hands its instructions out
  std::vector<PortUse> ports;  ///< those that are used, the busiest first
  TurnLimit limit = TurnLimit::Port;
  std::string table;  ///< whose ports stand in for those of the processor; empty: its own
  struct Line {
    uint32_t number = 0;  ///< from 1
    std::vector<PortUse> ports;
    /// Of the port that it takes longest; 0 where it takes none.
    double cycles() const { return ports.empty() ? 0 : ports.front().cycles; }
  };
  std::vector<Line> lines;  ///< of its instructions, in order
};

/// A loop of machine code; lines are those of the listing, from 1.
struct MachineLoop {
  uint32_t first = 0, last = 0;
  uint32_t depth = 1;
  bool innermost = true;
  std::optional<LoopTurn> turn;  ///< of innermost ones, where it is known
  int number = -1;               ///< of what it is a loop of LLVM's, as what counts turns has it; -1: of none
};

/// What stands in lines of machine code.
struct MachineCounts {
  size_t instructions = 0;
  size_t spills = 0;                    ///< values that are put on the stack for want of a register
  size_t reloads = 0;                   ///< and taken from there
  std::string vectors;                  ///< the widest registers that are used: "zmm"; empty for none
  size_t registers = 0;                 ///< different vector registers
  std::map<std::string, size_t> names;  ///< instructions by their names
};

struct MachineCode {
  ListedText listing;
  std::vector<MachineLoop> loops;  ///< in the order of their first lines
  size_t vectorRegisters = 0;      ///< those that the processor has
  std::string processor;           ///< whose ports the turns of the loops are told by; empty where nobody knows them
  std::string noTurns;             ///< why then
  MachineCounts countsOf(uint32_t first, uint32_t last) const;
  MachineCounts counts() const { return countsOf(1, static_cast<uint32_t>(lines.size())); }

  struct Line {
    std::string name;        ///< of the instruction; empty for a label or data
    int width = -1;          ///< row of the table of registers that has the widest
    uint64_t registers = 0;  ///< a bit each
    bool spills = false, reloads = false;
  };
  std::vector<Line> lines;  ///< of the listing
};

/// How comments call the block that a loop begins with, before its number.
constexpr std::string_view kLoopName = "rx.loop.";

/// `text` has comments, which begin with `comment`, and directives that say lines (.loc).
MachineCode readAssembly(std::string_view text, std::string_view comment);

}  // namespace rx::codegen
