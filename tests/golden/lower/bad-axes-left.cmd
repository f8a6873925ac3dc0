opt {} --passes "LowerInitBlock(), LowerOpaqueBlock()"
