// SplitCallTIRByPattern: what kernels compute first, where a pattern says so, is left to a function of a library; the
// rest becomes a kernel of its own. The library's source is a text of the options, which no text of a module has.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/fresh.h"
#include "core/transform/call_sites.h"
#include "core/transform/calls.h"
#include "core/transform/cleanup.h"
#include "core/transform/kernel_match.h"
#include "core/transform/option_values.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

using relax::Expr;
using BufferSet = std::unordered_set<const Node*>;

/// What statements read and write.
struct Touched {
  BufferSet reads, writes;
  bool contains(const Node* buffer) const { return reads.contains(buffer) || writes.contains(buffer); }
};

Touched touchedBy(std::span<const tir::Stmt> statements) {
  Touched touched;
  for (const tir::Stmt& statement : statements) {
    walk(*statement, Into::Parts, [&](const Node& node) {
      if (const auto* load = as<tir::BufferLoad>(&node)) touched.reads.insert(load->buffer.get());
      if (const auto* store = as<tir::BufferStore>(&node)) touched.writes.insert(store->buffer.get());
      return true;
    });
  }
  return touched;
}

/// A kernel, split behind its first nests.
class Split {
 public:
  Split(const tir::PrimFunc& kernel, size_t count) : kernel_(kernel) {
    const std::vector<tir::Stmt> nests = nestsOf(kernel);
    rest_.assign(nests.begin() + static_cast<std::ptrdiff_t>(count), nests.end());
    first_ = touchedBy(std::span(nests).first(count));
    later_ = touchedBy(rest_);
    const Touched last = touchedBy(std::span(nests).subspan(count - 1, 1));
    for (const Node* written : last.writes) between_ = tir::BufferRef(static_cast<const tir::Buffer*>(written));
  }

  bool isWhole() const { return rest_.empty(); }
  /// Whether one buffer of known size is all that the rest needs of the first part.
  bool isClean() const {
    if (!between_ || !allConstant(between_->shape)) return false;
    return std::all_of(first_.writes.begin(), first_.writes.end(), [&](const Node* written) {
      return written == between_.get() ? !later_.writes.contains(written) : !later_.contains(written);
    });
  }

  /// Which arguments of the call the library gets: tensors that it reads.
  std::vector<size_t> libraryArguments() const { return paramsIn(first_); }
  /// And which the rest gets behind what the library computed.
  std::vector<size_t> restArguments() const { return paramsIn(later_); }
  const tir::Buffer& between() const { return *between_; }

  tir::PrimFuncRef restKernel() const {
    std::vector<tir::VarRef> params{make<tir::Var>(Str("var_" + between_->name.string()), DataType::Handle(), nullptr)};
    std::vector<tir::BufferRef> buffers{between_};
    for (size_t i = 0; i < kernel_.params.size(); ++i) {
      if (!kernel_.buffers[i] || !later_.contains(kernel_.buffers[i].get())) continue;
      params.push_back(kernel_.params[i]);
      buffers.push_back(kernel_.buffers[i]);
    }
    const tir::Block& whole = *as<tir::BlockRealize>(kernel_.body)->block;
    auto* root = new tir::Block(whole);
    std::vector<tir::BufferRef> kept;
    for (const tir::BufferRef& buffer : whole.allocBuffers) {
      if (buffer != between_ && later_.contains(buffer.get())) kept.push_back(buffer);
    }
    root->allocBuffers = Array<tir::BufferRef>(std::move(kept));
    root->body = tir::seq(rest_);
    const tir::Stmt body = make<tir::BlockRealize>(Array<tir::PrimExpr>(), tir::boolImm(true), Ref<tir::Block>(root));
    return lower::freshCopy(make<tir::PrimFunc>(Array<tir::VarRef>(std::move(params)),
                                                Array<tir::BufferRef>(std::move(buffers)), body, nullptr,
                                                ir::withoutAttr(kernel_.attrs, "global_symbol")));
  }

 private:
  std::vector<size_t> paramsIn(const Touched& touched) const {
    std::vector<size_t> params;
    for (size_t i = 0; i < kernel_.params.size(); ++i) {
      const Node* buffer = kernel_.buffers[i].get();
      if (buffer && touched.reads.contains(buffer) && !touched.writes.contains(buffer)) params.push_back(i);
    }
    return params;
  }

  const tir::PrimFunc& kernel_;
  std::vector<tir::Stmt> rest_;
  Touched first_, later_;
  tir::BufferRef between_;
};

