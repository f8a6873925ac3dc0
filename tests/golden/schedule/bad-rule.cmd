opt {} --passes "ApplyDefaultSchedule(rules=['gpu.Nothing'])" --target cuda
