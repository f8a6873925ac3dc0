#include "core/codegen/assembly_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>

#include "core/support/text_lines.h"

namespace rx::codegen {

namespace {

/// How vector registers are called before their numbers, from the narrowest on.
constexpr std::string_view kVectors[] = {"xmm", "ymm", "q", "v", "zmm", "z"};
/// Directives whose lines stay: the values of constants.
constexpr std::string_view kData[] = {".byte",  ".short", ".long",  ".quad", ".zero",
                                      ".ascii", ".asciz", ".hword", ".word", ".xword"};
/// Labels that stand for debugging alone.
constexpr std::string_view kNoLabels[] = {".Ltmp", ".Lfunc_begin", ".Lfunc_end", ".Lsec_end"};

bool isWord(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c == '$'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// The word behind `before`, the first time that stands in the text; nothing where it does not.
std::string_view wordAfter(std::string_view text, std::string_view before) {
  const size_t at = text.find(before);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + before.size());
  return text.substr(0, text.find_first_of(" \t"));
}

uint32_t numberOf(std::string_view text) {
  uint32_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

template <size_t N>
bool beginsWithAny(std::string_view text, const std::string_view (&list)[N]) {
  return std::any_of(std::begin(list), std::end(list), [&](std::string_view each) { return text.starts_with(each); });
}

/// Loops by what the comments say of blocks.
class Loops {
 public:
  void comment(std::string_view text, std::string_view block) {
    // What a pass behind made of the block has more of a name.
    const std::string_view number = wordAfter(text, kLoopName);
    if (!number.empty() && std::all_of(number.begin(), number.end(), isDigit))
      number_ = static_cast<int>(numberOf(number));
    const std::string_view parent = wordAfter(text, "Parent Loop ");
    if (!parent.empty()) parents_.push_back(std::string(parent));
    const uint32_t depth = numberOf(wordAfter(text, "Depth="));
    if (text.find("This ") != std::string_view::npos && text.find("Loop Header") != std::string_view::npos) {
      Known& loop = loops_[std::string(block)];
      loop.loop.depth = depth;
      loop.loop.innermost = text.find("Inner Loop") != std::string_view::npos;
      loop.loop.number = number_;
      loop.around = parents_;
      in_ = std::string(block);
    } else if (const std::string_view header = wordAfter(text, "in Loop: Header="); !header.empty()) {
      in_ = std::string(header);
    }
  }
  void block() {
    in_.clear();
    parents_.clear();
    number_ = -1;
  }
  /// A line of the listing that stands in the present block.
  void line(uint32_t number) {
    const auto found = loops_.find(in_);
    if (found == loops_.end()) return;
    take(found->second.loop, number);
    for (const std::string& around : found->second.around) take(loops_[around].loop, number);
  }
  std::vector<MachineLoop> all() const {
    std::vector<MachineLoop> list;
    for (const auto& [name, known] : loops_)
      if (known.loop.first) list.push_back(known.loop);
    std::sort(list.begin(), list.end(), [](const MachineLoop& a, const MachineLoop& b) {
      return std::pair(a.first, a.depth) < std::pair(b.first, b.depth);
    });
    return list;
  }

 private:
  struct Known {
    MachineLoop loop;
    std::vector<std::string> around;
  };
  static void take(MachineLoop& loop, uint32_t number) {
    loop.first = loop.first ? std::min(loop.first, number) : number;
    loop.last = std::max(loop.last, number);
  }
  std::map<std::string, Known, std::less<>> loops_;
  std::string in_;
  std::vector<std::string> parents_;
  int number_ = -1;  ///< that the name of the block says
};

/// The vector registers that operands name.
void readRegisters(std::string_view operands, MachineCode::Line& line) {
  for (size_t at = 0; at < operands.size();) {
    const size_t begin = at;
    while (at < operands.size() && isWord(operands[at])) ++at;
    const std::string_view word = operands.substr(begin, at - begin);
    const size_t digits = at;
    while (at < operands.size() && isDigit(operands[at])) ++at;
    if (at == begin) ++at;
    if (word.empty() || digits == at) continue;
    const auto row = std::find(std::begin(kVectors), std::end(kVectors), word);
    const uint32_t number = numberOf(operands.substr(digits, at - digits));
    if (row == std::end(kVectors) || number >= 64) continue;
    line.width = std::max(line.width, static_cast<int>(row - std::begin(kVectors)));
    line.registers |= uint64_t{1} << number;
  }
}

class Reader {
 public:
  explicit Reader(std::string_view comment) : comment_(comment) {}

  void line(std::string_view raw) {
    const size_t at = raw.find(comment_);
    const std::string_view said = at == std::string_view::npos ? std::string_view() : raw.substr(at + comment_.size());
    const std::string_view code = trimmed(raw.substr(0, at));
    if (code.empty()) return notes(said);
    if (code.back() == ':') return label(code, said);
    if (code.front() == '.' && !beginsWithAny(code, kData)) return directive(code);
    instruction(code, said);
  }
  MachineCode finish() {
    made_.loops = loops_.all();
    return std::move(made_);
  }

 private:
  /// A line with nothing but a comment; "%bb.2:" begins a block that nothing jumps to.
  void notes(std::string_view said) {
    if (const std::string_view text = trimmed(said); text.starts_with("%bb.")) loops_.block();
    loops_.comment(said, block_);
  }
  void label(std::string_view code, std::string_view said) {
    code.remove_suffix(1);
    if (beginsWithAny(code, kNoLabels)) return;
    // "BB0_1" is what comments call the block of the label ".LBB0_1".
    block_ = code.starts_with(".L") ? code.substr(2) : code;
    loops_.block();
    loops_.comment(said, block_);
    add(fmt::format("{}:", code), {}, 0);
    // The loop of a block is known behind its label.
    labelLine_ = static_cast<uint32_t>(made_.lines.size());
    if (!code.starts_with(".L")) from_ = 0;
  }
  void directive(std::string_view code) {
    if (!code.starts_with(".loc")) return;
    const size_t file = code.find_first_of("0123456789");
    const size_t next = file == std::string_view::npos ? file : code.find_first_of(" \t", file);
    if (next != std::string_view::npos) from_ = numberOf(trimmed(code.substr(next)));
  }
  void instruction(std::string_view code, std::string_view said) {
    const size_t end = std::min(code.find_first_of(" \t"), code.size());
    MachineCode::Line line;
    const std::string_view operands = trimmed(code.substr(end));
    std::string text = fmt::format("    {:<12} {}", code.substr(0, end), operands);
    if (code.front() != '.') {
      line.name = std::string(code.substr(0, end));
      line.spills = said.find("Spill") != std::string_view::npos;
      line.reloads = said.find("Reload") != std::string_view::npos;
      readRegisters(operands, line);
    }
    // Of what is said behind instructions, what costs time.
    if (line.spills || line.reloads) text += fmt::format("  {} {}", comment_, trimmed(said));
    text.resize(text.find_last_not_of(' ') + 1);
    if (labelLine_) loops_.line(labelLine_);
    labelLine_ = 0;
    const bool counts = !line.name.empty();
    add(std::move(text), std::move(line), counts ? from_ : 0);
    if (counts) loops_.line(static_cast<uint32_t>(made_.lines.size()));
  }
  void add(std::string text, MachineCode::Line line, uint32_t from) {
    made_.listing.text += text + "\n";
    made_.listing.from.push_back(from);
    made_.lines.push_back(std::move(line));
  }

  std::string_view comment_;
  MachineCode made_;
  Loops loops_;
  std::string_view block_;
  uint32_t from_ = 0, labelLine_ = 0;
};

}  // namespace

MachineCounts MachineCode::countsOf(uint32_t first, uint32_t last) const {
  MachineCounts counts;
  int width = -1;
  uint64_t registers = 0;
  for (size_t i = first ? first - 1 : 0; i < std::min<size_t>(last, lines.size()); ++i) {
    const Line& line = lines[i];
    if (line.name.empty()) continue;
    ++counts.instructions;
    ++counts.names[line.name];
    counts.spills += line.spills;
    counts.reloads += line.reloads;
    width = std::max(width, line.width);
    registers |= line.registers;
  }
  if (width >= 0) counts.vectors = kVectors[width];
  counts.registers = static_cast<size_t>(std::popcount(registers));
  return counts;
}

MachineCode readAssembly(std::string_view text, std::string_view comment) {
  Reader reader(comment);
  while (const auto line = takeLine(text)) reader.line(*line);
  return reader.finish();
}

}  // namespace rx::codegen
