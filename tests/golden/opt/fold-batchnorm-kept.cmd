opt {} --passes "FoldBatchnormToConv2D()"
