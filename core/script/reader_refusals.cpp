// Names that mean nothing: what is said of them, and what is not said again. A name that a refused statement would have
// bound, or that was reported already, is refused in silence, so that one mistake is one message.
#include <algorithm>

#include "core/op/op_table.h"
#include "core/script/relax_reader.h"
#include "core/support/fix.h"
#include "core/support/nearest.h"

namespace rx::script {

namespace {
/// Functions and modules of Python that a text could call.
constexpr std::string_view kPythonRoots[] = {
    "__builtins__", "__import__", "builtins",  "compile", "ctypes",    "delattr", "dir",        "eval",
    "exec",         "exit",       "getattr",   "globals", "importlib", "input",   "io",         "locals",
    "math",         "np",         "numpy",     "open",    "os",        "pathlib", "pickle",     "print",
    "pytest",       "relay",      "requests",  "setattr", "shutil",    "socket",  "subprocess", "sys",
    "te",           "tempfile",   "threading", "topi",    "torch",     "tvm",     "urllib",     "vars"};

/// First letter of a line behind its indentation.
size_t lineText(std::string_view text, size_t begin) {
  while (begin < text.size() && (text[begin] == ' ' || text[begin] == '\t')) ++begin;
  return begin;
}
size_t lineBegin(std::string_view text, size_t at) {
  const size_t end = at ? text.rfind('\n', at - 1) : std::string_view::npos;
  return end == std::string_view::npos ? 0 : end + 1;
}
}  // namespace

bool Reader::ofPython(std::string_view name) {
  return std::find(std::begin(kPythonRoots), std::end(kPythonRoots), name) != std::end(kPythonRoots);
}

NodeRef Reader::pythonCall(NodeId id, const std::string& name) {
  return error(id, "script.python", "'" + name + "' is a call of Python code, which this reader never runs",
               "print the module from Python and open the printed text");
}

void Reader::lose(NodeId target) {
  std::vector<NodeId> stack{target};
  while (!stack.empty()) {
    const SynNode node = at(stack.back());
    stack.pop_back();
    if (node.kind == Syn::Name) {
      lost_.insert(node.a);
      scope_.define(node.a, nullptr);
    } else if (node.kind == Syn::Tuple || node.kind == Syn::List) {
      auto kids = syntax_->kids(node);
      stack.insert(stack.end(), kids.begin(), kids.end());
    }
  }
}

void Reader::forgetLost() {
  lost_.clear();
  lostStatement_ = false;
}

/// Where a function binds a name above `end` although it is not visible there: the block that hides it.
std::string Reader::hiddenBy(std::string_view name, uint32_t end) const {
  if (relax_->frames.empty()) return {};
  const size_t begin = relax_->frames.front().span.begin;
  for (size_t at = text_.rfind(name, end); at != std::string_view::npos && at > begin; at = text_.rfind(name, at - 1)) {
    size_t line = lineBegin(text_, at);
    if (lineText(text_, line) != at) continue;
    const size_t behind = lineText(text_, at + name.size());
    if (behind >= end || (text_[behind] != '=' && text_[behind] != ':' && text_[behind] != ',')) continue;
    // The first line above with less indentation opened the block.
    const size_t indent = at - line;
    while (line > begin) {
      line = lineBegin(text_, line - 1);
      const size_t first = lineText(text_, line);
      if (first >= text_.size() || text_[first] == '\n' || text_[first] == '#' || first - line >= indent) continue;
      const std::string_view head = text_.substr(first, 8);
      if (head.starts_with("with ")) return "dataflow";
      if (head.starts_with("if ") || head.starts_with("if(") || head.starts_with("else")) return "branch";
      return {};
    }
  }
  return {};
}

namespace {
/// Python's own spelling of what other languages write otherwise.
constexpr std::pair<std::string_view, std::string_view> kLiterals[] = {
    {"true", "True"}, {"false", "False"}, {"null", "None"}, {"none", "None"}, {"nil", "None"}};
/// Names that stand behind `T.` without being calls of their table, and spaces of names behind `R.`.
constexpr std::string_view kBehindT[] = {"axis",           "grid",   "serial", "parallel", "vectorized", "unroll",
                                         "thread_binding", "sblock", "block",  "init",     "Buffer",     "handle"};
constexpr std::string_view kBehindR[] = {"memory", "nn",   "vm",       "builtin", "image", "vision",
                                         "dist",   "grad", "ccl",      "Tensor",  "Tuple", "Shape",
                                         "Object", "Prim", "Callable", "DTensor"};
}  // namespace

/// What is written without its prefix, or as in another language; empty for other names.
std::string Reader::fixOfBareName(std::string_view name) const {
  for (const auto& [other, python] : kLiterals) {
    if (name == other) return writeInstead(python);
  }
  auto among = [&](auto& list) { return std::find(std::begin(list), std::end(list), name) != std::end(list); };
  if (inTir_) return knowsT(name) || among(kBehindT) ? writeInstead("T." + std::string(name)) : std::string();
  const bool known = among(kBehindR) || op::findOp("relax." + std::string(name));
  return known ? writeInstead("R." + std::string(name)) : std::string();
}

/// True, and reported, where two parameters of a function have one name. Recorded texts of Relax have the same variable
/// twice, in the same words: the later one counts.
bool Reader::namedTwice(const Statement& head) {
  std::unordered_map<NameId, std::string_view> seen;
  for (const Param& param : head.params) {
    const std::string_view words = param.annotation ? syntax_->textOf(param.annotation) : std::string_view();
    const auto [first, isNew] = seen.emplace(param.name, words);
    if (isNew || (!inTir_ && first->second == words)) continue;
    error(Span{param.begin, param.end, file_}, "script.parameter",
          "two parameters are named '" + nameText(param.name) + "'", "rename one of them");
    return true;
  }
  return false;
}

NodeRef Reader::undefined(NodeId id, NameId name) {
  if (lostStatement_ || !lost_.insert(name).second) {
    failed_ = true;
    return nullptr;
  }
  const std::string text = nameText(name);
  if (ofPython(text)) return pythonCall(id, text);
  const std::string rule = inTir_ ? "tir.undefined-var" : "relax.undefined-var";
  const std::string block = inTir_ ? std::string() : hiddenBy(text, spanOf(id).begin);
  if (block == "dataflow") {
    return error(id, rule, "'" + text + "' is bound inside a dataflow block, whose R.output does not name it",
                 "write R.output(" + text + ") at the end of the block");
  }
  if (block == "branch") {
    return error(id, rule,
                 "'" + text + "' is bound inside a branch: other paths, and what is behind it, have no value of it",
                 "bind it last in both branches");
  }
  if (moduleMarker_ && relax_->module.find(text)) {
    std::string module;
    scope_.eachName([&](NameId known) {
      if (module.empty() && scope_.lookup(known) == moduleMarker_) module = names_.text(known);
    });
    return error(id, rule, "'" + text + "' is a function of the module, which no bare name reaches",
                 "write " + module + "." + text);
  }
  Nearest nearest(text);
  scope_.eachName([&](NameId known) { nearest.offer(names_.text(known)); });
  std::string fix = fixOfBareName(text);
  if (fix.empty()) fix = nearest.fix();
  if (fix.empty()) fix = "define it before, or write its value: values captured from Python are not available";
  return error(id, rule, "'" + text + "' is not defined here", std::move(fix));
}

}  // namespace rx::script
