opt {} --passes "ApplyDefaultSchedule(rules=['gpu.Matmul', {'rule': 'gpu.Reduction'}, 'gpu.Fallback'])" --target cuda
