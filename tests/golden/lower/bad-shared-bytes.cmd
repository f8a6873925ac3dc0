opt {} --passes "MergeSharedMemoryAllocations()"
