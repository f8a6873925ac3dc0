#include "views/session/stage_names.h"

#include <algorithm>
#include <optional>

namespace rx::views {
namespace {

/// The innermost binding around places that are asked for in text order.
class Enclosing {
 public:
  explicit Enclosing(const std::vector<BindingRow>& bindings) : bindings_(bindings) {}
  const BindingRow* at(int offset) {
    for (; next_ < bindings_.size() && bindings_[next_].range.begin <= offset; ++next_) open_.push_back(next_);
    while (!open_.empty() && bindings_[open_.back()].range.end <= offset) open_.pop_back();
    return open_.empty() ? nullptr : &bindings_[open_.back()];
  }

 private:
  const std::vector<BindingRow>& bindings_;
  size_t next_ = 0;
  std::vector<size_t> open_;
};

struct Target {
  NameRow::Kind kind;
  int index;
};

/// What a name of a variable leads to; nothing for the parameters of local functions, which have no row.
std::optional<Target> targetOf(const RowPlace& row) {
  if (row.index < 0) return std::nullopt;
  if (row.kind == OperandRow::Kind::Param) return Target{NameRow::Kind::Param, row.index};
  if (row.kind == OperandRow::Kind::Binding) return Target{NameRow::Kind::Binding, row.index};
  return std::nullopt;
}

}  // namespace

FunctionNumbers numbersOf(const ir::IRModule& module) {
  FunctionNumbers numbers;
  for (size_t i = 0; i < module.size(); ++i) numbers.emplace(module.vars[i]->name.view(), static_cast<int>(i));
  return numbers;
}

std::span<const script::NamePlace> placesIn(const std::vector<script::NamePlace>& places, TextRange range) {
  const auto before = [](const script::NamePlace& place, int offset) { return static_cast<int>(place.begin) < offset; };
  const auto first = std::lower_bound(places.begin(), places.end(), range.begin, before);
  return {first, std::lower_bound(first, places.end(), range.end, before)};
}

std::vector<NameRow> nameRows(std::span<const script::NamePlace> places, const FunctionNumbers& functions, int self,
                              const BufferFlow::Names& variables, const FunctionRow& function) {
  std::vector<NameRow> rows;
  rows.reserve(places.size());
  Enclosing enclosing(function.bindings);
  const auto target = [&](const script::NamePlace& place) -> std::optional<Target> {
    if (place.role == script::NameRole::Operator) return Target{NameRow::Kind::Operator, -1};
    if (const RowPlace* found = variables.find(place.node)) return targetOf(*found);
    if (isa<ir::BaseFuncNode>(place.node)) return Target{NameRow::Kind::Function, self};
    const auto* global = as<relax::GlobalVar>(place.node);
    const auto called = global ? functions.find(global->name.view()) : functions.end();
    if (called == functions.end()) return std::nullopt;
    return Target{NameRow::Kind::Function, called->second};
  };
  for (const script::NamePlace& place : places) {
    const std::optional<Target> found = target(place);
    if (!found) continue;
    NameRow row{{static_cast<int>(place.begin), static_cast<int>(place.end)}, found->index, found->kind};
    row.defines = place.role == script::NameRole::Definition;
    if (row.isCallee()) {
      if (const BindingRow* binding = enclosing.at(row.range.begin)) row.color = binding->kind;
    }
    rows.push_back(row);
  }
  return rows;
}

}  // namespace rx::views
