opt {} --passes "LowerAutoCopy()"
