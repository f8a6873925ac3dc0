opt {} --passes "OptimizeLayoutTransform()"
