#include "core/schedule/trace_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/ir/all_nodes.h"
#include "core/schedule/argument_names.h"
#include "core/schedule/schedule.h"
#include "core/script/parse_attribute.h"
#include "core/script/syntax.h"
#include "core/support/nearest.h"

namespace rx::schedule {

using namespace tir;
using script::NodeId;
using script::Statement;
using script::StmtKind;
using script::Syn;
using script::SynNode;

namespace {

/// A kernel while it is changed.
struct Site {
  relax::GlobalVarRef name;
  Schedule schedule;
};

/// What a name of the text stands for.
struct Bound {
  size_t site;
  Argument handle;
};

class Reader {
 public:
  Reader(const ir::Module& module, const SourceFile& text, std::string_view function)
      : module_(module), function_(function), syntax_(text.text(), 0, size(text), 0, names(names_)) {}

  Result<std::vector<TracedKernel>> run() {
    Statement statement;
    for (;;) {
      syntax_.next(statement);
      if (!syntax_.diagnostics().empty()) return fail(std::move(syntax_.diagnostics()));
      if (statement.kind == StmtKind::End) break;
      RX_CHECK(one(statement));
    }
    std::vector<TracedKernel> made;
    for (Site& site : sites_) made.push_back({site.name, site.schedule.function(), site.schedule.trace()});
    return made;
  }

 private:
  /// A call of a primitive, while its arguments are read.
  struct Call {
    const PrimitiveRow* row;
    std::vector<Argument> arguments;
    std::optional<size_t> site;
    std::string kernel;  ///< the name in func_name
  };

  static uint32_t size(const SourceFile& text) { return static_cast<uint32_t>(text.text().size()); }
  static script::Names& names(script::Names& table) {
    script::internKeywords(table);
    return table;
  }
  const SynNode& at(NodeId id) const { return syntax_.node(id); }
  std::string_view nameText(script::NameId id) { return names_.text(id); }
  Failure unreadable(Span span, std::string message, std::string fix = {}) const {
    Diagnostic said = errorAt(span, "schedule.trace", std::move(message));
    said.fix = std::move(fix);
    return fail(std::move(said));
  }
  Failure unreadable(NodeId id, std::string message, std::string fix = {}) const {
    return unreadable(syntax_.spanOf(id), std::move(message), std::move(fix));
  }

  Result<Unit> one(const Statement& statement) {
    const Span span{statement.begin, statement.end, 0};
    switch (statement.kind) {
      case StmtKind::Def:  // the function around the lines, and what Python needs before it
      case StmtKind::BlockEnd:
      case StmtKind::Import:
      case StmtKind::Pass:
      case StmtKind::Return:
        return Unit{};
      case StmtKind::Expr:
        if (at(statement.a).kind == Syn::Text) return Unit{};
        return applied(statement.a, {});
      case StmtKind::Assign:
        if (statement.items.size() == 1) return applied(statement.b, targets(statement.items.front()));
        break;
      default:
        break;
    }
    return unreadable(span,
                      "a line of a trace applies one primitive: b0 = sch.get_sblock(name=\"C\", func_name=\"main\")");
  }

  std::vector<NodeId> targets(NodeId target) const {
    const SynNode& node = at(target);
    if (node.kind != Syn::Tuple && node.kind != Syn::List) return {target};
    const auto kids = syntax_.kids(node);
    return {kids.begin(), kids.end()};
  }

  Result<const PrimitiveRow*> primitiveOf(NodeId id) {
    const SynNode& call = at(id);
    if (call.kind != Syn::Call || at(call.a).kind != Syn::Attr) {
      return unreadable(id, "a primitive is applied as sch.split(...)");
    }
    const std::string_view name = nameText(at(call.a).b);
    const PrimitiveRow* row = findPrimitive(name);
    if (row) return row;
    Nearest nearest(name);
    for (const PrimitiveRow& other : primitiveRows()) nearest.offer(other.name);
    return unreadable(call.a, fmt::format("there is no primitive '{}'", name), nearest.fix());
  }

