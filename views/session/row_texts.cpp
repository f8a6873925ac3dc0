#include "views/session/row_texts.h"

#include "core/arith/fold.h"
#include "core/compile/request/languages.h"
#include "core/op/op_table.h"
#include "core/script/print.h"
#include "views/models/numbers.h"
#include "views/models/value_text.h"
#include "views/session/op_kinds.h"
#include "views/theme/qt_text.h"

namespace rx::views {
namespace {

struct ShapeText {
  QString shape;
  QString dtype;
};

/// Most dimensions are a number or a name: a printer for each would take longer than all the rest of their row.
QString dimText(const tir::PrimExpr& dim) {
  if (const auto* number = as<tir::IntImm>(dim)) return QString::number(number->value);
  if (const auto* var = as<tir::Var>(dim)) return qtText(var->name);
  return qtText(script::printPrimExpr(dim));
}

/// The shape alone, "(n, 512)", and the dtype of a tensor; "ndim 2" where only that is known.
ShapeText shapeOf(const relax::StructInfo& info) {
  ShapeText text;
  const auto* tensor = as<relax::TensorStructInfo>(info);
  if (!tensor) return text;
  text.dtype = qtText(tensor->dtype.str());
  if (const auto* shape = as<relax::ShapeExpr>(tensor->shape)) {
    QStringList parts;
    for (const tir::PrimExpr& dim : shape->values) parts << dimText(dim);
    text.shape = shapeText(parts);
  } else if (tensor->ndim >= 0) {
    text.shape = QStringLiteral("ndim %1").arg(tensor->ndim);
  }
  return text;
}

/// What the texts of a tensor depend on where its dimensions are numbers and variables: passes make a new type for
/// every binding, of which thousands are written alike. False where only the printer knows.
bool tensorKey(const relax::StructInfo& info, std::string* key) {
  const auto* tensor = as<relax::TensorStructInfo>(info);
  const auto* shape = tensor ? as<relax::ShapeExpr>(tensor->shape) : nullptr;
  if (!shape || tensor->vdevice) return false;
  *key = tensor->dtype.str();
  const auto add = [key](char mark, auto bits) {
    *key += mark;
    key->append(reinterpret_cast<const char*>(&bits), sizeof bits);
  };
  for (const tir::PrimExpr& dim : shape->values) {
    const auto* number = as<tir::IntImm>(dim);
    if (number && number->dtype == DataType::Int(64)) {
      add('n', number->value);
    } else if (const auto* var = as<tir::Var>(dim)) {
      add('v', var);
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace

template <class What>
template <class Make>
const What& RowTexts::ByType<What>::of(const relax::StructInfo& info, std::string* key, Make make) {
  const auto filled = [&](const auto& place) -> const What& {
    if (place.second && info) place.first->second = make(info);
    return place.first->second;
  };
  return info && tensorKey(info, key) ? filled(tensors.try_emplace(*key)) : filled(others.try_emplace(info.get()));
}

namespace {

/// Bytes of a tensor whose shape is written out; null for any other.
tir::PrimExpr tensorBytes(const relax::StructInfo& info) {
  const auto* tensor = as<relax::TensorStructInfo>(info);
  const auto* shape = tensor ? as<relax::ShapeExpr>(tensor->shape) : nullptr;
  if (!shape || tensor->dtype.isVoid()) return nullptr;
  tir::PrimExpr fixed = tir::intImm(tensor->dtype.bytes()), symbolic = tir::intImm(1);
  for (const tir::PrimExpr& dim : shape->values) {
    tir::PrimExpr& product = tir::asInt(dim) ? fixed : symbolic;
    product = arith::mul(product, dim);
  }
  return arith::mul(fixed, symbolic);
}

}  // namespace

QString infoText(const relax::StructInfo& info) { return info ? qtText(script::printStructInfo(info)) : QString(); }

QString shortInfo(const relax::StructInfo& info) {
  const ShapeText shape = shapeOf(info);
  return shape.shape.isEmpty() ? infoText(info) : shape.shape + ' ' + shortDtype(shape.dtype);
}

const QString& RowTexts::of(const Str& text) {
  const auto [at, fresh] = strings_.try_emplace(text);
  if (fresh) at->second = qtText(text);
  return at->second;
}

const RowTexts::Type& RowTexts::of(const relax::StructInfo& info) {
  return types_.of(info, &key_, [this](const relax::StructInfo& type) { return make(type); });
}

RowTexts::Type RowTexts::make(const relax::StructInfo& info) {
  if (const std::optional<compile::TypeText> own = compile::typeText(*info)) {
    QStringList dims;
    for (const std::string& dim : own->dims) dims << qtText(dim);
    return {qtText(own->text), own->isTensor ? shapeText(dims) : QString(),
            own->isTensor ? qtText(own->dtype.str()) : QString()};
  }
  ShapeText shape = shapeOf(info);
  return {infoText(info), std::move(shape.shape), std::move(shape.dtype)};
}

RowTexts::Size RowTexts::sizeOf(const tir::PrimExpr& bytes) {
  if (!bytes) return {};
  if (const std::optional<int64_t> number = tir::asInt(bytes)) return {*number, bytesText(*number)};
  return {-1, qtText(script::printPrimExpr(bytes)) + QStringLiteral(" B")};
}

const RowTexts::Size& RowTexts::sizeOf(const relax::StructInfo& info) {
  return sizes_.of(info, &key_, [](const relax::StructInfo& type) { return sizeOf(tensorBytes(type)); });
}

QString RowTexts::shortOf(const relax::StructInfo& info) {
  const Type& type = of(info);
  return type.shape.isEmpty() ? type.info : type.shape + ' ' + shortDtype(type.dtype);
}

const RowTexts::Called& RowTexts::of(const relax::Op& op, const relax::GlobalVar* callee) {
  const auto [at, fresh] = calls_.try_emplace({&op, callee});
  Called& called = at->second;
  if (!fresh) return called;
  called.op = qtText(op.name);
  called.label = called.op.startsWith("relax.") ? called.op.mid(6) : called.op;
  called.kind = opKindOf(op.name);
  if (const op::OpRow* known = op::rowOf(&op)) {
    called.impure = !known->pure();
    called.takesFunction = known->has(op::kCallsFunction);
  }
  if (callee) {
    called.callee = of(callee->name);
    called.label += ' ' + called.callee;
    if (called.kind == OpKind::Compute) called.kind = kernelKindOf(callee->name);
  }
  return called;
}

const SharedRows<OriginRow>& RowTexts::of(const Array<OriginSite>& sites) {
  const auto [at, fresh] = origins_.try_emplace(sites.begin());
  if (!fresh) return at->second;
  const SourceList& sources = *module_.sources;
  for (const OriginSite& site : sites) {
    OriginRow origin;
    origin.function = of(site.function);
    origin.variable = qtText(site.name);
    origin.key = originKeyOf(site.function.view(), site.block, site.binding);
    if (site.span.known() && site.span.file < sources.size()) {
      const SourceFile& file = *sources[site.span.file];
      origin.file = fileName(site.span.file, file);
      origin.line = static_cast<int>(file.lineColumn(site.span.begin).line);
    }
    at->second.push_back(std::move(origin));
  }
  return at->second;
}

const QString& RowTexts::fileName(size_t number, const SourceFile& file) {
  if (files_.size() <= number) files_.resize(number + 1);
  if (files_[number].isNull()) files_[number] = qtText(file.name());
  return files_[number];
}

}  // namespace rx::views
