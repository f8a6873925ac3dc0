#include "views/panels/ir_text/stage_links.h"

#include <QHash>
#include <algorithm>

#include "views/text/word.h"

namespace rx::views {
namespace {

constexpr uint64_t kIndexBits = 32;
constexpr uint64_t kFunctionBits = 28;

class LinkMaker {
 public:
  explicit LinkMaker(const StageIndex& stage) : stage_(stage) {
    for (int f = 0; f < static_cast<int>(stage.functions.size()); ++f)
      functions_[stage.functions[static_cast<size_t>(f)].name.toUtf8()] = f;
  }

  std::vector<Link> run() {
    for (function_ = 0; function_ < static_cast<int>(stage_.functions.size()); ++function_) {
      const FunctionRow& row = stage_.functions[static_cast<size_t>(function_)];
      add(nameOf(row), {LinkTarget::Kind::Function, function_, -1}, LinkRole::Definition);
      for (int p = 0; p < static_cast<int>(row.params.size()); ++p)
        add(row.params[static_cast<size_t>(p)].nameRange, {LinkTarget::Kind::Param, function_, p},
            LinkRole::Definition);
      for (const BindingRow& binding : row.bindings) addBinding(binding);
      addResults(row);
    }
    return sorted();
  }

 private:
  /// The name behind `def`.
  TextRange nameOf(const FunctionRow& row) const {
    if (row.headLine < 1 || row.headLine > stage_.lineCount()) return {};
    const QByteArray name = row.name.toUtf8();
    const int begin = stage_.lineStarts[static_cast<size_t>(row.headLine - 1)];
    const qsizetype at = stage_.text.indexOf("def " + name + '(', begin);
    if (at < 0 || at >= endOfLine(begin)) return {};
    return {static_cast<int>(at) + 4, static_cast<int>(at + 4 + name.size())};
  }

  void add(TextRange range, LinkTarget target, LinkRole role) {
    if (range.empty() || range.begin < 0 || range.end > stage_.text.size()) return;
    links_.push_back({static_cast<uint32_t>(range.begin), static_cast<uint32_t>(range.end), linkId(target), role});
  }

  void addBinding(const BindingRow& binding) {
    add(binding.nameRange, {LinkTarget::Kind::Binding, function_, binding.ordinal}, LinkRole::Definition);
    names_.clear();
    for (const OperandRow& operand : binding.operands) addName(operand);
    TextRange range = binding.range;
    // What is inside an `if` or a local function belongs to the bindings there.
    if (binding.form == BindingForm::If || binding.form == BindingForm::Function) range.end = endOfLine(range.begin);
    scan(range, binding.nameRange, &binding);
  }

  void addName(const OperandRow& operand) {
    LinkTarget target{LinkTarget::Kind::None, function_, operand.index};
    if (operand.kind == OperandRow::Kind::Binding) target.kind = LinkTarget::Kind::Binding;
    if (operand.kind == OperandRow::Kind::Param) target.kind = LinkTarget::Kind::Param;
    if (target.kind != LinkTarget::Kind::None && operand.index >= 0) names_[operand.name.toUtf8()] = target;
  }

  void addResults(const FunctionRow& row) {
    if (row.results.empty() || row.lastLine <= 0 || row.lastLine > stage_.lineCount()) return;
    names_.clear();
    for (const OperandRow& operand : row.results) addName(operand);
    // The last `return` of the function's text.
    for (int line = row.lastLine; line >= std::max(row.headLine, row.lastLine - 3); --line) {
      const int begin = stage_.lineStarts[static_cast<size_t>(line - 1)];
      if (!stage_.line(line).trimmed().startsWith("return")) continue;
      return scan({begin, endOfLine(begin)}, {}, nullptr);
    }
  }

  int endOfLine(int offset) const {
    const qsizetype end = stage_.text.indexOf('\n', offset);
    return static_cast<int>(end < 0 ? stage_.text.size() : end);
  }

