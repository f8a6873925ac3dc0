#include "core/op/layout.h"

#include <cctype>

namespace rx::op {

std::optional<Layout> Layout::parse(std::string_view text) {
  Layout layout;
  int64_t factor = 0;
  for (char c : text) {
    if (c >= '0' && c <= '9') {
      factor = factor * 10 + (c - '0');
      if (factor > 1'000'000) return std::nullopt;
      continue;
    }
    const bool inner = c >= 'a' && c <= 'z';
    if (!inner && !(c >= 'A' && c <= 'Z')) return std::nullopt;
    if (inner != (factor > 0)) return std::nullopt;
    const char letter = static_cast<char>(std::toupper(c));
    for (const Part& part : layout.parts_) {
      if (part.letter == letter && (part.factor > 0) == inner) return std::nullopt;
    }
    layout.parts_.push_back({letter, factor});
    factor = 0;
  }
  if (factor > 0 || layout.parts_.empty()) return std::nullopt;
  for (const Part& part : layout.parts_) {
    if (layout.indexOf(part.letter) < 0) return std::nullopt;
  }
  return layout;
}

int Layout::indexOf(char letter) const {
  for (size_t i = 0; i < parts_.size(); ++i) {
    if (parts_[i].letter == letter && parts_[i].factor == 0) return static_cast<int>(i);
  }
  return -1;
}

bool Layout::covers(std::string_view plain) const {
  for (char c : plain) {
    if (indexOf(c) < 0) return false;
  }
  for (const Part& part : parts_) {
    if (plain.find(part.letter) == plain.npos) return false;
  }
  return true;
}

Dims Layout::toPlain(std::string_view plain, std::span<const PrimExpr> dims) const {
  Dims out;
  for (char c : plain) {
    PrimExpr length = int64(1);
    for (size_t i = 0; i < parts_.size(); ++i) {
      if (parts_[i].letter != c) continue;
      length = arith::mul(length, parts_[i].factor > 0 ? int64(parts_[i].factor) : dims[i]);
    }
    out.push_back(length);
  }
  return out;
}

Dims Layout::fromPlain(std::string_view plain, std::span<const PrimExpr> dims) const {
  Dims out;
  for (const Part& part : parts_) {
    if (part.factor > 0) {
      out.push_back(int64(part.factor));
      continue;
    }
    PrimExpr length = dims[plain.find(part.letter)];
    for (const Part& inner : parts_) {
      if (inner.letter == part.letter && inner.factor > 0) length = ceilDiv(length, int64(inner.factor));
    }
    out.push_back(length);
  }
  return out;
}

Result<Layout> layoutAttr(const Call& call, std::string_view name, std::string_view plain) {
  const std::string_view text = strAttr(call, name);
  auto layout = Layout::parse(text);
  if (!layout || !layout->covers(plain)) {
    return refuse(call, fmt::format("{} '{}' can not be converted to {}", name, text, plain));
  }
  return *layout;
}

Result<std::optional<Dims>> plainDims(const Call& call, size_t index, const Layout& layout, std::string_view plain) {
  RX_TRY(info, tensorAt(call, index));
  RX_CHECK(needRank(call, index, layout.rank()));
  const auto* shape = as<ShapeExpr>(info->shape);
  if (!shape) return std::optional<Dims>();
  return std::optional<Dims>(layout.toPlain(plain, shape->values));
}

namespace {
Result<Unit> spread(BoundCall& bound, std::string_view param, size_t count, bool ends) {
  const auto* list = as<ir::ArrayAttr>(bound.get(param));
  if (!list) return Unit{};
  const size_t given = list->items.size();
  const size_t wanted = ends ? 2 * count : count;
  if (given == wanted) return Unit{};
  std::vector<NodeRef> items;
  if (given == 1) {
    items.assign(wanted, list->items[0]);
  } else if (ends && given == count) {
    for (int i = 0; i < 2; ++i) items.insert(items.end(), list->items.begin(), list->items.end());
  } else {
    return fail("relax.call",
                fmt::format("{}: parameter '{}' needs {} integers, {} are given", bound.row->name(), param,
                            ends ? fmt::format("1, {} or {}", count, wanted) : fmt::format("1 or {}", count), given));
  }
  bound.set(param, ir::arrayAttr(std::move(items)));
  return Unit{};
}
}  // namespace

Result<Unit> spreadList(BoundCall& bound, std::string_view param, size_t count) {
  return spread(bound, param, count, false);
}
Result<Unit> spreadPadding(BoundCall& bound, std::string_view param, size_t count) {
  return spread(bound, param, count, true);
}

void defaultLayout(BoundCall& bound, std::string_view param, std::string_view source) {
  const auto* text = as<ir::StrAttr>(bound.get(param));
  if (!text || text->value.empty()) bound.set(param, bound.get(source));
}

}  // namespace rx::op
