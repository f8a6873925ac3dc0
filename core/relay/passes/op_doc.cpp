#include "core/relay/passes/op_doc.h"

#include <fmt/format.h>

#include "core/relay/passes/to_relax_call.h"
#include "core/relay/text.h"

namespace rx::relay {

namespace {

struct FormWord {
  FieldForm form;
  std::string_view word;
};
constexpr FormWord kForms[] = {{FieldForm::Node, "any"},   {FieldForm::Int, "int"},  {FieldForm::Bool, "bool"},
                               {FieldForm::Real, "float"}, {FieldForm::Text, "str"}, {FieldForm::Type, "dtype"}};

struct FusionWord {
  OpPattern pattern;
  std::string_view word;
};
constexpr FusionWord kFusion[] = {
    {OpPattern::ElementWise, "Computes element by element, and fuses with what does so too."},
    {OpPattern::Broadcast, "Computes element by element, with arguments spread to one shape; fuses with its like."},
    {OpPattern::Injective, "Each element of the result is read at one place; fuses into what reads it."},
    {OpPattern::Reduction, "Makes one element of many, and takes element-wise operators before it along."},
    {OpPattern::OutEwiseFusable, "Element-wise operators behind it fuse with it."},
    {OpPattern::Tuple, "Its results fuse one by one."},
    {OpPattern::Opaque, "Fuses with nothing."},
};

}  // namespace

std::string signatureOf(const OpRow& row) {
  std::string out = row.inputs < 0 ? "arguments: any number" : fmt::format("arguments: {}", row.inputs);
  for (const AttrField& field : row.attrs->fields) {
    const auto* form = std::find_if(std::begin(kForms), std::end(kForms),
                                    [&](const FormWord& each) { return each.form == field.form; });
    out += fmt::format(", {}: {}", field.name, form->word);
    if (field.fallback) out += " = " + attributeText(field.fallback);
  }
  return out;
}

std::string_view counterpartOf(const OpRow& row) {
  const TranslateRow* translated = findTranslation(row.name);
  return translated ? translated->relax : std::string_view();
}

std::string_view fusionOf(const OpRow& row) {
  const auto* word = std::find_if(std::begin(kFusion), std::end(kFusion),
                                  [&](const FusionWord& each) { return each.pattern == row.pattern; });
  return word == std::end(kFusion) ? std::string_view() : word->word;
}

}  // namespace rx::relay
