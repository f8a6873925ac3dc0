// Assembly as LLVM writes it for people, made smaller: instructions, labels and data, with the line of the kernel that
// each is of, the loops, and what is done with vector registers.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace rx::codegen {

struct ListedText {
  std::string text;
  std::vector<uint32_t> from;  ///< by line, the first at 0: the line of the kernel's text; 0 where it is of none
};

/// A loop of machine code; lines are those of the listing, from 1.
struct MachineLoop {
  uint32_t first = 0, last = 0;
  uint32_t depth = 1;
  bool innermost = true;
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

/// `text` has comments, which begin with `comment`, and directives that say lines (.loc).
MachineCode readAssembly(std::string_view text, std::string_view comment);

}  // namespace rx::codegen
