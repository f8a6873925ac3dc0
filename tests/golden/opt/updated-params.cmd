opt {} --passes "UpdateParamStructInfo(sinfo_func={'w': 'R.Tensor((8, 16), dtype=\'float32\')'})"