  Result<Unit> applied(NodeId id, const std::vector<NodeId>& names) {
    RX_TRY(row, primitiveOf(id));
    RX_TRY(call, callOf(id, *row));
    RX_TRY(site, siteOf(id, call));
    auto made = row->apply(sites_[site].schedule, call.arguments);
    if (!made) return refused(id, call, made.failure());
    if (made->size() != names.size() && !names.empty()) {
      return unreadable(
          id, fmt::format("{} gives {} results, and the line names {}", row->name, made->size(), names.size()));
    }
    for (size_t i = 0; i < names.size(); ++i) {
      if (at(names[i]).kind != Syn::Name) return unreadable(names[i], "a result is given a name");
      bound_.insert_or_assign(std::string(syntax_.textOf(names[i])), Bound{site, (*made)[i]});
    }
    return Unit{};
  }

  /// What the primitive said, at its line, with the block that it is about.
  Failure refused(NodeId id, const Call& call, Failure said) {
    Schedule& schedule = sites_[*call.site].schedule;
    for (Diagnostic& each : said.diagnostics) each.span = syntax_.spanOf(id);
    for (const Argument& argument : call.arguments) {
      const auto* loop = std::get_if<LoopRef>(&argument);
      const auto* loops = std::get_if<std::vector<LoopRef>>(&argument);
      if (loops && !loops->empty()) loop = &loops->front();
      const Path path = loop ? schedule.pathTo(*loop) : Path();
      const auto blocks = path.empty() ? std::vector<Ref<BlockRealize>>() : blocksBelow(path.back());
      if (blocks.empty()) continue;
      said.diagnostics.front().notes.push_back(
          {fmt::format("the loop {} is around the block {}", (*loop)->name.view(), blocks.front()->block->name.view()),
           {}});
      break;
    }
    return said;
  }

  /// The kernel that a call works on: that of its blocks and loops, or the one that it names.
  Result<size_t> siteOf(NodeId id, Call& call) {
    if (!call.site) {
      RX_TRY(site, siteNamed(id, call.kernel));
      call.site = site;
    }
    return *call.site;
  }

  Result<size_t> siteNamed(NodeId id, const std::string& kernel) {
    const std::string wanted(function_.empty() ? std::string_view(kernel) : function_);
    const auto known =
        std::find_if(sites_.begin(), sites_.end(), [&](const Site& s) { return s.name->name.view() == wanted; });
    if (known != sites_.end()) return static_cast<size_t>(known - sites_.begin());
    const auto function = refAs<PrimFunc>(module_->find(wanted));
    if (!function) {
      Nearest nearest(wanted);
      for (size_t i = 0; i < module_->size(); ++i) {
        if (isa<PrimFunc>(module_->functions[i])) nearest.offer(module_->vars[i]->name.view());
      }
      Diagnostic said = errorAt(syntax_.spanOf(id), "schedule.no-kernel",
                                wanted.empty() ? std::string("it is not said which kernel is meant")
                                               : fmt::format("there is no kernel '{}'", wanted));
      said.fix = nearest.fix();
      return fail(std::move(said));
    }
    auto schedule = Schedule::of(function);
    if (!schedule) {
      Failure why = schedule.failure();
      for (Diagnostic& each : why.diagnostics) each.span = syntax_.spanOf(id);
      return why;
    }
    sites_.push_back({module_->findVar(wanted), std::move(*schedule)});
    return sites_.size() - 1;
  }

