// AdjustMatmulOrder: of a b c the product is computed first that can be computed before the run, or else that which
// takes less arithmetic in all.
#include "core/analysis/compile_time.h"
#include "core/arith/fold.h"
#include "core/op/rules.h"
#include "core/transform/calls.h"
#include "core/transform/cleanup.h"
#include "core/transform/pass_functions.h"
#include "core/transform/pattern_rewrite.h"

namespace rx::transform {

namespace {

using relax::Expr;
using tir::PrimExpr;
using Dims = std::vector<PrimExpr>;
using CompileTime = std::unordered_set<const relax::Var*>;

Expr matmul(const Expr& a, const Expr& b) { return op::makeCall("relax.matmul", {a, b}); }

/// A factor and its shape.
struct Factor {
  Expr value;
  Dims shape;

  /// With its last two axes exchanged.
  Factor turned() const {
    const size_t rank = shape.size();
    Factor out{nullptr, shape};
    std::swap(out.shape[rank - 1], out.shape[rank - 2]);
    NodeRef axes = ir::nullAttr();
    if (rank > 2) {
      std::vector<int64_t> order;
      for (size_t i = 0; i < rank; ++i) order.push_back(static_cast<int64_t>(i));
      std::swap(order[rank - 1], order[rank - 2]);
      axes = ir::intArrayAttr(order);
    }
    out.value = op::makeCall("relax.permute_dims", {value}, {{"axes", axes}});
    return out;
  }
};

/// Three factors, and how they stand now.
struct Product {
  Factor a, b, c;
  bool leftFirst = false;  ///< (a b) c
  bool turned = false;     ///< the inner product is transposed, and its factors stand the other way round
};

std::optional<Dims> dimsOf(const Expr& expr) {
  const Array<tir::PrimExpr>* dims = op::dimsOf(expr->sinfo);
  return dims ? std::optional<Dims>(dims->vector()) : std::nullopt;
}

/// The forms that are recognised, in the order in which they are tried.
struct Form {
  bool leftFirst, turned;
};
constexpr Form kForms[] = {{true, false}, {false, false}, {true, true}, {false, true}};

std::optional<Product> productIn(const relax::Call& outer, const Earlier& earlier, const Form& form) {
  Expr inner = outer.args[form.leftFirst ? 0 : 1];
  if (form.turned) {
    const auto permute = earlier.callOf(inner, "relax.permute_dims");
    if (!permute) return std::nullopt;
    inner = permute->args[0];
  }
  const auto product = earlier.callOf(inner, "relax.matmul");
  if (!product) return std::nullopt;
  Expr first = product->args[form.turned ? 1 : 0], second = product->args[form.turned ? 0 : 1];
  Product out;
  out.leftFirst = form.leftFirst;
  out.turned = form.turned;
  const Expr values[] = {form.leftFirst ? first : outer.args[0], form.leftFirst ? second : first,
                         form.leftFirst ? outer.args[1] : second};
  Factor* factors[] = {&out.a, &out.b, &out.c};
  for (size_t i = 0; i < 3; ++i) {
    const std::optional<Dims> dims = dimsOf(values[i]);
    if (!dims) return Product();
    *factors[i] = {values[i], *dims};
  }
  return out;
}

class OrderChooser {
 public:
  explicit OrderChooser(const relax::Function& function) : known_(analysis::compileTimeVars(function)) {
    addBounds(function);
  }

  Expr operator()(const relax::Call& call, const Earlier& earlier) const {
    if (!isOp(Ref<relax::Call>(&call), "relax.matmul")) return nullptr;
    for (const Form& form : kForms) {
      std::optional<Product> product = productIn(call, earlier, form);
      if (product) return product->a.value ? chosen(std::move(*product)) : nullptr;
    }
    return nullptr;
  }

 private:
  /// What the function's attributes say of its symbols.
  void addBounds(const relax::Function& function) {
    const NodeRef upper = ir::attrOf(function.attrs, "tir_var_upper_bound");
    const NodeRef lower = ir::attrOf(function.attrs, "tir_var_lower_bound");
    if (!upper && !lower) return;
    for (const tir::VarRef& symbol : op::symbolsIn(function.sinfo)) {
      conditions_.push_back(arith::le(tir::intImm(0), symbol));
      const auto* most = as<ir::DictAttrs>(upper);
      const auto* least = as<ir::DictAttrs>(lower);
      const std::string_view name = symbol->name.view();
      if (least && least->get(name)) {
        conditions_.push_back(arith::le(tir::intImm(ir::intAttrOf(ir::Attrs(least), name, 0)), symbol));
      }
      if (most && most->get(name)) {
        conditions_.push_back(arith::lt(symbol, tir::intImm(ir::intAttrOf(ir::Attrs(most), name, 0))));
      }
    }
  }

  bool isKnown(const Expr& expr) const { return known_.contains(as<relax::Var>(expr)); }

