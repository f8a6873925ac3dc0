opt {} --passes "ApplyDefaultSchedule(rules=['gpu.RowReduction'])" --target cuda
