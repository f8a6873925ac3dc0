opt {} --passes "ToCPS()"
