opt {} --passes "Defunctionalization()"
