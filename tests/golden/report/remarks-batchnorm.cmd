opt {} --passes "FoldBatchnormToConv2D()" --remarks -o /dev/null
