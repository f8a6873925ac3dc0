opt {} --passes "ApplyDefaultSchedule(rules=['cpu.GEMV'])" --target llvm
