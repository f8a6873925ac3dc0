opt {} --passes "LowerGlobalViewToLocalView()"
