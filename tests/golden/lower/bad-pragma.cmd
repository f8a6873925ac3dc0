opt {} --passes "LowerOpaqueBlock()"
