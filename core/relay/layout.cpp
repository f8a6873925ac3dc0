#include "core/relay/layout.h"

#include <cctype>

namespace rx::relay {

namespace {
bool isCapital(char c) { return c >= 'A' && c <= 'Z'; }
char capitalOf(char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); }
}  // namespace

std::optional<Layout> Layout::parse(std::string_view text) {
  Layout out;
  int64_t factor = 0;
  for (char c : text) {
    if (std::isdigit(static_cast<unsigned char>(c))) {
      if (factor > 1'000'000) return std::nullopt;
      factor = factor * 10 + (c - '0');
      continue;
    }
    if (!std::isalpha(static_cast<unsigned char>(c)) || isCapital(c) != (factor == 0) || (isCapital(c) && out.has(c)))
      return std::nullopt;
    out.axes_.push_back({c, factor});
    factor = 0;
  }
  if (factor != 0 || out.axes_.empty()) return std::nullopt;
  return out;
}

std::optional<size_t> Layout::find(char axis) const {
  for (size_t i = 0; i < axes_.size(); ++i) {
    if (axes_[i].name == axis) return i;
  }
  return std::nullopt;
}

std::string Layout::name() const {
  std::string out;
  for (const Axis& axis : axes_) {
    if (!axis.isWhole()) out += std::to_string(axis.factor);
    out += axis.name;
  }
  return out;
}

size_t Layout::wholeAxes() const {
  return static_cast<size_t>(
      std::count_if(axes_.begin(), axes_.end(), [](const Axis& axis) { return axis.isWhole(); }));
}

Layout Layout::last(size_t count) const {
  return Layout(std::vector<Axis>(axes_.end() - static_cast<ptrdiff_t>(count), axes_.end()));
}

std::optional<int64_t> Layout::factorOf(char axis) const {
  std::optional<int64_t> out;
  for (const Axis& part : axes_) {
    if (!part.isWhole() && part.capital() == axis) out = out.value_or(1) * part.factor;
  }
  return out;
}

bool Layout::isOrderOf(std::string_view plain) const {
  for (char c : plain) {
    if (!has(c)) return false;
  }
  for (const Axis& axis : axes_) {
    if (plain.find(capitalOf(axis.name)) == std::string_view::npos) return false;
  }
  return true;
}

Dims Layout::toPlain(std::span<const Dim> shape, std::string_view plain) const {
  Dims out;
  for (char c : plain) {
    Dim extent = dim(1);
    for (size_t i = 0; i < axes_.size() && i < shape.size(); ++i) {
      if (capitalOf(axes_[i].name) == c) extent = mul(extent, shape[i]);
    }
    out.push_back(extent);
  }
  return out;
}

Dims Layout::fromPlain(std::span<const Dim> shape, std::string_view plain) const {
  Dims out;
  for (const Axis& axis : axes_) {
    if (!isCapital(axis.name)) {
      out.push_back(dim(axis.factor));
      continue;
    }
    Dim extent = shape[plain.find(axis.name)];
    for (const Axis& part : axes_) {
      if (!isCapital(part.name) && capitalOf(part.name) == axis.name) extent = floorDiv(extent, dim(part.factor));
    }
    out.push_back(extent);
  }
  return out;
}

}  // namespace rx::relay
