// rxs machine: what this machine can do, as profiles and kernels are held against it.
#include "app/rxs/reply.h"
#include "app/rxs/verbs.h"
#include "core/profile/hardware.h"

namespace rx::cli {

std::function<int()> setupMachine(CLI::App& command) {
  struct Arguments {
    bool anew = false, asJson = false;
  };
  auto arguments = std::make_shared<Arguments>();
  command.add_flag("--measure", arguments->anew, "measure anew instead of saying what was measured before");
  addJsonOption(command, arguments->asJson,
                "\"machine\": {\"processor\", \"threads\", \"vector_bits\", \"caches\": [{\"level\", \"bytes\", "
                "\"threads\": that share it}], \"one\" and \"all\" threads: {\"flops_per_second\", "
                "\"bytes_per_second\"}, \"measured\": the day}");
  return [arguments] {
    Reply reply(arguments->asJson);
    const profile::Hardware hardware = profile::hardwareOf(profile::hardwareFile(), arguments->anew, {});
    reply.print(profile::hardwareText(hardware));
    reply.fields()["machine"] = profile::toJson(hardware);
    return reply.finish(kYes);
  };
}

}  // namespace rx::cli
