opt {} --passes "SimplifyInference(), FoldConstant(), ToBasicBlockNormalForm()" --explain -o /dev/null
