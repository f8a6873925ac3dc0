#include "core/relay/printer.h"

#include <algorithm>
#include <unordered_set>

#include "core/ir/reflect.h"
#include "core/support/stack.h"

namespace rx::relay {

Printer::Printer(const TextOptions& options) : options_(options), marks_(options.wantAnchors) {}

script::PrintResult Printer::module(const ir::Module& module) {
  if (module->facts.missingConstants > 0) reserveMissing(module);
  names_ = TextNames(*module);
  std::string out = "#[version = \"0.0.5\"]\n";
  bool first = true;
  auto separate = [&] {
    if (!first) out += "\n";
    first = false;
  };
  // An expression on its own has no place for definitions: its types are the prelude's.
  const bool isLone = module->size() == 1 && ir::boolAttrOf(module->functions[0]->attrs, kLoneExpression, false);
  for (size_t i = 0; !isLone && module->types && i < module->types->size(); ++i) {
    separate();
    const auto* data = as<TypeData>(module->types->values[i]);
    out += marks_.anchor(data, typeDefinition(*data)) + "\n";
  }
  std::vector<size_t> order(module->size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return module->vars[a]->name < module->vars[b]->name; });
  for (size_t i : order) {
    const auto function = refAs<Function>(module->functions[i]);
    if (!function) continue;
    separate();
    if (ir::boolAttrOf(function->attrs, kLoneExpression, false)) {
      out += marks_.anchor(function.get(), lone(function->body));
    } else {
      countParents(function);
      const std::string name = marks_.foreign("@" + module->vars[i]->name.string());
      const std::string head = "def " + marks_.name(function.get(), script::NameRole::Definition, name);
      out += marks_.anchor(function.get(), head + this->function(*function)) + "\n";
    }
  }
  if (out.ends_with('\n')) out.pop_back();
  if (options_.showMetadata && !metadata_.empty()) out += "\n\n#[metadata]\n" + marks_.foreign(metadata_.json());
  return marks_.taken(std::move(out));
}

/// What a text refers to without having it keeps its index, so that nothing else is taken for it.
void Printer::reserveMissing(const ir::Module& module) {
  for (const ir::BaseFunc& function : module->functions) {
    walkOnce(*function, Into::All, [&](const Node& node) {
      const auto* constant = as<Constant>(&node);
      if (constant && !constant->data) metadata_.reserve(constant->unresolved.view());
      return true;
    });
  }
}

std::string Printer::lone(const Expr& expr) {
  countParents(expr);
  return scope(expr);
}

/// What is used in two places gets a name.
void Printer::countParents(const Expr& root) {
  for (const auto& [node, count] : partsOf(root)) parents_[node] += count;
}

bool Printer::isShared(const relax::ExprNode& expr) const {
  const auto count = parents_.find(&expr);
  return count != parents_.end() && count->second > 1;
}

std::string Printer::typeDefinition(const TypeData& data) {
  std::string out = (data.isExtern ? "extern type " : "type ") + data.header->name.string();
  std::string vars, body;
  for (const auto& var : data.typeVars) vars += (vars.empty() ? "" : ", ") + var->name.string();
  if (!vars.empty()) out += "[" + vars + "]";
  if (data.isExtern) return out;
  for (const auto& constructor : data.constructors) {
    std::string inputs;
    for (const Type& input : constructor->inputs) inputs += (inputs.empty() ? "" : ", ") + type(input);
    body += "  " + constructor->name.string() + (inputs.empty() ? "" : "(" + inputs + ")") + ",\n";
  }
  return out + " {\n" + body + "}";
}

/// A variable where it is bound.
std::string Printer::definition(const Var& var) {
  std::string name = names_.define(var);
  texts_[&var] = name;
  name = marks_.name(&var, script::NameRole::Definition, std::move(name));
  if (var.virtualDevice) name += " {virtual_device=" + attribute(var.virtualDevice) + "}";
  if (var.typeAnnotation) name += ": " + type(var.typeAnnotation);
  return name + typeComment(var);
}

std::string Printer::typeComment(const relax::ExprNode& expr) {
  const Type known = refAs<TypeNode>(expr.sinfo);
  return options_.showTypes && known ? " /* ty=" + type(known) + " */" : "";
}

