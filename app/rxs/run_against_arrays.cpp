#include "app/rxs/run_against_arrays.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <set>

#include "app/rxs/error_row.h"
#include "app/rxs/held_values.h"
#include "app/rxs/replay_binding.h"
#include "app/rxs/verbs.h"
#include "core/support/nearest.h"
#include "core/support/temporary_folder.h"

namespace rx::cli {
namespace {

using Json = Reply::Json;
using Arrays = std::map<std::string, Ref<HostTensor>, std::less<>>;

/// The array in the type of what it is compared with, where both are floats of any size; else as it is.
Result<Ref<HostTensor>> inTypeOf(const Ref<HostTensor>& array, DataType dtype) {
  if (array->dtype() == dtype || !array->dtype().isFloat() || !dtype.isFloat()) return array;
  RX_TRY(other, HostTensor::allocate(array->shape(), dtype));
  for (int64_t i = 0; i < array->count(); ++i) other->set(i, array->at(i));
  return Ref<HostTensor>(other);
}

/// A run on the way along its bindings.
class ArrayComparison {
 public:
  ArrayComparison(const debug::Recording& run, const ir::Module& module, const debug::Given& given,
                  const Arrays& arrays)
      : run_(run), module_(module), given_(given), arrays_(arrays) {}

  /// Adds the row of a binding whose name an array has.
  Result<Unit> take(debug::StagePlace place, const debug::GivenAt& at) {
    const debug::Stage& stage = *run_.program().stages.front();
    debug::BindingError row{stage.functions()[static_cast<size_t>(place.function)].name.string(),
                            stage.binding(place)->variable.string(),
                            place,
                            {},
                            at,
                            at};
    const auto array = arrays_.find(row.binding);
    if (array == arrays_.end() || !taken_.insert(row.binding).second) return Unit{};
    RX_TRY(got, run_.valueAt(at.place));
    RX_TRY(wanted, wantedFor(got, array->second));
    RX_TRY(error, debug::valueError(got, wanted, {}));
    row.error = std::move(error);
    Json json = errorRow(row);
    if (!row.error.within()) RX_CHECK(addCause(row, wanted, &json));
    rows.push_back(std::move(json));
    return Unit{};
  }
  /// Names of arrays that are those of no binding with a value.
  std::vector<std::string> others() const {
    std::vector<std::string> names;
    for (const auto& [name, array] : arrays_)
      if (!taken_.contains(name)) names.push_back(name);
    return names;
  }

  Json rows = Json::array();

 private:
  static Result<debug::Value> wantedFor(const debug::Value& got, const Ref<HostTensor>& array) {
    if (got.kind != debug::ValueKind::Tensor) return debug::tensorValue(array);
    RX_TRY(tensor, inTypeOf(array, got.tensor->dtype()));
    return debug::tensorValue(std::move(tensor));
  }

  /// What the binding makes of the values of the arrays, as far as they reach back, else of the arguments of the run.
  Result<Unit> addCause(const debug::BindingError& row, const debug::Value& wanted, Json* json) const {
    const HeldValues held(run_, *module_, row.function, given_);
    const auto give = [&](const relax::Var& variable) -> Result<Ref<HostTensor>> {
      RX_TRY(here, held.before(row.got, variable));
      if (held.isParameter(variable)) return here;
      const auto array = arrays_.find(variable.name.view());
      if (array == arrays_.end()) return Ref<HostTensor>();
      return here ? inTypeOf(array->second, here->dtype()) : Result<Ref<HostTensor>>(array->second);
    };
    const auto made = replayBinding(module_, row.function, row.place.ordinal, give);
    (*json)["cause"] = "unknown";
    if (!made) return Unit{};
    RX_TRY(own, debug::valueError(shownValue(*made), wanted, {}));
    (*json)["cause"] = own.within() ? "inherited" : "own";
    if (own.apart.empty()) (*json)["own_absolute"] = numberJson(own.error.maxAbsolute);
    return Unit{};
  }

