opt {} --passes "CombineParallelConv2D(min_num_branches=3)"
