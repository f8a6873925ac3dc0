// Functions of TIR: parameters, their buffers, the body.
#include <algorithm>

#include "core/arith/analyzer.h"
#include "core/arith/fold.h"
#include "core/script/reader.h"
#include "core/script/tir_complete.h"

namespace rx::script {

using tir::PrimExpr;
using tir::Stmt;

/// Each function has variables of its own for the names that the file declares.
void Reader::defineTypeVars() {
  for (NameId name : typeVars_) {
    if (!scope_.lookup(name)) scope_.define(name, make<tir::Var>(names_.str(name), DataType::Int(64)));
  }
}

bool Reader::tirParams(const Statement& head, std::vector<tir::VarRef>& params, std::vector<tir::BufferRef>& buffers) {
  // Scalars first: dimensions may be written over parameters that come later.
  for (const Param& param : head.params) {
    if (!param.annotation || at(param.annotation).kind != Syn::Attr) continue;
    NodeRef value = evalAnnotation(param.annotation);
    if (const auto* type = as<ir::TypeAttr>(value))
      scope_.define(param.name, make<tir::Var>(names_.str(param.name), type->value));
  }
  std::vector<NodeId> annotations;
  for (const Param& param : head.params) annotations.push_back(param.annotation);
  defineSignatureSymbols(annotations);
  if (namedTwice(head)) return false;
  for (const Param& param : head.params) {
    statementSpan_ = {param.begin, param.end, file_};
    if (!param.annotation) {
      error(statementSpan_, "script.annotation", "the parameter '" + nameText(param.name) + "' has no annotation",
            "write T.handle, T.Buffer(...) or a type such as T.int32");
      return false;
    }
    NodeRef value = evalAnnotation(param.annotation);
    if (!value) return false;
    const Str& name = names_.str(param.name);
    const auto* named = as<tir::Var>(value);
    if ((isa<tir::ExprNode>(value) && !(named && named->name.empty())) ||
        std::find(buffers.begin(), buffers.end(), value) != buffers.end()) {
      error(param.annotation, "script.annotation", "this is a value, which can not be the type of a parameter",
            "write T.handle, T.Buffer(...) or a type such as T.int32");
      return false;
    }
    if (isa<tir::Buffer>(value)) {
      auto buffer = refAs<tir::Buffer>(value);
      rename(buffer, name);
      params.push_back(make<tir::Var>(Str(name.string() + "_handle"), DataType::Handle()));
      buffers.push_back(buffer);
      scope_.define(param.name, buffer);
    } else if (isa<tir::Var>(value)) {
      rename(value, name);
      params.push_back(refAs<tir::Var>(value));
      buffers.push_back(nullptr);
      scope_.define(param.name, value);
    } else {
      auto type = toType(value, param.annotation);
      if (!type) return false;
      tir::VarRef var = refAs<tir::Var>(scope_.lookup(param.name));
      if (!var || var->dtype != *type || at(param.annotation).kind != Syn::Attr) var = make<tir::Var>(name, *type);
      params.push_back(var);
      buffers.push_back(nullptr);
      scope_.define(param.name, var);
    }
    const_cast<tir::Var*>(params.back().get())->span = statementSpan_;
  }
  return true;
}

NodeRef Reader::evalAnnotation(NodeId id) {
  NodeRef value = eval(id);
  if (!value) return nullptr;
  if (const auto* type = as<ir::TypeAttr>(value); type && type->value.isHandle())
    return make<tir::Var>(Str(), DataType::Handle());
  return value;
}

tir::Type Reader::toTirType(const NodeRef& value) {
  if (const auto* type = as<ir::TypeAttr>(value)) return make<tir::PrimType>(type->value);
  if (const auto* text = as<ir::StrAttr>(value)) {
    if (auto type = typeNamed(text->value.view())) return make<tir::PrimType>(*type);
  }
  // T.handle("float32") is a variable without a name.
  if (const auto* var = as<tir::Var>(value); var && var->name.empty())
    return var->annotation ? var->annotation : tir::Type(make<tir::PrimType>(var->dtype));
  return nullptr;
}

ir::BaseFunc Reader::readPrimFunc(const Statement& head, bool isPrivate, bool) {
  Span span{head.begin, head.end, file_};
  bool outer = inTir_;
  inTir_ = true;
  scope_.push();
  threads_.clear();
  tirAttrs_.clear();
  tirParams_.clear();
  tirBuffers_.clear();
  frames_.clear();
  partsAreViews_.reset();
  primBody_ = syntax_->bodyBegin();
  forgetLost();
  defineTypeVars();
  bool ok = tirParams(head, tirParams_, tirBuffers_);
  tir::Type ret;
  if (ok && head.a) {
    NodeRef value = eval(head.a);
    if (!isNone(value)) {
      ret = toTirType(value);
      ok = ret != nullptr;
      if (!ok)
        error(head.a, "script.annotation", "this is no type of a result", "write one such as T.int32, or nothing");
    }
  }
  ir::BaseFunc result;
  if (!ok) {
    failed_ = true;
    syntax_->skipBody();
  } else {
    Frame function(FrameKind::Function);
    function.scoped = false;
    frames_.push_back(std::move(function));
    tirBody();
    if (!frames_.empty() && frames_[0].kind == FrameKind::Function) {
      Frame frame = std::move(frames_[0]);
      // A block that is the whole body is the root: its regions are not detected.
      const auto* realize = frame.stmts.size() == 1 ? as<tir::BlockRealize>(frame.stmts[0]) : nullptr;
      if (realize && rootBlock_ && realize->block == rootBlock_ && frame.allocs.empty()) {
        auto* root = const_cast<tir::Block*>(rootBlock_.get());
        if (!rootReadsGiven_) root->reads = {};
        if (!rootWritesGiven_) root->writes = {};
      }
      rootBlock_ = nullptr;
      Stmt body = completeFunction(sequenceOf(frame.stmts), frame.allocs);
      bool symbol = false;
      for (const auto& [key, value] : tirAttrs_) symbol |= key == "global_symbol";
      if (symbol && isPrivate) {
        error(span, "tir.private", "a private function can not have the attribute 'global_symbol'",
              "remove the attribute, or private=True");
      }
      if (!isPrivate && !symbol) tirAttrs_.emplace_back(Str("global_symbol"), ir::strAttr(names_.str(head.name)));
      ir::Attrs attrs;
      if (!tirAttrs_.empty()) attrs = make<ir::DictAttrs>(tirAttrs_);
      result = withSpan(
          make<tir::PrimFunc>(Array<tir::VarRef>(tirParams_), Array<tir::BufferRef>(tirBuffers_), body, ret, attrs),
          span);
    }
  }
  frames_.clear();
  scope_.pop();
  inTir_ = outer;
  return result;
}

}  // namespace rx::script
