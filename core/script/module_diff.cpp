#include "core/script/module_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "core/ir/structural_equal.h"
#include "core/script/difference.h"
#include "core/script/print.h"
#include "core/support/sequence_diff.h"

namespace rx::script {

namespace {

/// The text of a module, and where its functions stand in it.
struct PrintedModule {
  explicit PrintedModule(const ir::Module& module) {
    PrintOptions options;
    options.wantAnchors = true;
    printed = printModule(module, options);
    for (const Anchor& anchor : printed.anchors) {
      if (isa<relax::Function>(anchor.node) || isa<tir::PrimFunc>(anchor.node)) anchorOf.emplace(anchor.node, &anchor);
    }
  }
  PrintResult printed;
  std::unordered_map<const Node*, const Anchor*> anchorOf;
};

/// A function in the text of its module: lines, and which of them begin bindings.
class PrintedFunction {
 public:
  PrintedFunction(const PrintedModule& module, const ir::BaseFunc& function) : printed_(module.printed) {
    const auto found = module.anchorOf.find(function.get());
    if (found == module.anchorOf.end()) return;
    const Anchor* anchor = found->second;
    // The anchor may begin behind the indentation of its first line.
    const size_t lineBreak = printed_.text.rfind('\n', anchor->begin);
    size_t begin = lineBreak == std::string::npos ? 0 : lineBreak + 1;
    while (begin < anchor->end) {
      const size_t end = std::min<size_t>(printed_.text.find('\n', begin), anchor->end);
      starts_.push_back(begin);
      ends_.push_back(end);
      begin = end + 1;
    }
    bindingOf_.assign(starts_.size(), -1);
    name_ = printed_.names.begin();
    if (const auto* relaxFunction = as<relax::Function>(function)) read(*relaxFunction, *anchor);
  }

  size_t lineCount() const { return starts_.size(); }
  std::string line(size_t at) const {
    const size_t indentation = printed_.text.find_first_not_of(' ', starts_.front()) - starts_.front();
    const size_t begin = std::min(starts_[at] + indentation, ends_[at]);
    return printed_.text.substr(begin, ends_[at] - begin);
  }
  /// The ordinal of the binding whose first line it is; -1 for all others.
  int bindingAt(size_t line) const { return bindingOf_[line]; }
  size_t lineOf(int binding) const { return lineOf_[static_cast<size_t>(binding)]; }
  /// The line without the names of variables.
  std::string blindLine(size_t at) {
    std::string out;
    forPieces(
        starts_[at], ends_[at], [&](std::string_view piece) { out += piece; },
        [&](const VariableUse&) { out += '\1'; });
    return out;
  }
  const FunctionText& text() const { return text_; }

 private:
  void read(const relax::Function& function, const Anchor& whole) {
    for (size_t i = 0; i < function.params.size(); ++i) {
      variables_.emplace(function.params[i].get(), VariableUse{true, false, static_cast<int>(i)});
      text_.params.push_back(function.params[i]->name.string());
    }
    std::vector<const Anchor*> bindings;
    const Anchor* end = printed_.anchors.data() + printed_.anchors.size();
    for (const Anchor* anchor = &whole; anchor != end && anchor->begin < whole.end; ++anchor) {
      if (!isa<relax::BindingNode>(anchor->node)) continue;
      const auto* binding = static_cast<const relax::BindingNode*>(anchor->node);
      variables_.emplace(binding->var.get(), VariableUse{false, false, static_cast<int>(bindings.size())});
      bindings.push_back(anchor);
    }
    for (const Anchor* anchor : bindings) add(*anchor);
  }

  void add(const Anchor& anchor) {
    const auto* binding = static_cast<const relax::BindingNode*>(anchor.node);
    const auto line = static_cast<size_t>(
        std::upper_bound(starts_.begin(), starts_.end(), static_cast<size_t>(anchor.begin)) - starts_.begin() - 1);
    bindingOf_[line] = static_cast<int>(text_.bindings.size());
    lineOf_.push_back(line);
    BindingText made;
    made.name = binding->var->name.string();
    const std::hash<std::string> hash;
    if (binding->var->sinfo) made.type = hash(printStructInfo(binding->var->sinfo));
    for (const OriginSite& site : binding->origin ? binding->origin->sites : Array<OriginSite>())
      made.cameFrom.push_back(site.name.string());
    std::string says;
    forPieces(
        anchor.begin, std::min<size_t>(anchor.end, ends_[line]), [&](std::string_view piece) { says += piece; },
        [&](const VariableUse& use) {
          says += '\1';
          made.variables.push_back(use);
        });
    made.says = hash(says);
    made.computes = callee_.empty() ? made.says : hash(callee_);
    text_.bindings.push_back(std::move(made));
  }

