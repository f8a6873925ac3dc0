// Dataflow blocks: their outputs are known before their bindings are read.
#include <optional>

#include "core/script/lines.h"
#include "core/script/relax_reader.h"

namespace rx::script {

using relax::Expr;
using relax::StructInfo;
using tir::PrimExpr;

/// Finds the outputs of a dataflow block before it is read: the names in its R.output, and for each the place of its
/// last binding. Lines of the block are those at the indentation of its first line.
void Reader::openDataflow(const Statement&) {
  RelaxFrame frame(RelaxFrameKind::Dataflow);
  frame.span = statementSpan_;
  const auto size = static_cast<uint32_t>(text_.size());
  uint32_t at = afterLine(text_, syntax_->bodyBegin(), size);
  std::vector<std::pair<uint32_t, NameId>> bound;  // where a line begins, and the name that it binds
  std::optional<uint32_t> indent;                  // of the first line
  while (at < size) {
    uint32_t column = 0, begin = at;
    while (begin < size && (text_[begin] == ' ' || text_[begin] == '\t')) column = nextColumn(column, text_[begin++]);
    at = afterLogicalLine(text_, begin, size);
    if (begin >= size || text_[begin] == '\n' || text_[begin] == '\r' || text_[begin] == '#') continue;
    if (!indent) indent = column;
    if (column < *indent) break;
    if (column > *indent) continue;
    Lexer line = Lexer::expression(text_, begin, at, file_, names_);
    const Token first = line.next(), second = line.next();
    if (first.kind != Tok::Name) continue;
    if (second.kind == Tok::Assign || second.kind == Tok::Colon || second.kind == Tok::Comma) {
      bound.emplace_back(begin, first.name);
      continue;
    }
    const Token third = second.kind == Tok::Dot ? line.next() : Token();
    const bool ofRelax = dialectOf(first.name) == kR_ || names_.text(first.name) == "relax";
    const bool output = ofRelax && third.kind == Tok::Name && names_.text(third.name) == "output";
    if (!output && !first.is(Keyword::kReturn)) continue;
    // A return inside the block gives out what it names.
    for (Token token = output ? line.next() : second; token.kind != Tok::End; token = line.next()) {
      if (token.kind == Tok::Name) frame.outputs.emplace_back(token.name, 0);
    }
    break;
  }
  // The last binding of each output in the block; earlier ones of the same name stay inside it.
  std::unordered_map<NameId, size_t> index;
  for (size_t k = 0; k < frame.outputs.size(); ++k) index.emplace(frame.outputs[k].first, k);
  for (const auto& [begin, name] : bound) {
    if (auto found = index.find(name); found != index.end()) frame.outputs[found->second].second = begin;
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
