opt {} --passes "ApplyDefaultSchedule(rules=[{'rule': 'gpu.LowBatchGEMV', 'bucket': 8}])" --target cuda
