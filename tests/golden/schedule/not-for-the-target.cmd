opt {} --passes "ApplyDefaultSchedule(rules=['gpu.Fallback'])" --target llvm
