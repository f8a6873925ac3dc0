opt {} --passes "FirstOrderGradient()"
