#include "core/ir/relay_bindings.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <unordered_set>

#include "core/ir/reflect.h"
#include "core/support/stack.h"

namespace rx::relay {

bool isLeaf(const relax::ExprNode& expr) {
  return isa<Var>(&expr) || isa<Constant>(&expr) || isa<Op>(&expr) || isa<relax::GlobalVar>(&expr) ||
         isa<Constructor>(&expr);
}

std::vector<Expr> boundBefore(const Expr& expr) {
  std::vector<Expr> out;
  if (const auto* call = as<Call>(expr)) {
    out.assign(call->args.begin(), call->args.end());
    out.push_back(call->op);
  } else if (const auto* tuple = as<Tuple>(expr)) {
    out.assign(tuple->items.begin(), tuple->items.end());
  } else if (const auto* item = as<TupleGetItem>(expr)) {
    out = {item->tuple};
  } else if (const auto* branch = as<If>(expr)) {
    out = {branch->cond};
  } else if (const auto* match = as<Match>(expr)) {
    out = {match->data};
  } else if (const auto* made = as<RefCreate>(expr)) {
    out = {made->value};
  } else if (const auto* read = as<RefRead>(expr)) {
    out = {read->ref};
  } else if (const auto* write = as<RefWrite>(expr)) {
    out = {write->ref, write->value};
  }
  return out;
}

std::unordered_map<const Node*, uint32_t> partsOf(const Expr& root) {
  std::unordered_map<const Node*, uint32_t> count;
  std::vector<const Node*> children;
  walkOnce(*root, Into::Parts, [&](const Node& node) {
    children.clear();
    appendChildren(node, Into::Parts, children);
    for (const Node* child : children) {
      if (child && !child->unique() && isa<relax::ExprNode>(child)) ++count[child];
    }
    return true;
  });
  return count;
}

TextNames::TextNames(const ir::IRModule& module) {
  const auto main = refAs<Function>(module.find("main"));
  if (!main) return;
  for (const VarRef& param : main->params) params_.emplace(param.get(), define(*param));
}

std::string TextNames::define(const Var& var) {
  if (const auto param = params_.find(&var); param != params_.end()) return param->second;
  std::string name = var.name.string();
  if (name.empty() || !std::isalpha(static_cast<unsigned char>(name[0]))) name = "v" + name;
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '/' && c != '.' && c != ':') c = '_';
  }
  while (name.back() == '/' || name.back() == '.' || name.back() == ':') name.back() = '_';
  auto [at, fresh] = taken_.try_emplace(name, 0);
  if (fresh) return "%" + name;
  for (;;) {
    std::string numbered = name + std::to_string(++at->second);
    if (taken_.try_emplace(numbered, 0).second) return "%" + numbered;
  }
}

