opt {} --passes "ApplyDefaultSchedule(rules=['gpu.Reduction'])" --target cuda
