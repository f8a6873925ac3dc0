// The engine as a program of its own, serving the programs of small_host.h: `engine [--listen [LOG [FOLDER]]]`, where
// FOLDER is what a client may have written into.
#include <cstring>

#include "core/dap/server/run_dap.h"
#include "small_host.h"

int main(int argc, char** argv) {
  rx::dap::DapOptions options;
  options.host = rx::test::smallHost();
  if (argc > 1 && std::strcmp(argv[1], "--listen") == 0) options.listen = 0;
  if (argc > 2) options.log = argv[2];
  if (argc > 3) options.host.writes.folders = {argv[3]};
  return rx::dap::runDap(std::move(options));
}
