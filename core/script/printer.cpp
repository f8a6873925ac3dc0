#include "core/script/printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/script/parse.h"

namespace rx::script {

void Printer::drain() {
  while (!tasks_.empty()) {
    const Task task = tasks_.back();
    tasks_.pop_back();
    mark_ = tasks_.size();
    (this->*task.run)(task.p, task.x);
    // Work was listed in the order of the text; the list is taken from its end.
    std::reverse(tasks_.begin() + static_cast<std::ptrdiff_t>(mark_), tasks_.end());
  }
  mark_ = 0;
}

void Printer::runText(const void* p, uint64_t x) { out_.append(static_cast<const char*>(p), x); }

void Printer::number(int64_t value) {
  char buffer[24];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  if (waiting()) return text(keep(std::string(buffer, end)));
  out_.append(buffer, end);
}

void Printer::real(double value) {
  std::string s;
  if (std::isnan(value)) {
    s = std::signbit(value) ? "\"-nan\"" : "\"nan\"";
  } else if (std::isinf(value)) {
    s = value < 0 ? "\"-inf\"" : "\"inf\"";
  } else if (std::nearbyint(value) == value) {
    s = fmt::format("{:.1f}", value);
  } else {
    s = fmt::format("{:.17g}", value);
  }
  if (waiting()) return text(keep(std::move(s)));
  out_ += s;
}

void Printer::quoted(std::string_view value) {
  std::string s = "\"";
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      s += '\\';
      s += c;
    } else if (c == '\n') {
      s += "\\n";
    } else if (c == '\t') {
      s += "\\t";
    } else if (c == '\r') {
      s += "\\r";
    } else if (byte < 0x20 || byte == 0x7f) {
      s += fmt::format("\\x{:02x}", byte);
    } else {
      s += c;
    }
  }
  s += '"';
  if (waiting()) return text(keep(std::move(s)));
  out_ += s;
}

void Printer::newline() { waiting() ? later(&Printer::runNewline) : runNewline(nullptr, 0); }
void Printer::runNewline(const void*, uint64_t) {
  if (!out_.empty()) out_ += '\n';
  out_.append(static_cast<size_t>(indent_) * 4, ' ');
}
void Printer::indent() { waiting() ? later(&Printer::runIndent, nullptr, 1) : runIndent(nullptr, 1); }
void Printer::dedent() { waiting() ? later(&Printer::runIndent, nullptr, 0) : runIndent(nullptr, 0); }
void Printer::runIndent(const void*, uint64_t x) { indent_ += x ? 1 : -1; }

size_t Printer::anchor(const Node* node) {
  if (!options_.wantAnchors || waiting()) return SIZE_MAX;
  const auto at = static_cast<uint32_t>(out_.size());
  anchors_.push_back({node, at, at});
  return anchors_.size() - 1;
}
void Printer::endAnchor(size_t index) {
  if (index == SIZE_MAX) return;
  waiting() ? later(&Printer::runEndAnchor, nullptr, index) : runEndAnchor(nullptr, index);
}

void Printer::beginName(const Node* node, NameRole role) {
  if (!options_.wantAnchors) return;
  waiting() ? later(&Printer::runBeginName, node, uint64_t(role)) : runBeginName(node, uint64_t(role));
}
void Printer::runBeginName(const void* p, uint64_t role) {
  const auto at = static_cast<uint32_t>(out_.size());
  places_.push_back({static_cast<const Node*>(p), at, at, NameRole(role)});
}
void Printer::endName() {
  if (!options_.wantAnchors) return;
  waiting() ? later(&Printer::runEndName) : runEndName(nullptr, 0);
}

void Printer::applyInsertions(size_t from) {
  if (insertions_.empty()) return;
  // Insertions at one place keep the order in which they were found.
  for (size_t k = 0; k < insertions_.size(); ++k) insertions_[k].order = k;
  std::sort(insertions_.begin(), insertions_.end(),
            [](const Insertion& a, const Insertion& b) { return std::pair(a.at, a.order) < std::pair(b.at, b.order); });
  std::string tail;
  size_t at = insertions_.front().at;
  const size_t begin = at;
  for (size_t k = 0; k < insertions_.size(); ++k) {
    tail.append(out_, at, insertions_[k].at - at);
    tail += insertions_[k].text;
    at = insertions_[k].at;
  }
  tail.append(out_, at);
  auto moved = [&](uint32_t offset, bool end) {
    uint32_t add = 0;
    for (const Insertion& insertion : insertions_) {
      if (insertion.at < offset || (insertion.at == offset && !end))
        add += static_cast<uint32_t>(insertion.text.size());
    }
    return offset + add;
  };
  for (size_t k = from; k < anchors_.size(); ++k) {
    anchors_[k].begin = moved(anchors_[k].begin, false);
    anchors_[k].end = moved(anchors_[k].end, true);
  }
  const auto behind = std::lower_bound(places_.begin(), places_.end(), begin,
                                       [](const NamePlace& place, size_t offset) { return place.begin < offset; });
  for (auto place = behind; place != places_.end(); ++place) {
    place->begin = moved(place->begin, false);
    place->end = moved(place->end, true);
  }
  out_.resize(begin);
  out_ += tail;
  insertions_.clear();
}