/// The options.
struct Library {
  std::vector<tir::PrimFuncRef> patterns;
  std::string source, format;

  relax::Expr function(std::string_view name) const {
    std::string text = source;
    constexpr std::string_view kHole = "{global_symbol}";
    for (size_t at; (at = text.find(kHole)) != std::string::npos;) text.replace(at, kHole.size(), name);
    ir::Attrs attrs;
    if (!source.empty()) {
      attrs = ir::withAttr(attrs, "c_source", ir::strAttr(Str(text)));
      attrs = ir::withAttr(attrs, "c_source_fmt", ir::strAttr(Str(format)));
    }
    return make<relax::ExternFunc>(Str(name), nullptr, attrs);
  }
};

Result<Library> libraryOf(const ir::Attrs& options) {
  Library library{
      {}, std::string(ir::strAttrOf(options, "source")), std::string(ir::strAttrOf(options, "source_format"))};
  const NodeRef given = ir::attrOf(options, "patterns");
  const auto* list = as<ir::ArrayAttr>(given);
  for (size_t i = 0; list && i < list->items.size(); ++i) {
    RX_TRY(pattern, kernelOption("patterns", as<ir::StrAttr>(list->items[i])->value.view()));
    if (nestsOf(*pattern).size() != 1)
      return fail("pass.option-value", "patterns: a pattern is a kernel of one loop nest");
    library.patterns.push_back(pattern);
  }
  const std::string_view text = library.source;
  if (text.find("{global_symbol}") == std::string_view::npos && !text.empty())
    return fail("pass.option-value",
                "source: the text does not say {global_symbol}, the name under which it is called");
  return library;
}

Expr callPart(std::string_view op, Expr callee, std::vector<Expr> args, relax::StructInfo info) {
  return op::makeCall(op, {std::move(callee), make<relax::Tuple>(Array<Expr>(std::move(args)))}, {},
                      Array<relax::StructInfo>{std::move(info)});
}

/// The calls in the place of one; null where it stays.
Expr splitCall(const relax::Call& call, const Library& library, const ir::IRModule& module,
               build::ModuleContext& context, build::BlockBuilder& builder) {
  const auto* var = as<relax::GlobalVar>(call.args[0]);
  const auto* args = as<relax::Tuple>(call.args[1]);
  const ir::BaseFunc function = var ? module.find(var) : nullptr;
  const auto* kernel = as<tir::PrimFunc>(function);
  const size_t count = kernel && args ? matchedNests(*kernel, library.patterns) : 0;
  if (count == 0) return nullptr;
  const Split split(*kernel, count);
  const Expr callee = library.function(var->name.view());
  if (split.isWhole()) return callPart("relax.call_dps_packed", callee, args->items.vector(), call.sinfoArgs[0]);
  if (!split.isClean()) return nullptr;
  auto chosen = [&](const std::vector<size_t>& params) {
    std::vector<Expr> values;
    for (size_t param : params) {
      if (param < args->items.size()) values.push_back(args->items[param]);
    }
    return values;
  };
  std::vector<tir::PrimExpr> sizes;
  for (const tir::PrimExpr& size : split.between().shape) sizes.push_back(tir::intImm(*tir::asInt(size)));
  const relax::StructInfo info = relax::tensorSinfo(Array<tir::PrimExpr>(std::move(sizes)), split.between().dtype);
  Expr computed = builder.emit(callPart("relax.call_dps_packed", callee, chosen(split.libraryArguments()), info));
  std::vector<Expr> rest = chosen(split.restArguments());
  rest.insert(rest.begin(), computed);
  return callPart("relax.call_tir", context.add(split.restKernel(), "unfused_epilogue"), std::move(rest),
                  call.sinfoArgs[0]);
}

}  // namespace

Result<ir::Module> splitCallTirByPattern(const ir::Module& module, const ir::Attrs& options_,
                                         pass::PassContext& context) {
  RX_TRY(library, libraryOf(options_));
  if (library.patterns.empty()) return module;
  return rewriteFunctions(module, context,
                          [&](const relax::FunctionRef& function, build::ModuleContext& moduleContext) {
                            auto update = [&](const relax::Call& call, build::BlockBuilder& builder) -> Expr {
                              const bool calls = isOp(Expr(&call), "relax.call_tir") && call.args.size() == 2;
                              return calls ? splitCall(call, library, *module, moduleContext, builder) : nullptr;
                            };
                            return rewriteCalls(function, "SplitCallTIRByPattern", moduleContext, update);
                          });
}

}  // namespace rx::transform
