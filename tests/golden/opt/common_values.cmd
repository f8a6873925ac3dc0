opt {} --passes "EliminateCommonSubexpr()"
