opt {} --passes "BindTarget(target={'kind': 'llvm', 'host': 'llvm'}), MakePackedAPI()"
