opt {} --passes "Defunctionalization(), Defunctionalization()"