std::string Printer::function(const Function& function) {
  std::string typeParams, params;
  for (const auto& var : function.typeParams) typeParams += (typeParams.empty() ? "" : ", ") + var->name.string();
  auto add = [&](const std::string& text) { params += (params.empty() ? "" : ", ") + text; };
  for (const VarRef& param : function.params) add(definition(*param));
  for (size_t i = 0; function.attrs && i < function.attrs->size(); ++i) {
    add(function.attrs->keys[i].string() + "=" + attribute(function.attrs->values[i]));
  }
  if (function.virtualDevice) add("virtual_device=" + attribute(function.virtualDevice));
  std::string out = typeParams.empty() ? "" : "[" + typeParams + "]";
  out += "(" + params + ") ";
  if (function.retType) out += "-> " + type(function.retType) + " ";
  return out + block(function.body);
}

std::string Printer::indentation() const { return std::string(2 * level_, ' '); }

std::string Printer::block(const Expr& body) {
  ++level_;
  std::string inner = scope(body);
  --level_;
  return "{\n" + inner + "\n" + indentation() + "}";
}

/// The bindings of a scope, a line each, and its value.
std::string Printer::scope(const Expr& body) {
  return withStack([&] {
    std::string lines;
    std::string* outer = std::exchange(lines_, &lines);
    Expr rest = body;
    while (const auto* let = as<Let>(rest)) {
      const std::string bound = definition(*let->var);
      const std::string value = inlined(let->value);
      lines += indentation() + marks_.anchor(let, "let " + bound + " = " + value) + ";\n";
      rest = let->body;
    }
    const std::string value = inlined(rest);
    const bool own = !isLeaf(*rest) && !isShared(*rest);
    lines += indentation() + (own ? marks_.anchor(rest.get(), value) : value);
    lines_ = outer;
    return lines;
  });
}

/// A value that stands where it is used, unless others use it too.
std::string Printer::inlined(const Expr& expr) { return printed(expr, isLeaf(*expr) || !isShared(*expr)); }

/// Prints a graph, its deepest nodes first: each gets a line in the present scope, but the root where `inlineRoot`.
std::string Printer::printed(const Expr& root, bool inlineRoot) {
  struct Frame {
    Expr expr;
    std::vector<Expr> needed;
    size_t next = 0;
  };
  std::vector<Frame> stack;
  auto enter = [&](const Expr& expr) {
    if (texts_.contains(expr.get())) return;
    if (isLeaf(*expr)) {
      leaf(expr);
    } else {
      stack.push_back({expr, boundBefore(expr), 0});
    }
  };
  enter(root);
  while (!stack.empty()) {
    Frame& top = stack.back();
    if (top.next < top.needed.size()) {
      const Expr child = top.needed[top.next++];
      enter(child);
      continue;
    }
    const Expr expr = top.expr;
    stack.pop_back();
    if (texts_.contains(expr.get())) continue;
    const bool isRoot = stack.empty() && inlineRoot;
    std::string text = node(expr);
    if (!isa<Let>(expr)) text += typeComment(*expr);
    if (isRoot) return text;
    std::string& name = texts_[expr.get()];
    name = names_.number();
    const std::string bound = marks_.name(expr.get(), script::NameRole::Definition, name);
    *lines_ += indentation() + marks_.anchor(expr.get(), bound + " = " + text) + ";\n";
  }
  return operand(root);
}

void Printer::leaf(const Expr& expr) {
  std::string text;
  if (const auto* var = as<Var>(expr)) {
    const std::string bound = definition(*var);  // met before it was bound: it is free
    *lines_ += indentation() + "free_var " + bound + ";\n";
    return;
  }
  if (const auto* op = as<Op>(expr)) text = op->name.string();
  if (const auto* global = as<relax::GlobalVar>(expr)) text = marks_.foreign("@" + global->name.string());
  if (const auto* constructor = as<Constructor>(expr)) text = constructor->name.string();
  if (const auto* constant = as<Constant>(expr)) text = constantText(*constant);
  texts_[expr.get()] = text;
}

std::string Printer::operand(const Expr& expr) {
  const std::string& text = texts_.at(expr.get());
  if (isa<Constant>(expr)) return text + typeComment(*expr);
  if (isa<Constructor>(expr)) return text;
  return marks_.name(expr.get(), isa<Op>(expr) ? script::NameRole::Operator : script::NameRole::Use, text);
}

