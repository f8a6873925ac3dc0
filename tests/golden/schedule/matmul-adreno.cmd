opt {} --passes "ApplyDefaultSchedule(rules=['gpu.Matmul'])" --target "opencl -device=adreno"