  /// Finds the names of operands among the words of a range; strings are skipped, attribute names too.
  void scan(TextRange range, TextRange skip, const BindingRow* binding) {
    const QByteArray& text = stage_.text;
    int at = std::max(range.begin, 0);
    const int end = std::min(range.end, static_cast<int>(text.size()));
    while (at < end) {
      const char c = text[at];
      if (c == '"' || c == '\'') {
        for (++at; at < end && text[at] != c; ++at)
          if (text[at] == '\\') ++at;
        ++at;
      } else if (isWordByte(c)) {
        const int begin = at;
        while (at < end && (isWordByte(text[at]) || text[at] == '.')) ++at;
        if (!skip.contains(begin)) word({begin, at}, at < end ? text[at] : '\0', binding);
      } else {
        ++at;
      }
    }
  }

  void word(TextRange range, char next, const BindingRow* binding) {
    const QByteArray word = stage_.text.mid(range.begin, range.end - range.begin);
    const int dot = static_cast<int>(word.indexOf('.'));
    if (dot < 0) {
      auto it = names_.find(word);
      if (it != names_.end() && next != '=') add(range, *it, LinkRole::Use);
      return;
    }
    if (word.startsWith("cls.")) {
      auto it = functions_.find(word.mid(4));
      if (it == functions_.end()) return;
      add({range.begin + 4, range.end}, {LinkTarget::Kind::Function, *it, -1}, LinkRole::Callee);
      if (binding && !links_.empty()) color(links_.back(), binding->kind);
      return;
    }
    if (!binding || binding->op.isEmpty() || next != '(') return;
    if ("relax." + word.mid(dot + 1) != binding->op.toUtf8()) return;
    add(range, {}, LinkRole::Callee);
    color(links_.back(), binding->kind);
  }

  static void color(Link& link, OpKind kind) {
    link.hasKind = kind != OpKind::Other;
    link.kind = kind;
  }

  /// Text order without overlaps: where two claim the same bytes the first wins.
  std::vector<Link> sorted() {
    std::sort(links_.begin(), links_.end(), [](const Link& a, const Link& b) {
      return std::tie(a.begin, a.end, a.id) < std::tie(b.begin, b.end, b.id);
    });
    std::vector<Link> result;
    for (const Link& link : links_)
      if (result.empty() || link.begin >= result.back().end) result.push_back(link);
    return result;
  }

  const StageIndex& stage_;
  QHash<QByteArray, int> functions_;
  QHash<QByteArray, LinkTarget> names_;
  std::vector<Link> links_;
  int function_ = 0;
};

}  // namespace

uint64_t linkId(const LinkTarget& target) {
  if (target.kind == LinkTarget::Kind::None) return 0;
  return uint64_t(target.kind) << (kIndexBits + kFunctionBits) | uint64_t(uint32_t(target.function)) << kIndexBits |
         uint32_t(target.index);
}

LinkTarget linkTarget(uint64_t id) {
  if (!id) return {};
  const auto function = static_cast<int>((id >> kIndexBits) & ((uint64_t(1) << kFunctionBits) - 1));
  return {static_cast<LinkTarget::Kind>(id >> (kIndexBits + kFunctionBits)), function, static_cast<int>(uint32_t(id))};
}

std::vector<Link> stageLinks(const StageIndex& stage) { return LinkMaker(stage).run(); }

std::vector<LineBand> stageBands(const StageIndex& stage) {
  std::vector<LineBand> bands;
  for (const FunctionRow& function : stage.functions) {
    for (const BlockRow& block : function.blocks) {
      if (!block.dataflow || block.firstLine < 1 || block.lastLine < block.firstLine) continue;
      bands.push_back({static_cast<uint32_t>(block.firstLine - 1), static_cast<uint32_t>(block.lastLine - 1)});
    }
  }
  return bands;
}

}  // namespace rx::views
