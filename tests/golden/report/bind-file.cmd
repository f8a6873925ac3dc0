opt {} --passes "FoldBatchnormToConv2D()" --remarks -o /dev/null
opt {} --passes "BindParams(file='../../../samples/simplenet/params.npz'), FoldBatchnormToConv2D()" --remarks -o /dev/null
opt {} --passes "BindParams(file='../../../samples/simplenet/expected.npz')"
opt {} --passes "BindParams(file='missing.npz')"
