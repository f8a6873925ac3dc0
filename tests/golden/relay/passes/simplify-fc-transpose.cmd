opt {} --passes "SimplifyFCTranspose(target_weight_name=['w'])"