  Result<Call> callOf(NodeId id, const PrimitiveRow& row) {
    Call call{&row, {}, {}, {}};
    const std::vector<NodeId> given(syntax_.kids(at(id)).begin(), syntax_.kids(at(id)).end());
    std::vector<bool> used(given.size());
    size_t kind = 0;
    for (const ArgumentName& name : argumentNames(row)) {
      const std::optional<size_t> index = find(given, used, name);
      if (name.isFixed()) {
        if (index) RX_CHECK(fixed(value(given[*index]), name, call));
        continue;
      }
      const ArgumentKind wanted = row.kinds[kind++];
      if (name.spread) {
        RX_TRY(loops, loopsOf(given, used, call));
        call.arguments.emplace_back(std::move(loops));
      } else if (index) {
        RX_TRY(argument, argumentOf(value(given[*index]), wanted, call));
        call.arguments.push_back(std::move(argument));
      } else if (wanted == ArgumentKind::Flag) {
        call.arguments.emplace_back(false);
      } else {
        return unreadable(id, fmt::format("{} needs '{}': its arguments are {}", row.name, name.name, row.arguments));
      }
    }
    for (size_t i = 0; i < given.size(); ++i) {
      if (!used[i])
        return unreadable(given[i],
                          fmt::format("{} has no such argument: its arguments are {}", row.name, row.arguments));
    }
    return call;
  }

  NodeId value(NodeId argument) const { return at(argument).kind == Syn::Keyword ? at(argument).a : argument; }

  /// Which of the arguments is that one: by its name, else the first that has none.
  std::optional<size_t> find(std::span<const NodeId> given, std::vector<bool>& used, const ArgumentName& name) {
    for (size_t i = 0; i < given.size(); ++i) {
      const SynNode& node = at(given[i]);
      if (node.kind != Syn::Keyword || used[i] || nameText(node.b) != name.name) continue;
      used[i] = true;
      return i;
    }
    for (size_t i = 0; i < given.size() && !name.spread; ++i) {
      if (at(given[i]).kind == Syn::Keyword || used[i]) continue;
      used[i] = true;
      return i;
    }
    return std::nullopt;
  }

  Result<Unit> fixed(NodeId id, const ArgumentName& name, Call& call) {
    if (name.value != "@") {
      if (syntax_.textOf(id) == name.value) return Unit{};
      return unreadable(id, fmt::format("{} is {} here, and nothing else", name.name, name.value));
    }
    RX_TRY(text, argumentOf(id, ArgumentKind::Text, call));
    call.kernel = std::get<std::string>(text);
    return Unit{};
  }

  Result<std::vector<LoopRef>> loopsOf(std::span<const NodeId> given, std::vector<bool>& used, Call& call) {
    std::vector<LoopRef> loops;
    for (size_t i = 0; i < given.size(); ++i) {
      if (used[i] || at(given[i]).kind == Syn::Keyword) continue;
      used[i] = true;
      RX_TRY(loop, argumentOf(given[i], ArgumentKind::Loop, call));
      loops.push_back(std::get<LoopRef>(loop));
    }
    return loops;
  }

  /// The block or loop of that name; where several are used, they must be of one kernel.
  Result<Argument> handleOf(NodeId id, ArgumentKind kind, Call& call) {
    if (at(id).kind != Syn::Name)
      return unreadable(id, "a block or a loop is meant by the name that a line before gave it");
    const auto found = bound_.find(std::string(syntax_.textOf(id)));
    if (found == bound_.end()) return unreadable(id, fmt::format("no line before gives '{}'", syntax_.textOf(id)));
    const auto& [site, handle] = found->second;
    if (call.site.value_or(site) != site) return unreadable(id, "it is of another kernel than what stands before it");
    call.site = site;
    const bool isBlock = std::holds_alternative<BlockRef>(handle);
    if (kind != ArgumentKind::Place && isBlock != (kind == ArgumentKind::Block)) {
      return unreadable(id, fmt::format("a {} is needed here", isBlock ? "loop" : "block"));
    }
    return handle;
  }

  std::optional<int64_t> numberOf(NodeId id) const {
    const bool negative = at(id).kind == Syn::Unary && at(id).op == script::Tok::Minus;
    if (negative) id = at(id).a;
    uint64_t number = 0;
    constexpr uint64_t kMost = uint64_t{1} << 62;
    if (at(id).kind != Syn::Int || !syntax_.intValue(id, number) || number > kMost) return std::nullopt;
    return negative ? -static_cast<int64_t>(number) : static_cast<int64_t>(number);
  }

