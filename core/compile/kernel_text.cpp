#include "core/compile/kernel_text.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <unordered_map>

#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/rewriter.h"
#include "core/lower/scope.h"
#include "core/script/print.h"

namespace rx::compile {

using namespace tir;

namespace {

/// No list of sources is as long: places of texts are told from those of files.
constexpr uint32_t kFirstFile = 1u << 30;

/// Statements with other places, each with what it computes; one that is not named has that of the statement around it.
class Placed : public lower::Rewriter {
 public:
  Placed(const std::unordered_map<const Node*, Span>& places, Span whole) : places_(places), here_(whole) {}

 protected:
  Stmt visit(const Stmt& statement) override {
    const Span around = here_;
    if (const auto found = places_.find(statement.get()); found != places_.end()) here_ = found->second;
    Stmt made = parts(statement);
    made = cast<StmtNode>(at(made, here_));
    here_ = around;
    return made;
  }
  /// What others know by its identity stays.
  NodeRef enter(const NodeRef& node) override { return isa<Var>(node) || isa<IterVar>(node) ? node : nullptr; }
  NodeRef leave(const NodeRef& node) override { return isa<ExprNode>(node) ? at(node, here_) : nullptr; }
  BufferRef define(const BufferRef& buffer) override { return buffer; }

 private:
  template <class T>
  static NodeRef at(const Ref<T>& node, Span place) {
    return withNodeType(node->kind(), [&]<class Made>() -> NodeRef {
      if constexpr (std::is_base_of_v<StmtNode, Made> || std::is_base_of_v<ExprNode, Made>) {
        auto* copy = new Made(static_cast<const Made&>(static_cast<const Node&>(*node)));
        copy->span = place;
        return NodeRef(copy);
      } else {
        return node;
      }
    });
  }

  const std::unordered_map<const Node*, Span>& places_;
  Span here_;
};

/// The lines that a statement was made of, by itself and by what it computes; those of statements in it are theirs.
Lines linesOf(const Node& statement, const KernelText& before) {
  std::set<uint32_t> lines;
  const auto add = [&](const Span& span) {
    if (const uint32_t line = before.lineOf(span)) lines.insert(line);
  };
  const auto* realize = as<BlockRealize>(&statement);
  walk(statement, Into::Parts, [&](const Node& node) {
    if (const auto* inner = as<StmtNode>(&node)) {
      const bool own = &node == &statement || (realize && &node == realize->block.get());
      if (own) add(inner->span);
      return own;
    }
    if (const auto* expr = as<ExprNode>(&node)) add(expr->span);
    return !isa<Buffer>(&node);
  });
  if (const auto* function = as<PrimFunc>(&statement)) add(function->span);
  return {lines.begin(), lines.end()};
}

/// Of each block, by its name: the lines of the statements in it that hold none.
std::map<std::string, Lines, std::less<>> linesOfBlocks(const KernelText& text) {
  std::map<std::string, Lines, std::less<>> all;
  walk(*text.function->body, Into::Parts, [&](const Node& node) {
    const auto* block = as<tir::Block>(&node);
    if (!block || block->name == "root") return !isa<ExprNode>(&node);
    std::set<uint32_t> lines;
    walk(*block->body, Into::Parts, [&](const Node& inner) {
      const auto* store = as<BufferStore>(&inner);
      if (const uint32_t line = store ? text.lineOf(store->span) : 0) lines.insert(line);
      return !isa<ExprNode>(&inner);
    });
    Lines& known = all[block->name.string()];
    if (known.empty()) known.assign(lines.begin(), lines.end());
    return true;
  });
  return all;
}

/// What stands around a line, from the outside in.
class Around {
 public:
  Around(const script::PrintResult& printed, const SourceFile& source) : anchors_(printed.anchors), source_(source) {}
  /// The next line's; empty where it is in nothing.
  const std::vector<const script::Anchor*>& next() {
    const uint32_t start = source_.lineStart(++line_);
    const std::string_view text = source_.line(line_);
    const auto at = static_cast<uint32_t>(start + std::min(text.find_first_not_of(' '), text.size()));
    while (!open_.empty() && open_.back()->end <= at) open_.pop_back();
    for (; taken_ < anchors_.size() && anchors_[taken_].begin <= at; ++taken_) {
      while (!open_.empty() && open_.back()->end <= anchors_[taken_].begin) open_.pop_back();
      if (anchors_[taken_].end > at) open_.push_back(&anchors_[taken_]);
    }
    return open_;
  }

 private:
  const std::vector<script::Anchor>& anchors_;
  const SourceFile& source_;
  std::vector<const script::Anchor*> open_;
  size_t taken_ = 0;
  uint32_t line_ = 0;
};

/// The innermost block with a name that one of the text before has.
const Lines* linesOfBlockAround(std::span<const script::Anchor* const> around,
                                const std::map<std::string, Lines, std::less<>>& blocks) {
  for (auto it = around.rbegin(); it != around.rend(); ++it) {
    const auto* realize = as<BlockRealize>((*it)->node);
    const auto found = realize ? blocks.find(realize->block->name.view()) : blocks.end();
    if (found != blocks.end()) return &found->second;
  }
  return nullptr;
}

std::vector<Lines> linksOf(const script::PrintResult& printed, const SourceFile& source, const KernelText& before) {
  std::vector<Lines> from;
  std::unordered_map<const Node*, Lines> known;
  const auto blocks = linesOfBlocks(before);
  Around around(printed, source);
  for (uint32_t line = 1; line <= source.lineCount(); ++line) {
    const auto& open = around.next();
    Lines& lines = from.emplace_back();
    if (open.empty()) continue;
    const Node* node = open.back()->node;
    auto [entry, isNew] = known.try_emplace(node);
    if (isNew) entry->second = linesOf(*node, before);
    lines = entry->second;
    const Lines* named = lines.empty() && isa<BufferStore>(node) ? linesOfBlockAround(open, blocks) : nullptr;
    if (named) lines = *named;
  }
  return from;
}

}  // namespace

KernelText kernelText(const std::string& name, const PrimFuncRef& made, const KernelText* before) {
  script::PrintOptions options;
  options.wantAnchors = true;
  options.functionName = name;
  const script::PrintResult printed = script::print(made, options);
  KernelText text;
  text.source = make<SourceFile>(name, printed.text);
  text.file = before ? before->file + 1 : kFirstFile;
  if (before) text.from = linksOf(printed, *text.source, *before);
  std::unordered_map<const Node*, Span> places;
  for (const script::Anchor& anchor : printed.anchors)
    places.emplace(anchor.node, Span{anchor.begin, anchor.end, text.file});
  const auto found = places.find(made.get());
  const Span whole = found == places.end() ? Span{0, 0, text.file} : found->second;
  auto* copy = new PrimFunc(*made);
  copy->span = whole;
  copy->body = Placed(places, whole).rewrite(made->body);
  text.function = PrimFuncRef(copy);
  return text;
}

}  // namespace rx::compile