std::string Printer::operands(std::span<const Expr> exprs) {
  std::string out;
  for (const Expr& expr : exprs) out += (out.empty() ? "" : ", ") + operand(expr);
  return out;
}

std::string Printer::node(const Expr& expr) {
  if (const auto* call = as<Call>(expr)) return callText(*call);
  if (const auto* tuple = as<Tuple>(expr)) {
    return "(" + operands(tuple->items) + (tuple->items.size() == 1 ? ",)" : ")");
  }
  if (const auto* item = as<TupleGetItem>(expr)) {
    const std::string tuple = operand(item->tuple);
    // Behind a number a point would begin a fraction.
    const bool isNumber = isa<Constant>(item->tuple) && !tuple.starts_with("meta[");
    return (isNumber ? "(" + tuple + ")" : tuple) + "." + std::to_string(item->index);
  }
  if (const auto* branch = as<If>(expr)) {
    const std::string cond = operand(branch->cond), then = block(branch->trueBranch);
    return "if (" + cond + ") " + then + " else " + block(branch->falseBranch);
  }
  if (const auto* match = as<Match>(expr)) return matchText(*match);
  if (const auto* made = as<RefCreate>(expr)) return "ref(" + operand(made->value) + ")";
  if (const auto* read = as<RefRead>(expr)) return "ref_read(" + operand(read->ref) + ")";
  if (const auto* write = as<RefWrite>(expr))
    return "ref_write(" + operand(write->ref) + ", " + operand(write->value) + ")";
  if (const auto* function = as<Function>(expr)) return "fn " + this->function(*function);
  // A let inside an expression.
  ++level_;
  const std::string inner = scope(expr);
  --level_;
  return "(\n" + inner + "\n" + indentation() + ")";
}

std::string Printer::callText(const Call& call) {
  std::string args = operands(call.args);
  for (size_t i = 0; call.attrs && i < call.attrs->size(); ++i) {
    const std::string key = call.attrs->keys[i].string();
    args += (args.empty() ? "" : ", ") + (key == kUnresolvedAttrs ? "" : key + "=") + attribute(call.attrs->values[i]);
  }
  const auto* constructor = as<Constructor>(call.op);
  if (constructor && constructor->inputs.empty() && args.empty()) return constructor->name.string();
  return operand(call.op) + "(" + args + ")";
}

std::string Printer::matchText(const Match& match) {
  std::string out = std::string("match") + (match.complete ? "" : "?") + " (" + operand(match.data) + ") {\n";
  ++level_;
  for (const Ref<Clause>& clause : match.clauses) {
    const std::string lhs = pattern(*clause->pattern);
    out += indentation() + lhs + " => " + block(clause->value) + ",\n";
  }
  --level_;
  return out + indentation() + "}";
}

std::string Printer::pattern(const PatternNode& pattern) {
  if (const auto* var = as<PatternVar>(&pattern)) return definition(*var->var);
  std::string parts;
  auto add = [&](const Array<Pattern>& patterns) {
    for (const Pattern& part : patterns) parts += (parts.empty() ? "" : ", ") + this->pattern(*part);
  };
  if (const auto* tuple = as<PatternTuple>(&pattern)) {
    add(tuple->patterns);
    return "(" + parts + ")";
  }
  const auto* made = as<PatternConstructor>(&pattern);
  if (!made) return "_";
  add(made->patterns);
  return made->constructor->name.string() + (parts.empty() ? "" : "(" + parts + ")");
}

script::PrintResult print(const ir::Module& module, const TextOptions& options) {
  return Printer(options).module(module);
}

std::string printText(const ir::Module& module, const TextOptions& options) { return print(module, options).text; }

std::string attributeText(const NodeRef& value) { return Printer({}).attribute(value); }

std::string typeText(const NodeRef& type) {
  const Type known = refAs<TypeNode>(type);
  return known ? Printer({}).type(known) : "an unknown type";
}

std::string nodeText(const NodeRef& node) {
  if (isa<TypeNode>(node)) return typeText(node);
  const Expr expr = refAs<relax::ExprNode>(node);
  return expr ? Printer({false, false}).lone(expr) : std::string(kindName(node->kind()));
}

}  // namespace rx::relay
