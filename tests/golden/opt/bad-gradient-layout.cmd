opt {} --passes "Gradient()"
