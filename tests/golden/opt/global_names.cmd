opt {} --passes "NormalizeGlobalVar()"
