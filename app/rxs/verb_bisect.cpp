// rxs bisect: which pass of a pipeline, or stage of a folder, changed what a function computes.
#include <fmt/format.h>

#include "app/rxs/compile_options.h"
#include "app/rxs/confined.h"
#include "app/rxs/error_row.h"
#include "app/rxs/reply.h"
#include "app/rxs/reproducer.h"
#include "app/rxs/stage_search.h"
#include "app/rxs/standard_output.h"
#include "app/rxs/verbs.h"
#include "core/compile/request/request.h"
#include "core/support/temporary_folder.h"

namespace rx::cli {
namespace {

using Json = StageRuns::Json;

struct BisectArguments {
  StageRuns::Setup setup;
  bool searchOnly = false;
  bool confine = false;
  bool asJson = false;
  std::string reproducer;  ///< folder for one; empty for none
};

/// The first diagnostic in a line: "FILE:LINE: MESSAGE".
std::string firstMessage(const Json& diagnostics) {
  if (diagnostics.empty()) return {};
  const Json& first = diagnostics.front();
  std::string place = first.contains("file") ? first["file"].get<std::string>() : first.value("context", "");
  if (first.contains("line")) place += fmt::format(":{}", first["line"].get<int64_t>());
  return place.empty() ? first["message"].get<std::string>() : place + ": " + first["message"].get<std::string>();
}

/// What became of a stage, in a line.
std::string outcomeText(const StageRow& row) {
  if (row.verdict == Verdict::Failed && !row.died.empty()) {
    std::string text = "its process ended: " + row.died;
    if (row.place.contains("instruction")) text += ", in " + row.place["instruction"].get<std::string>();
    const std::string binding = row.place.value("binding", "");
    return binding.empty() ? text : fmt::format("{} of {} of {}", text, binding, row.place.value("function", ""));
  }
  if (!row.diagnostics.empty()) return fmt::format("{}: {}", verdictName(row.verdict), firstMessage(row.diagnostics));
  if (const Json* first = row.first()) return fmt::format("differs: {}, {}", nameText(*first), errorText(*first));
  if (row.verdict == Verdict::Differs)
    return fmt::format("differs from what is expected: {}{}", row.expected["what"].get<std::string>(),
                       " largest difference " + row.expected["max_absolute"].dump());
  return verdictName(row.verdict);
}

std::string stageText(const StageRow& row, size_t stage) {
  return fmt::format("stage {} {}", stage, escapedForDisplay(row.call.empty() ? row.name : row.call));
}

/// Why the first binding that is off is so.
std::string causeText(const Json& binding) {
  if (binding.contains("overwritten")) {
    const Json& over = binding["overwritten"];
    return fmt::format("{} is overwritten by {} before it is read: both lie in storage {}, bytes {} to {}",
                       over["binding"].get<std::string>(), over["by"].get<std::string>(),
                       over["storage"].get<int64_t>(), over["offset"].get<int64_t>(),
                       over["offset"].get<int64_t>() + over["bytes"].get<int64_t>());
  }
  const std::string cause = binding.value("cause", "unknown");
  if (cause == "own") return "its own: of the same inputs the reference makes another value";
  if (cause == "inherited") return "inherited: of the same inputs the reference makes the same value";
  return "own or inherited, nobody knows";
}

Json stageJson(const StageRow& row, size_t stage) {
  Json json = {{"stage", stage},
               {"name", row.name},
               {"call", row.call},
               {"verdict", verdictName(row.verdict)},
               {"outcome", outcomeText(row)}};
  if (row.run) json.update({{"run", row.run}, {"milliseconds", row.milliseconds}});
  if (!row.died.empty()) json["died"] = row.died;
  if (!row.place.is_null()) json["place"] = row.place;
  if (!row.expected.is_null()) json["expected"] = row.expected;
  json["bindings"] = row.bindings;
  json["diagnostics"] = row.diagnostics;
  json["ill_formed"] = row.illFormed;
  return json;
}

/// What the guilty stage is, as an object.
Json guiltyJson(const StageSearch& search) {
  const StageRow& row = search.rows()[*search.guilty()];
  Json guilty = {{"stage", *search.guilty()}, {"name", row.name}, {"outcome", outcomeText(row)}};
  if (const Json* first = row.first())
    guilty.update({{"function", (*first)["function"]}, {"binding", (*first)["binding"]}, {"why", causeText(*first)}});
  return guilty;
}

/// Beside the answer, which comes when all stages were looked at: the stage that was found, explained.
void tellGuilty(const StageSearch& search, Reply& reply) {
  if (!reply.asJson()) return;
  const size_t stage = *search.guilty();
  Json line = stageJson(search.rows()[stage], stage);
  line["of"] = search.rows().size();
  line["guilty"] = guiltyJson(search);
  line["runs"] = search.runsOfSearch();
  tell(line.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n');
}

/// The answer in words and as an object; whether all stages compute the same.
bool tellAll(const StageSearch& search, Reply& reply) {
  for (size_t i = 0; i < search.rows().size(); ++i) reply.fields()["stages"].push_back(stageJson(search.rows()[i], i));
  reply.fields()["runs"] = search.runsOfSearch();
  if (search.reference()) reply.fields()["reference"] = *search.reference();
  if (!search.reference()) {
    reply.print("no stage runs to its end\n");
    return false;
  }
  if (!search.guilty()) {
    reply.print(fmt::format("all stages that were run compute what stage {} does\n", *search.reference()));
    return true;
  }
  const StageRow& row = search.rows()[*search.guilty()];
  reply.print(fmt::format("guilty: {}, found in {} runs: {}\n", stageText(row, *search.guilty()), search.runsOfSearch(),
                          outcomeText(row)));
  if (const Json* first = row.first()) reply.print(fmt::format("  {}\n", causeText(*first)));
  if (!row.illFormed.empty()) reply.print(fmt::format("  it is ill-formed: {}\n", firstMessage(row.illFormed)));
  reply.print(rowsText(row.bindings));
  reply.fields()["guilty"] = guiltyJson(search);
  return false;
}

int runBisect(BisectArguments& arguments, Reply& reply) {
  const Result<TemporaryFolder> folder = TemporaryFolder::make("rxs-bisect");
  if (!folder) return reply.refuse(folder.diagnostics());
  arguments.setup.folder = folder->path();
  const StageRuns work(arguments.setup);
  std::optional<ConfinedOutputs> confined;
  if (arguments.confine) confined = {{}, {folder->path()}, false, true};
  if (confined && !arguments.reproducer.empty()) confined->folders.push_back(arguments.reproducer);
  StageSearch search(
      work, confined,
      [&](const StageRow& row, size_t stage) {
        const std::string run = row.run ? fmt::format("run {}", row.run) : "no run";
        reply.print(fmt::format("{:<7} {}: {}\n", run, stageText(row, stage), outcomeText(row)));
        if (!reply.asJson()) return;
        // The answer is one object at the end: who waits is told beside it.
        Json line = stageJson(row, stage);
        line["of"] = search.rows().size();
        tell(line.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n');
      },
      [&] { tellGuilty(search, reply); });
  const Json why = search.find(!arguments.searchOnly);
  if (!why.is_null()) return reply.refuseJson(why.value("diagnostics", Json::array()));
  const bool same = tellAll(search, reply);
  if (!same && search.guilty() && !arguments.reproducer.empty()) {
    const auto made = writeReproducer(arguments.setup, search, arguments.reproducer, confined);
    if (!made) return reply.refuse(made.diagnostics());
    const std::string size = made->reduced ? fmt::format("{} of {} bindings", made->bindings, made->bindingsBefore)
                                           : fmt::format("{} bindings, not cut down", made->bindings);
    reply.print(fmt::format("reproducer, {}: {}\n", size, made->command));
    reply.fields()["reproducer"] = made->command;
  }
  return same ? kYes : kNo;
}

void addOptions(CLI::App& command, BisectArguments& arguments) {
  StageRuns::Setup& setup = arguments.setup;
  addInputOptions(command, setup.input);
  addValueOptions(command, setup.values);
  command.add_option(
      "--passes", setup.passes,
      "pipeline whose stages are run, where the file is a module: Name(option=literal, ...), ..., the name "
      "of a pipeline, or @FILE (default: default)");
  command.add_option("--target", setup.target, "target of these passes; all stages run on this machine");
  command.add_option("--mode", setup.mode, "how kernels are compiled: step or release (default: release)")
      ->check(CLI::IsMember({"step", "release"}));
  command.add_option(
      "--limit", setup.limit,
      "how far a value may be off, absolute and in proportion (default: the rounding of its type, 2e-2 in "
      "half precision and below, 1e-4 in single, 1e-7 in double)");
  command.add_option("--expect", setup.expect,
                     ".npz, .npy or .safetensors file that the result of each stage is compared with, too");
  command.add_flag("--search-only", arguments.searchOnly,
                   "run no more stages than the binary search needs; else the others are run after it");
  command
      .add_option("--time-limit", setup.timeLimit,
                  "seconds after which the run of a stage is cancelled, and so has failed")
      ->check(CLI::Range(0.0, 1e9));
  command.add_option("--reproducer", arguments.reproducer,
                     "folder for the smallest module that was found with which the guilty pass alone shows the same, "
                     "with its inputs; the command that runs it is told");
  addConfineOption(command, arguments.confine);
}

}  // namespace

std::function<int()> setupBisect(CLI::App& command) {
  auto arguments = std::make_shared<BisectArguments>();
  arguments->setup.passes = "default";
  arguments->setup.mode = "release";
  addOptions(command, *arguments);
  addJsonOption(
      command, arguments->asJson,
      "\"stages\": [{\"stage\", \"name\", \"call\", \"verdict\": \"reference\", \"equal\": every value bit for "
      "bit, \"within the limit\", \"differs\", \"failed\", \"refused\" or \"not run\", \"outcome\": in words, \"run\": "
      "its number in the order of runs, \"milliseconds\": that it took, \"died\": of what its process ended, "
      "\"place\": {\"instruction\", \"binding\", "
      "\"function\", "
      "\"given\"} where that was, \"bindings\": [{\"function\", \"binding\", \"equal\", \"within\", "
      "\"max_absolute\", \"max_relative\", \"max_scaled\": largest difference over 1 + |what was wanted|, \"limit\": "
      "of "
      "it, \"off\", \"count\", \"what\"; of the guilty stage \"cause\": \"own\", "
      "\"inherited\" or \"unknown\", \"own_absolute\" and \"overwritten\"}], \"diagnostics\", \"ill_formed\"}], "
      "\"runs\": of the "
      "search, \"reference\" and \"guilty\": {\"stage\", \"name\", \"outcome\", \"function\", \"binding\", "
      "\"why\"}, \"reproducer\": command that shows it; standard error has such an object of a stage, with \"of\": how "
      "many there are, in a line for each that was looked at, when it was, and of the guilty one again, with "
      "\"guilty\", once it was found");
  return [arguments] {
    Reply reply(arguments->asJson);
    return reply.finish(runBisect(*arguments, reply));
  };
}

}  // namespace rx::cli
