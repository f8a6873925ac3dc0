opt {} --passes "LowerGPUIPCAllocStorage()"