  const debug::Recording& run_;
  const ir::Module& module_;
  const debug::Given& given_;
  const Arrays& arrays_;
  std::set<std::string> taken_;
};

/// No array has the name of a binding.
Failure noNames(const debug::Recording& run, const Arrays& arrays, const std::string& file) {
  Diagnostic none = errorAt({}, "against.names", fmt::format("no array of {} has the name of a binding", file));
  Nearest nearest(arrays.empty() ? std::string() : arrays.begin()->first);
  for (const debug::StageFunction& function : run.program().stages.front()->functions())
    for (const debug::StageBinding& binding : function.bindings) nearest.offer(binding.variable.view());
  none.fix = nearest.fix();
  return fail(std::move(none));
}

/// What was found, in the form of --against and in that of bisect, whose table the window shows.
int tell(const ArrayComparison& compared, const std::string& file, Reply& reply) {
  const Json* first = nullptr;
  Json inherited = Json::array();
  size_t agree = 0;
  for (const Json& row : compared.rows) {
    if (row["within"].get<bool>()) ++agree;
    if (row.value("cause", "") == "inherited") inherited.push_back(row);
    if (!first && !row["within"].get<bool>() && row["cause"] != "inherited") first = &row;
  }
  // Where every difference is inherited nobody knows from what.
  for (const Json& row : compared.rows)
    if (!first && !row["within"].get<bool>()) first = &row;
  const bool own = first && (*first)["cause"] == "own";
  std::string said =
      first ? fmt::format("{} is the first value that is not as in {}: {}", nameText(*first), file, errorText(*first))
            : fmt::format("the {} values that {} has are the same", agree, file);
  if (first)
    said += own ? "; the difference is its own: of the values of the file it makes another one"
                : "; where it comes from nobody knows";
  if (!inherited.empty()) said += fmt::format("; {} more are inherited", inherited.size());
  const std::vector<std::string> others = compared.others();
  if (!others.empty()) said += fmt::format("; no binding with a value has the name of {}", fmt::join(others, ", "));
  reply.print(said + "\n" + rowsText(compared.rows));
  Json& fields = reply.fields();
  fields["said"] = said;
  fields["agree"] = agree;
  fields["in_one_run"] = others;
  fields["inherited"] = std::move(inherited);
  for (Json& each : fields["inherited"]) each["what"] = errorText(each);
  if (first) {
    fields["first"] = *first;
    fields["first"]["what"] = errorText(*first);
    fields["first"]["own"] = own ? Json(true) : Json();
  }
  fields["stages"] = Json::array({{{"stage", 0},
                                   {"name", file},
                                   {"verdict", first ? "differs" : "within the limit"},
                                   {"outcome", said},
                                   {"run", 1},
                                   {"bindings", compared.rows}}});
  return first ? kNo : kYes;
}

}  // namespace

bool isArrayFile(const std::string& against) {
  std::error_code error;
  return std::filesystem::is_regular_file(against, error);
}

Result<int> runAgainstArrays(const compile::Program& program, const ir::Module& module, const AgainstRun& run,
                             const std::vector<NamedTensor>& arrays, const std::string& file, Reply& reply) {
  RX_TRY(folder, TemporaryFolder::make("rxs-against"));
  RX_TRY(recorded, recordedRun(program, run, folder.file("run.rxtrace")));
  const std::unique_ptr<debug::Recording>& recording = recorded.run;
  RX_TRY(given, debug::givenIn(*recording, run.cancel));
  const Arrays byName(arrays.begin(), arrays.end());
  ArrayComparison comparison(*recording, module, given, byName);
  for (const debug::GivenInOrder& each : debug::inOrderOfRun(given)) {
    if (run.cancel.cancelled()) return fail("vm.cancelled", "the comparison was cancelled");
    RX_CHECK(comparison.take(each.binding, each.given));
  }
  if (comparison.rows.empty()) return noNames(*recording, byName, file);
  return tell(comparison, file, reply);
}

}  // namespace rx::cli