  Result<Argument> argumentOf(NodeId id, ArgumentKind kind, Call& call) {
    const SynNode& node = at(id);
    switch (kind) {
      case ArgumentKind::Block:
      case ArgumentKind::Loop:
      case ArgumentKind::Place:
        return handleOf(id, kind, call);
      case ArgumentKind::Number:
        if (const auto number = numberOf(id)) return Argument(*number);
        return unreadable(id, "a number is needed here");
      case ArgumentKind::Flag:
        if (node.kind == Syn::True || node.kind == Syn::False) return Argument(node.kind == Syn::True);
        return unreadable(id, "True or False is needed here");
      case ArgumentKind::Text:
        if (node.kind == Syn::Text) return Argument(syntax_.textValue(id));
        return unreadable(id, "a text is needed here");
      case ArgumentKind::Buffer:
        return bufferOf(id);
      case ArgumentKind::Numbers:
      case ArgumentKind::Factors:
      case ArgumentKind::Loops:
        return listOf(id, kind);
      case ArgumentKind::Map:
      case ArgumentKind::Value:
        return attributeOf(id, kind);
    }
    return unreadable(id, "no argument has this form");
  }

  Result<Argument> bufferOf(NodeId id) {
    const SynNode& node = at(id);
    const auto kids = syntax_.kids(node);
    const bool pair = node.kind == Syn::Tuple && kids.size() == 2 && at(kids[0]).kind == Syn::Text;
    const std::string side = pair ? syntax_.textValue(kids[0]) : std::string();
    const auto number = pair ? numberOf(kids[1]) : std::nullopt;
    if (!number || *number < 0 || (side != "read" && side != "write")) {
      return unreadable(id, "a buffer is meant as (\"read\", 0) or (\"write\", 0)");
    }
    return Argument(BufferOf{side == "read" ? Access::Read : Access::Write, static_cast<size_t>(*number)});
  }

  Result<Argument> listOf(NodeId id, ArgumentKind kind) {
    const SynNode& node = at(id);
    if (node.kind != Syn::List && node.kind != Syn::Tuple) return unreadable(id, "a list is needed here");
    std::vector<int64_t> numbers;
    std::vector<PrimExpr> extents;
    for (const NodeId kid : syntax_.kids(node)) {
      const bool none = at(kid).kind == Syn::NoneLit && kind == ArgumentKind::Factors;
      const auto number = numberOf(kid);
      if (!number && !none) return unreadable(kid, "a number is needed here");
      numbers.push_back(number.value_or(0));
      extents.push_back(number ? intImm(*number) : nullptr);
    }
    if (kind == ArgumentKind::Factors) return Argument(Factors(std::move(extents)));
    return Argument(std::move(numbers));
  }

  Result<Argument> attributeOf(NodeId id, ArgumentKind kind) {
    const bool map = kind == ArgumentKind::Map;
    if (map && at(id).kind != Syn::Lambda) return unreadable(id, "a map is written as lambda i, j: (j, i)");
    const std::string_view text = syntax_.textOf(id);
    auto value = script::parseAttribute(map ? fmt::format("T.index_map({})", text) : std::string(text));
    if (!value) return unreadable(id, value.diagnostics().front().message);
    if (!map) return Argument(std::in_place_type<NodeRef>, *value);
    return Argument(cast<IndexMap>(*value));
  }

  const ir::Module& module_;
  const std::string_view function_;
  script::Names names_;
  script::Syntax syntax_;
  std::vector<Site> sites_;
  std::map<std::string, Bound> bound_;
};

}  // namespace

Result<std::vector<TracedKernel>> applyTrace(const ir::Module& module, const SourceFile& text,
                                             std::string_view function) {
  if (auto bad = script::checkEncoding(text.text(), 0); !bad.empty()) return fail(std::move(bad));
  return Reader(module, text, function).run();
}

}  // namespace rx::schedule
