opt {} --passes "ApplyDefaultSchedule(rules=['gpu.TensorCores'])" --target "cuda -arch=sm_80"