void Printer::warn(std::string message) {
  if (warned_.insert(message).second) warnings_.push_back(warningAt({}, "script.dialect", std::move(message)));
}

void Printer::typeVar(std::string_view name) {
  if (std::find(typeVars_.begin(), typeVars_.end(), name) == typeVars_.end()) typeVars_.emplace_back(name);
}

void Printer::t(std::string_view name) {
  usesT_ = true;
  text("T.");
  text(name);
}
void Printer::r(std::string_view name) {
  usesR_ = true;
  text("R.");
  text(name);
}
void Printer::i(std::string_view name) {
  usesI_ = true;
  text("I.");
  text(name);
}

void Printer::runRoot(const void* p, uint64_t) {
  const Node& root = *static_cast<const Node*>(p);
  if (const auto* m = as<ir::IRModule>(&root)) return module(*m);
  if (const auto* func = as<ir::BaseFuncNode>(&root)) {
    reserveCallees(*func);
    return member(ir::BaseFunc(func), options_.functionName);
  }
  if (isa<tir::StmtNode>(&root)) {
    names_.enter();
    return stmt(tir::Stmt(as<tir::StmtNode>(&root)));
  }
  if (isa<tir::ExprNode>(&root)) return prim(tir::PrimExpr(as<tir::ExprNode>(&root)));
  if (const auto* info = as<relax::StructInfoNode>(&root)) return sinfo(relax::StructInfo(info));
  if (const auto* seq = as<relax::SeqExpr>(&root)) {
    names_.enter();
    return seqBody(*seq);
  }
  if (const auto* e = as<relax::ExprNode>(&root)) return expr(relax::Expr(e));
  if (const auto* b = as<relax::BindingNode>(&root)) return binding(*b);
  if (isa<relax::BindingBlock>(&root)) return runBlock(&root, 0);
  if (const auto* b = as<tir::Buffer>(&root)) return bufferRef(*b);
  if (const auto* region = as<tir::BufferRegion>(&root)) return this->region(*region);
  attr(NodeRef(&root));
}

PrintResult Printer::run(const NodeRef& root) {
  if (!root) return {"None", {}, {}, {}};
  bareInt_ = isa<relax::StructInfoNode>(root) || isa<relax::ExprNode>(root) ? DataType::Int(64) : DataType::Int(32);
  later(&Printer::runRoot, root.get());
  drain();
  if (!insertions_.empty()) applyInsertions(0);
  const std::string head = isa<ir::IRModule>(root) || isa<ir::BaseFuncNode>(root) ? header() : std::string();
  if (!head.empty()) {
    out_.insert(0, head);
    const auto shift = [by = static_cast<uint32_t>(head.size())](auto& places) {
      for (auto& place : places) {
        place.begin += by;
        place.end += by;
      }
    };
    shift(anchors_);
    shift(places_);
    if (bodies_) shift(*bodies_);
  }
  return {std::move(out_), std::move(anchors_), std::move(places_), std::move(warnings_)};
}

std::string Printer::runLoose(const Node& node) {
  loose_ = true;
  later(&Printer::runRoot, &node);
  drain();
  return std::move(out_);
}

PrintResult print(const NodeRef& node, const PrintOptions& options) { return Printer(options).run(node); }

PrintResult printUnit(const ParsedUnit& unit, PrintOptions options) {
  if (unit.isModule || !unit.module || unit.module->size() != 1) return print(unit.module, options);
  options.functionName = unit.module->vars[0]->name.string();
  return print(unit.module->functions[0], options);
}

std::string printNode(const Node& node) { return Printer(PrintOptions{}).runLoose(node); }
std::string printExpr(const relax::Expr& e) { return e ? printNode(*e) : "None"; }
std::string printStructInfo(const relax::StructInfo& info) { return info ? printNode(*info) : "None"; }
std::string printPrimExpr(const tir::PrimExpr& e) { return e ? printNode(*e) : "None"; }

}  // namespace rx::script