WrittenFunctions::WrittenFunctions(const ir::IRModule& module) {
  for (uint32_t file = 0; file < module.sources->size(); ++file) {
    const std::string_view text = (*module.sources)[file]->text();
    constexpr std::string_view kHead = "def @";
    for (size_t at = text.find(kHead); at != std::string_view::npos; at = text.find(kHead, at)) {
      const size_t begin = at += kHead.size();
      while (at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_')) ++at;
      heads_.push_back(
          {{static_cast<uint32_t>(begin), static_cast<uint32_t>(at), file}, Str(text.substr(begin, at - begin))});
    }
  }
}

Array<OriginSite> WrittenFunctions::siteOf(const relax::ExprNode& expr, const Str& name) const {
  const Span& place = expr.span;
  if (!place.known()) return {};
  const auto next = std::upper_bound(heads_.begin(), heads_.end(), place, [](const Span& at, const Head& head) {
    return std::pair(at.file, at.begin) < std::pair(head.span.file, head.span.begin);
  });
  const bool inside = next != heads_.begin() && std::prev(next)->span.file == place.file;
  return {{inside ? std::prev(next)->name : Str(), place.begin, place.end, name, place}};
}

namespace {

struct Block {
  Expr body;
  const PatternNode* pattern = nullptr;  ///< whose variables it begins with
};

/// The blocks inside a node, in the order of the text.
std::vector<Block> blocksIn(const Expr& expr) {
  if (const auto* branch = as<If>(expr)) return {{branch->trueBranch}, {branch->falseBranch}};
  if (const auto* function = as<Function>(expr)) return {{function->body}};
  if (isa<Let>(expr)) return {{expr}};
  std::vector<Block> out;
  const auto* match = as<Match>(expr);
  for (size_t i = 0; match && i < match->clauses.size(); ++i)
    out.push_back({match->clauses[i]->value, match->clauses[i]->pattern.get()});
  return out;
}

/// The variables of a pattern, in the order of the text.
std::vector<const Var*> variablesOf(const PatternNode& root) {
  std::vector<const Var*> out;
  std::vector<const PatternNode*> waiting{&root};
  while (!waiting.empty()) {
    const PatternNode* now = waiting.back();
    waiting.pop_back();
    if (const auto* var = as<PatternVar>(now)) out.push_back(var->var.get());
    const auto* made = as<PatternConstructor>(now);
    const auto* tuple = as<PatternTuple>(now);
    if (!made && !tuple) continue;
    const Array<Pattern>& parts = made ? made->patterns : tuple->patterns;
    for (size_t i = parts.size(); i-- > 0;) waiting.push_back(parts[i].get());
  }
  return out;
}

/// Numbers the lines of a function as Printer (core/relay) writes them.
class Lister {
 public:
  Lister(const WrittenFunctions& written, const FunctionRef& function, TextNames* names)
      : written_(written), parts_(partsOf(function)), names_(*names), function_(function) {}

  ir::TextFunction run() {
    for (const VarRef& param : function_->params) {
      defined_.insert(param.get());
      names_.define(*param);
      out_.params.push_back({param->name, param.get()});
    }
    out_.result = function_->body.get();
    while (const auto* let = as<Let>(out_.result)) out_.result = let->body.get();
    enterBlock({function_->body}, -1, 0);
    return std::move(out_);
  }

 private:
  struct Sequence {
    int parent = -1;
    int branch = 0;
    int number = -1;  ///< once it has a row
  };
  /// The value of a `let`, or of a block where that is null: it has no number.
  struct Root {
    const Let* let;
    Str name;
  };

  void define(const Var& var) {
    if (defined_.insert(&var).second) names_.define(var);
  }

  void enterBlock(const Block& block, int parent, int branch) {
    withStack([&] {
      const Sequence around = std::exchange(sequence_, {parent, branch});
      if (block.pattern)
        for (const Var* var : variablesOf(*block.pattern)) define(*var);
      Expr rest = block.body;
      for (; const auto* let = as<Let>(rest); rest = let->body) {
        defined_.insert(let->var.get());
        const Str name(names_.define(*let->var));
        value(let->value, let, name);
      }
      value(rest, nullptr, Str("result"));
      sequence_ = around;
    });
  }

  /// The value of a `let`, or of a block.
  void value(const Expr& expr, const Let* let, const Str& name) {
    const auto parts = parts_.find(expr.get());
    const bool own = !isLeaf(*expr) && (parts == parts_.end() || parts->second <= 1);
    const Root root{let, name};
    list(expr, own ? &root : nullptr);
    if (!own && let) add(let, expr, name);
  }

  /// A node behind what it needs; `root` where it is the value of something.
  void list(const Expr& expr, const Root* root) {
    struct Frame {
      Expr expr;
      std::vector<Expr> needed;
      size_t next = 0;
    };
    std::vector<Frame> stack;
    const auto enter = [&](const Expr& wanted) {
      if (const auto* var = as<Var>(wanted)) return define(*var);  // one that is bound nowhere
      if (!isLeaf(*wanted) && !listed_.contains(wanted.get())) stack.push_back({wanted, boundBefore(wanted)});
    };
    enter(expr);
    while (!stack.empty()) {
      Frame& top = stack.back();
      if (top.next < top.needed.size()) {
        enter(Expr(top.needed[top.next++]));
        continue;
      }
      const Expr now = std::move(top.expr);
      stack.pop_back();
      if (!listed_.insert(now.get()).second) continue;
      const bool isRoot = root && stack.empty();
      const int ordinal = add(isRoot ? root->let : nullptr, now, isRoot ? root->name : Str());
      if (const auto* inner = as<Function>(now))
        for (const VarRef& param : inner->params) define(*param);
      const std::vector<Block> blocks = blocksIn(now);
      for (size_t i = 0; i < blocks.size(); ++i) enterBlock(blocks[i], ordinal, static_cast<int>(i));
      // What stands inside is numbered before it.
      if (!isRoot) rename(ordinal, Str(names_.number()));
    }
  }

  int add(const Let* let, const Expr& expr, const Str& name) {
    if (sequence_.number < 0) sequence_.number = sequences_++;
    const Sequence& in = sequence_;
    ir::TextBinding row{expr.get(), expr.get(), nullptr, name, in.parent, in.branch, in.number, expr->span};
    if (let) {
      row.node = let;
      row.variable = let->var.get();
      // It begins with the variable, unless a pass bound it to what is written elsewhere.
      const Span& var = let->var->span;
      const bool leads = var.known() && var.file == expr->span.file && var.begin < expr->span.begin;
      if (leads) row.span.begin = var.begin;
    }
    out_.bindings.push_back(std::move(row));
    const int ordinal = static_cast<int>(out_.bindings.size()) - 1;
    rename(ordinal, name);
    return ordinal;
  }

  void rename(int ordinal, const Str& name) {
    ir::TextBinding& row = out_.bindings[static_cast<size_t>(ordinal)];
    row.name = name;
    // A variable's place is that where it is read.
    if (!isa<Var>(row.value) && !isa<Op>(row.value)) row.sites = written_.siteOf(*row.value, name);
  }

  const WrittenFunctions& written_;
  const std::unordered_map<const Node*, uint32_t> parts_;
  TextNames& names_;
  const FunctionRef function_;
  std::unordered_set<const Node*> listed_;
  std::unordered_set<const Node*> defined_;
  ir::TextFunction out_;
  Sequence sequence_;
  int sequences_ = 0;
};

}  // namespace

void bindings(const ir::IRModule& module, std::vector<ir::TextFunction>* all) {
  std::vector<size_t> order(module.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return module.vars[a]->name < module.vars[b]->name; });
  const WrittenFunctions written(module);
  TextNames names(module);
  for (const size_t i : order) {
    if (const auto function = refAs<Function>(module.functions[i])) (*all)[i] = Lister(written, function, &names).run();
  }
}

}  // namespace rx::relay