  /// Calls `piece` for what stands between the variables of a range, and `variable` for these. What is called on the
  /// way is in `callee_` afterwards.
  template <class Piece, class Variable>
  void forPieces(size_t begin, size_t end, const Piece& piece, const Variable& variable) {
    const auto before = [](const NamePlace& name, size_t offset) { return name.begin < offset; };
    name_ = std::lower_bound(printed_.names.begin(), printed_.names.end(), begin, before);
    callee_.clear();
    size_t from = begin;
    for (; name_ != printed_.names.end() && name_->begin < end; ++name_) {
      const auto known = variables_.find(name_->node);
      if (known == variables_.end()) {
        callee_ += printed_.text.substr(name_->begin, name_->end - name_->begin) + ' ';
        continue;
      }
      piece(std::string_view(printed_.text).substr(from, name_->begin - from));
      VariableUse use = known->second;
      use.defines = name_->role == NameRole::Definition;
      variable(use);
      from = name_->end;
    }
    piece(std::string_view(printed_.text).substr(from, end - from));
  }

  const PrintResult& printed_;
  std::vector<size_t> starts_, ends_;  // of the lines
  std::vector<int> bindingOf_;         // of each line
  std::vector<size_t> lineOf_;         // of each binding
  std::unordered_map<const Node*, VariableUse> variables_;
  std::vector<NamePlace>::const_iterator name_;
  std::string callee_;
  FunctionText text_;
};

/// The lines of two functions beside each other.
class LineDiff {
 public:
  LineDiff(PrintedFunction& left, PrintedFunction& right)
      : left_(left),
        right_(right),
        hasPartner_(left.lineCount()),
        partner_(right.lineCount(), -1),
        changed_(right.lineCount()),
        moved_(right.lineCount()) {}

  void pairBindings(const BindingMatch& match) {
    for (const BindingPair& pair : match.pairs) {
      const size_t r = right_.lineOf(pair.right);
      join(left_.lineOf(pair.left), r);
      changed_[r] = pair.changed;
      moved_[r] = pair.moved;
    }
  }

  /// Lines that begin no binding are paired by what they say.
  void pairOthers() {
    std::vector<size_t> leftLines, rightLines;
    std::unordered_map<std::string, uint32_t> numbers;
    const auto numbered = [&](PrintedFunction& side, std::vector<size_t>& lines) {
      std::vector<uint32_t> keys;
      for (size_t i = 0; i < side.lineCount(); ++i) {
        if (side.bindingAt(i) >= 0) continue;
        lines.push_back(i);
        keys.push_back(numbers.try_emplace(side.blindLine(i), static_cast<uint32_t>(numbers.size())).first->second);
      }
      return keys;
    };
    const std::vector<uint32_t> a = numbered(left_, leftLines), b = numbered(right_, rightLines);
    const auto edits = diffSequences(a, b, CancelToken());
    if (!edits) return;
    for (size_t l = 0, r = 0; l < a.size() && r < b.size();) {
      if (edits->left[l] || edits->right[r]) {
        edits->left[l] ? ++l : ++r;
      } else {
        join(leftLines[l++], rightLines[r++]);
      }
    }
  }

  std::vector<DiffLine> lines() const {
    std::vector<DiffLine> out;
    size_t l = 0;
    const auto removedUpTo = [&](size_t end) {
      for (; l < end; ++l) {
        if (!hasPartner_[l]) out.push_back({'-', left_.line(l)});
      }
    };
    for (size_t r = 0; r < partner_.size(); ++r) {
      if (partner_[r] < 0) {
        // What went stands above what came in its place.
        size_t end = l;
        while (end < hasPartner_.size() && !hasPartner_[end]) ++end;
        removedUpTo(end);
        out.push_back({'+', right_.line(r)});
        continue;
      }
      const auto mine = static_cast<size_t>(partner_[r]);
      if (!moved_[r] && mine >= l) removedUpTo(mine + 1);
      if (changed_[r]) {
        out.push_back({'-', left_.line(mine)});
        out.push_back({'+', right_.line(r)});
      } else if (moved_[r]) {
        out.push_back({'~', right_.line(r)});
      }
    }
    removedUpTo(hasPartner_.size());
    return out;
  }

