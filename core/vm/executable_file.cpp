#include "core/vm/executable_file.h"

#include <map>

#include "core/runtime/executable_bytes.h"
#include "core/support/bytes.h"
#include "core/vm/site_origin.h"

namespace rx::vm {
namespace {

struct SiteRow {
  std::string function, name;
  uint32_t block = 0, binding = 0;
  Span span;
  static void parts(auto& io, auto& self) {
    io(self.function, self.block, self.binding, self.name, self.span.begin, self.span.end, self.span.file);
  }
};
struct OriginRow {
  std::string pass;
  std::vector<SiteRow> sites;
  static void parts(auto& io, auto& self) { io(self.pass, self.sites); }
};
/// Instructions often have one in common.
struct Origins {
  std::vector<OriginRow> rows;
  std::vector<uint32_t> ofInstructions;  ///< the number of a row plus one; 0 for those without an origin
  static void parts(auto& io, auto& self) { io(self.rows, self.ofInstructions); }
};

OriginRow rowOf(const Origin& origin) {
  OriginRow row{origin.pass.string(), {}};
  for (const OriginSite& site : origin.sites)
    row.sites.push_back({site.function.string(), site.name.string(), site.block, site.binding, site.span});
  return row;
}

OriginRef originOf(const OriginRow& row) {
  std::vector<OriginSite> sites;
  for (const SiteRow& site : row.sites)
    sites.push_back({Str(site.function), site.block, site.binding, Str(site.name), site.span});
  return rx::make<Origin>(Array<OriginSite>(std::move(sites)), Str(row.pass));
}

/// Empty where no instruction has an origin.
std::string originBytes(const DebugInfo& debug) {
  Origins origins;
  std::map<const Origin*, uint32_t> known{{nullptr, 0}};
  for (const DebugSite& site : debug.instructions) {
    const Origin* origin = originOf(site);
    const auto [number, isNew] = known.emplace(origin, static_cast<uint32_t>(known.size()));
    if (isNew) origins.rows.push_back(rowOf(*origin));
    origins.ofInstructions.push_back(number->second);
  }
  if (origins.rows.empty()) return {};
  ByteWriter out;
  out(origins);
  return out.take();
}

Result<Unit> takeOrigins(const std::string& bytes, DebugInfo& debug) {
  if (bytes.empty()) return Unit{};
  ByteReader in(bytes);
  Origins origins;
  in(origins);
  std::vector<OriginRef> made{nullptr};
  for (const OriginRow& row : origins.rows) made.push_back(originOf(row));
  const auto isKnown = [&](uint32_t number) { return number < made.size(); };
  if (in.failed() || origins.ofInstructions.size() != debug.instructions.size() ||
      !std::all_of(origins.ofInstructions.begin(), origins.ofInstructions.end(), isKnown))
    return fail("vm.file", "the origins of the instructions are damaged");
  for (size_t i = 0; i < debug.instructions.size(); ++i) debug.instructions[i].origin = made[origins.ofInstructions[i]];
  return Unit{};
}

}  // namespace

Result<std::string> executableBytes(const Executable& executable, TensorBlocks* blocks) {
  return writeExecutable(executable.parts(), originBytes(executable.parts().debug), blocks);
}

Result<Ref<Executable>> parseExecutable(std::string_view bytes, const PlacedBlocks& blocks) {
  RX_TRY(file, readExecutable(bytes, blocks));
  RX_CHECK(takeOrigins(file.origins, file.parts.debug));
  return Executable::make(std::move(file.parts));
}

}  // namespace rx::vm
