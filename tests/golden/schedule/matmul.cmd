opt {} --passes "ApplyDefaultSchedule(rules=['gpu.Matmul'])" --target cuda
