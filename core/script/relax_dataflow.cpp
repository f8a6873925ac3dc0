// Dataflow blocks: their outputs are known before their bindings are read.
#include <algorithm>
#include <cstring>

#include "core/script/relax_reader.h"

namespace rx::script {

using relax::Expr;
using relax::StructInfo;
using tir::PrimExpr;

/// The names in a list of outputs; comments are none.
void Reader::addOutputs(std::string_view list, RelaxFrame& frame) {
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i] == '#') i = std::min(list.find('\n', i), list.size() - 1);
    if (!identStart(list[i])) continue;
    size_t stop = i;
    while (stop < list.size() && identPart(list[stop])) ++stop;
    frame.outputs.emplace_back(names_.intern(list.substr(i, stop - i)), 0);
    i = stop - 1;
  }
}

/// Finds the outputs of a dataflow block before it is read: the names in its R.output, and for each the place of its
/// last binding. Lines of the block are those at the indentation of its first line.
void Reader::openDataflow(const Statement&) {
  RelaxFrame frame(RelaxFrameKind::Dataflow);
  frame.span = statementSpan_;
  uint32_t at = syntax_->bodyBegin();
  // The first line of the body with something on it.
  auto lineEnd = [&](uint32_t from) {
    const void* hit = from < text_.size() ? std::memchr(text_.data() + from, '\n', text_.size() - from) : nullptr;
    return hit ? static_cast<uint32_t>(static_cast<const char*>(hit) - text_.data())
               : static_cast<uint32_t>(text_.size());
  };
  struct Line {
    uint32_t begin, indent;
    NameId name;
  };
  std::vector<std::pair<uint32_t, std::pair<uint32_t, uint32_t>>> lines;  // begin of text, range of its name
  uint32_t indent = 0;
  bool first = true;
  uint32_t output = 0;
  at = lineEnd(at);
  while (at < text_.size()) {
    uint32_t begin = at + 1;
    uint32_t end = lineEnd(begin);
    uint32_t i = begin;
    uint32_t column = 0;
    while (i < end && (text_[i] == ' ' || text_[i] == '\t'))
      column = text_[i++] == '\t' ? column / 8 * 8 + 8 : column + 1;
    at = end;
    if (i >= end || text_[i] == '#' || text_[i] == '\r') continue;
    if (first) indent = column, first = false;
    if (column < indent && text_[i] != ')' && text_[i] != ']' && text_[i] != '}') break;
    if (column != indent) continue;
    std::string_view rest = text_.substr(i, end - i);
    if (rest.starts_with("R.output") || rest.starts_with("relax.output")) {
      output = i;
      break;
    }
    if (rest.starts_with("return ") || rest.starts_with("return(")) {
      // A return inside the block gives out what it names.
      rest.remove_prefix(6);
      addOutputs(rest.substr(0, rest.find('#')), frame);
      break;
    }
    if (identStart(text_[i])) {
      uint32_t stop = i;
      while (stop < end && identPart(text_[stop])) ++stop;
      uint32_t next = stop;
      while (next < end && text_[next] == ' ') ++next;
      if (next < end && (text_[next] == '=' || text_[next] == ':' || text_[next] == ','))
        lines.push_back({i, {i, stop}});
    }
  }
  if (output) {
    uint32_t i = output;
    while (i < text_.size() && text_[i] != '(') ++i;
    const uint32_t open = i;
    uint32_t depth = 0;
    for (; i < text_.size(); ++i) {
      if (text_[i] == '(' || text_[i] == '[') ++depth;
      if ((text_[i] == ')' || text_[i] == ']') && --depth == 0) break;
      if (text_[i] == '#') i = lineEnd(i);
    }
    addOutputs(text_.substr(open, i - open), frame);
  }
  // The last binding of each output in the block; earlier ones of the same name stay inside it.
  std::unordered_map<NameId, size_t> index;
  for (size_t k = 0; k < frame.outputs.size(); ++k) index.emplace(frame.outputs[k].first, k);
  for (const auto& [begin, range] : lines) {
    if (index.empty()) break;
    NameId name = names_.find(text_.substr(range.first, range.second - range.first));
    auto found = name == Names::kNone ? index.end() : index.find(name);
    if (found != index.end()) frame.outputs[found->second].second = begin;
  }
  scope_.push();
  relax_->frames.push_back(std::move(frame));
  relax_->builder.beginDataflow();
}

void Reader::closeDataflow() {
  RelaxFrame frame = std::move(relax_->frames.back());
  relax_->frames.pop_back();
  relax_->builder.endDataflow();
  std::vector<std::pair<NameId, NodeRef>> outputs;
  relax::VarRef last;
  NameId lastName = Names::kNone;
  for (const auto& [name, begin] : frame.outputs) {
    NodeRef value = scope_.lookup(name);
    if (isa<relax::Var>(value)) {
      outputs.emplace_back(name, value);
      if (frame.lastVar && frame.lastVar == value) last = frame.lastVar, lastName = name;
    }
  }
  scope_.pop();
  for (auto& [name, value] : outputs) scope_.define(name, std::move(value));
  RelaxFrame& outer = relax_->frames.back();
  if (frame.output) outer.output = frame.output;
  outer.lastVar = last;
  outer.lastName = lastName;
}

}  // namespace rx::script
