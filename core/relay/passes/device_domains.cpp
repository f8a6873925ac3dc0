#include "core/relay/passes/device_domains.h"

namespace rx::relay {

namespace {

/// Where arguments and the result of operators of the virtual machine lie: on the host, or where all others do.
struct HostOperator {
  std::string_view op, places;  ///< by argument, the result last: 'h' host, 's' as the other 's', 'f' free
};
constexpr HostOperator kHostOperators[] = {
    {"memory.alloc_storage", "hhhd"}, {"memory.alloc_tensor", "shhs"}, {"shape_of", "fh"}, {"vm.shape_of", "fh"},
    {"vm.reshape_tensor", "shs"},     {"vm.invoke_tvm_op", "fsss"},
};

}  // namespace

DeviceDomains::DeviceDomains(const DeviceConfig& config) : config_(config) { host_ = fresh(config.host()); }

DeviceDomains::Id DeviceDomains::fresh(const Device& device) {
  const Id id = static_cast<Id>(domains_.size());
  domains_.push_back({id, 1, device, {}});
  return id;
}

DeviceDomains::Id DeviceDomains::function(std::vector<Id> parts) {
  const Id id = fresh();
  domains_[id].parts = std::move(parts);
  return id;
}

DeviceDomains::Id DeviceDomains::forType(const Type& type, const Device& device) {
  struct Job {
    const Node* type;
    Id id;
    bool isResult;
  };
  const Id made = fresh();
  std::vector<Job> jobs{{type.get(), made, true}};
  while (!jobs.empty()) {
    const Job job = jobs.back();
    jobs.pop_back();
    const auto* function = as<FuncType>(job.type);
    if (!function) {
      if (job.isResult) domains_[job.id].device = device;
      continue;
    }
    std::vector<Id> parts;
    for (const Type& arg : function->argTypes) jobs.push_back({arg.get(), parts.emplace_back(fresh()), false});
    jobs.push_back({function->retType.get(), parts.emplace_back(fresh()), job.isResult});
    domains_[job.id].parts = std::move(parts);
  }
  return made;
}

DeviceDomains::Id DeviceDomains::forFunction(const Function& function) {
  std::vector<Id> parts;
  for (const VarRef& param : function.params) parts.push_back(forType(param->typeAnnotation));
  parts.push_back(forType(function.retType ? function.retType : typeOf(function.body)));
  return this->function(std::move(parts));
}

void DeviceDomains::bind(const relax::GlobalVar& var, const Expr& function) {
  const Id id = of(function);
  globals_.emplace(var.name.string(), id);
}

DeviceDomains::Id DeviceDomains::placed(const Type& type, const Device& device) {
  const auto canonical = config_.canonical(device);
  const bool says = canonical && !canonical->isOpen();
  if (!says && !refusal_) {
    refusal_ = errorAt({}, "relay.devices", "a mark names no device, or one for which no target is given");
  }
  return forType(type, canonical.value_or(device));
}

DeviceDomains::Id DeviceDomains::of(const Expr& expr) {
  const auto* global = as<relax::GlobalVar>(expr);
  if (global) {
    if (const auto hit = globals_.find(global->name.view()); hit != globals_.end()) return root(hit->second);
  } else if (const auto hit = ids_.find(expr.get()); hit != ids_.end()) {
    return root(hit->second);
  }
  const auto* literal = as<Function>(expr);
  const Id id = literal ? forFunction(*literal) : forType(typeOf(expr));
  if (global) {
    globals_.emplace(global->name.string(), id);
  } else {
    ids_.emplace(expr.get(), id);
    kept_.push_back(expr);
  }
  return id;
}

DeviceDomains::Id DeviceDomains::ofCallee(const Ref<Call>& call) {
  if (const auto hit = callees_.find(call.get()); hit != callees_.end()) return root(hit->second);
  const auto* constructor = as<Constructor>(call->op);
  const auto* global = as<relax::GlobalVar>(call->op);
  const bool known = !global || globals_.contains(global->name.view());
  if (!isa<Op>(call->op) && !constructor && known) return of(call->op);
  Id id = 0;
  if (const auto mark = onDeviceOf(call)) {
    const Type& type = typeOf(mark->body);
    const Id body = mark->constrainsBody ? placed(type, mark->device) : forType(type);
    id = function({body, mark->constrainsResult ? placed(type, mark->device) : forType(type)});
  } else if (const auto copy = deviceCopyOf(call)) {
    const Type& type = typeOf(copy->body);
    const Id from = placed(type, copy->from);
    id = function({from, placed(type, copy->to)});
  } else if (constructor) {
    id = calleeOfConstructor(*constructor, *call);
  } else {
    id = calleeOfOperator(*call);
  }
  callees_.emplace(call.get(), id);
  kept_.push_back(call);
  return id;
}

DeviceDomains::Id DeviceDomains::calleeOfOperator(const Call& call) {
  const Id shared = fresh();
  std::vector<Id> parts(call.args.size() + 1, shared);
  for (const HostOperator& row : kHostOperators) {
    const OpRow* called = calledOperator(Expr(&call));
    if (!called || row.op != called->name || row.places.size() != parts.size()) continue;
    for (size_t i = 0; i < parts.size(); ++i) {
      if (row.places[i] == 'h') parts[i] = host_;
      if (row.places[i] == 'f') parts[i] = forType(typeOf(call.args[i]));
      if (row.places[i] == 'd') parts[i] = placed(typeOf(Expr(&call)), deviceOf(attrOf(call, "virtual_device")));
    }
  }
  return function(std::move(parts));
}

DeviceDomains::Id DeviceDomains::calleeOfConstructor(const Constructor& constructor, const Call& call) {
  const Id whole = fresh();
  std::vector<Id> parts;
  for (size_t i = 0; i < call.args.size(); ++i) {
    parts.push_back(i < constructor.inputs.size() ? forType(constructor.inputs[i]) : fresh());
    collapse(whole, parts.back());
  }
  parts.push_back(whole);
  return function(std::move(parts));
}

DeviceDomains::Id DeviceDomains::root(Id id) const {
  while (domains_[id].parent != id) id = domains_[id].parent;
  return id;
}

DeviceDomains::Id DeviceDomains::resultOf(Id id) const {
  for (id = root(id); !domains_[id].parts.empty(); id = root(domains_[id].parts.back())) {
  }
  return id;
}

void DeviceDomains::link(Id a, Id b) {
  if (domains_[a].size < domains_[b].size) std::swap(a, b);
  if (trailed_) {
    trail_.emplace_back(a, domains_[a]);
    trail_.emplace_back(b, domains_[b]);
  }
  domains_[a].size += domains_[b].size;
  domains_[b].parent = a;
}

bool DeviceDomains::unify(Id first, Id second) {
  std::vector<std::pair<Id, Id>> pairs{{first, second}};
  while (!pairs.empty()) {
    const Id a = root(pairs.back().first), b = root(pairs.back().second);
    pairs.pop_back();
    if (a == b) continue;
    const std::vector<Id>&partsA = domains_[a].parts, &partsB = domains_[b].parts;
    if (partsA.size() != partsB.size()) return false;
    for (size_t i = 0; i < partsA.size(); ++i) pairs.emplace_back(partsA[i], partsB[i]);
    auto device = joined(domains_[a].device, domains_[b].device);
    if (!device) return false;
    device = config_.canonical(*device);
    if (!device) return false;
    link(a, b);
    domains_[root(a)].device = *device;
  }
  return true;
}

bool DeviceDomains::collapse(Id value, Id other) {
  const std::vector<Id> parts = this->parts(other);
  if (parts.empty()) return unify(value, other);
  for (const Id part : parts) {
    if (!unify(value, part)) return false;
  }
  return true;
}

void DeviceDomains::tryUnify(Id a, Id b) {
  trailed_ = true;
  if (!unify(a, b)) {
    for (auto it = trail_.rbegin(); it != trail_.rend(); ++it) domains_[it->first] = it->second;
  }
  trail_.clear();
  trailed_ = false;
}

void DeviceDomains::refuse(const Expr& expr) {
  if (!refusal_)
    refusal_ = errorAt(expr->span, "relay.devices", "the devices of this expression contradict each other");
}

void DeviceDomains::complete(Id id, const Device& fallback) {
  std::vector<Id> todo{id};
  while (!todo.empty()) {
    const Id at = root(todo.back());
    todo.pop_back();
    const Domain& domain = domains_[at];
    if (domain.parts.empty()) {
      const Device device = completed(domain.device, fallback);
      domains_[at].device = config_.canonical(device).value_or(device);
    } else {
      todo.insert(todo.end(), domain.parts.begin(), domain.parts.end());
    }
  }
}

void DeviceDomains::completeResultFirst(Id id, const Device& fallback) {
  complete(resultOf(id), fallback);
  const Device device = result(id);
  complete(id, device);
}

}  // namespace rx::relay
