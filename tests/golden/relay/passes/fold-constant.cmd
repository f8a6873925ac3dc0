opt {} --passes "FoldConstant()"
