opt {} --passes "ApplyDefaultSchedule(rules=['gpu.Permutation'])" --target cuda
