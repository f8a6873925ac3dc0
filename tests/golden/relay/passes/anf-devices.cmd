opt {} --passes "ToANormalForm()"
