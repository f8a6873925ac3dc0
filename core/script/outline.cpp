#include "core/script/outline.h"

#include <cstring>
#include <utility>

#include "core/script/lexer.h"
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
      at_ = afterLogicalLine(text_, at_, static_cast<uint32_t>(text_.size()), AtDecorator::Ends);
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
bool announces(std::string_view path, const Imports& imports, OutlineUnit::Kind& kind) {
  size_t dot = path.rfind('.');
  std::string_view last = dot == std::string_view::npos ? path : path.substr(dot + 1);
  std::string_view base = dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
  if (last == "ir_module" || last == "rewriter") return kind = OutlineUnit::Kind::Module, true;
  if (last == "prim_func") return kind = OutlineUnit::Kind::PrimFunc, true;
  if (last == "function" && (imports.dialectOf(base) == "R" || base.ends_with("relax")))
    return kind = OutlineUnit::Kind::Relax, true;
  return false;
}

bool has(std::string_view text, std::string_view word) {
  return memmem(text.data(), text.size(), word.data(), word.size()) != nullptr;
}

/// What one imported thing tells: `from FROM import NAME as ALIAS`, or `import NAME as ALIAS` with an empty FROM.
void takeImport(const std::string& from, const std::string& name, std::string_view alias, Imports& out) {
  const std::string full = from.empty() ? name : from + "." + name;
  const size_t dot = full.rfind('.');
  const std::string last = dot == std::string::npos ? full : full.substr(dot + 1);
  out.tileLang |= full.starts_with("tilelang");
  if (dot != std::string::npos && !full.starts_with("tvm.")) return;
  out.tir |= from == "tvm.script" && name == "tir";
  out.tirx |= last == "tirx";
  out.tirxLayout |= full.starts_with("tvm.tirx.layout");
  static constexpr std::pair<std::string_view, std::string_view> kDialects[] = {
      {"relax", "R"}, {"tir", "T"}, {"tirx", "T"}, {"ir", "I"}};
  for (const auto& [dialect, prefix] : kDialects) {
    // The module tvm.ir is no dialect.
    if (last == dialect && (dialect != "ir" || full.starts_with("tvm.script"))) out.aliases.emplace_back(alias, prefix);
  }
}

/// `from a.b import c as d, (e)` and `import a.b as c, d`.
void readImport(std::string_view text, uint32_t begin, uint32_t end, Imports& out) {
  Names names;
  internKeywords(names);
  Lexer lexer = Lexer::expression(text, begin, end, 0, names);
  std::string from, path;
  std::string_view alias;
  bool inFrom = false, renamed = false;
  auto take = [&] {
    // `import a.b` binds the name a.
    const bool binds = renamed || !from.empty() || path.find('.') == std::string::npos;
    if (!path.empty()) takeImport(from, path, binds ? alias : std::string_view(), out);
    path.clear();
    renamed = false;
  };
  while (true) {
    const Token token = lexer.next();
    if (token.kind == Tok::End || token.kind == Tok::Newline) break;
    if (token.is(Keyword::kFrom)) {
      inFrom = true;
    } else if (token.is(Keyword::kImport)) {
      if (inFrom) from = std::exchange(path, {});
      inFrom = false;
    } else if (token.is(Keyword::kAs)) {
      renamed = true;
    } else if (token.kind == Tok::Name) {
      alias = text.substr(token.begin, token.end - token.begin);
      if (!renamed) path += alias;
    } else if (token.kind == Tok::Dot) {
      path += '.';
    } else if (token.kind == Tok::Comma) {
      take();
    }
  }
  take();
}

}  // namespace

std::string_view Imports::dialectOf(std::string_view name) const {
  for (const auto& [alias, prefix] : aliases) {
    if (alias == name) return prefix;
  }
  return name;
}

Outline::Literal Outline::metadataOf(const OutlineUnit& unit) const {
  if (metadata.empty()) return {};
  const bool above = metadata.front().begin < units.front().begin;
  const Literal* found = nullptr;
  for (const Literal& literal : metadata) {
    if (above ? literal.end <= unit.begin : !found && literal.begin >= unit.end) found = &literal;
  }
  return found ? *found : metadata.back();
}

Outline outlineOf(std::string_view text) {
  Outline out;
  Lines lines(text);
  bool announced = false, decorated = false, inUnit = false;
  uint32_t announcedIndent = 0;
  OutlineUnit unit;
  uint32_t decoratorBegin = 0;
  std::string_view heading;
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
      if (announces(pathOf(line), out.imports, kind)) {
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
      unit.heading = std::exchange(heading, {});
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
        out.metadata.push_back(
            {lines.begin + static_cast<uint32_t>(open), lines.begin + static_cast<uint32_t>(close) + 3});
        continue;
      }
    }
    if (size_t equal = line.find(" = ");
        equal != std::string_view::npos && line.substr(equal + 3).find("TypeVar(") < 8) {
      out.typeVars.push_back(line.substr(0, equal));
      continue;
    }
    if (line.starts_with("import ") || line.starts_with("from ")) {
      readImport(text, lines.begin, lines.end(), out.imports);
      continue;
    }
    if (!out.skipped++) out.firstSkipped = lines.begin;
    heading = line;
  }
  if (inUnit) {
    unit.end = static_cast<uint32_t>(text.size());
    out.units.push_back(unit);
  }
  return out;
}

}  // namespace rx::script
