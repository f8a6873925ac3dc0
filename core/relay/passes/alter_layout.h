// Running operators in other layouts: what each expects and gives, and where tensors are rearranged between them.
// Private to core/relay.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "core/relay/emit.h"
#include "core/relay/layout.h"
#include "core/relay/passes/pass_functions.h"

namespace rx::relay {

/// A layout, or nothing where none is known.
using MaybeLayout = std::optional<Layout>;
using Layouts = std::vector<MaybeLayout>;

/// What a rule is asked: with which layouts a call is right. Tuples of arguments come item by item.
struct LayoutQuestion {
  const Call& call;         ///< with the attributes that it is asked of
  const Layouts* now;       ///< of the tensors as they come; null before anything was changed
  const Layouts& before;    ///< of the tensors as they came
  const Array<Expr>& args;  ///< as they were, with their types

  const MaybeLayout& old() const { return before[0]; }
  /// The layout that the first tensor comes in; null before anything was changed.
  const Layout* fresh() const { return now && (*now)[0] ? &*(*now)[0] : nullptr; }
  const TensorType* type(size_t i) const { return tensorOf(args[i]); }
};
struct LayoutAnswer {
  Layouts in, out;
  ir::Attrs attrs;
};
/// Nothing where the call is right in no layout that is known.
using LayoutRule = std::optional<LayoutAnswer> (*)(const LayoutQuestion&);

namespace layouts {
#define RX_RELAY_LAYOUT(op, function) std::optional<LayoutAnswer> function(const LayoutQuestion& q);
#include "core/relay/passes/layout_rules.def"
std::optional<LayoutAnswer> elementwise(const LayoutQuestion& q);
std::optional<LayoutAnswer> broadcast(const LayoutQuestion& q);
}  // namespace layouts
/// The rule of an operator, null where it runs in its own layouts alone.
LayoutRule layoutRule(const OpRow& row);

/// What a call would rather be: another operator or attributes on the same arguments. Null: as it is.
using ChosenCall = std::function<Expr(const Call& before, const Ref<Call>& now)>;
/// The function with calls as they are chosen, and tensors rearranged where layouts then differ.
FunctionRef withLayouts(const FunctionRef& function, const ChosenCall& choose);

inline NodeRef layoutAttr(const Layout& layout) { return ir::strAttr(Str(layout.name())); }

}  // namespace rx::relay
