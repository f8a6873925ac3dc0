// The primitives of a schedule, under the names that TVM gives them: one row of primitives.def and one file each. Each
// fails with schedule.<name> where it does not apply, and then the schedule is as it was; where it does, the trace of
// the schedule has one instruction more.
#pragma once

#include "core/schedule/schedule.h"

namespace rx::schedule {

enum class Primitive : uint8_t {
#define RX_PRIMITIVE(name, function, result, arguments, help, ...) function,
#include "core/schedule/primitives.def"
};

/// A primitive as texts call it.
struct PrimitiveRow {
  const char* name;
  const char* arguments;  ///< as primitives.def says
  const char* help;
  std::span<const ArgumentKind> kinds;
  /// Applies it to arguments of these kinds, and records that; what it gives is blocks and loops.
  Result<std::vector<Argument>> (*apply)(Schedule& schedule, std::span<const Argument> arguments);
};
std::span<const PrimitiveRow> primitiveRows();
inline const PrimitiveRow& rowOf(Primitive primitive) { return primitiveRows()[static_cast<size_t>(primitive)]; }
/// The row of that name, or of the name that it had in older texts; null where there is none.
const PrimitiveRow* findPrimitive(std::string_view name);

/// What primitives do, without a record of it.
namespace bare {
#define RX_PRIMITIVE(name, function, result, arguments, help, ...) \
  Result<result> function(Schedule& schedule, __VA_ARGS__);
#include "core/schedule/primitives.def"
}  // namespace bare

/// The one place where primitives are applied: what they take and give goes into the trace.
template <Primitive primitive, auto function>
struct Recorded;
template <Primitive primitive, class R, class... A, Result<R> (*function)(Schedule&, A...)>
struct Recorded<primitive, function> {
  static constexpr ArgumentKind kKinds[] = {Held<A>::kKind...};

  static Result<R> apply(Schedule& schedule, A... arguments) {
    const std::vector<Argument> taken{Held<A>::hold(arguments)...};
    const Trace::Mark before = schedule.record(primitive, taken);
    Result<R> made = function(schedule, arguments...);
    schedule.recorded(before, made.ok(), made ? given(*made) : std::vector<Argument>());
    return made;
  }
  static Result<std::vector<Argument>> applyTo(Schedule& schedule, std::span<const Argument> arguments) {
    return [&]<size_t... I>(std::index_sequence<I...>)->Result<std::vector<Argument>> {
      RX_TRY(made, apply(schedule, Held<A>::give(arguments[I])...));
      return given(made);
    }
    (std::index_sequence_for<A...>());
  }

 private:
  static std::vector<Argument> given(const R& made) {
    if constexpr (std::is_same_v<R, Unit>) {
      return {};
    } else if constexpr (requires { made.begin(); }) {
      return {made.begin(), made.end()};
    } else {
      return {Argument(made)};
    }
  }
};

#define RX_PRIMITIVE(name, function, result, arguments, help, ...) \
  inline constexpr auto function = &Recorded<Primitive::function, &bare::function>::apply;
#include "core/schedule/primitives.def"

}  // namespace rx::schedule
