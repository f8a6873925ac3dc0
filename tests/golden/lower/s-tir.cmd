opt {} --passes "s_tir"
