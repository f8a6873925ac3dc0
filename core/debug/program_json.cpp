// The program as JSON, for the head of a trace file.
#include <nlohmann/json.hpp>

#include "core/debug/trace_codec.h"

namespace rx::debug {

namespace {

using Json = nlohmann::json;

Json sitesJson(std::span<const OriginSite> sites) {
  Json list = Json::array();
  for (const OriginSite& site : sites)
    list.push_back({site.function.string(), site.block, site.binding, site.name.string()});
  return list;
}

std::vector<OriginSite> sitesFrom(const Json& list) {
  std::vector<OriginSite> sites;
  for (const Json& site : list)
    sites.push_back({site.at(0).get<std::string>(),
                     site.at(1).get<uint32_t>(),
                     site.at(2).get<uint32_t>(),
                     site.at(3).get<std::string>(),
                     {}});
  return sites;
}

Json stageJson(const Stage& stage) {
  Json functions = Json::array();
  for (const StageFunction& function : stage.functions()) {
    Json params = Json::array(), bindings = Json::array();
    for (const Str& param : function.params) params.push_back(param.string());
    for (const StageBinding& b : function.bindings)
      bindings.push_back(
          {b.parent, b.variable.string(), b.file, b.line, b.lastLine, sitesJson(b.sites), b.pass.string()});
    functions.push_back({{"name", function.name.string()}, {"params", params}, {"bindings", bindings}});
  }
  return {{"title", stage.title()}, {"hash", stage.hash()}, {"files", stage.files()}, {"functions", functions}};
}

std::shared_ptr<const Stage> stageFrom(const Json& json) {
  std::vector<StageFunction> functions;
  for (const Json& f : json.at("functions")) {
    StageFunction function;
    function.name = f.at("name").get<std::string>();
    for (const Json& param : f.at("params")) function.params.push_back(param.get<std::string>());
    for (const Json& b : f.at("bindings")) {
      StageBinding binding;
      binding.ordinal = static_cast<int>(function.bindings.size());
      binding.parent = b.at(0).get<int>();
      binding.variable = b.at(1).get<std::string>();
      binding.file = b.at(2).get<uint32_t>();
      binding.line = b.at(3).get<uint32_t>();
      binding.lastLine = b.at(4).get<uint32_t>();
      binding.sites = Array<OriginSite>(sitesFrom(b.at(5)));
      binding.pass = b.at(6).get<std::string>();
      function.bindings.push_back(std::move(binding));
    }
    functions.push_back(std::move(function));
  }
  return std::make_shared<Stage>(json.at("title").get<std::string>(), std::move(functions),
                                 json.at("files").get<std::vector<std::string>>(), json.at("hash").get<std::string>());
}

Json instructionJson(const Instruction& i) {
  return {{"op", static_cast<int>(i.op)},
          {"f", i.function},
          {"text", i.text},
          {"callee", i.callee},
          {"called", i.calledFunction},
          {"dst", i.dst},
          {"args", i.arguments},
          {"sites", sitesJson(i.sites)},
          {"var", i.variable},
          {"builtin", i.builtin},
          {"keep", i.housekeeping}};
}

Instruction instructionFrom(const Json& json, size_t functions) {
  Instruction i;
  int op = json.at("op").get<int>();
  i.function = json.at("f").get<int>();
  if (op < 0 || op > static_cast<int>(OpKind::If) || i.function < 0 || i.function >= static_cast<int>(functions))
    throw std::out_of_range("an instruction names what does not exist");
  i.op = static_cast<OpKind>(op);
  i.text = json.at("text").get<std::string>();
  i.callee = json.at("callee").get<std::string>();
  i.calledFunction = json.at("called").get<int>();
  i.dst = json.at("dst").get<int>();
  i.arguments = json.at("args").get<std::vector<int>>();
  i.sites = sitesFrom(json.at("sites"));
  i.variable = json.at("var").get<std::string>();
  i.builtin = json.at("builtin").get<bool>();
  i.housekeeping = json.at("keep").get<bool>();
  return i;
}

Json functionJson(const VmFunction& f) {
  Json heap = Json::array();
  for (const HeapSlot& slot : f.heap) heap.push_back({slot.expression, slot.origin});
  return {{"name", f.name},
          {"begin", f.begin},
          {"end", f.end},
          {"arguments", f.arguments},
          {"registers", f.registers},
          {"names", f.registerNames},
          {"heapRegister", f.heapRegister},
          {"heap", heap}};
}

VmFunction functionFrom(const Json& json) {
  VmFunction f;
  f.name = json.at("name").get<std::string>();
  f.begin = json.at("begin").get<int64_t>();
  f.end = json.at("end").get<int64_t>();
  f.arguments = json.at("arguments").get<int>();
  f.registers = json.at("registers").get<int>();
  f.registerNames = json.at("names").get<std::vector<std::string>>();
  f.heapRegister = json.at("heapRegister").get<int>();
  for (const Json& slot : json.at("heap"))
    f.heap.push_back({slot.at(0).get<std::string>(), slot.at(1).get<std::string>()});
  return f;
}

}  // namespace

std::string programJson(const Program& program) {
  Json instructions = Json::array(), functions = Json::array(), stages = Json::array();
  for (const Instruction& i : program.instructions) instructions.push_back(instructionJson(i));
  for (const VmFunction& f : program.functions) functions.push_back(functionJson(f));
  for (const auto& stage : program.stages) stages.push_back(stageJson(*stage));
  Json json = {{"functions", functions}, {"instructions", instructions}, {"stages", stages}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<Program> programFromJson(std::string_view text) {
  try {
    Json json = Json::parse(text);
    Program program;
    for (const Json& f : json.at("functions")) program.functions.push_back(functionFrom(f));
    for (const Json& i : json.at("instructions"))
      program.instructions.push_back(instructionFrom(i, program.functions.size()));
    for (const Json& s : json.at("stages")) program.stages.push_back(stageFrom(s));
    if (program.stages.empty()) return fail("trace.program", "the trace names no stage of the module");
    return program;
  } catch (const std::exception& error) {
    return fail("trace.program", "the head of the trace is damaged: " + escapedForDisplay(error.what()));
  }
}

}  // namespace rx::debug
