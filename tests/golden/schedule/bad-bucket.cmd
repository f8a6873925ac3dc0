opt {} --passes "ApplyDefaultSchedule(rules=[{'rule': 'gpu.LowBatchGEMV', 'bucket': 0}])" --target cuda
