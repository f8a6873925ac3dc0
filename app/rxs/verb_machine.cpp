// rxs machine: what this machine can do, as profiles and kernels are held against it, and its devices.
#include "app/rxs/reply.h"
#include "app/rxs/verbs.h"
#include "core/device/device.h"
#include "core/profile/hardware.h"

namespace rx::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string deviceText(const device::Device& device) {
  const device::Properties& is = device.properties();
  constexpr double kMega = 1024.0 * 1024.0;
  return fmt::format(
      "{}: {}\n  driver {}; programs in {}\n  {:.0f} MB, at most {:.0f} in a block; {} units at {} MHz\n"
      "  groups of at most {} threads ({}), {} KB shared, {} in step{}{}\n",
      device.name(), escapedForDisplay(is.name), escapedForDisplay(is.driver), escapedForDisplay(is.code),
      static_cast<double>(is.memory) / kMega, static_cast<double>(is.largestBlock) / kMega, is.units, is.megahertz,
      is.groupThreads, fmt::join(is.group, " x "), is.sharedBytes / 1024, is.warp, is.halves ? "; float16" : "",
      is.doubles ? "; float64" : "");
}

Json toJson(const device::Properties& is) {
  return {{"kind", is.kind},
          {"number", is.number},
          {"name", is.name},
          {"driver", is.driver},
          {"code", is.code},
          {"bytes", is.memory},
          {"largest_block", is.largestBlock},
          {"units", is.units},
          {"megahertz", is.megahertz},
          {"group_threads", is.groupThreads},
          {"group", is.group},
          {"grid", is.grid},
          {"shared_bytes", is.sharedBytes},
          {"warp", is.warp},
          {"float16", is.halves},
          {"float64", is.doubles}};
}

void addDevices(Reply& reply) {
  Json devices = Json::array(), missing = Json::array();
  for (const device::Found& found : device::findDevices()) {
    for (const auto& device : found.devices) {
      reply.print("\n" + deviceText(*device));
      devices.push_back(toJson(device->properties()));
    }
    for (const Diagnostic& why : found.missing) {
      reply.print(fmt::format("\nno device of kind {}: {}\n", found.kind->name, escapedForDisplay(why.message)));
      missing.push_back({{"kind", found.kind->name}, {"rule", why.rule}, {"why", why.message}});
    }
  }
  reply.fields()["devices"] = std::move(devices);
  reply.fields()["no_devices"] = std::move(missing);
}

}  // namespace

std::function<int()> setupMachine(CLI::App& command) {
  struct Arguments {
    bool anew = false, asJson = false;
  };
  auto arguments = std::make_shared<Arguments>();
  command.add_flag("--measure", arguments->anew, "measure anew instead of saying what was measured before");
  addJsonOption(command, arguments->asJson,
                "\"machine\": {\"processor\", \"threads\", \"vector_bits\", \"caches\": [{\"level\", \"bytes\", "
                "\"threads\": that share it}], \"one\" and \"all\" threads: {\"flops_per_second\", "
                "\"bytes_per_second\", \"integers_per_second\": of products of bytes}, \"measured\": the day, "
                "\"busy\": the part of the processors' time "
                "that other programs took meanwhile}, \"devices\": [{\"kind\", \"number\", \"name\", "
                "\"driver\", \"code\": the language of its programs, \"bytes\", \"largest_block\", \"units\", "
                "\"megahertz\", \"group_threads\", \"group\" and \"grid\": the most along x, y, z, \"shared_bytes\", "
                "\"warp\", \"float16\", \"float64\"}], \"no_devices\": [{\"kind\", \"rule\", \"why\"}]");
  return [arguments] {
    Reply reply(arguments->asJson);
    const profile::Hardware hardware = profile::hardwareOf(profile::hardwareFile(), arguments->anew, {});
    reply.print(profile::hardwareText(hardware));
    reply.fields()["machine"] = profile::toJson(hardware);
    addDevices(reply);
    return reply.finish(kYes);
  };
}

}  // namespace rx::cli
