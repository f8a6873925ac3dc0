#include "core/relay/passes/reverse_types.h"

#include <unordered_set>

#include "core/ir/reflect.h"
#include "core/relay/rewrite.h"
#include "core/relay/solver.h"

namespace rx::relay {

namespace {

std::vector<Ref<TypeData>> definitionsOf(const ir::Module& module) {
  std::vector<Ref<TypeData>> out;
  for (size_t i = 0; module->types && i < module->types->size(); ++i)
    if (auto data = refAs<TypeData>(module->types->values[i])) out.push_back(std::move(data));
  return out;
}

/// Whether an input of its constructors says tensor or function, or names one of the types.
bool speaksOf(const TypeData& data, const std::unordered_map<std::string_view, Ref<GlobalTypeVar>>& named) {
  bool found = false;
  for (const Ref<Constructor>& constructor : data.constructors)
    for (const Type& input : constructor->inputs)
      walk(*input, Into::All, [&](const Node& node) {
        const auto* name = as<GlobalTypeVar>(&node);
        found = found || isa<TensorType>(&node) || isa<FuncType>(&node) || (name && named.contains(name->name.view()));
        return !found;
      });
  return found;
}

}  // namespace

Type unitType() { return make<TupleType>(Array<Type>()); }

Type wayBackType() { return make<RefType>(make<FuncType>(Array<Ref<TypeVar>>(), Array<Type>(), unitType())); }

ReverseTypes::ReverseTypes(const ir::Module& module) {
  const std::vector<Ref<TypeData>> all = definitionsOf(module);
  std::unordered_set<std::string> taken;
  for (const Ref<TypeData>& data : all) {
    taken.insert(data->header->name.string());
    for (const Ref<Constructor>& constructor : data->constructors) taken.insert(constructor->name.string());
  }
  auto fresh = [&](const Str& name) {
    std::string made = name.string() + "_grad";
    while (!taken.insert(made).second) made += "_grad";
    return Str(made);
  };
  for (bool grows = true; grows;) {
    grows = false;
    for (const Ref<TypeData>& data : all) {
      if (headers_.contains(data->header->name.view()) || !speaksOf(*data, headers_)) continue;
      headers_.emplace(data->header->name.view(), make<GlobalTypeVar>(fresh(data->header->name)));
      grows = true;
    }
  }
  for (const Ref<TypeData>& data : all) {
    if (!headers_.contains(data->header->name.view())) continue;
    std::vector<Ref<TypeVar>> variables;
    std::unordered_map<const Node*, Type> renamed;
    for (const Ref<TypeVar>& variable : data->typeVars) {
      variables.push_back(make<TypeVar>(variable->name));
      renamed.emplace(variable.get(), variables.back());
    }
    const Ref<GlobalTypeVar> header = headers_.at(data->header->name.view());
    std::vector<Ref<Constructor>> constructors;
    for (const Ref<Constructor>& constructor : data->constructors) {
      std::vector<Type> inputs;
      for (const Type& input : constructor->inputs) inputs.push_back(substitute(of(input), renamed));
      constructors.push_back(make<Constructor>(fresh(constructor->name), Array<Type>(std::move(inputs)), header));
      constructors_.emplace(constructor->name.view(), constructors.back());
    }
    made_.push_back(make<TypeData>(header, Array<Ref<TypeVar>>(std::move(variables)),
                                   Array<Ref<Constructor>>(std::move(constructors)), false));
  }
}

Type ReverseTypes::of(const Type& type) const {
  return refAs<TypeNode>(rewriteGraph(type, nullptr, [&](const NodeRef& before, const NodeRef& now) -> NodeRef {
    if (isa<TensorType>(before)) {
      const Type tensor = refAs<TypeNode>(before);
      return make<TupleType>(Array<Type>{tensor, make<RefType>(tensor)});
    }
    if (const auto* name = as<GlobalTypeVar>(before)) {
      const auto own = headers_.find(name->name.view());
      return own == headers_.end() ? now : NodeRef(own->second);
    }
    const auto* function = as<FuncType>(now);
    if (!function) return now;
    std::vector<Type> args(function->argTypes.begin(), function->argTypes.end());
    args.push_back(wayBackType());
    return make<FuncType>(function->typeParams, Array<Type>(std::move(args)), function->retType);
  }));
}

Ref<Constructor> ReverseTypes::of(const Ref<Constructor>& constructor) const {
  const auto own = constructors_.find(constructor->name.view());
  return own == constructors_.end() ? constructor : own->second;
}

ir::Module ReverseTypes::addedTo(const ir::Module& module) const {
  if (made_.empty()) return module;
  std::vector<std::pair<Str, NodeRef>> types;
  for (size_t i = 0; i < module->types->size(); ++i)
    types.emplace_back(module->types->keys[i], module->types->values[i]);
  for (const Ref<TypeData>& data : made_) types.emplace_back(data->header->name, data);
  auto* with = new ir::IRModule(*module);
  with->types = make<ir::DictAttrs>(std::move(types));
  return ir::Module(with);
}

}  // namespace rx::relay
