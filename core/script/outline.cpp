#include "core/script/outline.h"

#include <cstring>

#include "core/script/lines.h"

namespace rx::script {

namespace {

bool identChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

/// Walks the logical lines of a text: brackets, texts and comments are skipped over.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {}
  /// The next logical line with something on it; false at the end.
  bool next() {
    while (at_ < text_.size()) {
      lineBegin = at_;
      indent = 0;
      while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) {
        indent = nextColumn(indent, text_[at_++]);
      }
      begin = at_;
      bool empty = at_ >= text_.size() || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '#';
      at_ = afterLogicalLine(text_, at_, static_cast<uint32_t>(text_.size()));
      if (!empty) return true;
    }
    return false;
  }
  std::string_view line() const { return text_.substr(begin, at_ - begin); }
  uint32_t lineBegin = 0, begin = 0, indent = 0;
  uint32_t end() const { return at_; }

 private:
  std::string_view text_;
  uint32_t at_ = 0;
};

bool startsWithWord(std::string_view line, std::string_view word) {
  return line.starts_with(word) && (line.size() == word.size() || !identChar(line[word.size()]));
}

/// The identifier after a keyword ("class", "def"), or empty.
std::string_view nameAfter(std::string_view line, std::string_view keyword) {
  if (!line.starts_with(keyword) || line.size() <= keyword.size() || line[keyword.size()] != ' ') return {};
  size_t begin = line.find_first_not_of(' ', keyword.size());
  if (begin == std::string_view::npos) return {};
  size_t end = begin;
  while (end < line.size() && identChar(line[end])) ++end;
  return line.substr(begin, end - begin);
}

/// "I.ir_module" of a line that begins with a decorator.
std::string_view pathOf(std::string_view line) {
  line.remove_prefix(1);
  size_t end = 0;
  while (end < line.size() && (identChar(line[end]) || line[end] == '.')) ++end;
  return line.substr(0, end);
}

/// What a decorator announces; false for others.
bool announces(std::string_view path, OutlineUnit::Kind& kind) {
  size_t dot = path.rfind('.');
  std::string_view last = dot == std::string_view::npos ? path : path.substr(dot + 1);
  std::string_view base = dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
  if (last == "ir_module" || last == "rewriter") return kind = OutlineUnit::Kind::Module, true;
  if (last == "prim_func") return kind = OutlineUnit::Kind::PrimFunc, true;
  if (last == "function" && (base == "R" || base.ends_with("relax"))) return kind = OutlineUnit::Kind::Relax, true;
  return false;
}

bool has(std::string_view text, std::string_view word) {
  return memmem(text.data(), text.size(), word.data(), word.size()) != nullptr;
}

}  // namespace

Outline outlineOf(std::string_view text) {
  Outline out;
  Lines lines(text);
  bool announced = false, decorated = false, inUnit = false;
  uint32_t announcedIndent = 0;
  OutlineUnit unit;
  uint32_t decoratorBegin = 0;
  struct Def {
    uint32_t indent;
    std::string_view name;
  };
  std::vector<Def> defs;
  while (lines.next()) {
    std::string_view line = lines.line();
    if (inUnit) {
      if (lines.indent > announcedIndent) continue;
      unit.end = lines.lineBegin;
      out.units.push_back(unit);
      inUnit = false;
    }
    while (!defs.empty() && lines.indent <= defs.back().indent) defs.pop_back();
    if (line[0] == '@') {
      if (!decorated) decoratorBegin = lines.lineBegin;
      decorated = true;
      OutlineUnit::Kind kind;
      if (announces(pathOf(line), kind)) {
        announced = true;
        unit.kind = kind;
      } else {
        out.others.push_back({lines.begin, pathOf(line)});
      }
      continue;
    }
    std::string_view name = nameAfter(line, "class");
    bool isClass = !name.empty();
    if (!isClass) name = nameAfter(line, "def");
    if (announced && !name.empty()) {
      unit.name = name;
      unit.begin = decoratorBegin;
      unit.function = defs.empty() ? std::string_view() : defs.back().name;
      announcedIndent = lines.indent;
      inUnit = true;
      announced = decorated = false;
      continue;
    }
    if (announced && (startsWithWord(line, "class") || startsWithWord(line, "def")))
      out.nameless.push_back(lines.begin);
    announced = decorated = false;
    if (!name.empty()) {
      defs.push_back({lines.indent, name});
      continue;
    }
    if (line.starts_with("metadata") && has(line, "load_json")) {
      size_t open = line.find("\"\"\"");
      size_t close = line.rfind("\"\"\"");
      if (open != std::string_view::npos && close > open) {
        out.metadataBegin = lines.begin + static_cast<uint32_t>(open);
        out.metadataEnd = lines.begin + static_cast<uint32_t>(close) + 3;
        continue;
      }
    }
    if (size_t equal = line.find(" = ");
        equal != std::string_view::npos && line.substr(equal + 3).find("TypeVar(") < 8) {
      out.typeVars.push_back(line.substr(0, equal));
      continue;
    }
    if (line.starts_with("import ") || line.starts_with("from ")) {
      out.tileLang |= has(line, "tilelang");
      continue;
    }
    if (!out.skipped++) out.firstSkipped = lines.begin;
  }
  if (inUnit) {
    unit.end = static_cast<uint32_t>(text.size());
    out.units.push_back(unit);
  }
  return out;
}

Era eraOf(std::string_view text, bool& certain) {
  certain = true;
  struct Hint {
    std::string_view word;
    Era era;
  };
  // Later eras first: a text is as young as its youngest spelling.
  static constexpr Hint kYoung[] = {{"out_ty=", Era::V027},  {"R.Any", Era::V027},       {"ty_args=", Era::V027},
                                    {"s_tir=", Era::V025},   {"T.let[", Era::V025},      {"tvm.tirx.layout", Era::V025},
                                    {"T.sblock", Era::V024}, {"import tirx", Era::V024}, {"\"tirx.", Era::V024}};
  for (const Hint& hint : kYoung) {
    if (has(text, hint.word)) return hint.era;
  }
  static constexpr Hint kOld[] = {{" Tensor[", Era::Rfc2022},
                                  {"relax.match_shape", Era::Rfc2022},
                                  {"type_args=", Era::Mid2022},
                                  {": Tensor(", Era::Mid2022},
                                  {"= relax.call_tir", Era::Mid2022},
                                  {"R.match_shape", Era::Late2022},
                                  {"T.var(\"int64\")", Era::Late2022},
                                  {"T.block(", Era::V016},
                                  {"T.block_attr", Era::V016},
                                  {"T.allocate(", Era::V016},
                                  {"T.allocate_const(", Era::V016},
                                  {"T.LetStmt(", Era::V016},
                                  {"T.realize(", Era::V016},
                                  {"\"tir.", Era::V016},
                                  {"from tvm.script import tir ", Era::V016}};
  for (const Hint& hint : kOld) {
    if (has(text, hint.word)) return hint.era;
  }
  certain = false;
  // Without s_tir a function of v0.25 would be of the tile level: a plain one is older.
  return has(text, "T.prim_func") && has(text, "T.alloc_buffer") ? Era::V016 : Era::V025;
}

}  // namespace rx::script
