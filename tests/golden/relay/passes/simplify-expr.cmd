opt {} --passes "SimplifyExpr()"
