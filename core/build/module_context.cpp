#include "core/build/module_context.h"

#include "core/ir/reflect.h"
#include "core/ir/structural_equal.h"
#include "core/ir/structural_hash.h"

namespace rx::build {

using namespace relax;

Str NameSupply::fresh(std::string_view hint) {
  std::string name(hint);
  if (name.empty()) name = "v";
  if (taken_.insert(name).second) return name;
  while (name.size() > 1 && name.back() >= '0' && name.back() <= '9') name.pop_back();
  int64_t& next = next_[name];
  std::string candidate;
  do {
    candidate = name + std::to_string(++next);
  } while (!taken_.insert(candidate).second);
  return candidate;
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
      if (!slot.function) continue;
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
