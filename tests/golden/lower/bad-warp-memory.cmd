opt {} --passes "LowerWarpMemory()"
