// InferFragment: allocations of tensor core fragments are marked with the shape
// and the layout that the intrinsics which fill them say.
#include <fmt/format.h>

#include <unordered_map>

#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/intrinsics.h"
#include "core/lower/pass_functions.h"
#include "core/lower/rewriter.h"

namespace rx::lower {

using namespace tir;

namespace {

/// What is known of a fragment. An accumulator that is only loaded and stored
/// has no layout of its own.
struct Fragment {
  int64_t m, n, k;
  std::string_view layout;
  bool sameShape(const Fragment& other) const { return m == other.m && n == other.n && k == other.k; }
};

/// Intrinsics that say the shape of the fragment that is their first argument.
struct FillRow {
  std::string_view name;
  bool saysLayout;  ///< as its last argument
};
constexpr FillRow kFills[] = {
    {"tvm_load_matrix_sync", true},
    {"tvm_store_matrix_sync", true},
    {"tvm_fill_fragment", false},
};
constexpr std::string_view kMultiplies[] = {"tvm_mma_sync", "tvm_bmma_sync"};

std::string_view scopeOf(const Var& pointer) {
  const auto* type = as<PointerType>(pointer.annotation);
  return type ? type->scope.view() : std::string_view();
}

class Fragments {
 public:
  explicit Fragments(const Stmt& body) {
    walkPostOrder(*body, Into::Parts, [&](const Node& node) {
      const auto* call = as<Call>(&node);
      const op::TirIntrinsic* row = call ? calledIntrinsic(call) : nullptr;
      if (!row) return;
      for (const FillRow& fill : kFills) {
        if (fill.name == row->name) take(*call, fill);
      }
      for (const std::string_view name : kMultiplies) {
        if (name == row->name) multiplies_.push_back(call);
      }
    });
    for (const Call* call : multiplies_) check(*call);
  }

  const Fragment* find(const Var* pointer) const {
    const auto found = known_.find(pointer);
    return found == known_.end() ? nullptr : &found->second;
  }
  std::vector<Diagnostic> errors;

 private:
  void take(const Call& call, const FillRow& row) {
    const auto* pointer = as<Var>(call.args[0]);
    const auto m = asInt(call.args[1]), n = asInt(call.args[2]), k = asInt(call.args[3]);
    const auto* layout = row.saysLayout ? as<StringImm>(call.args.span().back()) : nullptr;
    if (!pointer || !m || !n || !k || (row.saysLayout && !layout)) {
      return refuse(call, fmt::format("{} needs a pointer, three constants and a layout", row.name));
    }
    const std::string_view scope = scopeOf(*pointer);
    const bool operand = scope == "wmma.matrix_a" || scope == "wmma.matrix_b";
    Fragment fragment{*m, *n, *k, row.saysLayout ? std::string_view() : "row_major"};
    if (operand && layout) fragment.layout = layout->value.view();
    const auto [known, first] = known_.try_emplace(pointer, fragment);
    if (first) return;
    const bool otherLayout = operand && layout && known->second.layout != fragment.layout;
    if (otherLayout || !known->second.sameShape(fragment)) {
      refuse(call, fmt::format("the fragment {} was used with another shape or layout before", pointer->name.view()));
    }
  }

  /// All four fragments of a multiplication have one shape.
  void check(const Call& call) {
    const Fragment* first = nullptr;
    for (size_t i = 0; i + 1 < call.args.size(); i += 2) {
      const auto* pointer = as<Var>(call.args[i]);
      const Fragment* fragment = pointer ? find(pointer) : nullptr;
      if (!fragment) return refuse(call, "a fragment is multiplied before anything fills or loads it");
      if (!first) first = fragment;
      if (!first->sameShape(*fragment)) return refuse(call, "fragments of different shapes are multiplied");
    }
  }

  void refuse(const Call& call, std::string message) {
    errors.push_back(errorAt(call.span, "lower.fragment", std::move(message)));
  }

  std::unordered_map<const Var*, Fragment> known_;
  std::vector<const Call*> multiplies_;
};

class Marker : public Rewriter {
 public:
  explicit Marker(const Fragments& fragments) : fragments_(fragments) {}

 protected:
  Stmt visit(const Stmt& statement) override {
    const auto* alloc = as<AllocBuffer>(statement);
    const Fragment* fragment = alloc ? fragments_.find(alloc->buffer->data.get()) : nullptr;
    if (!fragment) return parts(statement);
    const VarRef& pointer = alloc->buffer->data;
    auto marked = [&](std::string_view key, std::string_view value, const Stmt& body) -> Stmt {
      return make<AttrStmt>(pointer, Str(key), make<StringImm>(Str(value)), body);
    };
    const std::string shape = fmt::format("{}, {}, {}", fragment->m, fragment->n, fragment->k);
    const Stmt made = marked("fragment_shape", shape, statement);
    return fragment->layout.empty() ? made : marked("fragment_layout", fragment->layout, made);
  }

 private:
  const Fragments& fragments_;
};

}  // namespace

Result<PrimFuncRef> inferFragment(const PrimFuncRef& func, Scope&) {
  const Fragments fragments(func->body);
  if (!fragments.errors.empty()) return fail(std::vector<Diagnostic>(fragments.errors));
  return withBody(func, Marker(fragments).rewrite(func->body));
}

}  // namespace rx::lower
