opt {} --passes "ApplyDefaultSchedule(rules=['gpu.WarpGroups'])" --target "cuda -arch=sm_90a"
