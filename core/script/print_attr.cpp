// Attribute values, dictionaries, devices and meshes.
#include <cctype>

#include "core/ir/structural_equal.h"
#include "core/op/sinfo_text.h"
#include "core/script/printer.h"

namespace rx::script {

void Printer::dtypeText(DataType dtype) { text(dtypeQuoted(dtype)); }

std::string_view Printer::dtypeQuoted(DataType dtype) {
  if (dtype == lastDtype_ && !lastDtypeText_.empty()) return lastDtypeText_;
  lastDtype_ = dtype;
  lastDtypeText_ = keep(dtype.isVoid() ? "\"void\"" : '"' + dtype.str() + '"');
  return lastDtypeText_;
}

void Printer::runAttr(const void* p, uint64_t) {
  const Node* node = static_cast<const Node*>(p);
  if (!node || isa<ir::NullAttr>(node)) return text("None");
  if (const auto* v = as<ir::BoolAttr>(node)) return text(v->value ? "True" : "False");
  if (const auto* v = as<ir::IntAttr>(node)) return number(v->value);
  if (const auto* v = as<ir::FloatAttr>(node)) {
    if (v->value - v->value == 0) return real(v->value);
    text("float(");
    real(v->value);
    return text(")");
  }
  if (const auto* v = as<ir::StrAttr>(node)) return quoted(v->value.view());
  if (const auto* v = as<ir::TypeAttr>(node)) return dtypeText(v->value);
  if (const auto* v = as<ir::ArrayAttr>(node)) return attrList(*v);
  if (const auto* v = as<ir::DictAttrs>(node)) return dict(ir::Attrs(v));
  if (const auto* v = as<ir::VDevice>(node)) return quoted(vdeviceText(*v));
  if (const auto* v = as<ir::DeviceMesh>(node)) return deviceMesh(*v);
  if (const auto* v = as<ir::Placement>(node)) return quoted(op::placementText(*v));
  if (isa<ir::DummyGlobalInfo>(node)) {
    i("dummy_global_info");
    return text("()");
  }
  if (const auto* v = as<tir::IndexMap>(node)) return indexMap(*v);
  if (const auto* v = as<tir::CommReducer>(node)) return reducer(*v);
  if (const auto* v = as<tir::BufferRegion>(node)) return region(*v);
  if (const auto* v = as<tir::Buffer>(node)) return bufferRef(*v);
  if (const auto* v = as<tir::IterVar>(node)) {
    t("iter_var(");
    prim(v->var);
    text(", ");
    if (v->dom) {
      t("Range(");
      rangeEnds(*v->dom);
    } else {
      text("None");
    }
    text(", \"");
    text(tir::kIterTypeNames[static_cast<size_t>(v->iterType) % std::size(tir::kIterTypeNames)]);
    text("\", ");
    quoted(v->threadTag.view());
    return text(")");
  }
  if (const auto* v = as<tir::Range>(node)) {
    i("Range(");
    return rangeEnds(*v);
  }
  if (isa<tir::ExprNode>(node)) return runPrim(node, 0);
  if (isa<relax::StructInfoNode>(node)) return runSinfo(node, 0);
  if (const auto* v = as<relax::Constant>(node); v && v->data && v->unresolved.empty()) {
    return metadataRef("ffi.Tensor", v->data);
  }
  if (isa<relax::ExprNode>(node)) return runExpr(node, 0);
  if (const auto* type = as<tir::TypeNode>(node)) return this->type(tir::Type(type), nullptr);
  if (isa<tir::StmtNode>(node)) return text("<statement>");
  text("<");
  text(kindName(node->kind()));
  text(">");
}

void Printer::attrList(const ir::ArrayAttr& list) {
  text("[");
  now(&Printer::runAttrList, &list, 0);
}

void Printer::runAttrList(const void* p, uint64_t x) {
  const auto& list = *static_cast<const ir::ArrayAttr*>(p);
  for (size_t k = x; k < list.items.size(); ++k) {
    if (k) text(", ");
    attr(list.items[k]);
    if (waiting() && k + 1 < list.items.size()) return later(&Printer::runAttrList, p, k + 1);
  }
  text("]");
}

void Printer::dict(const ir::Attrs& attrs) {
  text("{");
  now(&Printer::runDict, attrs.get(), 0);
}

void Printer::runDict(const void* p, uint64_t x) {
  const auto* attrs = static_cast<const ir::DictAttrs*>(p);
  for (size_t k = x; attrs && k < attrs->size(); ++k) {
    if (k) text(", ");
    quoted(attrs->keys[k].view());
    text(": ");
    attrs == functionAttrs_ && attrs->keys[k] == "target" ? target(attrs->values[k]) : attr(attrs->values[k]);
    if (waiting() && k + 1 < attrs->size()) return later(&Printer::runDict, p, k + 1);
  }
  text("}");
}

void Printer::lambdaParams(const std::vector<const Node*>& vars) {
  text("lambda ");
  bool first = true;
  for (const Node* var : vars) {
    if (!first) text(", ");
    first = false;
    text(names_.define(var, as<tir::Var>(var)->name.view()));
  }
  text(": ");
}

void Printer::indexMap(const tir::IndexMap& map) {
  auto lambda = [&](const tir::IndexMap& m) {
    // A lambda cannot wait for what is before it: its parameters are named when it is reached, on the work list.
    enterScope();
    std::vector<const Node*> vars;
    for (const auto& var : m.initialIndices) vars.push_back(var.get());
    lambdaParams(vars);
    text("(");
    commas(m.finalIndices, [&](const tir::PrimExpr& e) { prim(e); });
    text(m.finalIndices.size() == 1 ? ",)" : ")");
    leaveScope();
  };
  t("index_map(");
  lambda(map);
  if (map.inverse) {
    text(", inverse_index_map=");
    lambda(*map.inverse);
  }
  text(")");
}

void Printer::target(const NodeRef& value) {
  t("target(");
  attr(value);
  text(")");
}

namespace {
const ir::ArrayAttr* infos(const ir::IRModule* module, std::string_view key) {
  if (!module || !module->globalInfos) return nullptr;
  const NodeRef list = module->globalInfos->get(key);
  return as<ir::ArrayAttr>(list);
}
}  // namespace

std::string Printer::vdeviceText(const ir::VDevice& device) const {
  const std::string_view kind = ir::targetKind(device.target);
  int64_t index = 0, found = -1;
  if (const auto* list = infos(module_, "vdevice")) {
    for (const NodeRef& info : list->items) {
      const auto* other = as<ir::VDevice>(info);
      if (!other || ir::targetKind(other->target) != kind) continue;
      if (other == &device || structuralEqual(info, NodeRef(&device))) {
        found = index;
        break;
      }
      ++index;
    }
  }
  return std::string(kind) + ":" + std::to_string(found >= 0 ? found : device.vdeviceId) + ":" +
         device.memoryScope.string();
}

std::string Printer::meshText(const ir::DeviceMesh& mesh) const {
  const auto* list = infos(module_, "mesh");
  for (size_t k = 0; list && k < list->items.size(); ++k) {
    if (list->items[k].get() == &mesh || structuralEqual(list->items[k], NodeRef(&mesh))) {
      return "mesh[" + std::to_string(k) + "]";
    }
  }
  return {};
}

void Printer::rangeEnds(const tir::Range& range) {
  const auto min = tir::asInt(range.min), extent = tir::asInt(range.extent);
  prim(range.min);
  text(", ");
  if (min && extent && range.extent->dtype == DataType::Int(32)) {
    number(*min + *extent);
  } else if (min == 0) {
    prim(range.extent);
  } else {
    prim(range.min, Prec::Add);
    text(" + ");
    prim(range.extent, Prec::Mul);
  }
  text(")");
}

void Printer::deviceMesh(const ir::DeviceMesh& mesh) {
  std::string name = meshText(mesh);
  if (!name.empty()) return quoted(name);
  r("device_mesh((");
  commas(mesh.shape, [&](int64_t n) { number(n); });
  text(mesh.shape.size() == 1 ? ",), " : "), ");
  if (mesh.deviceRange) {
    const auto min = tir::asInt(mesh.deviceRange->min), extent = tir::asInt(mesh.deviceRange->extent);
    if (min && extent) {
      i("Range(");
      number(*min);
      text(", ");
      number(*min + *extent);
      return text("))");
    }
  }
  text("[");
  commas(mesh.deviceIds, [&](int64_t n) { number(n); });
  text("])");
}

void Printer::metadataRef(const char* type, const Ref<HostTensor>& data) {
  metadataUsed_ = true;
  const bool isConstant = std::string_view(type) == "relax.expr.Constant";
  auto& list = isConstant ? constants_ : tensors_;
  auto& index = isConstant ? constantIndex_ : tensorIndex_;
  auto [at, fresh] = index.emplace(data.get(), list.size());
  if (fresh) list.push_back(data);
  text("metadata[\"");
  text(type);
  text("\"][");
  number(static_cast<int64_t>(at->second));
  text("]");
}

}  // namespace rx::script
