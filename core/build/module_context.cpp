#include "core/build/module_context.h"

#include <algorithm>

#include "core/ir/reflect.h"
#include "core/ir/structural_equal.h"
#include "core/ir/structural_hash.h"

namespace rx::build {

using namespace relax;

Str NameSupply::fresh(std::string_view hint) {
  std::string name(hint.empty() ? std::string_view("v") : hint);
  if (std::optional<Str> own = take(name)) return *own;
  while (name.size() > 1 && name.back() >= '0' && name.back() <= '9') name.pop_back();
  int64_t& next = next_[name];
  const size_t stem = name.size();
  while (true) {
    name.resize(stem);
    name += std::to_string(++next);
    if (std::optional<Str> numbered = take(name)) return *numbered;
  }
}

void NameSupply::reserve(std::string_view name) {
  if (!name.empty()) (void)take(name);
}

bool NameSupply::taken(std::string_view name) const {
  if (taken_.empty()) return false;
  return !taken_[placeOf(name, std::hash<std::string_view>()(name))].name.empty();
}

size_t NameSupply::placeOf(std::string_view name, size_t hash) const {
  const size_t mask = taken_.size() - 1;
  size_t place = hash & mask;
  while (!taken_[place].name.empty() && (taken_[place].hash != hash || taken_[place].name != name))
    place = (place + 1) & mask;
  return place;
}

std::optional<Str> NameSupply::take(std::string_view name) {
  if ((count_ + 1) * 2 > taken_.size()) grow();
  const size_t hash = std::hash<std::string_view>()(name);
  Slot& slot = taken_[placeOf(name, hash)];
  if (!slot.name.empty()) return std::nullopt;
  slot = {hash, Str(name)};
  ++count_;
  return slot.name;
}

void NameSupply::grow() {
  std::vector<Slot> old(std::max<size_t>(16, taken_.size() * 2));
  old.swap(taken_);
  for (Slot& slot : old)
    if (!slot.name.empty()) taken_[placeOf(slot.name.view(), slot.hash)] = std::move(slot);
}

namespace {
/// The name of a new function: numbers follow the whole hint, one that ends with a number too (ext0, ext01), as in TVM.
Str functionName(NameSupply& names, std::string_view hint) {
  if (hint.empty() || hint.back() < '0' || hint.back() > '9' || !names.taken(hint)) return names.fresh(hint);
  for (int64_t number = 1;; ++number) {
    const std::string name = std::string(hint) + std::to_string(number);
    if (!names.taken(name)) return names.fresh(name);
  }
}
}  // namespace

ModuleContext::ModuleContext(ir::Module module) : first_(std::move(module)) {
  attrs_ = first_->attrs;
  infos_ = first_->globalInfos;
  facts_ = first_->facts;
  for (size_t i = 0; i < first_->size(); ++i) {
    index_.emplace(first_->vars[i]->name.string(), slots_.size());
    slots_.push_back({first_->vars[i], first_->functions[i], false});
    names_.reserve(first_->vars[i]->name.view());
  }
}

ModuleContext::Slot* ModuleContext::slotOf(std::string_view name) {
  auto hit = index_.find(std::string(name));
  return hit == index_.end() ? nullptr : &slots_[hit->second];
}

GlobalVarRef ModuleContext::add(ir::BaseFunc function, std::string_view hint, bool always) {
  if (!hashed_) {
    for (size_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i].function) byHash_.emplace(structuralHash(slots_[i].function), i);
    }
    hashed_ = true;
  }
  const size_t hash = structuralHash(function);
  auto [from, to] = byHash_.equal_range(hash);
  for (auto it = from; !always && it != to; ++it) {
    const Slot& slot = slots_[it->second];
    if (slot.function && structuralEqual(slot.function, function)) return slot.var;
  }
  Str name = functionName(names_, hint);
  auto var = make<GlobalVar>(name, function->sinfo);
  byHash_.emplace(hash, slots_.size());
  index_.emplace(name.string(), slots_.size());
  slots_.push_back({var, std::move(function), false});
  changed_ = true;
  return var;
}

