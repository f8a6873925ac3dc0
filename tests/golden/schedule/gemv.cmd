opt {} --passes "ApplyDefaultSchedule(rules=['gpu.GEMV'])" --target cuda
