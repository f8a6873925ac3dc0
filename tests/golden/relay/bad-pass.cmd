opt {} --passes "ToBNormalForm()"
