// What thousands of rows of a stage have alike, each made once: types, names, what a call says, where bindings come
// from. A row takes a share of it.
#pragma once

#include <map>
#include <unordered_map>

#include "core/ir/module.h"
#include "views/models/stage_index.h"

namespace rx::views {

/// StructInfo as written in the IR; empty for none.
QString infoText(const relax::StructInfo& info);
/// "(n, 32) f32" of a tensor, as it is written of what has no such short form.
QString shortInfo(const relax::StructInfo& info);

class RowTexts {
 public:
  struct Type {
    QString info;
    QString shape;
    QString dtype;
  };
  /// What a value takes: a number of bytes, -1 where it is not known, and the same in words: "288 B", "16 * n * n B".
  struct Size {
    qint64 count = -1;
    QString text;
  };
  /// A call of an operator, which may call a function of the module.
  struct Called {
    QString op;
    QString label;
    QString callee;
    OpKind kind = OpKind::Other;
    bool impure = false;
    bool takesFunction = false;  ///< its first argument is what it calls
  };

  explicit RowTexts(const ir::IRModule& module) : module_(module) {}

  const QString& of(const Str& text);
  const Type& of(const relax::StructInfo& info);
  /// Of a tensor whose shape is written out; no text of any other.
  const Size& sizeOf(const relax::StructInfo& info);
  static Size sizeOf(const tir::PrimExpr& bytes);
  /// "(n, 32) f32" of a tensor, as it is written of what has no such short form.
  QString shortOf(const relax::StructInfo& info);
  /// `callee` may be null.
  const Called& of(const relax::Op& op, const relax::GlobalVar* callee = nullptr);
  const SharedRows<OriginRow>& of(const Array<OriginSite>& sites);

 private:
  /// What is said of a type, once for all tensors that are written alike.
  template <class What>
  struct ByType {
    std::unordered_map<std::string, What> tensors;  // by what tells their texts apart
    std::unordered_map<const Node*, What> others;
    template <class Make>
    const What& of(const relax::StructInfo& info, std::string* key, Make make);
  };

  const QString& fileName(size_t number, const SourceFile& file);
  /// The texts of a type.
  Type make(const relax::StructInfo& info);

  const ir::IRModule& module_;
  std::unordered_map<Str, QString> strings_;
  ByType<Type> types_;
  ByType<Size> sizes_;
  std::string key_;  // of the tensor that is looked for
  std::map<std::pair<const Node*, const Node*>, Called> calls_;
  std::unordered_map<const OriginSite*, SharedRows<OriginRow>> origins_;  // by the first of the sites
  std::vector<QString> files_;  // names of the module's sources, by their number
};

}  // namespace rx::views