GlobalVarRef ModuleContext::declare(std::string_view name, StructInfo signature) {
  if (Slot* slot = slotOf(name)) return slot->var;
  names_.reserve(name);
  auto var = make<GlobalVar>(Str(name), std::move(signature));
  index_.emplace(std::string(name), slots_.size());
  slots_.push_back({var, nullptr, false});
  changed_ = true;
  return var;
}

void ModuleContext::update(const GlobalVarRef& var, ir::BaseFunc function) {
  Slot* slot = slotOf(var->name.view());
  RX_ASSERT(slot, "no function named {} to update", var->name.view());
  if (slot->function == function) return;
  changed_ = true;
  const StructInfo& signature = function->sinfo;
  const StructInfo& before = slot->var->sinfo;
  if (!before || (!(before == signature) && !structuralEqual(before, signature))) {
    auto renewed = make<GlobalVar>(slot->var->name, signature);
    replaced_[slot->var.get()] = renewed;
    kept_.push_back(slot->var);
    slot->var = renewed;
  }
  slot->function = std::move(function);
}

void ModuleContext::remove(std::string_view name) {
  Slot* slot = slotOf(name);
  if (!slot || slot->removed) return;
  slot->function = nullptr;
  slot->removed = true;
  changed_ = true;
}

GlobalVarRef ModuleContext::find(std::string_view name) const {
  auto hit = index_.find(std::string(name));
  return hit == index_.end() || slots_[hit->second].removed ? nullptr : slots_[hit->second].var;
}

ir::BaseFunc ModuleContext::functionOf(std::string_view name) const {
  auto hit = index_.find(std::string(name));
  return hit == index_.end() ? nullptr : slots_[hit->second].function;
}

ir::BaseFunc ModuleContext::functionOf(const GlobalVar* var) const { return functionOf(var->name.view()); }

std::vector<ir::IRModule::Entry> ModuleContext::entries() const {
  std::vector<ir::IRModule::Entry> list;
  for (const Slot& slot : slots_) {
    if (slot.function) list.emplace_back(slot.var, slot.function);
  }
  return list;
}

namespace {
/// Whether one of the names stands in the function. Most functions name few others: to look costs less than to rewrite.
template <class Names>
bool mentions(const ir::BaseFunc& function, const Names& names) {
  bool found = false;
  std::unordered_set<const Node*> met;
  walk(*function, Into::Parts, [&](const Node& node) {
    if (found || isa<Var>(&node) || isa<Op>(&node) || isa<tir::Var>(&node) || isa<tir::IntImm>(&node)) return false;
    if (const auto* var = as<GlobalVar>(&node)) found = names.contains(var);
    return node.unique() || met.insert(&node).second;
  });
  return found;
}
}  // namespace

ir::Module ModuleContext::module() {
  if (!changed_ && attrs_ == first_->attrs && infos_ == first_->globalInfos) return first_;
  if (!replaced_.empty()) {
    // The variables of functions whose signature changed stand in the callers too.
    auto swap = [&](const NodeRef& node) -> NodeRef {
      const auto* var = as<GlobalVar>(node);
      if (!var) return node;
      auto hit = replaced_.find(var);
      NodeRef now = node;
      while (hit != replaced_.end()) {
        now = hit->second;
        hit = replaced_.find(as<GlobalVar>(now));
      }
      return now;
    };
    for (Slot& slot : slots_) {
      if (!slot.function || !mentions(slot.function, replaced_)) continue;
      slot.function = cast<ir::BaseFuncNode>(rewriteNodes(slot.function, Into::Parts, nullptr, swap));
    }
    replaced_.clear();
  }
  auto* made = new ir::IRModule(entries(), attrs_, infos_, {});
  made->sources = first_->sources;
  made->facts = facts_;
  return ir::Module(made);
}

}  // namespace rx::build
