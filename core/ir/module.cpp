#include "core/ir/module.h"

#include "core/ir/all_nodes.h"

namespace rx::ir {

BaseFunc withFunctionAttrs(const BaseFunc& function, Attrs attrs) {
  return withNodeType(function->kind(), [&]<class T>() -> BaseFunc {
    if constexpr (std::is_base_of_v<BaseFuncNode, T>) {
      T* copy = new T(static_cast<const T&>(*function));
      copy->attrs = std::move(attrs);
      return Ref<T>(copy);
    } else {
      invariantBroken("a function", __FILE__, __LINE__, "a module holds what is no function");
    }
  });
}

IRModule::IRModule(std::vector<Entry> entries, Attrs a, Attrs infos, SourceList list)
    : attrs(std::move(a)), globalInfos(std::move(infos)), sources(std::make_shared<SourceList>(std::move(list))) {
  std::vector<relax::GlobalVarRef> names;
  std::vector<BaseFunc> bodies;
  for (Entry& entry : entries) {
    names.push_back(std::move(entry.first));
    bodies.push_back(std::move(entry.second));
  }
  vars = Array<relax::GlobalVarRef>(std::move(names));
  functions = Array<BaseFunc>(std::move(bodies));
  index();
}

void IRModule::index() {
  byName_.clear();
  byName_.reserve(vars.size());
  for (size_t i = 0; i < vars.size(); ++i) {
    bool fresh = byName_.emplace(vars[i]->name.view(), static_cast<uint32_t>(i)).second;
    RX_ASSERT(fresh, "two functions named '{}'", vars[i]->name.view());
  }
}

relax::GlobalVarRef IRModule::findVar(std::string_view name) const {
  auto hit = byName_.find(name);
  return hit == byName_.end() ? nullptr : vars[hit->second];
}

BaseFunc IRModule::find(std::string_view name) const {
  auto hit = byName_.find(name);
  return hit == byName_.end() ? nullptr : functions[hit->second];
}

std::vector<IRModule::Entry> IRModule::entries() const {
  std::vector<Entry> out;
  for (size_t i = 0; i < vars.size(); ++i) out.emplace_back(vars[i], functions[i]);
  return out;
}

Module IRModule::with(std::vector<Entry> entries) const {
  auto* copy = new IRModule(std::move(entries), attrs, globalInfos, {});
  copy->types = types;
  copy->sources = sources;
  copy->facts = facts;
  return Module(copy);
}

Module IRModule::withFunction(const relax::GlobalVarRef& var, BaseFunc function) const {
  std::vector<Entry> list = entries();
  for (Entry& entry : list) {
    if (entry.first->name == var->name) {
      entry.second = std::move(function);
      return with(std::move(list));
    }
  }
  list.emplace_back(var, std::move(function));
  return with(std::move(list));
}

}  // namespace rx::ir
