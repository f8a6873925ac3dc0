opt {} --passes "VectorizeLoop(each_lane=True)" --target llvm
