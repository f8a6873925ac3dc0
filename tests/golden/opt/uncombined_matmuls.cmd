opt {} --passes "CombineParallelMatmul()"
