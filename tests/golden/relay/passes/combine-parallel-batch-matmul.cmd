opt {} --passes "CombineParallelBatchMatmul(min_num_branches=2)"
