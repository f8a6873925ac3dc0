opt {} --passes "DefaultGPUSchedule()" --target cuda
