opt {} --passes "FastMathTransform()"
