opt {} --passes "UpdateParamStructInfo(sinfo_func={'w': 'R.Tensor((9, 16), dtype=\'float32\')'})"
