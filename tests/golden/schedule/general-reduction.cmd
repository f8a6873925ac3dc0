opt {} --passes "ApplyDefaultSchedule(rules=['gpu.GeneralReduction'])" --target cuda
