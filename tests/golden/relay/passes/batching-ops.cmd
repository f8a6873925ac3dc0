opt {} --passes "BatchingOps()"
