// Layouts: axes are joined with their tiles, ordered, and split again.
#include <algorithm>

#include "core/relay/layout.h"
#include "core/relay/passes/to_relax_rules.h"
#include "core/relay/passes/to_relax_shared.h"

namespace rx::relay::translate {

using relax::Expr;

namespace {

char tileOf(char axis) { return static_cast<char>(axis - 'A' + 'a'); }

/// The axes of a layout in the order of `plain`, each followed by its tile, and what joining them gives.
Expr joinedTiles(CallTranslation& t, Expr value, const Layout& from, std::string_view plain) {
  const Dims dims = t.dims(value);
  std::vector<int64_t> order;
  for (const char axis : plain) {
    order.push_back(static_cast<int64_t>(*from.find(axis)));
    if (from.isSplit(axis)) order.push_back(static_cast<int64_t>(*from.find(tileOf(axis))));
  }
  value = t.permute(value, order);
  return order.size() == plain.size() ? value : t.reshape(value, from.toPlain(dims, plain));
}

/// The value with each axis split at its tile; what does not fill a tile is padded with zeros.
Expr splitTiles(CallTranslation& t, Expr value, const Layout& to, std::string_view plain) {
  const Dims whole = t.dims(value);
  const Dims laid = to.fromPlain(whole, plain);
  Dims tiled;
  std::vector<int64_t> padding;
  std::vector<int64_t> order(to.rank());
  for (size_t i = 0; i < plain.size(); ++i) {
    order[*to.find(plain[i])] = static_cast<int64_t>(tiled.size());
    tiled.push_back(laid[*to.find(plain[i])]);
    padding.insert(padding.end(), {0, 0});
    if (!to.isSplit(plain[i])) continue;
    const size_t tile = *to.find(tileOf(plain[i]));
    order[tile] = static_cast<int64_t>(tiled.size());
    tiled.push_back(laid[tile]);
    const auto length = known(whole[i]), factor = known(laid[tile]);
    if (length && factor && *length % *factor != 0) {
      tiled[tiled.size() - 2] = ceilDiv(whole[i], laid[tile]);
      padding.back() = *factor - *length % *factor;
    }
  }
  if (std::any_of(padding.begin(), padding.end(), [](int64_t p) { return p != 0; })) {
    value = t.make("nn.pad", {value, ir::intArrayAttr(padding)});
  }
  if (tiled.size() != plain.size()) value = t.reshape(value, tiled);
  return t.permute(value, order);
}

}  // namespace

std::string plainLayout(std::string_view layout) {
  std::string out;
  std::copy_if(layout.begin(), layout.end(), std::back_inserter(out), [](char c) { return c >= 'A' && c <= 'Z'; });
  return out;
}

Expr inLayout(CallTranslation& t, const Expr& value, std::string_view fromText, std::string_view toText) {
  if (fromText == toText) return value;
  const auto from = Layout::parse(fromText), to = Layout::parse(toText);
  if (!from || !to) return t.refuse("a layout is no text such as NCHW4c");
  const std::string plain = plainLayout(toText);
  for (const char axis : plain) {
    if (!from->has(axis)) return t.refuse("the layouts have different axes");
  }
  if (plainLayout(fromText).size() != plain.size()) return t.refuse("the layouts have different axes");
  const Expr whole = joinedTiles(t, value, *from, plain);
  return t.failed() ? whole : splitTiles(t, whole, *to, plain);
}

Expr layoutTransform(CallTranslation& t) { return inLayout(t, t.arg(0), t.text("src_layout"), t.text("dst_layout")); }

}  // namespace rx::relay::translate