  Expr chosen(Product product) const {
    auto& [a, b, c, leftFirst, turned] = product;
    if (isKnown(a.value) && isKnown(b.value) && isKnown(c.value)) return nullptr;
    if (turned) {
      Factor& outer = leftFirst ? a : c;
      if (outer.shape.size() < 2 || b.shape.size() < 2) return nullptr;
      outer = outer.turned();
      b = b.turned();
    }
    if (isKnown(a.value) && isKnown(b.value)) return ordered(product, true);
    if (isKnown(b.value) && isKnown(c.value)) return ordered(product, false);
    const std::optional<bool> cheaper = leftIsCheaper(product);
    return cheaper ? ordered(product, *cheaper) : nullptr;
  }

  /// The product with `left` first; null where it stands so already.
  static Expr ordered(const Product& product, bool left) {
    if (left == product.leftFirst && !product.turned) return nullptr;
    const auto& [a, b, c, before, turned] = product;
    return left ? matmul(matmul(a.value, b.value), c.value) : matmul(a.value, matmul(b.value, c.value));
  }

  /// Nothing where it depends on the run.
  std::optional<bool> leftIsCheaper(const Product& product) const {
    Dims a = product.a.shape, b = product.b.shape, c = product.c.shape;
    const PrimExpr one = tir::intImm(1);
    if (a.size() == 1) a.insert(a.begin(), one);
    if (b.size() == 1) b.insert(product.leftFirst ? b.end() : b.begin(), one);
    if (c.size() == 1) c.push_back(one);
    if (a.size() < 2 || b.size() < 2 || c.size() < 2) return std::nullopt;
    arith::Analyzer analyzer;
    const auto ab = broadcast(analyzer, batch(a), batch(b)), bc = broadcast(analyzer, batch(b), batch(c));
    const auto left = ab ? broadcast(analyzer, *ab, batch(c)) : std::nullopt;
    const auto right = bc ? broadcast(analyzer, batch(a), *bc) : std::nullopt;
    if (!left || !right) return std::nullopt;
    const PrimExpr n = a[a.size() - 2], r = a[a.size() - 1], m = c[c.size() - 2], k = c[c.size() - 1];
    const PrimExpr leftCost = arith::add(count(*ab, {n, r, m}), count(*left, {n, m, k}));
    const PrimExpr rightCost = arith::add(count(*bc, {r, m, k}), count(*right, {n, r, k}));
    std::vector<std::unique_ptr<arith::Analyzer::Constraint>> assumed;
    for (const PrimExpr& condition : conditions_) {
      assumed.push_back(std::make_unique<arith::Analyzer::Constraint>(analyzer, condition));
    }
    for (const PrimExpr& size : {count(*ab, {}), count(*bc, {}), count(*left, {}), count(*right, {}), n, r, m, k}) {
      assumed.push_back(std::make_unique<arith::Analyzer::Constraint>(analyzer, arith::lt(tir::intImm(0), size)));
    }
    std::optional<bool> answer;
    if (analyzer.canProve(arith::lt(leftCost, rightCost))) {
      answer = true;
    } else if (analyzer.canProve(arith::lt(rightCost, leftCost))) {
      answer = false;
    }
    while (!assumed.empty()) assumed.pop_back();
    return answer;
  }

  static Dims batch(const Dims& shape) { return Dims(shape.begin(), shape.end() - 2); }
  static PrimExpr count(const Dims& dims, std::initializer_list<PrimExpr> more) {
    PrimExpr product = tir::intImm(1);
    for (const PrimExpr& dim : dims) product = arith::mul(product, dim);
    for (const PrimExpr& dim : more) product = arith::mul(product, dim);
    return product;
  }
  static bool isOne(const PrimExpr& dim) {
    const auto* number = as<tir::IntImm>(dim);
    return number && number->value == 1;
  }
  static std::optional<Dims> broadcast(arith::Analyzer& analyzer, const Dims& a, const Dims& b) {
    const Dims& more = a.size() >= b.size() ? a : b;
    const Dims& fewer = a.size() >= b.size() ? b : a;
    Dims out = more;
    const size_t offset = more.size() - fewer.size();
    for (size_t i = 0; i < fewer.size(); ++i) {
      PrimExpr& dim = out[offset + i];
      if (isOne(fewer[i]) || analyzer.canProveEqual(dim, fewer[i])) continue;
      if (!isOne(dim)) return std::nullopt;
      dim = fewer[i];
    }
    return out;
  }

  CompileTime known_;
  std::vector<PrimExpr> conditions_;
};

}  // namespace

Result<ir::Module> adjustMatmulOrder(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  return rewriteFunctions(module, context,
                          [&](const relax::FunctionRef& function, build::ModuleContext& moduleContext) {
                            return rewriteGroups(function, "AdjustMatmulOrder", moduleContext, module.get(), context,
                                                 OrderChooser(*function));
                          });
}

}  // namespace rx::transform