 private:
  void join(size_t l, size_t r) {
    hasPartner_[l] = true;
    partner_[r] = static_cast<int>(l);
  }

  PrintedFunction& left_;
  PrintedFunction& right_;
  std::vector<char> hasPartner_;  // of the left lines
  std::vector<int> partner_;      // of the right lines
  std::vector<char> changed_, moved_;
};

/// The line with `def`, or the first where there is none.
DiffLine headOf(char mark, const PrintedFunction& function) {
  for (size_t i = 0; i < function.lineCount(); ++i) {
    std::string line = function.line(i);
    if (line.starts_with("def ")) return {mark, std::move(line)};
  }
  return {mark, function.lineCount() ? function.line(0) : std::string()};
}

FunctionDiff diffFunctions(const std::string& name, const PrintedModule& leftText, const ir::BaseFunc& left,
                           const PrintedModule& rightText, const ir::BaseFunc& right) {
  FunctionDiff diff;
  diff.name = name;
  PrintedFunction a(leftText, left), b(rightText, right);
  LineDiff lines(a, b);
  diff.match = matchBindings(a.text(), b.text());
  lines.pairBindings(diff.match);
  lines.pairOthers();
  diff.lines = lines.lines();
  if (!diff.lines.empty()) return diff;
  if (const auto difference = rx::firstDifference(left, right, FreeVars::ByName))
    diff.rest = differenceText(*difference);
  return diff;
}

FunctionDiff onOneSide(char mark, const std::string& name, const PrintedModule& text, const ir::BaseFunc& function) {
  FunctionDiff diff;
  diff.name = name;
  diff.isNew = mark == '+';
  diff.isGone = mark == '-';
  diff.lines.push_back(headOf(mark, PrintedFunction(text, function)));
  return diff;
}

std::string indented(const std::string& text) {
  std::string out = "  ";
  for (const char c : text) {
    out += c;
    if (c == '\n') out += "  ";
  }
  return out + '\n';
}

}  // namespace

std::vector<FunctionDiff> diffModules(const ir::Module& left, const ir::Module& right) {
  const PrintedModule leftText(left), rightText(right);
  std::vector<FunctionDiff> found;
  for (size_t i = 0; i < right->size(); ++i) {
    const std::string name = right->vars[i]->name.string();
    const ir::BaseFunc& now = right->functions[i];
    const ir::BaseFunc before = left->find(name);
    if (!before) {
      found.push_back(onOneSide('+', name, rightText, now));
    } else if (before != now && !structuralEqual(before, now, FreeVars::ByName)) {
      found.push_back(diffFunctions(name, leftText, before, rightText, now));
    }
  }
  for (size_t i = 0; i < left->size(); ++i) {
    const std::string name = left->vars[i]->name.string();
    if (!right->find(name)) found.push_back(onOneSide('-', name, leftText, left->functions[i]));
  }
  return found;
}

std::string diffText(const std::vector<FunctionDiff>& functions) {
  std::string text;
  for (const FunctionDiff& function : functions) {
    const std::string counts = countsText(function.match);
    const std::string_view what = function.isNew    ? "new"
                                  : function.isGone ? "gone"
                                  : counts.empty()  ? "changed"
                                                    : std::string_view(counts);
    text += fmt::format("{}: {}\n", escapedForDisplay(function.name), what);
    for (const DiffLine& line : function.lines)
      text += fmt::format("  {} {}\n", line.mark, escapedForDisplay(line.text));
    if (!function.rest.empty()) text += indented(function.rest);
  }
  return text;
}

std::string diffText(const ir::Module& left, const ir::Module& right) {
  const std::vector<FunctionDiff> functions = diffModules(left, right);
  if (!functions.empty()) return diffText(functions);
  const auto difference = rx::firstDifference(left, right, FreeVars::ByName);
  return difference ? "the module: changed\n" + indented(differenceText(*difference)) : std::string();
}

}  // namespace rx::script
