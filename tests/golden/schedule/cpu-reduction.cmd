opt {} --passes "ApplyDefaultSchedule(rules=['cpu.Reduction'])" --target llvm
