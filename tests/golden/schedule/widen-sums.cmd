opt {} --passes "WidenSums()" --target llvm
