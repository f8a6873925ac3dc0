#include "core/vm/executable_file.h"

#include <nlohmann/json.hpp>

#include "core/runtime/executable_format.h"
#include "core/runtime/executable_reader.h"
#include "core/tensor/tensor_blob.h"
#include "core/vm/site_origin.h"

namespace rx::vm {
namespace {

Result<Unit> putConstant(ByteWriter& out, const Value& value) {
  switch (value.kind()) {
    case ValueKind::Tensor:
      out.put<int32_t>(kTagTensor);
      putTensor(out, value.tensor());
      return Unit{};
    case ValueKind::Type:
      out.put<int32_t>(kTagType);
      putType(out, value.asType());
      return Unit{};
    case ValueKind::Shape:
      out.put<int32_t>(kTagShape);
      out.words(value.asShape());
      return Unit{};
    case ValueKind::String:
      out.put<int32_t>(kTagString);
      out.text(value.asString());
      return Unit{};
    case ValueKind::Int:
      out.put<int32_t>(kTagInt);
      out.put(value.asInt());
      return Unit{};
    case ValueKind::Float:
      out.put<int32_t>(kTagFloat);
      out.put(value.asFloat());
      return Unit{};
    default:
      return fail("vm.file-constant", "a constant can not be written to a file: " + value.summary());
  }
}

void putDebug(ByteWriter& out, const DebugInfo& debug) {
  out.put(kDebugSection);
  out.put<uint64_t>(debug.instructions.size());
  for (const DebugSite& site : debug.instructions) {
    out.put<uint8_t>(site.known ? 1 : 0);
    for (const uint32_t number : {site.block, site.binding, site.span.begin, site.span.end, site.span.file})
      out.put(number);
    out.text(site.variable);
  }
  out.put<uint64_t>(debug.functions.size());
  for (const FunctionDebug& function : debug.functions) {
    out.put<uint64_t>(function.registers.size());
    for (const std::string& name : function.registers) out.text(name);
    out.put<uint64_t>(function.heapSlots.size());
    for (const auto& [slot, text] : function.heapSlots) {
      out.put(slot);
      out.text(text);
    }
  }
}

nlohmann::json originJson(const Origin& origin) {
  auto sites = nlohmann::json::array();
  for (const OriginSite& site : origin.sites) {
    sites.push_back({site.function.string(), site.block, site.binding, site.name.string(), site.span.begin,
                     site.span.end, site.span.file});
  }
  return {{"pass", origin.pass.string()}, {"sites", std::move(sites)}};
}

OriginRef originFrom(const nlohmann::json& json) {
  std::vector<OriginSite> sites;
  for (const auto& row : json.at("sites")) {
    sites.push_back({Str(row.at(0).get<std::string>()), row.at(1).get<uint32_t>(), row.at(2).get<uint32_t>(),
                     Str(row.at(3).get<std::string>()),
                     Span{row.at(4).get<uint32_t>(), row.at(5).get<uint32_t>(), row.at(6).get<uint32_t>()}});
  }
  return rx::make<Origin>(Array<OriginSite>(std::move(sites)), Str(json.at("pass").get<std::string>()));
}

/// One entry an instruction, null for those without an origin; "" where no instruction has one.
std::string originsText(const DebugInfo& debug) {
  auto rows = nlohmann::json::array();
  bool any = false;
  for (const DebugSite& site : debug.instructions) {
    const Origin* origin = originOf(site);
    rows.push_back(origin ? originJson(*origin) : nlohmann::json());
    any = any || origin;
  }
  return any ? rows.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) : std::string();
}

Result<Unit> takeOrigins(const std::string& text, DebugInfo& debug) {
  if (text.empty()) return Unit{};
  try {
    const auto rows = nlohmann::json::parse(text);
    for (size_t i = 0; i < debug.instructions.size(); ++i) {
      const auto& row = rows.at(i);
      if (!row.is_null()) debug.instructions[i].origin = originFrom(row);
    }
  } catch (const nlohmann::json::exception& error) {
    return fail("vm.file", fmt::format("the origins can not be read: {}", escapedForDisplay(error.what())));
  }
  return Unit{};
}

}  // namespace

Result<std::string> executableBytes(const Executable& executable, Sections sections) {
  const ExecutableParts& parts = executable.parts();
  ByteWriter out;
  out.put(kExecutableV2);
  out.text(kExecutableVersion);
  out.put<uint64_t>(parts.functions.size());
  for (const FunctionInfo& f : parts.functions) {
    out.put(static_cast<int32_t>(f.kind));
    out.text(f.name);
    for (Word word : {f.start, f.end, f.numArgs, f.registerCount}) out.put(word);
    out.put<uint64_t>(f.paramNames.size());
    for (const std::string& name : f.paramNames) out.text(name);
  }
  out.put<uint64_t>(parts.memoryScopes.size());
  for (const auto& [index, scope] : parts.memoryScopes) {
    out.put(index);
    out.text(scope);
  }
  out.put<uint64_t>(parts.constants.size());
  for (const Value& value : parts.constants) RX_CHECK(putConstant(out, value));
  out.words(parts.instructionOffsets);
  out.words(parts.words);
  if (!parts.debug.empty()) putDebug(out, parts.debug);
  const std::string origins = sections == Sections::All ? originsText(parts.debug) : std::string();
  if (!origins.empty()) {
    out.put(kOriginSection);
    out.text(origins);
  }
  return out.take();
}

Result<Ref<Executable>> parseExecutable(std::string_view bytes) {
  RX_TRY(file, readExecutable(bytes));
  RX_CHECK(takeOrigins(file.origins, file.parts.debug));
  return Executable::make(std::move(file.parts));
}

}  // namespace rx::vm
