opt {} --passes "ApplyDefaultSchedule(rules=[{'rule': 'gpu.Fallback', 'bucket': 4}])" --target cuda
