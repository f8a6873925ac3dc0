#include "core/analysis/aliases.h"

#include <algorithm>

#include "core/support/stack.h"

namespace rx::analysis {

namespace {
constexpr std::string_view kViews[] = {
    "relax.expand_dims",
    "relax.squeeze",
    "relax.reshape",
    "relax.permute_dims",
    "relax.flatten",
    "relax.nn.batch_flatten",
    "relax.memory.view",
    "relax.memory.ensure_zero_offset",
    "relax.grad.no_grad",
    "relax.grad.start_checkpoint",
    "relax.grad.end_checkpoint",
    "relax.hint_on_device",
    "relax.builtin.stop_lift_params",
};
/// Operators whose tuple may hold what they get: dropout its data, batch_norm of inference its moving statistics.
constexpr std::string_view kPasses[] = {"relax.nn.dropout", "relax.nn.batch_norm"};
}  // namespace

bool isView(const relax::Op& op) { return std::ranges::find(kViews, op.name.view()) != std::end(kViews); }

Aliases::Aliases(const relax::BindingBlock& block) {
  for (const relax::Binding& binding : block.bindings) {
    const auto* plain = as<relax::VarBinding>(binding);
    const relax::Expr& value = plain ? plain->value : as<relax::MatchCast>(binding)->value;
    places_[binding->var.get()] = placesOf(value, binding->var->sinfo);
  }
}

const Places* Aliases::of(const relax::Var* var) const {
  auto found = places_.find(var);
  return found == places_.end() ? nullptr : &found->second;
}

bool Aliases::addFields(Places& places) const {
  std::vector<int64_t> open(places.begin(), places.end());
  while (!open.empty()) {
    auto tuple = tuples_.find(open.back());
    open.pop_back();
    if (tuple == tuples_.end()) continue;
    for (const Places& field : tuple->second) {
      if (field.contains(kUnknownPlace)) return false;
      for (int64_t place : field) {
        if (places.insert(place).second) open.push_back(place);
      }
    }
  }
  return true;
}

/// A new allocation; every field of a tuple is one of its own.
int64_t Aliases::fresh(const relax::StructInfo& info) {
  const int64_t place = next_++;
  if (const auto* tuple = as<relax::TupleStructInfo>(info)) {
    std::vector<Places> fields;
    for (const relax::StructInfo& item : tuple->items) fields.push_back({withStack([&] { return fresh(item); })});
    tuples_[place] = std::move(fields);
  }
  return place;
}

Places Aliases::placesOf(const relax::Expr& value, const relax::StructInfo& info) {
  if (const auto* var = as<relax::Var>(value)) {
    const Places* known = of(var);
    return known ? *known : Places{kUnknownPlace};
  }
  if (const auto* tuple = as<relax::Tuple>(value)) {
    const int64_t place = next_++;
    std::vector<Places> fields;
    for (const relax::Expr& item : tuple->items) {
      fields.push_back(withStack([&] { return placesOf(item, item->sinfo); }));
    }
    tuples_[place] = std::move(fields);
    return {place};
  }
  if (const auto* item = as<relax::TupleGetItem>(value)) return withStack([&] { return fieldPlaces(*item); });
  if (const auto* call = as<relax::Call>(value)) return withStack([&] { return callPlaces(*call, info); });
  const bool made = isa<relax::Constant>(value) || isa<relax::PrimValue>(value) || isa<relax::Function>(value);
  return made ? Places{next_++} : Places{};
}

Places Aliases::fieldPlaces(const relax::TupleGetItem& item) {
  const Places tuples = placesOf(item.tuple, item.tuple->sinfo);
  if (tuples.contains(kUnknownPlace)) return {kUnknownPlace};
  Places places;
  const auto index = static_cast<size_t>(item.index);
  for (int64_t place : tuples) {
    auto tuple = tuples_.find(place);
    if (tuple == tuples_.end() || index >= tuple->second.size()) continue;
    places.insert(tuple->second[index].begin(), tuple->second[index].end());
  }
  return places;
}

Places Aliases::callPlaces(const relax::Call& call, const relax::StructInfo& info) {
  const auto* op = as<relax::Op>(call.op);
  if (!op) return unknownCall(call, info, 0);
  if (op->name == "relax.call_pure_packed") return unknownCall(call, info, 1);
  if (std::ranges::find(kPasses, op->name.view()) != std::end(kPasses)) return unknownCall(call, info, 0);
  if (isView(*op) && !call.args.empty()) return placesOf(call.args[0], call.args[0]->sinfo);
  return {fresh(info)};
}

Places Aliases::unknownCall(const relax::Call& call, const relax::StructInfo& info, size_t firstArg) {
  const int64_t result = fresh(info);
  Places places;
  capture(places, result);
  for (size_t i = firstArg; i < call.args.size(); ++i) {
    for (int64_t place : placesOf(call.args[i], call.args[i]->sinfo)) capture(places, place);
  }
  share(result, places);
  return places;
}

/// Adds the place and those of its fields.
void Aliases::capture(Places& captured, int64_t place) const {
  std::vector<int64_t> open{place};
  while (!open.empty()) {
    const int64_t now = open.back();
    open.pop_back();
    if (!captured.insert(now).second) continue;
    auto tuple = tuples_.find(now);
    if (tuple == tuples_.end()) continue;
    for (const Places& field : tuple->second) open.insert(open.end(), field.begin(), field.end());
  }
}

/// Every field of the tuple, and fields of those, may lie in these places.
void Aliases::share(int64_t tuple, const Places& places) {
  std::vector<int64_t> open{tuple};
  while (!open.empty()) {
    auto fields = tuples_.find(open.back());
    open.pop_back();
    if (fields == tuples_.end()) continue;
    for (Places& field : fields->second) {
      open.insert(open.end(), field.begin(), field.end());
      field.insert(places.begin(), places.end());
    }
  }
}

}  // namespace rx::analysis
