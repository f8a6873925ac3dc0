opt {} --passes "ApplyDefaultSchedule(rules=['gpu.RMSNorm'])" --target cuda
