opt {} --passes "ApplyDefaultSchedule(rules=['gpu.Transpose'])" --target cuda
