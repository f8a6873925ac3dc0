// The engine as a program of its own, serving the programs of small_program.h: `engine [--listen]`.
#include <cstring>

#include "core/dap/server/run_dap.h"
#include "engine_pair.h"

int main(int argc, char** argv) {
  rx::dap::DapOptions options;
  options.host = rx::test::smallHost();
  if (argc > 1 && std::strcmp(argv[1], "--listen") == 0) options.listen = 0;
  if (argc > 2) options.log = argv[2];
  return rx::dap::runDap(std::move(options));
}
