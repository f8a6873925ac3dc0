opt {} --passes "UpdateParamStructInfo(sinfo_func={'v': 'R.Tensor((9, 16), dtype=\'float32\')'})"
