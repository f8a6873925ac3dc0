opt {} --passes "Normalize()"
