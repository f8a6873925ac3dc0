opt {} --passes "ApplyDefaultSchedule(rules=['gpu.Attention'])" --target cuda
