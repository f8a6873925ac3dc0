#include "app/rxs/held_values.h"

#include "core/ir/text_bindings.h"

namespace rx::cli {

HeldValues::HeldValues(const debug::Recording& run, const ir::IRModule& imported, std::string_view function,
                       const debug::Given& given)
    : run_(run), given_(given), function_(run.program().stages.front()->functionIndex(function)) {
  const std::vector<ir::TextFunction> texts = ir::textFunctions(imported);
  for (size_t f = 0; f < texts.size(); ++f) {
    if (imported.vars[f]->name.view() != function) continue;
    for (size_t i = 0; i < texts[f].bindings.size(); ++i)
      ordinals_.emplace(texts[f].bindings[i].variable, static_cast<int>(i));
  }
}

Result<Ref<HostTensor>> HeldValues::before(const debug::GivenAt& at, const relax::Var& variable) const {
  std::optional<debug::ValuePlace> place;
  if (const auto ordinal = ordinals_.find(&variable); ordinal != ordinals_.end()) {
    const auto values = given_.find({function_, ordinal->second});
    if (values == given_.end()) return Ref<HostTensor>();
    for (const debug::GivenAt& each : values->second)
      if (each.step < at.step) place = each.place;
  } else {
    // A group of operators that is a function of its own has parameters of its own: then those of its caller.
    for (uint32_t number = at.place.activation; !place && number != store::kNone;) {
      RX_TRY(frame, run_.reader().activation(number));
      const debug::VmFunction& function = run_.program().functions[frame.function];
      for (int i = 0; i < function.arguments; ++i)
        if (function.registerNames[static_cast<size_t>(i)] == variable.name.view())
          place = debug::ValuePlace{frame.firstState, number, static_cast<uint32_t>(i)};
      number = frame.parent;
    }
  }
  if (!place) return Ref<HostTensor>();
  RX_TRY(value, run_.valueAt(*place));
  if (value.kind != debug::ValueKind::Tensor) return Ref<HostTensor>();
  RX_TRY(own, value.tensor->copy());
  return Ref<HostTensor>(own);
}

debug::Value shownValue(const vm::Value& value) {
  if (value.is(vm::ValueKind::Tensor)) return debug::tensorValue(Ref<HostTensor>(&value.tensor()));
  debug::Value whole;
  if (!value.is(vm::ValueKind::Tuple)) return whole;
  whole.kind = debug::ValueKind::Tuple;
  for (const vm::Value& item : value.asTuple()) whole.items.push_back(shownValue(item));
  return whole;
}

}  // namespace rx::cli
